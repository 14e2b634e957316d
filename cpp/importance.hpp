// Permutation importance, tree by tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest.hpp"

namespace frugal {

// By how much more of a tree's out-of-bag rows go wrong when one column is shuffled among them.
struct PermutationRises {
    std::vector<double> rises;            // tree after tree, the job's columns in the job's order
    std::vector<std::uint32_t> n_oob;     // out-of-bag rows of each tree
};

// For classes: a wrong row counts what an error in a row of its class does, one number for each class.
struct ClassRise {
    const ClassTarget& target;
    std::span<const double> error_weights;

    double operator()(std::uint32_t row, const Leaf& own, const Leaf& other) const {
        const auto error = [&](const Leaf& leaf) { return int{leaf.vote != target.labels[row]}; };
        return error_weights[target.labels[row]] * (error(other) - error(own));
    }
};

// For numbers: the square of how far off the leaf is, in the unit of the caller.
struct NumberRise {
    const NumberTarget& target;

    double operator()(std::uint32_t row, const Leaf& own, const Leaf& other) const {
        const double truth = target.values[row];
        const double was = *own.values - truth, is = *other.values - truth;
        return (is * is - was * was) * target.scale.unit * target.scale.unit;
    }
};

// `rise(row, own, other)` says by how much more a row goes wrong that comes to another leaf than its own.
template <class Target, class Rise>
PermutationRises permutation_rises(const CodedData& data, const Target& target, const Rise& rise,
                                   const Job& job, const ForestSpec& spec,
                                   const Interrupted& interrupted);

}  // namespace frugal
