#include "tally.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "votes.hpp"

// Without this the baseline instruction set has no instruction that counts bits.
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
// −1 and 0, and a wrong one loses ½ at 0 and +1: the sum is a count of bits under each of two masks. An
// unvoted row has margin 0, or, if it counts as wrong, gains 1 by a right vote and loses nothing.
struct BinaryMasks {
    Words right_gains;
    Words right_settles;  // gains another ½
    Words wrong_loses;
    double error = 0;  // of the chosen trees, summed over rows
};

// Counts of 64 rows at once: bit i of slice s is bit s of the count of row i.
class SlicedCounter {
public:
    explicit SlicedCounter(std::uint32_t n_slices) : slices_(n_slices, 0) {}

    void add(std::uint64_t bits) {
        for (std::size_t s = 0; bits != 0; ++s) {
            const std::uint64_t carry = slices_[s] & bits;
            slices_[s] ^= bits;
            bits = carry;
        }
    }
    std::uint64_t slice(std::size_t s) const { return slices_[s]; }

private:
    std::vector<std::uint64_t> slices_;
};

// Each tree's right votes, then its wrong ones: [tree][right, wrong][word].
FRUGAL_COUNTS_BITS
BinaryMasks make_masks(const std::uint64_t* right_and_wrong, std::uint32_t n_words,
                       std::size_t n_rows, const std::uint32_t* chosen, std::size_t n_chosen,
                       bool unvoted_is_wrong) {
    BinaryMasks masks{Words(n_words, 0), Words(n_words, 0), Words(n_words, 0)};
    const auto n_slices = static_cast<std::uint32_t>(std::bit_width(n_chosen)) + 1;
    std::int64_t halves = 0;
    for (std::uint32_t w = 0; w < n_words; ++w) {
        SlicedCounter right(n_slices), wrong(n_slices);
        for (std::size_t i = 0; i < n_chosen; ++i) {
            const std::uint64_t* planes = right_and_wrong + std::size_t{chosen[i]} * 2 * n_words;
            right.add(planes[w]);
            wrong.add(planes[n_words + w]);
        }
        // margin = right + ~wrong + 1, slice by slice; the last slice is its sign.
        std::uint64_t carry = ~std::uint64_t{0}, is_zero = ~std::uint64_t{0}, is_minus_one = is_zero;
        std::uint64_t is_one = is_zero, negative = 0, voted = 0;
        for (std::size_t s = 0; s < n_slices; ++s) {
            const std::uint64_t x = right.slice(s), y = ~wrong.slice(s);
            const std::uint64_t bit = x ^ y ^ carry;
            carry = (x & y) | (carry & (x ^ y));
            is_zero &= ~bit;
            is_minus_one &= bit;
            is_one &= s == 0 ? bit : ~bit;
            negative = bit;
            voted |= x | ~y;
        }
        const bool is_last = w + 1 == n_words && n_rows % 64 != 0;
        const std::uint64_t rows = is_last ? ~(~std::uint64_t{0} << n_rows % 64) : ~std::uint64_t{0};
        const std::uint64_t settles = unvoted_is_wrong ? rows & ~voted : 0;
        masks.right_gains[w] = rows & (is_zero | is_minus_one);
        masks.right_settles[w] = settles;
        masks.wrong_loses[w] = rows & (is_zero | is_one) & ~settles;
        halves += 2 * std::popcount(rows & negative) + std::popcount(rows & is_zero) +
                  std::popcount(settles);
    }
    masks.error = static_cast<double>(halves) / 2;
    return masks;
}

FRUGAL_COUNTS_BITS
void binary_gains(const std::uint64_t* right_and_wrong, std::uint32_t n_words,
                  const BinaryMasks& masks, const std::uint32_t* candidates,
                  std::size_t n_candidates, bool unvoted_is_wrong, double* gains) {
    for (std::size_t c = 0; c < n_candidates; ++c) {
        const std::uint64_t* right = right_and_wrong + std::size_t{candidates[c]} * 2 * n_words;
        const std::uint64_t* wrong = right + n_words;
        std::int64_t halves = 0;
        for (std::uint32_t w = 0; w < n_words; ++w) {
            halves += std::popcount(right[w] & masks.right_gains[w]);
            halves -= std::popcount(wrong[w] & masks.wrong_loses[w]);
        }
        if (unvoted_is_wrong) {
            for (std::uint32_t w = 0; w < n_words; ++w) {
                halves += std::popcount(right[w] & masks.right_settles[w]);
            }
        }
        gains[c] = static_cast<double>(halves) / 2;
    }
}

// Each tree's right votes, then its wrong ones.
Words split_by_truth(const VotePlanes& votes, const ClassTarget& target) {
    Words positive(votes.n_words, 0);
    for (std::uint32_t row = 0; row < target.labels.size(); ++row) {
        positive[row / 64] |= std::uint64_t{target.labels[row]} << row % 64;
    }
    Words words(std::size_t{votes.n_trees} * 2 * votes.n_words);
    for (std::uint32_t t = 0; t < votes.n_trees; ++t) {
        for (std::uint32_t w = 0; w < votes.n_words; ++w) {
            const std::uint64_t zero = votes.plane(t, 0)[w], one = votes.plane(t, 1)[w];
            std::uint64_t* right = &words[std::size_t{t} * 2 * votes.n_words + w];
            right[0] = (one & positive[w]) | (zero & ~positive[w]);
            right[votes.n_words] = (one & ~positive[w]) | (zero & positive[w]);
        }
    }
    return words;
}

double error_of(std::span<const std::uint32_t> votes, std::uint32_t truth, bool unvoted_is_wrong) {
    if (unvoted_is_wrong && std::all_of(votes.begin(), votes.end(), [](auto v) { return v == 0; })) {
        return 1.0;
    }
    return row_error(votes, truth);
}

// For each member the sets it is in. No member may be `n_members` or more.
TreeSets invert(const TreeSets& sets, std::size_t n_members) {
    TreeSets inverse{std::vector<std::uint32_t>(n_members + 1, 0), {}};
    for (const std::uint32_t m : sets.members) ++inverse.start[std::size_t{m} + 1];
    for (std::size_t m = 0; m < n_members; ++m) inverse.start[m + 1] += inverse.start[m];
    inverse.members.resize(sets.members.size());
    std::vector<std::uint32_t> next(inverse.start.begin(), inverse.start.end() - 1);
    for (std::uint32_t t = 0; t + 1 < sets.start.size(); ++t) {
        for (std::uint32_t i = sets.start[t]; i < sets.start[t + 1]; ++i) {
            inverse.members[next[sets.members[i]]++] = t;
        }
    }
    return inverse;
}

// Whether a weight is at most another, up to the rounding of their sums.
bool weighs_no_more(double weight, double other) { return weight <= other * (1 + 1e-10); }

// Offers that no other offer beats on both counts, ascending by tree. Of equals the first stays.
void keep_undominated(TreeOffers& offers) {
    // By falling gain, and so by falling weight: what gains less must weigh less.
    std::vector<std::uint32_t> front;
    double top_gain = -std::numeric_limits<double>::infinity(), its_weight = 0;
    for (std::uint32_t i = 0; i < offers.tree.size(); ++i) {
        // Most trees gain less and weigh more than the best of all so far: no need to search.
        if (offers.gain[i] <= top_gain && weighs_no_more(its_weight, offers.weight[i])) continue;
        const auto less = std::partition_point(front.begin(), front.end(), [&](std::uint32_t k) {
            return offers.gain[k] >= offers.gain[i];
        });
        if (less != front.begin() && weighs_no_more(offers.weight[*(less - 1)], offers.weight[i])) continue;
        // One that gains the same and weighs more may stand right before: it goes, too.
        const bool beats_equal = less != front.begin() && offers.gain[*(less - 1)] == offers.gain[i];
        const auto first = beats_equal ? less - 1 : less;
        const auto last = std::find_if(less, front.end(), [&](std::uint32_t k) {
            return offers.weight[k] < offers.weight[i];
        });
        front.insert(front.erase(first, last), i);
        top_gain = offers.gain[front.front()];
        its_weight = offers.weight[front.front()];
    }
    std::sort(front.begin(), front.end());
    TreeOffers kept{offers.error, {}, {}, {}};
    for (const std::uint32_t i : front) {
        kept.tree.push_back(offers.tree[i]);
        kept.gain.push_back(offers.gain[i]);
        kept.weight.push_back(offers.weight[i]);
    }
    offers = std::move(kept);
}

}  // namespace

TreeTally::TreeTally(VotePlanes votes, ClassTarget target, TreeSets columns, TreeSets bundles,
                     std::uint32_t n_columns)
    : votes_(std::move(votes)),
      target_(std::move(target)),
      columns_(std::move(columns)),
      bundles_(std::move(bundles)) {
    if (votes_.n_classes == 2) right_and_wrong_ = split_by_truth(votes_, target_);
    const std::size_t n_bundles =
        bundles_.members.empty()
            ? 0
            : *std::max_element(bundles_.members.begin(), bundles_.members.end()) + std::size_t{1};
    trees_of_column_ = invert(columns_, n_columns);
    trees_of_bundle_ = invert(bundles_, n_bundles);
    column_weight_.resize(n_columns);
    column_is_new_.resize(n_columns);
    bundle_weight_.resize(n_bundles);
}

void TreeTally::update_weights(const OfferQuery& query) {
    const std::size_t n_trees = votes_.n_trees;
    std::vector<char> stale(n_trees, tree_weight_.empty());
    tree_weight_.resize(n_trees);
    tree_is_new_.resize(n_trees);
    const auto mark = [&](const TreeSets& trees, std::size_t member) {
        for (std::uint32_t i = trees.start[member]; i < trees.start[member + 1]; ++i) {
            stale[trees.members[i]] = true;
        }
    };
    for (std::size_t j = 0; j + 1 < trees_of_column_.start.size(); ++j) {
        if (column_weight_[j] != query.column_weight[j] || column_is_new_[j] != query.column_is_new[j]) {
            mark(trees_of_column_, j);
        }
        column_weight_[j] = query.column_weight[j];
        column_is_new_[j] = query.column_is_new[j];
    }
    for (std::size_t g = 0; g + 1 < trees_of_bundle_.start.size(); ++g) {
        if (bundle_weight_[g] != query.bundle_weight[g]) mark(trees_of_bundle_, g);
        bundle_weight_[g] = query.bundle_weight[g];
    }
    // A stale weight is added up anew, never corrected: so it does not depend on what was asked before.
    for (std::size_t t = 0; t < n_trees; ++t) {
        if (!stale[t]) continue;
        double weight = 0;
        bool is_new = false;
        for (std::uint32_t i = columns_.start[t]; i < columns_.start[t + 1]; ++i) {
            weight += column_weight_[columns_.members[i]];
            is_new |= column_is_new_[columns_.members[i]] != 0;
        }
        for (std::uint32_t i = bundles_.start[t]; i < bundles_.start[t + 1]; ++i) {
            weight += bundle_weight_[bundles_.members[i]];
        }
        tree_weight_[t] = weight;
        tree_is_new_[t] = is_new;
    }
}

TreeOffers TreeTally::offers(const OfferQuery& query) {
    update_weights(query);
    TreeOffers offers{0.0, std::vector<std::uint32_t>(query.n_trees), {},
                      std::vector<double>(query.n_trees)};
    std::size_t n_offers = 0;
    for (std::uint32_t t = 0; t < query.n_trees; ++t) {  // no branch: half of the trees may be out
        offers.tree[n_offers] = t;
        offers.weight[n_offers] = tree_weight_[t];
        n_offers += std::size_t{tree_is_new_[t] != 0} & std::size_t{tree_weight_[t] <= query.most_weight};
    }
    offers.tree.resize(n_offers);
    offers.weight.resize(n_offers);
    offers.gain.assign(offers.tree.size(), 0.0);

    const std::size_t n_rows = target_.labels.size(), n_classes = votes_.n_classes;
    if (n_classes == 2) {
        const BinaryMasks masks =
            make_masks(right_and_wrong_.data(), votes_.n_words, n_rows, query.chosen.data(),
                       query.chosen.size(), query.unvoted_is_wrong);
        offers.error = masks.error;
        binary_gains(right_and_wrong_.data(), votes_.n_words, masks, offers.tree.data(),
                     offers.tree.size(), query.unvoted_is_wrong, offers.gain.data());
    } else {
        // What one more vote for a class does to a row is the same for every tree that casts it. In whole parts of
        // an error, so that gains that are equal add up to the same: a tie among up to 22 classes is a whole number
        // of parts, and a million rows do not overflow.
        constexpr double parts = 232'792'560;  // least common multiple of 1 … 22
        std::vector<std::uint32_t> counts = count_votes(votes_, n_rows, query.chosen);
        std::vector<std::int64_t> gain(n_rows * n_classes);
        for (std::size_t row = 0; row < n_rows; ++row) {
            const std::span<std::uint32_t> votes{&counts[row * n_classes], n_classes};
            const std::uint32_t truth = target_.labels[row];
            const double error = error_of(votes, truth, query.unvoted_is_wrong);
            offers.error += error;
            for (std::size_t k = 0; k < n_classes; ++k) {
                ++votes[k];
                gain[row * n_classes + k] = std::llround(parts * (error - row_error(votes, truth)));
                --votes[k];
            }
        }
        for (std::size_t c = 0; c < offers.tree.size(); ++c) {
            std::int64_t sum = 0;
            for (std::uint32_t k = 0; k < n_classes; ++k) {
                for_each_bit(votes_.plane(offers.tree[c], k), votes_.n_words, [&](std::uint32_t row) {
                    sum += gain[std::size_t{row} * n_classes + k];
                });
            }
            offers.gain[c] = static_cast<double>(sum) / parts;
        }
    }
    if (query.undominated_only) keep_undominated(offers);
    return offers;
}

}  // namespace frugal
