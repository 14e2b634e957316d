// Forests for numbers, to Python.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bound_forests.hpp"
#include "importance.hpp"
#include "means.hpp"
#include "number_task.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace frugal;

NumberTarget make_number_target(const Vector<double>& numbers) {
    const auto own = copy(numbers);
    require(!own.empty(), "a target needs a row");
    for (const double number : own) require(std::isfinite(number), "a number is not finite");
    return NumberTarget(own);
}

auto py_run_batch(const CodedData& data, const NumberTarget& target,
                  const Vector<std::uint32_t>& columns, const Vector<std::uint64_t>& starts,
                  const Vector<std::uint32_t>& max_features, const Vector<std::uint64_t>& seeds,
                  const ForestSpec& spec, const std::optional<Matrix<double>>& new_columns,
                  bool keep_predictions) {
    check_fit(data, target, spec);
    const std::size_t n_jobs = seeds.size();
    const auto own_columns = copy(columns);
    const std::vector<Job> jobs = make_jobs(data, own_columns, starts, max_features, seeds);
    const RawRows new_rows = as_new_rows(data, new_columns);

    const std::size_t n_oob_rows = keep_predictions ? data.n_rows() : 0;
    std::vector<double> mse(n_jobs), oob(n_jobs * n_oob_rows), predicted(n_jobs * new_rows.n_rows);
    std::vector<std::uint32_t> n_unpredicted(n_jobs);
    run_interruptibly([&](const Interrupted& interrupted) {
        run_batch<NumberTarget>(data, target, jobs, spec, new_rows,
                                [&](std::size_t j, const ForestTallies<NumberTarget>& tallies) {
            mse[j] = tallies.oob.error(target);
            n_unpredicted[j] = tallies.oob.n_unpredicted();
            const auto store = [j](const std::vector<double>& from, std::vector<double>& to) {
                std::copy(from.begin(), from.end(), to.begin() + std::ptrdiff_t(j * from.size()));
            };
            if (keep_predictions) store(tallies.oob.predictions(), oob);
            store(tallies.new_rows.predictions(), predicted);
        }, interrupted);
    });
    return std::make_tuple(to_numpy(std::move(mse)), to_numpy(std::move(n_unpredicted)),
                           to_numpy<2>(std::move(oob), {n_jobs, n_oob_rows}),
                           to_numpy<2>(std::move(predicted), {n_jobs, new_rows.n_rows}));
}

// What each leaf says, at its node; 0 for a node that splits.
std::vector<std::int64_t> node_values(const FlatForest& forest) {
    std::vector<std::int64_t> values(forest.column.size(), 0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (forest.has_values[i] != 0) values[i] = static_cast<std::int64_t>(forest.values[next++]);
    }
    return values;
}

auto py_grow_forest(const CodedData& data, const NumberTarget& target,
                    const Vector<std::uint32_t>& columns, std::uint32_t max_features,
                    std::uint64_t seed, const ForestSpec& spec, bool keep_draws) {
    check_fit(data, target, spec);
    const auto own_columns = copy(columns);
    const Job job = make_job(data, own_columns, max_features, seed);
    KeptForest<NumberTarget> kept = run_interruptibly([&](const Interrupted& interrupted) {
        return grow_forest(data, target, job, spec, keep_draws, interrupted);
    });
    FlatForest& forest = kept.forest;
    auto values = node_values(forest);
    return std::make_tuple(
        std::make_tuple(to_numpy(std::move(forest.tree_start)), to_numpy(std::move(forest.column)),
                        to_numpy(std::move(forest.left)), to_numpy(std::move(forest.threshold)),
                        to_numpy(std::move(forest.missing_left)), to_numpy(std::move(values)),
                        to_numpy(std::vector<double>{target.scale.middle, target.scale.unit})),
        to_numpy(kept.oob.predictions()), kept.oob.error(target), kept.oob.n_unpredicted(),
        to_numpy<2>(std::move(kept.draws), {keep_draws ? spec.n_trees : 0, data.n_rows()}));
}

// Copies the caller's arrays before it checks them: nobody can change what was checked.
LoadedForest<NumberTarget> load_forest(const Vector<std::uint64_t>& tree_start,
                                       const Vector<std::int32_t>& column,
                                       const Vector<std::uint32_t>& left,
                                       const Vector<double>& threshold,
                                       const Vector<std::uint8_t>& missing_left,
                                       const Vector<std::int64_t>& value, const Vector<double>& scale,
                                       std::uint32_t n_columns) {
    require(n_columns > 0 && n_columns <= INT32_MAX, "n_columns must be at least 1");
    const auto own_scale = copy(scale);
    require(own_scale.size() == 2 && std::isfinite(own_scale[0]) && std::isfinite(own_scale[1]) &&
                own_scale[1] > 0,
            "the scale is not a middle and a unit above 0");
    FlatForest forest{1,          copy(tree_start), copy(column), copy(left), copy(threshold),
                      copy(missing_left)};
    const auto values = copy(value);
    require(values.size() == forest.column.size(), "the arrays of the nodes differ in length");
    require(forest.n_trees() <= NumberTarget::most_trees, "more trees than a tally can hold");
    forest.vote.assign(values.size(), 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_leaf = forest.column[i] < 0;
        forest.has_values.push_back(is_leaf);
        if (is_leaf) forest.values.push_back(static_cast<double>(values[i]));
    }
    forest.check(n_columns, fault_of_number_leaf);
    return {PackedForest(std::move(forest)), NumberTarget({own_scale[0], own_scale[1]}), n_columns};
}

auto py_permutation_rises(const CodedData& data, const NumberTarget& target,
                          const Vector<std::uint32_t>& columns, std::uint32_t max_features,
                          std::uint64_t seed, const ForestSpec& spec) {
    check_fit(data, target, spec);
    const auto own_columns = copy(columns);
    const Job job = make_job(data, own_columns, max_features, seed);
    PermutationRises result = run_interruptibly([&](const Interrupted& interrupted) {
        return permutation_rises(data, target, NumberRise{target}, job, spec, interrupted);
    });
    return std::make_tuple(to_numpy<2>(std::move(result.rises), {spec.n_trees, columns.size()}),
                           to_numpy(std::move(result.n_oob)));
}

}  // namespace

void bind_numbers(nb::module_& m) {
    nb::class_<NumberTarget>(m, "NumberTarget", "Numbers, kept as whole multiples of a unit.")
        .def_prop_ro("n_rows", &NumberTarget::n_rows)
        .def_prop_ro("unit", [](const NumberTarget& target) { return target.scale.unit; });
    m.def("make_number_target", &make_number_target, "numbers"_a);
    m.def("scratch_bytes", &scratch_bytes<NumberTarget>, "data"_a, "target"_a, "spec"_a,
          "Memory that a thread takes to grow trees and add up what they say, about.");
    m.def("run_batch", &py_run_batch, "data"_a, "target"_a, "columns"_a, "starts"_a,
          "max_features"_a, "seeds"_a, "spec"_a, "new_columns"_a.none(), "keep_predictions"_a,
          "Grow one forest a job: (mse, n_unpredicted, oob_predictions, new_predictions).");
    m.def("grow_forest", &py_grow_forest, "data"_a, "target"_a, "columns"_a, "max_features"_a,
          "seed"_a, "spec"_a, "keep_draws"_a,
          "Grow one forest: (its arrays, OOB predictions, mse, n_unpredicted, draws).");
    nb::class_<LoadedForest<NumberTarget>>(m, "LoadedNumberForest", "A forest that predicts numbers.")
        .def("predict",
             [](const LoadedForest<NumberTarget>& loaded, const Matrix<double>& columns,
                unsigned n_threads) {
                 return to_numpy(tally_rows(loaded, columns, n_threads).predictions());
             },
             "columns"_a, "n_threads"_a, "Predictions for raw rows given column by column.");
    m.def("load_number_forest", &load_forest, "tree_start"_a, "column"_a, "left"_a, "threshold"_a,
          "missing_left"_a, "value"_a, "scale"_a, "n_columns"_a,
          "Load a forest from its arrays; ValueError if they are not one on so many columns.");
    m.def("permutation_rises", &py_permutation_rises, "data"_a, "target"_a, "columns"_a,
          "max_features"_a, "seed"_a, "spec"_a,
          "Per tree and column: rise in the sum of squared OOB errors after a shuffle, and OOB rows.");
    m.def("forward_errors", &py_forward_errors<NumberTarget>, "data"_a, "target"_a, "columns"_a,
          "max_features"_a, "candidates"_a, "seed"_a, "spec"_a,
          "OOB mean squared error of the forest on `columns` and one candidate more, for each.");
}
