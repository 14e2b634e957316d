// Batches of forests on one coded data set.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "flat_forest.hpp"
#include "parallel.hpp"
#include "target.hpp"
#include "tree_runs.hpp"
#include "votes.hpp"

namespace frugal {

struct ForestVotes {
    VoteCounts oob;
    VoteCounts new_rows;  // empty if no new rows were given
};

// Called once a job, from any thread, with the votes of all its trees.
using JobDone = std::function<void(std::size_t job, const ForestVotes&)>;

// Grows every job's forest and forgets its trees: what remains are the votes.
void run_batch(const CodedData& data, const Target& target, std::span<const Job> jobs,
               const ForestSpec& spec, const RawRows& new_rows, const JobDone& done,
               const Interrupted& interrupted);

// One forest to keep.
struct KeptForest {
    FlatForest forest;
    VoteCounts oob;
    std::vector<std::uint32_t> draws;  // how often each tree drew each row, tree after tree; empty unless asked for
};
KeptForest grow_forest(const CodedData& data, const Target& target, const Job& job,
                       const ForestSpec& spec, bool keep_draws, const Interrupted& interrupted);

}  // namespace frugal
