// With number_bindings.cpp, filling_bindings.cpp and the headers they share, the only file that knows Python. It checks
// what could crash the process, and translates.
//
// Friendly messages about a user's table are written in Python, before this is reached.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bound_forests.hpp"
#include "class_tasks.hpp"
#include "coded_data.hpp"
#include "ensemble.hpp"
#include "flat_forest.hpp"
#include "forest.hpp"
#include "forward.hpp"
#include "importance.hpp"
#include "interruptible.hpp"
#include "tally.hpp"
#include "votes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

void bind_numbers(nb::module_& m);  // number_bindings.cpp
void bind_filling(nb::module_& m);  // filling_bindings.cpp

namespace {

using namespace frugal;

CodedData code_columns(const Matrix<double>& columns, std::uint32_t max_codes) {
    const RawRows rows = as_rows(columns);
    require(max_codes >= 2 && max_codes <= CodedData::most_codes, "max_codes must be 2 to 65535");
    require(rows.n_rows > 0 && rows.n_columns > 0, "a table needs a row and a column");
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (!std::isinf(columns.data()[i])) continue;
        throw std::invalid_argument("column " + std::to_string(i / rows.n_rows) +
                                    " holds an infinite value");
    }
    nb::gil_scoped_release unlocked;
    return {rows.values, rows.n_rows, rows.n_columns, max_codes};
}

ClassTarget make_target(const Vector<std::uint16_t>& labels, std::uint32_t n_classes,
                   const std::optional<Vector<double>>& weights) {
    require(n_classes >= 2 && n_classes <= 65535, "n_classes must be 2 to 65535");
    ClassTarget target{{labels.data(), labels.data() + labels.size()}, n_classes, {}};
    for (const std::uint16_t label : target.labels) {
        require(label < n_classes, "a label is not below n_classes");
    }
    if (weights) {
        require(weights->size() == labels.size(), "labels and weights differ in length");
        double sum = 0;
        for (const double w : as_span(*weights)) {
            require(std::isfinite(w) && w >= 0, "a weight is negative or not finite");
            sum += w;
        }
        require(sum > 0, "all weights are 0");
        target.set_weights(as_span(*weights));
    }
    return target;
}

ForestSpec make_spec(std::uint32_t n_trees, std::uint32_t max_depth, std::uint32_t min_leaf,
                     std::uint32_t min_node, std::uint32_t n_draws, bool replace,
                     unsigned n_threads) {
    require(n_trees > 0, "n_trees must be at least 1");
    require(min_leaf > 0, "min_leaf must be at least 1");
    require(n_draws > 0 && n_draws <= INT32_MAX, "n_draws must be at least 1");
    return {{max_depth, min_leaf, min_node, n_draws, replace}, n_trees, n_threads};
}

std::vector<double> mean_shares(const ClassTally& tally, std::uint32_t n_classes) {
    const auto votes = tally.votes().counts();
    std::vector<double> shares(votes.size());
    for (std::size_t row = 0; row < votes.size(); row += n_classes) {
        double n_votes = 0;
        for (std::size_t i = row; i < row + n_classes; ++i) n_votes += votes[i];
        for (std::size_t i = row; i < row + n_classes; ++i) shares[i] = tally.share_sum(i) / n_votes;
    }
    return shares;
}

std::vector<std::uint32_t> copy_votes(const ClassTally& tally) {
    const auto votes = tally.votes().counts();
    return {votes.begin(), votes.end()};
}

auto py_run_batch(const CodedData& data, const ClassTarget& target,
                       const Vector<std::uint32_t>& columns, const Vector<std::uint64_t>& starts,
                       const Vector<std::uint32_t>& max_features,
                       const Vector<std::uint64_t>& seeds, const ForestSpec& spec,
                       const std::optional<Matrix<double>>& new_columns, bool keep_votes,
                       bool keep_shares) {
    check_fit(data, target, spec);
    const std::size_t n_jobs = seeds.size();
    const auto own_columns = copy(columns);
    const std::vector<Job> jobs = make_jobs(data, own_columns, starts, max_features, seeds);
    const RawRows new_rows = as_new_rows(data, new_columns);

    const std::size_t width = target.n_classes;
    std::vector<double> error(n_jobs), brier(n_jobs);
    const std::size_t n_vote_rows = keep_votes ? data.n_rows() : 0;
    const std::size_t n_share_rows = keep_shares ? data.n_rows() : 0;
    const std::size_t n_new_share_rows = keep_shares ? new_rows.n_rows : 0;
    std::vector<std::uint32_t> n_unvoted(n_jobs), oob_votes(n_jobs * n_vote_rows * width),
        new_votes(n_jobs * new_rows.n_rows * width);
    std::vector<double> oob_shares(n_jobs * n_share_rows * width),
        new_shares(n_jobs * n_new_share_rows * width);
    run_interruptibly([&](const Interrupted& interrupted) {
        run_batch<ClassTarget>(data, target, jobs, spec, new_rows,
                               [&](std::size_t j, const ForestTallies<ClassTarget>& tallies) {
            const ClassScore oob = score(tallies.oob, target);
            error[j] = oob.error;
            brier[j] = oob.brier;
            n_unvoted[j] = oob.n_unvoted;
            const auto store = [j](const auto& from, auto& to) {
                std::copy(from.begin(), from.end(), to.begin() + std::ptrdiff_t(j * from.size()));
            };
            if (keep_votes) store(tallies.oob.votes().counts(), oob_votes);
            store(tallies.new_rows.votes().counts(), new_votes);
            if (!keep_shares) return;
            store(mean_shares(tallies.oob, target.n_classes), oob_shares);
            store(mean_shares(tallies.new_rows, target.n_classes), new_shares);
        }, interrupted);
    });
    return std::make_tuple(to_numpy(std::move(error)), to_numpy(std::move(brier)),
                          to_numpy(std::move(n_unvoted)),
                          to_numpy<3>(std::move(oob_votes), {n_jobs, n_vote_rows, width}),
                          to_numpy<3>(std::move(new_votes), {n_jobs, new_rows.n_rows, width}),
                          to_numpy<3>(std::move(oob_shares), {n_jobs, n_share_rows, width}),
                          to_numpy<3>(std::move(new_shares), {n_jobs, n_new_share_rows, width}));
}

auto py_grow_forest(const CodedData& data, const ClassTarget& target,
                         const Vector<std::uint32_t>& columns, std::uint32_t max_features,
                         std::uint64_t seed, const ForestSpec& spec, bool keep_draws) {
    check_fit(data, target, spec);
    const auto own_columns = copy(columns);
    const Job job = make_job(data, own_columns, max_features, seed);
    KeptForest<ClassTarget> kept = run_interruptibly([&](const Interrupted& interrupted) {
        return grow_forest(data, target, job, spec, keep_draws, interrupted);
    });
    const ClassScore oob = score(kept.oob, target);
    const std::size_t width = target.n_classes, n_mixed = kept.forest.values.size() / width;
    FlatForest& forest = kept.forest;
    return std::make_tuple(
        std::make_tuple(to_numpy(std::move(forest.tree_start)), to_numpy(std::move(forest.column)),
                       to_numpy(std::move(forest.left)), to_numpy(std::move(forest.threshold)),
                       to_numpy(std::move(forest.missing_left)), to_numpy(std::move(forest.vote)),
                       to_numpy(std::move(forest.has_values)),
                       to_numpy<2>(std::move(forest.values), {n_mixed, width})),
        to_numpy<2>(copy_votes(kept.oob), {data.n_rows(), width}),
        to_numpy<2>(mean_shares(kept.oob, target.n_classes), {data.n_rows(), width}),
        std::make_tuple(oob.error, oob.brier, oob.n_unvoted),
        to_numpy<2>(std::move(kept.draws), {keep_draws ? spec.n_trees : 0, data.n_rows()}));
}

// Copies the caller's arrays before it checks them: nobody can change what was checked.
LoadedForest<ClassTarget> load_forest(const Vector<std::uint64_t>& tree_start, const Vector<std::int32_t>& column,
                         const Vector<std::uint32_t>& left, const Vector<double>& threshold,
                         const Vector<std::uint8_t>& missing_left, const Vector<std::uint16_t>& vote,
                         const Vector<std::uint8_t>& mixed, const Matrix<double>& shares,
                         std::uint32_t n_columns) {
    require(shares.shape(1) >= 2 && shares.shape(1) <= 65535, "n_classes must be 2 to 65535");
    require(n_columns > 0 && n_columns <= INT32_MAX, "n_columns must be at least 1");
    const ClassTarget kind{{}, static_cast<std::uint32_t>(shares.shape(1)), {}};
    FlatForest forest{kind.leaf_width(),
                      copy(tree_start),
                      copy(column),
                      copy(left),
                      copy(threshold),
                      copy(missing_left),
                      copy(vote),
                      copy(mixed),
                      {shares.data(), shares.data() + shares.size()}};
    forest.check(n_columns, fault_of_class_leaf);
    return {PackedForest(std::move(forest)), kind, n_columns};
}

auto py_votes(const LoadedForest<ClassTarget>& loaded, const Matrix<double>& columns, unsigned n_threads) {
    const std::uint32_t n_classes = loaded.kind.n_classes;
    const std::size_t n_rows = columns.shape(1);
    const ClassTally tally = tally_rows(loaded, columns, n_threads);
    return std::make_tuple(
        to_numpy<2>(copy_votes(tally), {n_rows, n_classes}),
        to_numpy<2>(mean_shares(tally, n_classes), {n_rows, n_classes}));
}

auto py_permutation_rises(const CodedData& data, const ClassTarget& target,
                               const Vector<std::uint32_t>& columns, std::uint32_t max_features,
                               std::uint64_t seed, const ForestSpec& spec,
                               const Vector<double>& error_weights) {
    check_fit(data, target, spec);
    require(error_weights.size() == target.n_classes, "error_weights must have one for each class");
    const auto own_columns = copy(columns);
    const auto own_weights = copy(error_weights);
    const Job job = make_job(data, own_columns, max_features, seed);
    PermutationRises result = run_interruptibly([&](const Interrupted& interrupted) {
        return permutation_rises(data, target, ClassRise{target, own_weights}, job, spec, interrupted);
    });
    return std::make_tuple(to_numpy<2>(std::move(result.rises), {spec.n_trees, columns.size()}),
                          to_numpy(std::move(result.n_oob)));
}

ColumnWeights make_column_weights(const Vector<double>& own, const Vector<std::int32_t>& bundle,
                                  const Vector<double>& bundle_weight,
                                  const Vector<std::uint8_t>& is_free, double least) {
    ColumnWeights weights{copy(own), copy(bundle), copy(bundle_weight), copy(is_free), least};
    require(bundle.size() == own.size() && is_free.size() == own.size(),
            "the arrays of weights do not describe the same columns");
    for (const std::int32_t b : weights.bundle) {
        require(b < static_cast<std::int64_t>(bundle_weight.size()), "a bundle has no weight");
    }
    return weights;
}

auto py_grow_ensemble(const CodedData& data, const ClassTarget& target,
                           const Vector<std::uint32_t>& columns, const Vector<std::uint64_t>& starts,
                           const Vector<std::uint32_t>& max_features,
                           const Vector<std::uint64_t>& seeds,
                           const Vector<std::uint64_t>& first_trees,
                           const Vector<std::uint32_t>& n_trees,
                           const Vector<std::uint32_t>& max_depths,
                           const Vector<std::uint32_t>& most_columns,
                           const Vector<double>& most_weights, const Vector<double>& zetas,
                           const ColumnWeights& weights, const ForestSpec& spec) {
    check_fit(data, target, spec);
    require(weights.own.size() == data.n_columns(), "the weights and the table differ in columns");
    const std::size_t n_parts = seeds.size();
    require(starts.size() == n_parts + 1 && max_features.size() == n_parts &&
                first_trees.size() == n_parts && n_trees.size() == n_parts &&
                max_depths.size() == n_parts && most_columns.size() == n_parts &&
                most_weights.size() == n_parts && zetas.size() == n_parts,
            "the arrays of an ensemble do not describe the same parts");
    const auto own_columns = copy(columns);
    std::vector<EnsemblePart> parts;
    for (std::size_t i = 0; i < n_parts; ++i) {
        const std::uint64_t begin = starts.data()[i], end = starts.data()[i + 1];
        require(begin <= end && end <= own_columns.size(), "starts do not fit columns");
        parts.push_back({make_job(data, std::span(own_columns).subspan(begin, end - begin),
                                  max_features.data()[i], seeds.data()[i], first_trees.data()[i]),
                         n_trees.data()[i], max_depths.data()[i],
                         {most_columns.data()[i], most_weights.data()[i], zetas.data()[i]}});
    }
    EnsembleVotes votes = run_interruptibly([&](const Interrupted& interrupted) {
        return grow_ensemble(data, target, parts, weights, spec, interrupted);
    });
    const std::size_t total = votes.column_start.size() - 1;
    return std::make_tuple(
        to_numpy<3>(std::move(votes.planes), {total, target.n_classes, votes.n_words}),
        to_numpy(std::move(votes.column_start)), to_numpy(std::move(votes.columns)));
}

TreeSets make_sets(const Vector<std::uint32_t>& start, const Vector<std::uint32_t>& members,
                   std::size_t n_trees, std::uint32_t n_columns) {
    TreeSets sets{copy(start), copy(members)};
    require(sets.start.size() == n_trees + 1 && sets.start.front() == 0 &&
                sets.start.back() == sets.members.size() &&
                std::is_sorted(sets.start.begin(), sets.start.end()),
            "starts do not fit members");
    for (const std::uint32_t member : sets.members) {
        require(member < n_columns, "a column or a bundle is not below the number of columns");
    }
    return sets;
}

TreeTally make_tally(const Cube<std::uint64_t>& planes, const ClassTarget& target,
                     const Vector<std::uint32_t>& column_start,
                     const Vector<std::uint32_t>& columns,
                     const Vector<std::uint32_t>& bundle_start,
                     const Vector<std::uint32_t>& bundles, std::uint32_t n_columns) {
    VotePlanes votes{{planes.data(), planes.data() + planes.size()},
                     static_cast<std::uint32_t>(planes.shape(0)),
                     static_cast<std::uint32_t>(planes.shape(1)),
                     static_cast<std::uint32_t>(planes.shape(2))};
    const std::size_t n_rows = target.labels.size();
    require(votes.n_classes == target.n_classes && votes.n_words == (n_rows + 63) / 64,
            "the votes do not fit the target");
    if (n_rows % 64 != 0) {  // bits behind the last row would be read as rows
        const std::uint64_t beyond = ~std::uint64_t{0} << n_rows % 64;
        for (std::size_t i = votes.n_words - 1; i < votes.words.size(); i += votes.n_words) {
            require((votes.words[i] & beyond) == 0, "the votes have more rows than the target");
        }
    }
    const std::size_t n_trees = votes.n_trees;
    return TreeTally(std::move(votes), target, make_sets(column_start, columns, n_trees, n_columns),
                     make_sets(bundle_start, bundles, n_trees, n_columns), n_columns);
}

auto py_offers(TreeTally& tally, const Vector<std::uint32_t>& chosen, std::uint32_t n_trees,
               const Vector<double>& column_weight, const Vector<std::uint8_t>& column_is_new,
               const Vector<double>& bundle_weight, double most_weight, bool unvoted_is_wrong,
               bool undominated_only) {
    require(n_trees <= tally.n_trees(), "there are not so many trees");
    for (const std::uint32_t tree : as_span(chosen)) {
        require(tree < tally.n_trees(), "no such tree");
    }
    require(column_weight.size() >= tally.n_columns() && column_is_new.size() >= tally.n_columns() &&
                bundle_weight.size() >= tally.n_bundles(),
            "a column or a bundle has no weight");
    TreeOffers offers = tally.offers({as_span(chosen), n_trees, as_span(column_weight),
                                      as_span(column_is_new), as_span(bundle_weight), most_weight,
                                      unvoted_is_wrong, undominated_only});
    return std::make_tuple(offers.error, to_numpy(std::move(offers.tree)),
                           to_numpy(std::move(offers.gain)), to_numpy(std::move(offers.weight)));
}

}  // namespace

NB_MODULE(_core, m) {
    m.doc() = "Compiled core of frugalforest: coded tables, and very many small exact forests.";

    nb::class_<CodedData>(m, "CodedData",
                          "A table whose columns are coded to the ranks of their values.")
        .def_prop_ro("n_rows", &CodedData::n_rows)
        .def_prop_ro("n_columns", &CodedData::n_columns)
        .def_prop_ro("bins",
                     [](const CodedData& data) {
                         return data.is_binned() ? std::optional(data.max_codes()) : std::nullopt;
                     },
                     "Most ranks of a column, if they are bins of 8 bits; None if splits are exact.")
        .def_prop_ro("feature_keys",
                     [](const CodedData& data) {
                         std::vector<std::uint32_t> keys;
                         for (std::uint32_t j = 0; j < data.n_columns(); ++j) {
                             keys.push_back(data.feature_key(j));
                         }
                         return to_numpy(std::move(keys));
                     },
                     nb::rv_policy::automatic,
                     "A number for each column that follows its content, not its place.")
        .def_prop_ro("n_codes",
                     [](const CodedData& data) {
                         std::vector<std::uint32_t> n_codes;
                         for (std::uint32_t j = 0; j < data.n_columns(); ++j) {
                             n_codes.push_back(data.n_codes(j));
                         }
                         return to_numpy(std::move(n_codes));
                     },
                     nb::rv_policy::automatic,
                     "Ranks in use in each column; the code of a missing value is the next one.")
        .def("codes",
             [](const CodedData& data) {
                 const std::size_t n = data.n_rows(), p = data.n_columns();
                 return to_numpy<2>(std::vector<Code>(data.column(0), data.column(0) + n * p), {p, n});
             },
             "A copy of the codes, a row for each column of the table.");

    nb::class_<ClassTarget>(m, "Target", "Class labels and, if given, weights of the rows.")
        .def_ro("n_classes", &ClassTarget::n_classes)
        .def_prop_ro("n_rows", [](const ClassTarget& target) { return target.labels.size(); });

    nb::class_<ForestSpec>(m, "ForestSpec", "How the trees of a forest are grown, and how many.")
        .def_ro("n_trees", &ForestSpec::n_trees);

    m.def("code_columns", &code_columns, "columns"_a, "max_codes"_a = CodedData::most_codes,
          "Code a table given column by column: array (n_columns, n_rows), NaN is missing.");
    m.def("make_target", &make_target, "labels"_a, "n_classes"_a, "weights"_a.none());
    m.def("make_spec", &make_spec, nb::kw_only(), "n_trees"_a, "max_depth"_a, "min_leaf"_a,
          "min_node"_a = 1, "n_draws"_a, "replace"_a, "n_threads"_a);
    m.def("scratch_bytes", &scratch_bytes<ClassTarget>, "data"_a, "target"_a, "spec"_a,
          "Memory that a thread takes to grow trees and count their votes, about.");
    m.def("run_batch", &py_run_batch, "data"_a, "target"_a, "columns"_a, "starts"_a,
          "max_features"_a, "seeds"_a, "spec"_a, "new_columns"_a.none(), "keep_votes"_a,
          "keep_shares"_a,
          "Grow one forest a job: (oob_error, brier, n_unvoted, oob_votes, new_votes, oob_shares,\n"
          "new_shares).");
    m.def("grow_forest", &py_grow_forest, "data"_a, "target"_a, "columns"_a, "max_features"_a,
          "seed"_a, "spec"_a, "keep_draws"_a,
          "Grow one forest: (its arrays, OOB votes, OOB shares, (error, brier, n_unvoted), draws).");
    nb::class_<LoadedForest<ClassTarget>>(m, "LoadedForest", "A forest that predicts raw rows.")
        .def("votes", &py_votes, "columns"_a, "n_threads"_a,
             "Votes and mean class shares for raw rows given column by column.");
    m.def("load_forest", &load_forest, "tree_start"_a, "column"_a, "left"_a, "threshold"_a,
          "missing_left"_a, "vote"_a, "mixed"_a, "shares"_a, "n_columns"_a,
          "Load a forest from its arrays; ValueError if they are not one on so many columns.");
    m.def("permutation_rises", &py_permutation_rises, "data"_a, "target"_a, "columns"_a,
          "max_features"_a, "seed"_a, "spec"_a, "error_weights"_a,
          "Per tree and column: additional wrong OOB rows after a shuffle, each with the weight of its\n"
          "class, and OOB rows.");
    nb::class_<ColumnWeights>(m, "ColumnWeights", "What columns and bundles of columns weigh.");
    m.def("make_column_weights", &make_column_weights, "own"_a, "bundle"_a, "bundle_weight"_a,
          "is_free"_a, "least"_a);
    m.def("grow_ensemble", &py_grow_ensemble, "data"_a, "target"_a, "columns"_a, "starts"_a,
          "max_features"_a, "seeds"_a, "first_trees"_a, "n_trees"_a, "max_depths"_a,
          "most_columns"_a, "most_weights"_a, "zetas"_a, "weights"_a, "spec"_a,
          "Bit-packed OOB votes (tree, class, word) and used columns (starts, columns) of trees.");
    m.def("forward_errors", &py_forward_errors<ClassTarget>, "data"_a, "target"_a, "columns"_a,
          "max_features"_a, "candidates"_a, "seed"_a, "spec"_a,
          "OOB error of the forest on `columns` and one candidate more, for each candidate.");
    nb::class_<TreeTally>(m, "TreeTally", "Trees to choose from, by their votes and their weight.")
        .def("offers", &py_offers, "chosen"_a, "n_trees"_a, "column_weight"_a, "column_is_new"_a,
             "bundle_weight"_a, "most_weight"_a, "unvoted_is_wrong"_a, "undominated_only"_a,
             "(summed error of the chosen trees, trees, their gains, their weights).");
    m.def("make_tally", &make_tally, "planes"_a, "target"_a, "column_start"_a, "columns"_a,
          "bundle_start"_a, "bundles"_a, "n_columns"_a);
    bind_numbers(m);
    bind_filling(m);
}
