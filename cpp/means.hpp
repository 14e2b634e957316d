// The tally of numbers: means of what many trees say, added up so that the order does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "target.hpp"
#include "tree.hpp"

namespace frugal {

// A tree says one whole number of a row: the mean of its leaf, in units of the target. Both tallies in one.
class MeanTally {
public:
    using Vote = std::int64_t;
    static Vote vote_of(const Leaf& leaf) { return static_cast<Vote>(*leaf.values); }

    MeanTally(std::size_t n_rows, const NumberTarget& target)
        : scale_(target.scale), rows_(n_rows) {}

    static std::uint64_t bytes(std::uint64_t n_rows, const NumberTarget&) {
        return n_rows * sizeof(OfRow);
    }

    void add(std::size_t row, Vote vote) {
        rows_[row].sum += vote;
        ++rows_[row].n_trees;
    }
    void add(std::size_t row, const Leaf& leaf) { add(row, vote_of(leaf)); }
    void remove(std::size_t row, Vote vote) {
        rows_[row].sum -= vote;
        --rows_[row].n_trees;
    }
    void merge(const MeanTally& other);

    // Mean of the squared errors over the rows that some tree says something of; NaN if there is none.
    double error(const NumberTarget& target) const;
    std::uint32_t n_unpredicted() const;
    // In the unit of the caller; NaN where no tree says anything.
    std::vector<double> predictions() const;

private:
    struct OfRow {
        std::int64_t sum = 0;
        std::int64_t n_trees = 0;

        double mean() const { return static_cast<double>(sum) / static_cast<double>(n_trees); }
    };

    NumberScale scale_;
    std::vector<OfRow> rows_;
};

// What is wrong with a leaf that may come from anywhere; null if nothing is.
const char* fault_of_number_leaf(const Leaf& leaf, std::uint32_t width);

}  // namespace frugal
