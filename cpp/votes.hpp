// Votes and class shares of many trees, added up so that the order does not matter.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "target.hpp"
#include "tree.hpp"

namespace frugal {

// A tree gives each row one vote, for the majority class of its leaf, and the leaf's class shares. The shares
// of a leaf of one class equal its vote, so only the difference is kept, and only mixed leaves pay for it.
// The differences are added as integers in units of 2^-32: integer sums are the same in any order.
class VoteCounts {
public:
    VoteCounts(std::uint32_t n_rows, std::uint32_t n_classes)
        : n_classes_(n_classes),
          votes_(std::size_t{n_rows} * n_classes, 0),
          excess_(std::size_t{n_rows} * n_classes, 0) {}

    static std::uint64_t bytes(std::uint64_t n_rows, std::uint64_t n_classes) {
        return n_rows * n_classes * (sizeof(std::uint32_t) + sizeof(std::int64_t));
    }

    void add(std::uint32_t row, std::uint32_t vote, const double* shares) {
        const std::size_t at = std::size_t{row} * n_classes_;
        ++votes_[at + vote];
        if (shares == nullptr) return;
        for (std::uint32_t k = 0; k < n_classes_; ++k) {
            excess_[at + k] += std::llround((shares[k] - (k == vote)) * unit);
        }
    }
    void add(std::uint32_t row, const Node& leaf, const Tree& tree) {
        add(row, leaf.vote(), tree.shares(leaf));
    }

    void merge(const VoteCounts& other) {
        for (std::size_t i = 0; i < votes_.size(); ++i) {
            votes_[i] += other.votes_[i];
            excess_[i] += other.excess_[i];
        }
    }

    std::span<const std::uint32_t> votes() const { return votes_; }
    // Shares of entry i, not yet divided by the number of trees.
    double share_sum(std::size_t i) const {
        return votes_[i] + static_cast<double>(excess_[i]) / unit;
    }

private:
    static constexpr double unit = 4294967296.0;

    std::uint32_t n_classes_;
    std::vector<std::uint32_t> votes_;
    std::vector<std::int64_t> excess_;
};

struct OobScore {
    double error = 0;  // NaN if no row has a vote
    double brier = 0;
    std::uint32_t n_unvoted = 0;
};

// The wrongness of one row in one tree, 0 or 1.
inline std::int32_t leaf_error(const Node& leaf, const Target& target, std::uint32_t row) {
    return leaf.vote() != target.labels[row];
}

// The wrongness of one row in many: 0 if the true class leads alone, 1 − 1/t if t classes lead together with it, else 1.
double row_error(std::span<const std::uint32_t> votes, std::uint32_t truth);

// Mean of row_error over the rows with a vote; the others are left out and counted. Brier score: squared distance of
// the class shares from the truth; for two classes half of it, the usual (p − y)².
OobScore score_votes(const VoteCounts& counts, const Target& target);

// The error alone, from plain counts.
double vote_error(std::span<const std::uint32_t> votes, const Target& target);

}  // namespace frugal
