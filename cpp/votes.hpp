// The tallies of classes: votes and class shares of many trees, added up so that the order does not matter.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "target.hpp"
#include "tree.hpp"

namespace frugal {

// What the error needs: for each row, how many trees vote for each class.
class ClassVotes {
public:
    using Vote = std::uint16_t;
    static Vote vote_of(const Leaf& leaf) { return leaf.vote; }

    ClassVotes(std::size_t n_rows, const ClassTarget& target)
        : n_classes_(target.n_classes), counts_(n_rows * n_classes_, 0) {}

    void add(std::size_t row, Vote vote) { ++counts_[row * n_classes_ + vote]; }
    void remove(std::size_t row, Vote vote) { --counts_[row * n_classes_ + vote]; }
    void merge(const ClassVotes& other) {
        for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
    }
    std::span<const std::uint32_t> counts() const { return counts_; }

    // Mean of row_error over the rows with a vote; the others are left out.
    double error(const ClassTarget& target) const;

private:
    std::size_t n_classes_;
    std::vector<std::uint32_t> counts_;
};

// A tree gives each row one vote, for the majority class of its leaf, and the leaf's class shares. The shares
// of a leaf of one class equal its vote, so only the difference is kept, and only mixed leaves pay for it.
// The differences are added as integers in units of 2^-32: integer sums are the same in any order.
class ClassTally {
public:
    ClassTally(std::size_t n_rows, const ClassTarget& target)
        : n_classes_(target.n_classes), votes_(n_rows, target), excess_(n_rows * n_classes_, 0) {}

    static std::uint64_t bytes(std::uint64_t n_rows, const ClassTarget& target) {
        return n_rows * target.n_classes * (sizeof(std::uint32_t) + sizeof(std::int64_t));
    }

    void add(std::size_t row, const Leaf& leaf) {
        votes_.add(row, leaf.vote);
        if (leaf.values == nullptr) return;
        for (std::size_t k = 0; k < n_classes_; ++k) {
            excess_[row * n_classes_ + k] += std::llround((leaf.values[k] - (k == leaf.vote)) * unit);
        }
    }
    void merge(const ClassTally& other) {
        votes_.merge(other.votes_);
        for (std::size_t i = 0; i < excess_.size(); ++i) excess_[i] += other.excess_[i];
    }

    const ClassVotes& votes() const { return votes_; }
    // Shares of entry i, not yet divided by the number of trees.
    double share_sum(std::size_t i) const {
        return votes_.counts()[i] + static_cast<double>(excess_[i]) / unit;
    }

private:
    static constexpr double unit = 4294967296.0;

    std::size_t n_classes_;
    ClassVotes votes_;
    std::vector<std::int64_t> excess_;
};

struct ClassScore {
    double error = 0;  // NaN if no row has a vote
    double brier = 0;
    std::uint32_t n_unvoted = 0;
};

// The wrongness of one row in many: 0 if the true class leads alone, 1 − 1/t if t classes lead together with it, else 1.
double row_error(std::span<const std::uint32_t> votes, std::uint32_t truth);

// The error of the votes, with the rows without one counted. Brier score: squared distance of
// the class shares from the truth; for two classes half of it, the usual (p − y)².
ClassScore score(const ClassTally& tally, const ClassTarget& target);

// What is wrong with a leaf that may come from anywhere; null if nothing is.
const char* fault_of_class_leaf(const Leaf& leaf, std::uint32_t n_classes);

}  // namespace frugal
