// One tree: its nodes, and the grower that makes it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "feature_draw.hpp"
#include "rng.hpp"
#include "split.hpp"
#include "task.hpp"

namespace frugal {

struct GrowthSpec {
    std::uint32_t max_depth = 0;  // 0: no limit
    std::uint32_t min_leaf = 1;   // draws, a row drawn twice counts twice
    std::uint32_t n_draws = 0;    // rows drawn for a tree
    bool replace = true;
};

struct Node {
    static constexpr std::int32_t leaf = -1;

    std::int32_t column = leaf;
    std::uint32_t left = 0;  // the right child is the next one; of a leaf: where its shares begin
    Code cut = 0;            // codes up to here go left; of a leaf: its vote
    bool missing_left = false;
    bool pure = false;       // of a leaf: all of one class, no shares stored

    bool is_leaf() const { return column == leaf; }
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<double> thresholds;   // of each node, for raw values
    std::vector<double> leaf_shares;  // n_classes numbers for each leaf that is not pure

    void clear() {
        nodes.clear();
        thresholds.clear();
        leaf_shares.clear();
    }
};

// Follows a row of coded data from a node to its leaf. `code_of(column)` is the row's code there.
template <class CodeOf>
const Node& find_leaf(const Tree& tree, const CodedData& data, CodeOf code_of,
                      std::uint32_t from = 0) {
    const Node* node = &tree.nodes[from];
    while (!node->is_leaf()) {
        const auto j = static_cast<std::uint32_t>(node->column);
        const Code c = code_of(j);
        const bool left = (c <= node->cut) | (node->missing_left & (c == data.missing_code(j)));
        node = &tree.nodes[node->left + !left];
    }
    return *node;
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
          right_items_(data.n_rows()),
          weights_(target.n_classes) {
        if (!target.weights.empty()) {
            weightless_.resize(data.n_rows());
            for (std::uint32_t i = 0; i < data.n_rows(); ++i) weightless_[i] = target.weights[i] == 0;
        }
        if (!spec.replace) urn_.resize(data.n_rows());
    }

    void use_features(std::span<const std::uint32_t> columns, std::uint32_t max_features) {
        draw_.assign(data_, columns);
        max_features_ = max_features;
    }

    void limit_depth(std::uint32_t max_depth) { spec_.max_depth = max_depth; }

    // Valid until the next call.
    const Tree& grow(std::uint64_t seed, std::uint64_t tree) {
        const std::uint64_t key = tree_key(seed, tree);
        draw_rows(purpose_key(key, Purpose::bootstrap));
        tree_.clear();
        leaf_rows_.clear();
        grow_from({add_node(), 0, 0, n_in_bag_, 0, data_.n_rows() - n_in_bag_,
                   purpose_key(key, Purpose::nodes)});
        return tree_;
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

    // A bin for every code and for missing values, in whole words of a bitmap.
    static std::uint32_t n_bins(const CodedData& data) {
        std::uint32_t most = 0;
        for (std::uint32_t j = 0; j < data.n_columns(); ++j) most = std::max(most, data.n_codes(j));
        return (most / 64 + 1) * 64;
    }

    void draw_rows(std::uint64_t key) {
        const std::uint32_t n = data_.n_rows();
        Stream stream(key);
        std::fill(draws_.begin(), draws_.end(), 0);
        if (spec_.replace) {
            for (std::uint32_t i = 0; i < spec_.n_draws; ++i) ++draws_[stream.below(n)];
        } else {
            std::iota(urn_.begin(), urn_.end(), 0);
            for (std::uint32_t i = 0; i < spec_.n_draws; ++i) {
                std::swap(urn_[i], urn_[i + stream.below(n - i)]);
                draws_[urn_[i]] = 1;
            }
        }
        n_in_bag_ = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            // A row without weight says nothing: it is out of bag in every tree.
            if (!weightless_.empty() && weightless_[i]) draws_[i] = 0;
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

    // Depth first. Invariant: rows_[begin, end) and items_[begin, end) are the node's, rows ascending. Out-of-bag rows
    // take the same way: moving them along costs a third of sending each down the finished tree.
    void grow_from(const Pending& root) {
        pending_.assign(1, root);
        while (!pending_.empty() && !cancelled_.load(std::memory_order_relaxed)) {
            const Pending at = pending_.back();
            pending_.pop_back();
            task_.begin_node(items_of(at));
            const Split split = may_split(at) ? find_split(at) : Split{};
            if (!split.found()) {
                make_leaf(at.node);
                if (at.oob_begin < at.oob_end) leaf_rows_.push_back({at.node, at.oob_begin, at.oob_end});
                continue;
            }
            const auto [middle, oob_middle] = apply(split, at);
            const std::uint32_t left = add_node();
            add_node();
            tree_.nodes[at.node].left = left;
            const std::uint32_t depth = at.depth + 1;
            pending_.push_back({left + 1, depth, middle, at.end, oob_middle, at.oob_end,
                                child_key(at.key, 1)});
            pending_.push_back({left, depth, at.begin, middle, at.oob_begin, oob_middle,
                                child_key(at.key, 0)});
        }
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
        Split best;
        bool any = false;
        for (const Drawn drawn : draw_.first(at.key, max_features_)) {
            any |= finder_.try_column(draw_.column(drawn), rows_of(at), items_of(at), best);
            if (task_.is_perfect(best.score)) return best;  // ties go to the earlier feature
        }
        if (any || max_features_ >= draw_.size()) return best;
        const auto all = draw_.first(at.key, static_cast<std::uint32_t>(draw_.size()));
        for (std::size_t i = max_features_; i < all.size() && !any; ++i) {
            any = finder_.try_column(draw_.column(all[i]), rows_of(at), items_of(at), best);
        }
        return best;
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

    void make_leaf(std::uint32_t at) {
        Node& node = tree_.nodes[at];
        task_.class_weights(weights_.data());
        node.cut = static_cast<Code>(std::max_element(weights_.begin(), weights_.end()) -
                                     weights_.begin());
        node.pure = task_.is_pure();
        if (node.pure) return;
        node.left = static_cast<std::uint32_t>(tree_.leaf_shares.size());
        const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
        for (const double w : weights_) tree_.leaf_shares.push_back(w / total);
    }

    const CodedData& data_;
    GrowthSpec spec_;
    const std::atomic<bool>& cancelled_;
    Task task_;
    SplitFinder<Task> finder_;
    FeatureDraw draw_;
    std::uint32_t max_features_ = 0;
    Tree tree_;
    std::uint32_t n_in_bag_ = 0;
    std::vector<std::uint32_t> draws_;
    std::vector<std::uint32_t> rows_, right_rows_, oob_rows_;
    std::vector<LeafRows> leaf_rows_;
    std::vector<Item> items_, right_items_;
    std::vector<Pending> pending_;
    std::vector<double> weights_;
    std::vector<char> weightless_;
    std::vector<std::uint32_t> urn_;
};

// Calls f.template operator()<Task>() with the cheapest task that fits.
template <class F>
decltype(auto) with_task(const Target& target, const GrowthSpec& spec, F&& f) {
    if (!target.weights.empty()) return f.template operator()<ClassesTask<double>>();
    if (target.n_classes > 2) return f.template operator()<ClassesTask<std::int64_t>>();
    if (spec.n_draws < 32768) return f.template operator()<BinaryTask<std::uint32_t>>();
    return f.template operator()<BinaryTask<std::uint64_t>>();
}

}  // namespace frugal
