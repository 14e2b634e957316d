// What grows the nodes of a tree, depth first, from any of them on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "allowance.hpp"
#include "coded_data.hpp"
#include "feature_draw.hpp"
#include "rng.hpp"
#include "split.hpp"
#include "target.hpp"
#include "task.hpp"
#include "tree.hpp"

namespace frugal {

struct GrowthSpec {
    std::uint32_t max_depth = 0;  // 0: no limit
    std::uint32_t min_leaf = 1;   // draws, a row drawn twice counts twice
    std::uint32_t min_node = 1;   // draws of the largest node that is not split
    std::uint32_t n_draws = 0;    // rows drawn for a tree
    bool replace = true;
};

// A split with the feature that won it, as drawn at the node.
struct Choice {
    Split split;
    Drawn drawn = 0;
    bool perfect = false;  // both sides pure: no other feature can beat it, only an earlier one equal it
};

// How a node that looked for a split came to it: what forward selection needs to know to tell whether one more
// feature would change it.
struct OpenNode {
    std::uint64_t key;
    std::uint32_t depth;
    std::uint32_t begin, end;          // in GrowthRecord::rows and items
    std::uint32_t oob_begin, oob_end;  // in GrowthRecord::oob_rows
    Drawn last = 0;         // the last feature looked at; `all_features` if none was left
    Choice best{};          // what was chosen, if anything
    Choice without_last{};  // the best before the last of the drawn features was looked at
};
inline constexpr Drawn all_features = std::numeric_limits<Drawn>::max();

// A node that is still to be grown. Its rows are ranges of the grower's.
struct PendingNode {
    std::uint32_t node, depth;
    std::uint32_t begin, end;          // in-bag rows and their items
    std::uint32_t oob_begin, oob_end;  // out-of-bag rows
    std::uint64_t key;

    std::uint32_t n_rows() const { return end - begin; }
    std::uint32_t n_oob_rows() const { return oob_end - oob_begin; }
};

// The out-of-bag rows of a leaf, a range of the grower's.
struct LeafRows {
    std::uint32_t node, begin, end;
};

// A bin for every code and for missing values, in whole words of a bitmap.
inline std::uint32_t n_bins(const CodedData& data) {
    std::uint32_t most = 0;
    for (std::uint32_t j = 0; j < data.n_columns(); ++j) most = std::max(most, data.n_codes(j));
    return (most / 64 + 1) * 64;
}

// `Table` says which code a row has in a column, and where a cut between two codes falls.
template <class Task, class Table>
class NodeGrower {
public:
    using Item = typename Task::Item;
    using Target = typename Task::Target;

    // `most_rows`: how many in-bag rows, and how many out-of-bag rows, a tree may have here.
    NodeGrower(const Table& table, const Target& target, const GrowthSpec& spec,
               std::uint32_t most_rows, std::uint32_t n_bins, const std::atomic<bool>& cancelled)
        : rows(most_rows),
          oob_rows(most_rows),
          items(most_rows),
          table_(table),
          spec_(spec),
          cancelled_(cancelled),
          task_(target, n_bins, most_rows),
          finder_(table, task_, spec.min_leaf, most_rows, n_bins),
          right_rows_(most_rows),
          right_items_(most_rows) {}

    void use_features(FeatureDraw& draw, std::uint32_t max_features) {
        draw_ = &draw;
        max_features_ = max_features;
    }
    void limit_depth(std::uint32_t max_depth) { spec_.max_depth = max_depth; }
    void grow_for_oob_only() { oob_only_ = true; }
    // From now on trees use no more than this allows; null: what they like.
    void use_allowance(Allowance* allowance) { allowance_ = allowance; }

    const Task& task() const { return task_; }
    std::span<const std::uint32_t> rows_of(const PendingNode& at) const {
        return {rows.data() + at.begin, at.n_rows()};
    }
    std::span<const Item> items_of(const PendingNode& at) const {
        return {items.data() + at.begin, at.n_rows()};
    }
    std::span<std::uint32_t> oob_rows_of(const PendingNode& at) {
        return {oob_rows.data() + at.oob_begin, at.n_oob_rows()};
    }

    // Nodes are added to this tree from now on. `open_nodes`, if given, receives how each came to its split.
    void begin(Tree& tree, std::vector<OpenNode>* open_nodes) {
        tree_ = &tree;
        leaf_rows.clear();
        open_nodes_ = open_nodes;
        if (allowance_ != nullptr) allowance_->begin_tree();
        if (open_nodes != nullptr) open_nodes->clear();
    }

    // Grows a node of the tree and all below it. The rows are in place: those of the node are ranges of `rows`, `items`
    // and `oob_rows`. `take_over(at)` may grow a node, and all below it, in its own way: then it returns true.
    template <class TakeOver>
    void grow(const PendingNode& from, TakeOver take_over) {
        pending_.assign(1, from);
        grow_pending(take_over);
    }
    // The same for a node whose split is known.
    void grow_split(const PendingNode& from, const Split& split) {
        pending_.clear();
        split_node(split, from);
        grow_pending([](const PendingNode&) { return false; });
    }

    // The best cut of one column among some rows.
    Split try_column(std::uint32_t column, std::span<const std::uint32_t> some_rows,
                     std::span<const Item> their_items) {
        task_.begin_node(their_items);
        Split split;
        finder_.try_column(column, some_rows, their_items, split);
        return split;
    }

    std::uint32_t add_node() {
        tree_->nodes.emplace_back();
        tree_->thresholds.push_back(0.0);
        return static_cast<std::uint32_t>(tree_->nodes.size() - 1);
    }

    std::vector<std::uint32_t> rows, oob_rows;
    std::vector<Item> items;          // of each of the rows
    std::vector<LeafRows> leaf_rows;  // of leaves that an out-of-bag row reaches

private:
    // Invariant: the rows of a node are ascending. Out-of-bag rows take the same way: moving them along has no branch to
    // mispredict, unlike sending each down the finished tree.
    template <class TakeOver>
    void grow_pending(TakeOver take_over) {
        while (!pending_.empty() && !cancelled_.load(std::memory_order_relaxed)) {
            const PendingNode at = take_next();
            if (oob_only_ && at.oob_begin == at.oob_end) continue;
            task_.begin_node(items_of(at));
            const bool may = may_split(at);
            if (may && take_over(at)) continue;
            const Split split = may ? find_split(at) : Split{};
            if (split.found()) {
                split_node(split, at);
            } else {
                task_.write_leaf(tree_->nodes[at.node], tree_->leaf_values);
                if (at.oob_begin < at.oob_end) leaf_rows.push_back({at.node, at.oob_begin, at.oob_end});
            }
        }
    }

    // The last one; but of nodes that share an allowance the first, so level by level and the right one first: no
    // branch uses it up before others begin.
    PendingNode take_next() {
        const PendingNode at = allowance_ == nullptr ? pending_.back() : pending_.front();
        if (allowance_ == nullptr) {
            pending_.pop_back();
        } else {
            pending_.erase(pending_.begin());
        }
        return at;
    }

    void split_node(const Split& split, const PendingNode& at) {
        const auto [middle, oob_middle] = apply(split, at);
        const std::uint32_t left = add_node();
        add_node();
        tree_->nodes[at.node].left = left;
        const std::uint32_t depth = at.depth + 1;
        pending_.push_back(
            {left + 1, depth, middle, at.end, oob_middle, at.oob_end, child_key(at.key, 1)});
        pending_.push_back(
            {left, depth, at.begin, middle, at.oob_begin, oob_middle, child_key(at.key, 0)});
    }

    bool may_split(const PendingNode& at) const {
        return !task_.is_pure() && task_.draws() > spec_.min_node &&
               task_.draws() >= 2 * std::uint64_t{spec_.min_leaf} &&
               (spec_.max_depth == 0 || at.depth < spec_.max_depth);
    }

    // The best cut among the node's first `max_features_` features. If none of those can be cut, the next ones
    // are tried, one by one, as scikit-learn does: a node ends only if it is pure or cannot be cut at all.
    Split find_split(const PendingNode& at) {
        if (allowance_ != nullptr) return find_allowed_split(at);
        const auto drawn = draw_->first(at.key, max_features_);
        OpenNode node{at.key, at.depth, at.begin, at.end, at.oob_begin, at.oob_end};
        Choice best;
        bool any = false;
        if constexpr (std::is_same_v<Table, PackedRows>) {
            columns_.clear();
            for (const Drawn feature : drawn) columns_.push_back(draw_->column(feature));
            finder_.announce(columns_, rows_of(at), items_of(at));
        }
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            if (i + 1 == max_features_) node.without_last = best;
            any |= visit(drawn[i], at, best);
            if (task_.is_perfect(best.split.score)) {
                best.perfect = true;
                if (i + 1 < max_features_) node.without_last = best;
                break;
            }
        }
        node.last = drawn.size() == max_features_ ? drawn.back() : all_features;
        if (!any) {
            node.last = all_features;
            const auto order = draw_->first(at.key, static_cast<std::uint32_t>(draw_->size()));
            for (std::size_t i = drawn.size(); i < order.size(); ++i) {
                if (!visit(order[i], at, best)) continue;
                node.last = order[i];
                break;
            }
        }
        if (open_nodes_ != nullptr) {
            node.best = best;
            open_nodes_->push_back(node);
        }
        return best.split;
    }

    // The same among the features that the tree may use here, by gains that are discounted for what they add.
    Split find_allowed_split(const PendingNode& at) {
        Split best;
        double best_gain = -1;
        std::uint32_t n_seen = 0;
        const auto has_enough = [&] { return n_seen >= max_features_ && best.found(); };
        const auto look_at = [&](std::span<const Drawn> order) {
            for (const Drawn drawn : order) {
                if (has_enough()) return;
                const std::uint32_t column = draw_->column(drawn);
                if (!allowance_->allows(column)) continue;
                ++n_seen;
                Split split;
                if (!finder_.try_column(column, rows_of(at), items_of(at), split)) continue;
                const double gain = std::max(0.0, split.score - task_.score_without_gain()) *
                                    allowance_->discount(column);
                if (gain > best_gain) {
                    best_gain = gain;
                    best = split;
                }
            }
        };
        if (allowance_->is_spent()) {
            look_at(draw_->of(at.key, allowance_->used()));
        } else {
            // Most nodes need no more than the first few of the order, which are found without sorting all.
            const auto all = static_cast<std::uint32_t>(draw_->size());
            const std::uint32_t few = std::min(all, 2 * max_features_);
            look_at(draw_->first(at.key, few));
            if (!has_enough() && few < all) look_at(draw_->first(at.key, all).subspan(few));
        }
        if (best.found()) allowance_->use(best.column);
        return best;
    }

    // Returns whether the feature can be cut here.
    bool visit(Drawn drawn, const PendingNode& at, Choice& best) {
        const std::uint32_t column = draw_->column(drawn);
        const Score before = best.split.score;
        const bool can_be_cut = finder_.try_column(column, rows_of(at), items_of(at), best.split);
        if (best.split.score > before) best.drawn = drawn;
        return can_be_cut;
    }

    struct Middles {
        std::uint32_t in_bag, oob;
    };

    // Writes the split into the node and moves its rows; returns where the right child's rows begin.
    Middles apply(const Split& split, const PendingNode& at) {
        Node& node = tree_->nodes[at.node];
        const auto [cut, threshold] =
            table_.cut_between(split.column, split.left_code, split.right_code);
        node.column = static_cast<std::int32_t>(split.column);
        node.cut = cut;
        tree_->thresholds[at.node] = threshold;

        const auto code = table_.column(split.column);
        const Code missing = table_.missing_code(split.column);
        bool missing_left = split.missing_left;
        const auto goes_left = [&, cut = cut](std::uint32_t row) {
            const Code c = code[row];
            return (c <= cut) | (missing_left & (c == missing));
        };
        const std::uint32_t middle = move_rows(at.begin, at.end, goes_left);
        // Missing values that the node never saw follow the larger child. Out-of-bag rows may have some.
        if (!split.saw_missing) missing_left = middle - at.begin >= at.end - middle;
        node.missing_left = missing_left;
        return {middle, move_oob_rows(at.oob_begin, at.oob_end, goes_left)};
    }

    // Both moves keep the order of the rows and have no branch to mispredict: each row is written to both sides,
    // and only one side's end moves on.
    template <class GoesLeft>
    std::uint32_t move_rows(std::uint32_t begin, std::uint32_t end, GoesLeft goes_left) {
        std::uint32_t left = begin, right = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = rows[i];
            const Item item = items[i];
            const bool to_left = goes_left(row);
            rows[left] = right_rows_[right] = row;
            items[left] = right_items_[right] = item;
            left += to_left;
            right += !to_left;
        }
        std::copy_n(right_rows_.begin(), right, rows.begin() + left);
        std::copy_n(right_items_.begin(), right, items.begin() + left);
        return left;
    }
    template <class GoesLeft>
    std::uint32_t move_oob_rows(std::uint32_t begin, std::uint32_t end, GoesLeft goes_left) {
        std::uint32_t left = begin, right = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = oob_rows[i];
            const bool to_left = goes_left(row);
            oob_rows[left] = right_rows_[right] = row;
            left += to_left;
            right += !to_left;
        }
        std::copy_n(right_rows_.begin(), right, oob_rows.begin() + left);
        return left;
    }

    const Table& table_;
    GrowthSpec spec_;
    const std::atomic<bool>& cancelled_;
    Task task_;
    SplitFinder<Task, Table> finder_;
    FeatureDraw* draw_ = nullptr;
    std::uint32_t max_features_ = 0;
    bool oob_only_ = false;
    Allowance* allowance_ = nullptr;
    std::vector<OpenNode>* open_nodes_ = nullptr;
    Tree* tree_ = nullptr;
    std::vector<std::uint32_t> right_rows_;
    std::vector<Item> right_items_;
    std::vector<std::uint32_t> columns_;
    std::vector<PendingNode> pending_;
};

}  // namespace frugal
