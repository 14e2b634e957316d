// Many trees on threads: the one loop that grows them, whatever becomes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "grower.hpp"
#include "parallel.hpp"
#include "target.hpp"

namespace frugal {

// One forest to grow: its trees are numbered from first_tree.
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

// Trees of one job that one thread grows, one after the other.
struct TreeRun {
    std::size_t job;           // its place among the jobs
    std::uint32_t begin, end;  // trees of the job, counted from 0
};

// All trees of the jobs, in as many runs as keep all threads busy to the end.
inline std::vector<TreeRun> tree_runs(std::size_t n_jobs, std::uint32_t n_trees, unsigned n_threads) {
    // Eight runs a thread leave at most about one eighth of a thread's time idle at the end. Below
    // 16 trees a run's own cost (scratch votes, a merge) would show.
    std::uint32_t n_runs = 1;  // of each job
    if (n_threads > 1 && n_jobs > 0 && n_jobs < 8 * std::size_t{n_threads}) {
        n_runs = static_cast<std::uint32_t>((8 * std::size_t{n_threads} + n_jobs - 1) / n_jobs);
        n_runs = std::max<std::uint32_t>(1, std::min(n_runs, n_trees / 16));
    }
    const auto edge = [&](std::uint32_t i) {
        return static_cast<std::uint32_t>(std::uint64_t{n_trees} * i / n_runs);
    };
    std::vector<TreeRun> runs;
    runs.reserve(n_jobs * n_runs);
    for (std::size_t job = 0; job < n_jobs; ++job) {
        for (std::uint32_t r = 0; r < n_runs; ++r) runs.push_back({job, edge(r), edge(r + 1)});
    }
    return runs;
}

// What one thread does with the trees it grows. Visitors hide what they need:
// - begin_run and end_run are called around the trees of a run, end_run not if the work was stopped;
// - visit is called with every tree: `t` counts from the job's first, `grower` holds the tree and its rows;
// - record_of says where to write down how tree t came to its splits, if anywhere.
template <class Task>
struct TreeVisitor {
    using Grower = TreeGrower<Task>;

    void begin_run(const TreeRun&, Grower&) {}
    GrowthRecord<typename Task::Item>* record_of(std::uint32_t) { return nullptr; }
    void end_run(const TreeRun&) {}
};

// Grows all runs of the jobs. `make_visitor(grower, cancelled)` is called once a thread, in that thread. What
// visitors write must not depend on which thread grows which run, or when.
template <class Task, class MakeVisitor>
void for_each_tree(const CodedData& data, const typename Task::Target& target,
                   std::span<const Job> jobs, std::span<const TreeRun> runs, const ForestSpec& spec,
                   const Interrupted& interrupted, MakeVisitor make_visitor) {
    parallel_for(runs.size(), spec.n_threads, interrupted, [&](const std::atomic<bool>& cancelled) {
        auto grower = std::make_unique<TreeGrower<Task>>(data, target, spec.growth, cancelled);
        auto visitor = make_visitor(*grower, cancelled);
        return [&, grower = std::move(grower), visitor = std::move(visitor)](std::size_t r) mutable {
            const TreeRun& run = runs[r];
            const Job& job = jobs[run.job];
            grower->use_features(job.columns, job.max_features);
            visitor.begin_run(run, *grower);
            for (std::uint32_t t = run.begin; t < run.end; ++t) {
                grower->grow(job.seed, job.first_tree + t, visitor.record_of(t));
                if (cancelled) return;
                visitor.visit(run, t, *grower);
            }
            visitor.end_run(run);
        };
    });
}

}  // namespace frugal
