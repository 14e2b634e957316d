#include "votes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace frugal {

namespace {

double mean_or_nan(double sum, std::size_t n) {
    return n > 0 ? sum / static_cast<double>(n) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double row_error(std::span<const std::uint32_t> votes, std::uint32_t truth) {
    const std::uint32_t most = *std::max_element(votes.begin(), votes.end());
    if (votes[truth] < most) return 1.0;
    return 1.0 - 1.0 / static_cast<double>(std::count(votes.begin(), votes.end(), most));
}

double vote_error(std::span<const std::uint32_t> votes, const Target& target) {
    const std::size_t n_classes = target.n_classes;
    double error = 0;
    std::size_t n_voted = 0;
    for (std::size_t row = 0; row < target.labels.size(); ++row) {
        const auto of_row = votes.subspan(row * n_classes, n_classes);
        if (std::all_of(of_row.begin(), of_row.end(), [](std::uint32_t v) { return v == 0; })) continue;
        ++n_voted;
        error += row_error(of_row, target.labels[row]);
    }
    return mean_or_nan(error, n_voted);
}

OobScore score_votes(const VoteCounts& counts, const Target& target) {
    const std::size_t n_classes = target.n_classes;
    OobScore score{vote_error(counts.votes(), target), 0, 0};
    std::size_t n_voted = 0;
    for (std::size_t row = 0; row < target.labels.size(); ++row) {
        const auto votes = counts.votes().subspan(row * n_classes, n_classes);
        const std::uint64_t n_votes = std::accumulate(votes.begin(), votes.end(), std::uint64_t{0});
        if (n_votes == 0) {
            ++score.n_unvoted;
            continue;
        }
        ++n_voted;
        double squares = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const double share =
                counts.share_sum(row * n_classes + k) / static_cast<double>(n_votes);
            const double truth = k == target.labels[row];
            squares += (share - truth) * (share - truth);
        }
        score.brier += n_classes == 2 ? squares / 2 : squares;
    }
    score.brier = mean_or_nan(score.brier, n_voted);
    return score;
}

}  // namespace frugal
