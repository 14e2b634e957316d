// What the bindings of every kind of target share: jobs from arrays, checked, and forests that predict.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "coded_data.hpp"
#include "flat_forest.hpp"
#include "forest.hpp"
#include "forward.hpp"
#include "interruptible.hpp"
#include "parallel.hpp"
#include "tree_runs.hpp"

namespace frugal {

inline RawRows as_rows(const Matrix<double>& columns) {
    require(columns.shape(0) <= INT32_MAX && columns.shape(1) <= INT32_MAX,
            "a table may have at most 2^31 - 1 rows and columns");
    return {columns.data(), static_cast<std::uint32_t>(columns.shape(1)),
            static_cast<std::uint32_t>(columns.shape(0))};
}

inline RawRows as_new_rows(const CodedData& data, const std::optional<Matrix<double>>& columns) {
    if (!columns) return {};
    const RawRows rows = as_rows(*columns);
    require(rows.n_columns == data.n_columns(), "new rows have another number of columns");
    return rows;
}

template <class Target>
void check_fit(const CodedData& data, const Target& target, const ForestSpec& spec) {
    require(data.n_rows() == target.n_rows(), "the table and the target differ in length");
    require(spec.growth.n_draws <= data.n_rows(), "more rows drawn than there are");
    require(spec.n_trees <= Target::most_trees, "more trees than a tally can hold");
}

// About what a thread takes to grow trees and add up what they say.
template <class Target>
std::uint64_t scratch_bytes(const CodedData& data, const Target& target, const ForestSpec& spec) {
    return with_task(target, spec.growth.n_draws, [&]<class Task>() {
        return Task::bytes(n_bins(data), data.n_rows(), target) +
               Target::Tally::bytes(data.n_rows(), target);
    });
}

inline Job make_job(const CodedData& data, std::span<const std::uint32_t> columns,
                    std::uint32_t max_features, std::uint64_t seed, std::uint64_t first_tree = 0) {
    require(!columns.empty(), "a forest needs at least one feature");
    std::vector<bool> seen(data.n_columns());
    for (const std::uint32_t j : columns) {
        if (j >= data.n_columns()) {
            throw std::invalid_argument("feature " + std::to_string(j) +
                                        " is not in the table of " +
                                        std::to_string(data.n_columns()) + " columns");
        }
        if (seen[j]) throw std::invalid_argument("feature " + std::to_string(j) + " is named twice");
        seen[j] = true;
    }
    require(max_features > 0, "max_features must be at least 1");
    return {columns, max_features, seed, first_tree};
}

// One job for each seed, on columns[starts[j] … starts[j + 1]).
inline std::vector<Job> make_jobs(const CodedData& data, std::span<const std::uint32_t> columns,
                                  const Vector<std::uint64_t>& starts,
                                  const Vector<std::uint32_t>& max_features,
                                  const Vector<std::uint64_t>& seeds) {
    const std::size_t n_jobs = seeds.size();
    require(starts.size() == n_jobs + 1 && max_features.size() == n_jobs,
            "starts, max_features and seeds do not describe the same jobs");
    std::vector<Job> jobs;
    for (std::size_t j = 0; j < n_jobs; ++j) {
        const std::uint64_t begin = starts.data()[j], end = starts.data()[j + 1];
        require(begin <= end && end <= columns.size(), "starts do not fit columns");
        jobs.push_back(make_job(data, columns.subspan(begin, end - begin), max_features.data()[j],
                                seeds.data()[j]));
    }
    return jobs;
}

template <class Target>
auto py_forward_errors(const CodedData& data, const Target& target,
                       const Vector<std::uint32_t>& columns, std::uint32_t max_features,
                       const Vector<std::uint32_t>& candidates, std::uint64_t seed,
                       const ForestSpec& spec) {
    check_fit(data, target, spec);
    const auto own_columns = copy(columns), own_candidates = copy(candidates);
    const Job base = make_job(data, own_columns, max_features, seed);
    for (const std::uint32_t j : own_candidates) {
        require(j < data.n_columns(), "a candidate is not in the table");
        require(std::find(base.columns.begin(), base.columns.end(), j) == base.columns.end(),
                "a candidate is in the base already");
    }
    return to_numpy(run_interruptibly([&](const Interrupted& interrupted) {
        return forward_errors(data, target, base, own_candidates, spec, interrupted);
    }));
}

// A forest that predicts, with what its rows must fit.
template <class Target>
struct LoadedForest {
    PackedForest forest;
    Target kind;  // without rows
    std::uint32_t n_columns;
};

template <class Target>
typename Target::Tally tally_rows(const LoadedForest<Target>& loaded, const Matrix<double>& columns,
                                  unsigned n_threads) {
    const RawRows rows = as_rows(columns);
    require(rows.n_columns == loaded.n_columns, "the rows have another number of columns");
    typename Target::Tally tally(rows.n_rows, loaded.kind);
    constexpr std::uint32_t block = 1024;  // rows a work item; each row's tally has one writer
    run_interruptibly([&](const Interrupted& interrupted) {
        parallel_for((rows.n_rows + block - 1) / block, n_threads, interrupted,
                     [&](const std::atomic<bool>&) {
            return [&](std::size_t item) {
                const auto begin = static_cast<std::uint32_t>(item * block);
                loaded.forest.add_to(tally, rows, begin, std::min(begin + block, rows.n_rows));
            };
        });
    });
    return tally;
}

}  // namespace frugal
