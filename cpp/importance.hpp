// Permutation importance, tree by tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forest.hpp"

namespace frugal {

// How many more of a tree's out-of-bag rows go wrong when one column is shuffled among them. A row counts what an
// error in a row of its class does: `error_weights`, one for each class.
struct PermutationRises {
    std::vector<double> rises;            // tree after tree, the job's columns in the job's order
    std::vector<std::uint32_t> n_oob;     // out-of-bag rows of each tree
};

PermutationRises permutation_rises(const CodedData& data, const Target& target,
                                   std::span<const double> error_weights, const Job& job,
                                   const ForestSpec& spec, const Interrupted& interrupted);

}  // namespace frugal
