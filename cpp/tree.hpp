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
          task_(target, largest_n_codes(data) + 1, data.n_rows()),
          finder_(data, task_, spec.min_leaf, largest_n_codes(data) + 1),
          draws_(data.n_rows()),
          rows_(data.n_rows()),
          right_rows_(data.n_rows()),
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
        grow_from(add_node(), 0, n_in_bag_, purpose_key(key, Purpose::nodes), 0);
        return tree_;
    }

    // How often each row was drawn for the last tree; 0 is out of bag.
    std::span<const std::uint32_t> draws() const { return draws_; }

private:
    struct Pending {
        std::uint32_t node, begin, end, depth;
        std::uint64_t key;
    };

    static std::uint32_t largest_n_codes(const CodedData& data) {
        std::uint32_t most = 0;
        for (std::uint32_t j = 0; j < data.n_columns(); ++j) most = std::max(most, data.n_codes(j));
        return most;
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

    // Depth first. Invariant: rows_[begin, end) and items_[begin, end) are the node's, rows ascending.
    void grow_from(std::uint32_t root, std::uint32_t begin, std::uint32_t end, std::uint64_t key,
                   std::uint32_t depth) {
        pending_.assign(1, {root, begin, end, depth, key});
        while (!pending_.empty() && !cancelled_.load(std::memory_order_relaxed)) {
            const Pending at = pending_.back();
            pending_.pop_back();
            task_.begin_node(items_of(at));
            const Split split = may_split(at) ? find_split(at) : Split{};
            if (!split.found()) {
                make_leaf(at.node);
                continue;
            }
            const std::uint32_t middle = apply(split, at);
            const std::uint32_t left = add_node();
            add_node();
            tree_.nodes[at.node].left = left;
            pending_.push_back({left + 1, middle, at.end, at.depth + 1, child_key(at.key, 1)});
            pending_.push_back({left, at.begin, middle, at.depth + 1, child_key(at.key, 0)});
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
        }
        if (any || max_features_ >= draw_.size()) return best;
        const auto all = draw_.first(at.key, static_cast<std::uint32_t>(draw_.size()));
        for (std::size_t i = max_features_; i < all.size() && !any; ++i) {
            any = finder_.try_column(draw_.column(all[i]), rows_of(at), items_of(at), best);
        }
        return best;
    }

    // Writes the split into the node and moves its rows; returns where the right child's rows begin.
    std::uint32_t apply(const Split& split, const Pending& at) {
        const auto [cut, threshold] =
            data_.cut_between(split.column, split.left_code, split.right_code);
        const Code* code = data_.column(split.column);
        const Code missing = data_.missing_code(split.column);
        std::uint32_t left = at.begin, right = 0;
        for (std::uint32_t i = at.begin; i < at.end; ++i) {
            const std::uint32_t row = rows_[i];
            const Item item = items_[i];
            const Code c = code[row];
            const bool goes_left = (c <= cut) | (split.missing_left & (c == missing));
            rows_[left] = right_rows_[right] = row;
            items_[left] = right_items_[right] = item;
            left += goes_left;
            right += !goes_left;
        }
        std::copy_n(right_rows_.begin(), right, rows_.begin() + left);
        std::copy_n(right_items_.begin(), right, items_.begin() + left);

        Node& node = tree_.nodes[at.node];
        node.column = static_cast<std::int32_t>(split.column);
        node.cut = cut;
        // Missing values that the node never saw follow the larger child.
        node.missing_left = split.saw_missing ? split.missing_left : left - at.begin >= right;
        tree_.thresholds[at.node] = threshold;
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
    std::vector<std::uint32_t> rows_, right_rows_;
    std::vector<Item> items_, right_items_;
    std::vector<Pending> pending_;
    std::vector<double> weights_;
    std::vector<char> weightless_;
    std::vector<std::uint32_t> urn_;
};

// Calls f.template operator()<Task>() with the cheapest task that fits the target.
template <class F>
decltype(auto) with_task(const Target& target, F&& f) {
    if (!target.weights.empty()) return f.template operator()<ClassesTask<double>>();
    if (target.n_classes > 2) return f.template operator()<ClassesTask<std::int64_t>>();
    return f.template operator()<BinaryTask>();
}

}  // namespace frugal
