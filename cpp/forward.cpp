// How a forest on S becomes the forest on S ∪ {j}
// ----------------------------------------------
// A node draws its features in an order that j only joins (rng.hpp, draw_priority). So the node's split is the old one
// unless j is among the features looked at. If it is, j takes the place of the last one
// drawn, and either j wins, or the loser was the one that j displaced, or nothing changes. Only below a node
// whose split changes is anything grown again.
//
// Cost of a candidate: a hash for each open node that an out-of-bag row reaches, one feature's cuts where j is drawn
// (a share of about 1/√|S| of those nodes), and the regrown part. Memory: the rows of all trees, about
// 12 bytes × n_trees × n.

#include "forward.hpp"

#include <memory>
#include <optional>

#include "class_tasks.hpp"
#include "means.hpp"
#include "number_task.hpp"
#include "votes.hpp"

namespace frugal {

namespace {

template <class Task>
using VotesOf = typename Task::Target::Votes;

template <class Task>
struct BaseTree {
    GrowthRecord<typename Task::Item> record;
    std::vector<std::uint32_t> end_of_subtree;        // of each open node, in open nodes
    std::vector<typename VotesOf<Task>::Vote> vote;  // of each out-of-bag row, in the order of record.oob_rows
};

template <class Task>
void describe_subtrees(BaseTree<Task>& tree) {
    const auto& nodes = tree.record.open_nodes;
    const auto n = static_cast<std::uint32_t>(nodes.size());
    tree.end_of_subtree.assign(n, n);
    std::vector<std::uint32_t> path;
    for (std::uint32_t i = 0; i < n; ++i) {
        while (!path.empty() && nodes[path.back()].depth >= nodes[i].depth) {
            tree.end_of_subtree[path.back()] = i;
            path.pop_back();
        }
        path.push_back(i);
    }
}

// Whether column j, drawn like this in S ∪ {j}, comes before a feature drawn like that in S. j's place counts the features
// of S before it, so at equal priority it comes before the feature that has that place in S.
bool comes_before(Drawn joined, Drawn other) {
    const std::uint64_t priority = joined >> 32, other_priority = other >> 32;
    return priority < other_priority ||
           (priority == other_priority &&
            static_cast<std::uint32_t>(joined) <= static_cast<std::uint32_t>(other));
}

// What a node splits on once the column has joined, or nothing if that is what it split on before.
template <class Task>
std::optional<Split> changed_split(TreeGrower<Task>& grower, const BaseTree<Task>& tree,
                                   const OpenNode& node, Drawn drawn, std::uint32_t column,
                                   bool displaces) {
    // Without a displaced feature the column meets all those looked at before; with one, all but the last.
    const Choice& rival = displaces && node.last != all_features ? node.without_last : node.best;
    const bool before_rival = comes_before(drawn, rival.drawn);
    if (!rival.perfect || before_rival) {
        const Split own = grower.try_column(tree.record, node, column);
        const bool wins = own.found() &&
                          (!rival.split.found() || own.score > rival.split.score ||
                           (before_rival && !(rival.split.score > own.score)));
        if (wins) return own;
    }
    // Nothing that stays can be cut: the search goes on to the displaced feature, as it did before.
    if (!rival.split.found() || rival.drawn == node.best.drawn) return std::nullopt;
    return rival.split;
}

template <class Task>
class Candidate {
public:
    Candidate(const CodedData& data, const Job& base, std::uint32_t column,
              const VotesOf<Task>& base_votes)
        : column_(column),
          key_(data.feature_key(column)),
          displaces_(base.max_features <= base.columns.size()),
          votes_(base_votes) {
        std::vector<std::uint32_t> columns(base.columns.begin(), base.columns.end());
        columns.push_back(column);
        draw_.assign(data, columns);
        place_ = draw_.place_of(column);
    }

    void add_tree(TreeGrower<Task>& grower, const BaseTree<Task>& tree, std::uint32_t max_features) {
        const auto& nodes = tree.record.open_nodes;
        for (std::uint32_t i = 0; i < nodes.size();) {
            const OpenNode& node = nodes[i];
            const Drawn drawn = Drawn{draw_priority(node.key, key_)} << 32 | place_;
            std::optional<Split> split;
            if (comes_before(drawn, node.last)) {
                split = changed_split(grower, tree, node, drawn, column_, displaces_);
            }
            if (!split) {
                ++i;
                continue;
            }
            grower.use_features(draw_, max_features);
            grower.regrow(tree.record, node, *split);
            for (std::uint32_t r = node.oob_begin; r < node.oob_end; ++r) {
                votes_.remove(tree.record.oob_rows[r], tree.vote[r]);
            }
            grower.for_each_oob([&](std::uint32_t row, const Node& leaf) {
                votes_.add(row, VotesOf<Task>::vote_of(grower.tree().leaf(leaf)));
            });
            i = tree.end_of_subtree[i];
        }
    }

    double error(const typename Task::Target& target) const { return votes_.error(target); }

private:
    std::uint32_t column_;
    std::uint32_t key_;
    bool displaces_;
    VotesOf<Task> votes_;
    FeatureDraw draw_;
    std::uint32_t place_ = 0;
};

// Records the base forest, tree by tree.
template <class Task>
class BaseRecorder : public TreeVisitor<Task> {
public:
    BaseRecorder(const CodedData& data, std::vector<BaseTree<Task>>& trees)
        : vote_(data.n_rows()), trees_(trees) {}

    GrowthRecord<typename Task::Item>* record_of(std::uint32_t t) { return &trees_[t].record; }

    void visit(const TreeRun&, std::uint32_t t, const TreeGrower<Task>& grower) {
        BaseTree<Task>& tree = trees_[t];
        grower.for_each_oob([&](std::uint32_t row, const Node& leaf) {
            vote_[row] = VotesOf<Task>::vote_of(grower.tree().leaf(leaf));
        });
        for (const std::uint32_t row : tree.record.oob_rows) tree.vote.push_back(vote_[row]);
        describe_subtrees(tree);
    }

private:
    std::vector<typename VotesOf<Task>::Vote> vote_;  // of each row, in the last tree
    std::vector<BaseTree<Task>>& trees_;
};

template <class Task>
std::vector<double> forward_errors_of(const CodedData& data, const typename Task::Target& target,
                                      const Job& base, std::span<const std::uint32_t> candidates,
                                      const ForestSpec& spec, const Interrupted& interrupted) {
    std::vector<BaseTree<Task>> trees(spec.n_trees);
    const auto runs = tree_runs(1, spec.n_trees, spec.n_threads);
    for_each_tree<Task>(data, target, {&base, 1}, runs, spec, interrupted,
                        [&](TreeGrower<Task>& grower, const std::atomic<bool>&) {
        grower.grow_for_oob_only();
        return BaseRecorder<Task>(data, trees);
    });

    VotesOf<Task> votes(data.n_rows(), target);
    for (const BaseTree<Task>& tree : trees) {
        for (std::size_t r = 0; r < tree.vote.size(); ++r) {
            votes.add(tree.record.oob_rows[r], tree.vote[r]);
        }
    }

    // A block of candidates goes through the trees together, so that a tree is read from memory once a block.
    constexpr std::size_t block = 8;
    std::vector<double> errors(candidates.size());
    parallel_for((candidates.size() + block - 1) / block, spec.n_threads, interrupted,
                 [&](const std::atomic<bool>& cancelled) {
        auto grower = std::make_unique<TreeGrower<Task>>(data, target, spec.growth, cancelled);
        grower->grow_for_oob_only();
        return [&, grower = std::move(grower)](std::size_t b) {
            const std::size_t begin = b * block, end = std::min(begin + block, candidates.size());
            std::vector<Candidate<Task>> group;
            for (std::size_t c = begin; c < end; ++c) {
                group.emplace_back(data, base, candidates[c], votes);
            }
            for (const BaseTree<Task>& tree : trees) {
                for (Candidate<Task>& candidate : group) {
                    candidate.add_tree(*grower, tree, base.max_features);
                }
                if (cancelled) return;
            }
            for (std::size_t c = begin; c < end; ++c) errors[c] = group[c - begin].error(target);
        };
    });
    return errors;
}

}  // namespace

template <class Target>
std::vector<double> forward_errors(const CodedData& data, const Target& target, const Job& base,
                                   std::span<const std::uint32_t> candidates,
                                   const ForestSpec& spec, const Interrupted& interrupted) {
    return with_task(target, spec.growth.n_draws, [&]<class Task>() {
        return forward_errors_of<Task>(data, target, base, candidates, spec, interrupted);
    });
}

template std::vector<double> forward_errors(const CodedData&, const ClassTarget&, const Job&,
                                            std::span<const std::uint32_t>, const ForestSpec&,
                                            const Interrupted&);
template std::vector<double> forward_errors(const CodedData&, const NumberTarget&, const Job&,
                                            std::span<const std::uint32_t>, const ForestSpec&,
                                            const Interrupted&);

}  // namespace frugal
