// Trees as flat arrays that predict on raw values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tree.hpp"
#include "votes.hpp"

namespace frugal {

// Tree t owns the nodes tree_start[t] … tree_start[t + 1] − 1, its root first. A node splits on its column at its threshold
// and has its children at `left` and `left` + 1, counted from the root of its tree: that fits 32 bits in every tree,
// however many nodes the forest has. A leaf has column −1 and a vote. A leaf that is mixed, that is, not all of one
// class, also has class shares: those of the m-th mixed leaf of the forest are at shares[m · n_classes].
struct FlatForest {
    std::uint32_t n_classes = 2;
    std::vector<std::uint64_t> tree_start{0};
    std::vector<std::int32_t> column{};
    std::vector<std::uint32_t> left{};
    std::vector<double> threshold{};
    std::vector<std::uint8_t> missing_left{};
    std::vector<std::uint16_t> vote{};
    std::vector<std::uint8_t> mixed{};
    std::vector<double> shares{};

    std::size_t n_trees() const { return tree_start.size() - 1; }
    void append(const Tree& tree);

    // Throws std::invalid_argument, which says what is wrong and where, unless this is a forest on so many columns: every
    // node of a tree but its root is the child of one node before it, so every walk ends in a leaf of the tree.
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
    // The forest is one: FlatForest::check has been asked, or it was grown here.
    explicit PackedForest(FlatForest forest);

    std::uint32_t n_classes() const { return n_classes_; }

    // Adds the votes of all trees for rows [begin, end). Every value of a row is read once: if somebody writes to the
    // rows meanwhile, a vote may be for another class, but no walk leaves its tree.
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
        bool mixed;
    };

    std::uint32_t find_leaf_with_missing(std::size_t root, const double* row) const;

    std::uint32_t n_classes_;
    std::vector<std::uint64_t> tree_start_;
    std::vector<std::uint8_t> missing_left_;
    std::vector<double> shares_;
    std::vector<std::uint32_t> columns_;  // those that some tree splits on
    std::vector<Node> nodes_;
    std::vector<Leaf> leaves_;            // of each node
    std::vector<std::size_t> shares_at_;  // of each node that is a mixed leaf; empty if there is none
};

}  // namespace frugal
