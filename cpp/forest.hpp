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

namespace frugal {

// What the trees of a forest say.
template <class Target>
struct ForestTallies {
    typename Target::Tally oob;
    typename Target::Tally new_rows;  // empty if no new rows were given
};

// Called once a job, from any thread, with what all its trees say.
template <class Target>
using JobDone = std::function<void(std::size_t job, const ForestTallies<Target>&)>;

// Grows every job's forest and forgets its trees: what remains is what they say.
template <class Target>
void run_batch(const CodedData& data, const Target& target, std::span<const Job> jobs,
               const ForestSpec& spec, const RawRows& new_rows, const JobDone<Target>& done,
               const Interrupted& interrupted);

// One forest to keep.
template <class Target>
struct KeptForest {
    FlatForest forest;
    typename Target::Tally oob;
    std::vector<std::uint32_t> draws;  // how often each tree drew each row, tree after tree; empty unless asked for
};
template <class Target>
KeptForest<Target> grow_forest(const CodedData& data, const Target& target, const Job& job,
                               const ForestSpec& spec, bool keep_draws,
                               const Interrupted& interrupted);

}  // namespace frugal
