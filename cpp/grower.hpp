// What grows a tree: draws its rows, and grows it from its root.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "feature_draw.hpp"
#include "node_grower.hpp"
#include "rng.hpp"
#include "split.hpp"
#include "subtrees.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace frugal {

// A tree's open nodes, parents before children and left before right, and the final order of its rows: a node's
// rows are a range of it.
template <class Item>
struct GrowthRecord {
    std::vector<OpenNode> open_nodes;
    std::vector<std::uint32_t> rows;
    std::vector<Item> items;
    std::vector<std::uint32_t> oob_rows;
};

template <class Task>
class TreeGrower {
public:
    using Item = typename Task::Item;
    using Target = typename Task::Target;

    TreeGrower(const CodedData& data, const Target& target, const GrowthSpec& spec,
               const std::atomic<bool>& cancelled)
        : data_(data),
          spec_(spec),
          nodes_(data, target, spec, data.n_rows(), n_bins(data), cancelled),
          draws_(data.n_rows()) {
        for (std::uint32_t i = 0; i < data.n_rows(); ++i) {
            if (target.has_weight(i)) weighted_rows_.push_back(i);
        }
        if (!spec.replace) urn_.resize(weighted_rows_.size());
        if (data.is_binned()) subtrees_.emplace(data, target, spec, cancelled);
    }

    void use_features(std::span<const std::uint32_t> columns, std::uint32_t max_features) {
        own_draw_.assign(data_, columns);
        use_features(own_draw_, max_features);
        if (subtrees_) subtrees_->use_features(columns, own_draw_, max_features);
    }
    // For what is grown again (see regrow).
    void use_features(FeatureDraw& draw, std::uint32_t max_features) {
        nodes_.use_features(draw, max_features);
    }

    void limit_depth(std::uint32_t max_depth) {
        nodes_.limit_depth(max_depth);
        if (subtrees_) subtrees_->limit_depth(max_depth);
    }

    // Nodes that share an allowance are grown in one place, in one order.
    void use_allowance(Allowance* allowance) {
        nodes_.use_allowance(allowance);
        moves_nodes_ = allowance == nullptr;
    }

    // From now on only where out-of-bag rows go: their votes are the same, but a tree is no use for other rows, and
    // nodes that no out-of-bag row reaches are neither grown nor recorded.
    void grow_for_oob_only() {
        nodes_.grow_for_oob_only();
        if (subtrees_) subtrees_->grow_for_oob_only();
    }

    // `record`, if given, receives how every node came to its split.
    void grow(std::uint64_t seed, std::uint64_t tree, GrowthRecord<Item>* record = nullptr) {
        const std::uint64_t key = tree_key(seed, tree);
        draw_rows(purpose_key(key, Purpose::bootstrap));
        const std::uint32_t n_oob = data_.n_rows() - n_in_bag_;
        begin_tree(record == nullptr ? nullptr : &record->open_nodes);
        const PendingNode root{nodes_.add_node(), 0, 0, n_in_bag_, 0, n_oob,
                               purpose_key(key, Purpose::nodes)};
        nodes_.grow(root, [&](const PendingNode& at) {
            return subtrees_ && moves_nodes_ && record == nullptr && subtrees_->grow(nodes_, tree_, at);
        });
        if (record != nullptr) {
            record->rows.assign(nodes_.rows.begin(), nodes_.rows.begin() + n_in_bag_);
            record->items.assign(nodes_.items.begin(), nodes_.items.begin() + n_in_bag_);
            record->oob_rows.assign(nodes_.oob_rows.begin(), nodes_.oob_rows.begin() + n_oob);
        }
    }

    // The last tree, until the next one is grown.
    const Tree& tree() const { return tree_; }

    // Grows what another split at `node` of a recorded tree leads to; for_each_oob then visits that node's
    // out-of-bag rows.
    void regrow(const GrowthRecord<Item>& from, const OpenNode& node, const Split& split) {
        std::copy(from.rows.begin() + node.begin, from.rows.begin() + node.end, nodes_.rows.begin());
        std::copy(from.items.begin() + node.begin, from.items.begin() + node.end,
                  nodes_.items.begin());
        std::copy(from.oob_rows.begin() + node.oob_begin, from.oob_rows.begin() + node.oob_end,
                  nodes_.oob_rows.begin());
        begin_tree(nullptr);
        nodes_.grow_split({nodes_.add_node(), node.depth, 0, node.end - node.begin, 0,
                           node.oob_end - node.oob_begin, node.key},
                          split);
    }

    // The best cut of one column at a recorded node.
    Split try_column(const GrowthRecord<Item>& from, const OpenNode& node, std::uint32_t column) {
        const std::uint32_t n = node.end - node.begin;
        return nodes_.try_column(column, {from.rows.data() + node.begin, n},
                                 {from.items.data() + node.begin, n});
    }

    // How often each row was drawn for the last tree; 0 is out of bag.
    std::span<const std::uint32_t> draws() const { return draws_; }

    // Calls f(row, leaf) for every out-of-bag row of the last tree.
    template <class F>
    void for_each_oob(F f) const {
        for (const LeafRows& leaf : nodes_.leaf_rows) {
            for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
                f(nodes_.oob_rows[i], tree_.nodes[leaf.node]);
            }
        }
    }

private:
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
            nodes_.rows[n_in_bag_] = i;
            nodes_.oob_rows[i - n_in_bag_] = i;
            n_in_bag_ += draws_[i] != 0;
        }
        for (std::uint32_t i = 0; i < n_in_bag_; ++i) {
            nodes_.items[i] = nodes_.task().item(nodes_.rows[i], draws_[nodes_.rows[i]]);
        }
    }

    void begin_tree(std::vector<OpenNode>* open_nodes) {
        tree_.clear();
        nodes_.begin(tree_, open_nodes);
    }

    const CodedData& data_;
    GrowthSpec spec_;
    NodeGrower<Task, CodedData> nodes_;
    std::optional<Subtrees<Task>> subtrees_;  // if the table is binned
    bool moves_nodes_ = true;
    FeatureDraw own_draw_;
    Tree tree_;
    std::uint32_t n_in_bag_ = 0;
    std::vector<std::uint32_t> draws_;
    std::vector<std::uint32_t> weighted_rows_;
    std::vector<std::uint32_t> urn_;
};

}  // namespace frugal
