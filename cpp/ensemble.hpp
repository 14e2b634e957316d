// Ensembles of shallow trees: what each tree votes out of bag, and which columns it uses.
#pragma once

#include <cstdint>
#include <vector>

#include "allowance.hpp"
#include "forest.hpp"

namespace frugal {

// Trees of one kind: all on these columns, none deeper than this (0: as deep as they get), none beyond these limits.
struct EnsemblePart {
    Job job;
    std::uint32_t n_trees;
    std::uint32_t max_depth;
    TreeLimits limits;
};

// Bit i of word w of plane (tree, class) is set if row 64 w + i is out of bag and gets this tree's vote for the class.
struct EnsembleVotes {
    std::uint32_t n_words = 0;
    std::vector<std::uint64_t> planes;        // [tree][class][word]
    std::vector<std::uint32_t> column_start;  // tree t uses columns[column_start[t] …
    std::vector<std::uint32_t> columns;       //                      … column_start[t + 1])
};

EnsembleVotes grow_ensemble(const CodedData& data, const ClassTarget& target,
                            std::span<const EnsemblePart> parts, const ColumnWeights& weights,
                            const ForestSpec& spec, const Interrupted& interrupted);

}  // namespace frugal
