// Trees as flat arrays that predict on raw values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree.hpp"
#include "votes.hpp"

namespace frugal {

// Node i splits on column[i] at threshold[i] and has its children at left[i] and left[i] + 1; a leaf has column −1.
// Tree t owns the nodes tree_start[t] … tree_start[t + 1] − 1, its root first. A leaf's class
// shares are at shares[i · n_classes].
struct FlatForest {
    explicit FlatForest(std::uint32_t n_classes_) : n_classes(n_classes_) {}

    std::uint32_t n_classes;
    std::vector<std::uint32_t> tree_start{0};
    std::vector<std::int32_t> column;
    std::vector<std::uint32_t> left;
    std::vector<double> threshold;
    std::vector<std::uint8_t> missing_left;
    std::vector<double> shares;

    void append(const Tree& tree);
};

// The same arrays, owned by somebody else.
struct FlatForestView {
    std::uint32_t n_classes;
    std::span<const std::uint32_t> tree_start;
    std::span<const std::int32_t> column;
    std::span<const std::uint32_t> left;
    std::span<const double> threshold;
    std::span<const std::uint8_t> missing_left;
    std::span<const double> shares;

    // Throws std::invalid_argument if following the nodes could leave the arrays or never end.
    void check(std::uint32_t n_columns) const;
};

// Rows of raw numbers, stored column after column.
struct RawRows {
    const double* values = nullptr;
    std::uint32_t n_rows = 0;
    std::uint32_t n_columns = 0;

    double at(std::uint32_t row, std::uint32_t column) const {
        return values[std::size_t{column} * n_rows + row];
    }
};

// A forest laid out for predicting many rows.
//
// A walk down a tree waits for memory at each node, so eight rows walk side by side. They go on until the last has
// arrived: a leaf leads to itself. The block of rows being predicted is copied, row after row, into a
// buffer that stays in the nearest cache.
// Measured on 5000 rows, 1000 trees on 500 × 30: 0.26 → 0.07 s.
class PackedForest {
public:
    explicit PackedForest(const FlatForestView& forest);

    // Adds the votes of all trees for rows [begin, end).
    void add_votes(const RawRows& rows, std::uint32_t begin, std::uint32_t end,
                   VoteCounts& counts) const;

private:
    struct Node {
        double threshold;     // of a leaf: infinity
        std::uint32_t left;   // of a leaf: itself
        std::uint32_t place;  // of the column among columns_
    };
    struct Leaf {
        std::uint16_t vote;
        bool pure;
    };

    std::uint32_t find_leaf_with_missing(std::uint32_t root, const double* row) const;

    FlatForestView forest_;
    std::vector<std::uint32_t> columns_;  // those that some tree splits on
    std::vector<Node> nodes_;
    std::vector<Leaf> leaves_;  // of each node
};

}  // namespace frugal
