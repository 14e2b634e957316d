#include "tally.hpp"

#include <bit>

#include "votes.hpp"

// Without this the baseline instruction set counts bits by table: 4 times slower for the whole greedy.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FRUGAL_COUNTS_BITS __attribute__((target_clones("popcnt", "default")))
#else
#define FRUGAL_COUNTS_BITS
#endif

namespace frugal {

namespace {

using Words = std::vector<std::uint64_t>;

template <class F>
void for_each_bit(const std::uint64_t* words, std::uint32_t n_words, F f) {
    for (std::uint32_t w = 0; w < n_words; ++w) {
        for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
            f(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }
}

std::vector<std::uint32_t> count_votes(const VotePlanes& votes, std::size_t n_rows,
                                       std::span<const std::uint32_t> chosen) {
    std::vector<std::uint32_t> counts(n_rows * votes.n_classes, 0);
    for (const std::uint32_t tree : chosen) {
        for (std::uint32_t k = 0; k < votes.n_classes; ++k) {
            for_each_bit(votes.plane(tree, k), votes.n_words, [&](std::uint32_t row) {
                ++counts[std::size_t{row} * votes.n_classes + k];
            });
        }
    }
    return counts;
}

// Two classes need no counts per candidate. With margin = right − wrong votes, a right vote gains ½ at margins
// −1 and 0, and a wrong one loses ½ at 0 and +1: the sum is two counts of bits under four masks. An
// unvoted row has margin 0, or, if it counts as wrong, gains 1 by a right vote and loses nothing.
struct BinaryMasks {
    Words gain[2];   // by the class voted for: rows where that vote gains ½
    Words lose[2];   // … loses ½
    Words settle[2]; // … gains 1
};

BinaryMasks make_masks(std::span<const std::uint32_t> counts, const Target& target,
                       std::uint32_t n_words, bool unvoted_is_wrong) {
    BinaryMasks masks;
    for (auto* family : {&masks.gain, &masks.lose, &masks.settle}) {
        for (Words& words : *family) words.assign(n_words, 0);
    }
    for (std::uint32_t row = 0; row < target.labels.size(); ++row) {
        const std::uint32_t truth = target.labels[row];
        const std::int64_t right = counts[2 * row + truth], wrong = counts[2 * row + 1 - truth];
        const std::int64_t margin = right - wrong;
        const std::uint64_t bit = std::uint64_t{1} << row % 64;
        if (unvoted_is_wrong && right + wrong == 0) {
            masks.settle[truth][row / 64] |= bit;
            continue;
        }
        if (margin == -1 || margin == 0) masks.gain[truth][row / 64] |= bit;
        if (margin == 0 || margin == 1) masks.lose[1 - truth][row / 64] |= bit;
    }
    return masks;
}

FRUGAL_COUNTS_BITS
void binary_gains(const VotePlanes& votes, const BinaryMasks& masks, const std::uint32_t* candidates,
                  std::size_t n_candidates, bool unvoted_is_wrong, double* gains) {
    for (std::size_t c = 0; c < n_candidates; ++c) {
        std::int64_t halves = 0;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint64_t* plane = votes.plane(candidates[c], k);
            for (std::uint32_t w = 0; w < votes.n_words; ++w) {
                halves += std::popcount(plane[w] & masks.gain[k][w]);
                halves -= std::popcount(plane[w] & masks.lose[k][w]);
                if (unvoted_is_wrong) halves += 2 * std::popcount(plane[w] & masks.settle[k][w]);
            }
        }
        gains[c] = static_cast<double>(halves) / 2;
    }
}

double error_of(std::span<const std::uint32_t> votes, std::uint32_t truth, bool unvoted_is_wrong) {
    if (unvoted_is_wrong && std::all_of(votes.begin(), votes.end(), [](auto v) { return v == 0; })) {
        return 1.0;
    }
    return row_error(votes, truth);
}

}  // namespace

TallyResult tally_gains(const VotePlanes& votes, const Target& target,
                        std::span<const std::uint32_t> chosen,
                        std::span<const std::uint32_t> candidates, bool unvoted_is_wrong) {
    const std::size_t n_rows = target.labels.size(), n_classes = votes.n_classes;
    std::vector<std::uint32_t> counts = count_votes(votes, n_rows, chosen);
    TallyResult result{0.0, std::vector<double>(candidates.size(), 0.0)};
    std::vector<double> errors(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
        errors[row] = error_of({&counts[row * n_classes], n_classes}, target.labels[row],
                               unvoted_is_wrong);
        result.error += errors[row];
    }
    if (n_classes == 2) {
        const BinaryMasks masks = make_masks(counts, target, votes.n_words, unvoted_is_wrong);
        binary_gains(votes, masks, candidates.data(), candidates.size(), unvoted_is_wrong,
                     result.gains.data());
        return result;
    }
    // What one more vote for a class does to a row is the same for every tree that casts it.
    std::vector<double> gain(n_rows * n_classes);
    for (std::size_t row = 0; row < n_rows; ++row) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            ++counts[row * n_classes + k];
            gain[row * n_classes + k] =
                errors[row] - row_error({&counts[row * n_classes], n_classes}, target.labels[row]);
            --counts[row * n_classes + k];
        }
    }
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            for_each_bit(votes.plane(candidates[c], k), votes.n_words, [&](std::uint32_t row) {
                result.gains[c] += gain[std::size_t{row} * n_classes + k];
            });
        }
    }
    return result;
}

std::vector<double> sum_weights(std::span<const std::uint32_t> start,
                                std::span<const std::uint32_t> members,
                                std::span<const double> weights) {
    std::vector<double> sums(start.size() - 1, 0.0);
    for (std::size_t i = 0; i + 1 < start.size(); ++i) {
        for (std::uint32_t m = start[i]; m < start[i + 1]; ++m) sums[i] += weights[members[m]];
    }
    return sums;
}

}  // namespace frugal
