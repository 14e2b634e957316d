#include "votes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace frugal {

OobScore score_votes(const VoteCounts& counts, const Target& target) {
    const std::uint32_t n_classes = target.n_classes;
    OobScore score;
    std::size_t n_voted = 0;
    for (std::size_t row = 0; row < target.labels.size(); ++row) {
        const auto votes = counts.votes().subspan(row * n_classes, n_classes);
        const std::uint64_t n_votes = std::accumulate(votes.begin(), votes.end(), std::uint64_t{0});
        if (n_votes == 0) {
            ++score.n_unvoted;
            continue;
        }
        ++n_voted;
        const std::uint16_t truth = target.labels[row];
        const std::uint32_t most = *std::max_element(votes.begin(), votes.end());
        if (votes[truth] < most) {
            score.error += 1.0;
        } else {
            score.error += 1.0 - 1.0 / static_cast<double>(std::count(votes.begin(), votes.end(), most));
        }
        double squares = 0;
        for (std::uint32_t k = 0; k < n_classes; ++k) {
            const double share =
                counts.share_sum(row * n_classes + k) / static_cast<double>(n_votes);
            squares += (share - (k == truth)) * (share - (k == truth));
        }
        score.brier += n_classes == 2 ? squares / 2 : squares;
    }
    const double n = n_voted > 0 ? static_cast<double>(n_voted)
                                 : std::numeric_limits<double>::quiet_NaN();
    score.error /= n;
    score.brier /= n;
    return score;
}

}  // namespace frugal
