// Batches of forests on one coded data set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "flat_forest.hpp"
#include "parallel.hpp"
#include "task.hpp"
#include "tree.hpp"
#include "votes.hpp"

namespace frugal {

// One forest to grow: trees first_tree … first_tree + n_trees − 1 of this seed.
struct Job {
    std::span<const std::uint32_t> columns;
    std::uint32_t max_features;
    std::uint64_t seed;
    std::uint64_t first_tree = 0;
};

struct ForestSpec {
    GrowthSpec growth;
    std::uint32_t n_trees = 1000;
    unsigned n_threads = 1;
};

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

// One forest to keep. `draws`, if not null, receives how often each tree drew each row (tree after tree).
struct KeptForest {
    FlatForest forest;
    VoteCounts oob;
    std::vector<std::uint32_t> draws;
};
KeptForest grow_forest(const CodedData& data, const Target& target, const Job& job,
                       const ForestSpec& spec, bool keep_draws, const Interrupted& interrupted);

// Trees in ranges that threads can share out: enough of them to keep all threads busy to the end.
std::vector<std::pair<std::uint32_t, std::uint32_t>> tree_ranges(std::uint32_t n_trees,
                                                                 std::size_t n_jobs,
                                                                 unsigned n_threads);

}  // namespace frugal
