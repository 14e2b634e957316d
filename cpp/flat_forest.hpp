// Trees as flat arrays that predict on raw values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree.hpp"

namespace frugal {

// Tree t owns the nodes tree_start[t] … tree_start[t + 1] − 1, its root first. A node splits on its column at its threshold
// and has its children at `left` and `left` + 1, counted from the root of its tree: that fits 32 bits in every tree,
// however many nodes the forest has. A leaf has column −1 and says something (Leaf): the values of the m-th leaf of the
// forest that has some are at values[m · width].
struct FlatForest {
    std::uint32_t width;
    std::vector<std::uint64_t> tree_start{0};
    std::vector<std::int32_t> column{};
    std::vector<std::uint32_t> left{};
    std::vector<double> threshold{};
    std::vector<std::uint8_t> missing_left{};
    std::vector<std::uint16_t> vote{};
    std::vector<std::uint8_t> has_values{};
    std::vector<double> values{};

    std::size_t n_trees() const { return tree_start.size() - 1; }
    void append(const Tree& tree);

    // Throws std::invalid_argument, which says what is wrong and where, unless this is a forest on so many columns: every
    // node of a tree but its root is the child of one node before it, so every walk ends in a leaf of the tree. `fault_of`
    // says what is wrong with a leaf of this width; null if nothing is.
    using LeafFault = const char* (*)(const Leaf& leaf, std::uint32_t width);
    void check(std::uint32_t n_columns, LeafFault fault_of) const;
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
    // The forest is one: FlatForest::check has been asked, or it was grown here.
    explicit PackedForest(FlatForest forest);

    // Adds what all trees say of rows [begin, end) to a tally. Every value of a row is read once: if somebody writes to
    // the rows meanwhile, another leaf may be found, but no walk leaves its tree.
    template <class Tally>
    void add_to(Tally& tally, const RawRows& rows, std::uint32_t begin, std::uint32_t end) const;

private:
    struct Node {
        double threshold;     // of a leaf: infinity
        std::uint32_t left;   // of a leaf: itself
        std::uint32_t place;  // of the column among columns_
    };
    struct PackedLeaf {
        std::uint16_t vote;
        bool has_values;
    };

    std::uint32_t find_leaf_with_missing(std::size_t root, const double* row) const;

    std::vector<std::uint64_t> tree_start_;
    std::vector<std::uint8_t> missing_left_;
    std::vector<double> values_;
    std::vector<std::uint32_t> columns_;  // those that some tree splits on
    std::vector<Node> nodes_;
    std::vector<PackedLeaf> leaves_;      // of each node
    std::vector<std::size_t> values_at_;  // of each node that is a leaf with values; empty if there is none
};

}  // namespace frugal
