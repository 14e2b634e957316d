// What grows a tree.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

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

// A tree's open nodes, parents before children and left before right, and the final order of its rows: a node's
// rows are a range of it.
template <class Item>
struct GrowthRecord {
    std::vector<OpenNode> open_nodes;
    std::vector<std::uint32_t> rows;
    std::vector<Item> items;
    std::vector<std::uint32_t> oob_rows;
};

// A bin for every code and for missing values, in whole words of a bitmap.
inline std::uint32_t n_bins(const CodedData& data) {
    std::uint32_t most = 0;
    for (std::uint32_t j = 0; j < data.n_columns(); ++j) most = std::max(most, data.n_codes(j));
    return (most / 64 + 1) * 64;
}

template <class Task>
class TreeGrower {
public:
    using Item = typename Task::Item;

    TreeGrower(const CodedData& data, const Target& target, const GrowthSpec& spec,
               const std::atomic<bool>& cancelled)
        : data_(data),
          spec_(spec),
          cancelled_(cancelled),
          task_(target, n_bins(data), data.n_rows()),
          finder_(data, task_, spec.min_leaf, n_bins(data)),
          draws_(data.n_rows()),
          rows_(data.n_rows()),
          right_rows_(data.n_rows()),
          oob_rows_(data.n_rows()),
          items_(data.n_rows()),
          right_items_(data.n_rows()) {
        for (std::uint32_t i = 0; i < data.n_rows(); ++i) {
            if (target.weights.empty() || target.weights[i] > 0) weighted_rows_.push_back(i);
        }
        if (!spec.replace) urn_.resize(weighted_rows_.size());
    }

    void use_features(std::span<const std::uint32_t> columns, std::uint32_t max_features) {
        own_draw_.assign(data_, columns);
        use_features(own_draw_, max_features);
    }
    void use_features(FeatureDraw& draw, std::uint32_t max_features) {
        draw_ = &draw;
        max_features_ = max_features;
    }

    void limit_depth(std::uint32_t max_depth) { spec_.max_depth = max_depth; }

    // From now on only where out-of-bag rows go: their votes are the same, but a tree is no use for other rows, and
    // nodes that no out-of-bag row reaches are neither grown nor recorded.
    void grow_for_oob_only() { oob_only_ = true; }

    // `record`, if given, receives how every node came to its split.
    void grow(std::uint64_t seed, std::uint64_t tree, GrowthRecord<Item>* record = nullptr) {
        const std::uint64_t key = tree_key(seed, tree);
        draw_rows(purpose_key(key, Purpose::bootstrap));
        begin_tree(record);
        pending_.push_back({add_node(), 0, 0, n_in_bag_, 0, data_.n_rows() - n_in_bag_,
                            purpose_key(key, Purpose::nodes)});
        grow_pending();
        if (record != nullptr) {
            record->rows.assign(rows_.begin(), rows_.begin() + n_in_bag_);
            record->items.assign(items_.begin(), items_.begin() + n_in_bag_);
            record->oob_rows.assign(oob_rows_.begin(),
                                    oob_rows_.begin() + (data_.n_rows() - n_in_bag_));
        }
    }

    // The last tree, until the next one is grown.
    const Tree& tree() const { return tree_; }

    // Grows what another split at `node` of a recorded tree leads to; for_each_oob then visits that node's
    // out-of-bag rows.
    void regrow(const GrowthRecord<Item>& from, const OpenNode& node, const Split& split) {
        std::copy(from.rows.begin() + node.begin, from.rows.begin() + node.end, rows_.begin());
        std::copy(from.items.begin() + node.begin, from.items.begin() + node.end, items_.begin());
        std::copy(from.oob_rows.begin() + node.oob_begin, from.oob_rows.begin() + node.oob_end,
                  oob_rows_.begin());
        begin_tree(nullptr);
        split_node(split, {add_node(), node.depth, 0, node.end - node.begin, 0,
                           node.oob_end - node.oob_begin, node.key});
        grow_pending();
    }

    // The best cut of one column at a recorded node.
    Split try_column(const GrowthRecord<Item>& from, const OpenNode& node, std::uint32_t column) {
        const std::span<const Item> items{from.items.data() + node.begin, node.end - node.begin};
        task_.begin_node(items);
        Split split;
        finder_.try_column(column, {from.rows.data() + node.begin, node.end - node.begin}, items,
                           split);
        return split;
    }

    // How often each row was drawn for the last tree; 0 is out of bag.
    std::span<const std::uint32_t> draws() const { return draws_; }

    // Calls f(row, leaf) for every out-of-bag row of the last tree.
    template <class F>
    void for_each_oob(F f) const {
        for (const LeafRows& leaf : leaf_rows_) {
            for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) f(oob_rows_[i], tree_.nodes[leaf.node]);
        }
    }

private:
    struct Pending {
        std::uint32_t node, depth;
        std::uint32_t begin, end;          // in rows_ and items_
        std::uint32_t oob_begin, oob_end;  // in oob_rows_
        std::uint64_t key;
    };
    struct LeafRows {
        std::uint32_t node, begin, end;  // in oob_rows_
    };

    void draw_rows(std::uint64_t key) {
        // A row without weight says nothing: it is never drawn, and counts as if it were not there.
        const auto n = static_cast<std::uint32_t>(weighted_rows_.size());
        const auto n_draws = std::max<std::uint32_t>(
            1, static_cast<std::uint32_t>(std::uint64_t{spec_.n_draws} * n / data_.n_rows()));
        Stream stream(key);
        std::fill(draws_.begin(), draws_.end(), 0);
        if (spec_.replace) {
            for (std::uint32_t i = 0; i < n_draws; ++i) ++draws_[weighted_rows_[stream.below(n)]];
        } else {
            std::copy(weighted_rows_.begin(), weighted_rows_.end(), urn_.begin());
            for (std::uint32_t i = 0; i < n_draws; ++i) {
                std::swap(urn_[i], urn_[i + stream.below(n - i)]);
                draws_[urn_[i]] = 1;
            }
        }
        n_in_bag_ = 0;
        for (std::uint32_t i = 0; i < data_.n_rows(); ++i) {
            rows_[n_in_bag_] = i;
            oob_rows_[i - n_in_bag_] = i;
            n_in_bag_ += draws_[i] != 0;
        }
        for (std::uint32_t i = 0; i < n_in_bag_; ++i) {
            items_[i] = task_.item(rows_[i], draws_[rows_[i]]);
        }
    }

    std::uint32_t add_node() {
        tree_.nodes.emplace_back();
        tree_.thresholds.push_back(0.0);
        return static_cast<std::uint32_t>(tree_.nodes.size() - 1);
    }

    void begin_tree(GrowthRecord<Item>* record) {
        tree_.clear();
        leaf_rows_.clear();
        pending_.clear();
        record_ = record;
        if (record != nullptr) record->open_nodes.clear();
    }

    // Depth first. Invariant: rows_[begin, end) and items_[begin, end) are the node's, rows ascending. Out-of-bag rows
    // take the same way: moving them along has no branch to mispredict, unlike sending each down the finished tree.
    void grow_pending() {
        while (!pending_.empty() && !cancelled_.load(std::memory_order_relaxed)) {
            const Pending at = pending_.back();
            pending_.pop_back();
            if (oob_only_ && at.oob_begin == at.oob_end) continue;
            task_.begin_node(items_of(at));
            const Split split = may_split(at) ? find_split(at) : Split{};
            if (split.found()) {
                split_node(split, at);
            } else {
                task_.write_leaf(tree_.nodes[at.node], tree_.leaf_shares);
                if (at.oob_begin < at.oob_end) leaf_rows_.push_back({at.node, at.oob_begin, at.oob_end});
            }
        }
    }

    void split_node(const Split& split, const Pending& at) {
        const auto [middle, oob_middle] = apply(split, at);
        const std::uint32_t left = add_node();
        add_node();
        tree_.nodes[at.node].left = left;
        const std::uint32_t depth = at.depth + 1;
        pending_.push_back(
            {left + 1, depth, middle, at.end, oob_middle, at.oob_end, child_key(at.key, 1)});
        pending_.push_back(
            {left, depth, at.begin, middle, at.oob_begin, oob_middle, child_key(at.key, 0)});
    }

    std::span<const std::uint32_t> rows_of(const Pending& at) const {
        return {rows_.data() + at.begin, at.end - at.begin};
    }
    std::span<const Item> items_of(const Pending& at) const {
        return {items_.data() + at.begin, at.end - at.begin};
    }

    bool may_split(const Pending& at) const {
        return !task_.is_pure() && task_.draws() >= 2 * std::uint64_t{spec_.min_leaf} &&
               (spec_.max_depth == 0 || at.depth < spec_.max_depth);
    }

    // The best cut among the node's first `max_features_` features. If none of those can be cut, the next ones
    // are tried, one by one, as scikit-learn does: a node ends only if it is pure or cannot be cut at all.
    Split find_split(const Pending& at) {
        const auto drawn = draw_->first(at.key, max_features_);
        OpenNode node{at.key, at.depth, at.begin, at.end, at.oob_begin, at.oob_end};
        Choice best;
        bool any = false;
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
        if (record_ != nullptr) {
            node.best = best;
            record_->open_nodes.push_back(node);
        }
        return best.split;
    }

    // Returns whether the feature can be cut here.
    bool visit(Drawn drawn, const Pending& at, Choice& best) {
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
    Middles apply(const Split& split, const Pending& at) {
        Node& node = tree_.nodes[at.node];
        const auto [cut, threshold] =
            data_.cut_between(split.column, split.left_code, split.right_code);
        node.column = static_cast<std::int32_t>(split.column);
        node.cut = cut;
        tree_.thresholds[at.node] = threshold;

        const Code* code = data_.column(split.column);
        const Code missing = data_.missing_code(split.column);
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
            const std::uint32_t row = rows_[i];
            const Item item = items_[i];
            const bool to_left = goes_left(row);
            rows_[left] = right_rows_[right] = row;
            items_[left] = right_items_[right] = item;
            left += to_left;
            right += !to_left;
        }
        std::copy_n(right_rows_.begin(), right, rows_.begin() + left);
        std::copy_n(right_items_.begin(), right, items_.begin() + left);
        return left;
    }
    template <class GoesLeft>
    std::uint32_t move_oob_rows(std::uint32_t begin, std::uint32_t end, GoesLeft goes_left) {
        std::uint32_t left = begin, right = 0;
        for (std::uint32_t i = begin; i < end; ++i) {
            const std::uint32_t row = oob_rows_[i];
            const bool to_left = goes_left(row);
            oob_rows_[left] = right_rows_[right] = row;
            left += to_left;
            right += !to_left;
        }
        std::copy_n(right_rows_.begin(), right, oob_rows_.begin() + left);
        return left;
    }

    const CodedData& data_;
    GrowthSpec spec_;
    const std::atomic<bool>& cancelled_;
    Task task_;
    SplitFinder<Task> finder_;
    FeatureDraw own_draw_;
    FeatureDraw* draw_ = nullptr;
    std::uint32_t max_features_ = 0;
    bool oob_only_ = false;
    GrowthRecord<Item>* record_ = nullptr;
    Tree tree_;
    std::uint32_t n_in_bag_ = 0;
    std::vector<std::uint32_t> draws_;
    std::vector<std::uint32_t> rows_, right_rows_, oob_rows_;
    std::vector<LeafRows> leaf_rows_;
    std::vector<Item> items_, right_items_;
    std::vector<Pending> pending_;
    std::vector<std::uint32_t> weighted_rows_;
    std::vector<std::uint32_t> urn_;
};

}  // namespace frugal
