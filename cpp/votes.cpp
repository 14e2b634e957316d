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

double ClassVotes::error(const ClassTarget& target) const {
    double error = 0;
    std::size_t n_voted = 0;
    for (std::size_t row = 0; row < target.n_rows(); ++row) {
        const auto votes = counts().subspan(row * n_classes_, n_classes_);
        if (std::all_of(votes.begin(), votes.end(), [](std::uint32_t v) { return v == 0; })) continue;
        ++n_voted;
        error += row_error(votes, target.labels[row]);
    }
    return mean_or_nan(error, n_voted);
}

ClassScore score(const ClassTally& tally, const ClassTarget& target) {
    const std::size_t n_classes = target.n_classes;
    ClassScore result{tally.votes().error(target), 0, 0};
    std::size_t n_voted = 0;
    for (std::size_t row = 0; row < target.labels.size(); ++row) {
        const auto votes = tally.votes().counts().subspan(row * n_classes, n_classes);
        const std::uint64_t n_votes = std::accumulate(votes.begin(), votes.end(), std::uint64_t{0});
        if (n_votes == 0) {
            ++result.n_unvoted;
            continue;
        }
        ++n_voted;
        double squares = 0;
        for (std::size_t k = 0; k < n_classes; ++k) {
            const double share =
                tally.share_sum(row * n_classes + k) / static_cast<double>(n_votes);
            const double truth = k == target.labels[row];
            squares += (share - truth) * (share - truth);
        }
        result.brier += n_classes == 2 ? squares / 2 : squares;
    }
    result.brier = mean_or_nan(result.brier, n_voted);
    return result;
}

const char* fault_of_class_leaf(const Leaf& leaf, std::uint32_t n_classes) {
    if (leaf.vote >= n_classes) return "votes for a class that there is not";
    if (leaf.values == nullptr) return nullptr;
    double sum = 0;
    for (std::uint32_t k = 0; k < n_classes; ++k) {
        const bool fits = leaf.values[k] >= 0 && leaf.values[k] <= leaf.values[leaf.vote];
        if (!fits) return "has class shares that do not fit its vote";
        sum += leaf.values[k];
    }
    return std::abs(sum - 1) < 1e-6 ? nullptr : "has class shares that do not add up to 1";
}

}  // namespace frugal
