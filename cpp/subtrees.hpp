// The lower parts of trees on binned tables, grown where the rows of a node are together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "class_tasks.hpp"
#include "coded_data.hpp"
#include "node_grower.hpp"
#include "packed_rows.hpp"
#include "target.hpp"
#include "tree.hpp"

namespace frugal {

// The cheapest task for a node with few draws, and an item of the one above for it.
template <class Task>
struct Narrow {
    using Small = Task;
    static constexpr std::uint64_t most_draws = std::numeric_limits<std::uint64_t>::max();
    static typename Task::Item item(const typename Task::Item& item) { return item; }
};
template <>
struct Narrow<BinaryTask<std::uint64_t>> {
    using Small = BinaryTask<std::uint32_t>;
    static constexpr std::uint64_t most_draws = Small::most_draws;
    static std::uint32_t item(std::uint64_t item) {
        return static_cast<std::uint32_t>(item) | static_cast<std::uint32_t>(item >> 32 << 16);
    }
};

// A place for the rows of one node at a time, and what grows nodes there.
template <class Task>
class Place {
public:
    using Target = typename Task::Target;

    Place(const CodedData& data, const Target& target, const GrowthSpec& spec,
          std::uint32_t most_rows, const std::atomic<bool>& cancelled)
        : most_rows_(std::min(data.n_rows(), most_rows)),
          codes_(data),
          nodes_(codes_, target, spec, most_rows_, n_bins(data), cancelled) {}

    void use_features(const PackedRows& table, FeatureDraw& draw, std::uint32_t max_features) {
        codes_.reserve_like(table, 2 * most_rows_);
        nodes_.use_features(draw, max_features);
    }
    NodeGrower<Task, PackedRows>& nodes() { return nodes_; }
    const PackedRows& codes() const { return codes_; }

    // Takes over a node that `above` has just begun, if it is small enough: copies the codes of its rows here, and grows
    // here what is below it. Returns whether it did. The tree is the same as if it had stayed where it was.
    template <class AboveTask, class AboveTable, class TakeOver>
    bool grow(NodeGrower<AboveTask, AboveTable>& above, const PackedRows& from, Tree& tree,
              const PendingNode& at, TakeOver take_over) {
        const std::uint32_t n = at.n_rows(), n_oob = at.n_oob_rows();
        if (n > most_rows_ || n_oob > most_rows_) return false;
        if (above.task().draws() > Narrow<AboveTask>::most_draws) return false;

        const auto oob_rows = above.oob_rows_of(at);
        codes_.gather(from, above.rows_of(at), 0);
        codes_.gather(from, oob_rows, n);
        std::iota(nodes_.rows.begin(), nodes_.rows.begin() + n, 0);
        std::iota(nodes_.oob_rows.begin(), nodes_.oob_rows.begin() + n_oob, n);
        const auto items = above.items_of(at);
        std::transform(items.begin(), items.end(), nodes_.items.begin(), Narrow<AboveTask>::item);

        nodes_.begin(tree, nullptr);
        nodes_.grow({at.node, at.depth, 0, n, 0, n_oob, at.key}, take_over);

        // Out-of-bag rows now stand in the order of their leaves.
        was_.assign(oob_rows.begin(), oob_rows.end());
        for (std::uint32_t i = 0; i < n_oob; ++i) oob_rows[i] = was_[nodes_.oob_rows[i] - n];
        for (const LeafRows& leaf : nodes_.leaf_rows) {
            above.leaf_rows.push_back({leaf.node, at.oob_begin + leaf.begin, at.oob_begin + leaf.end});
        }
        return true;
    }

private:
    std::uint32_t most_rows_;
    PackedRows codes_;  // in-bag rows first
    NodeGrower<Task, PackedRows> nodes_;
    std::vector<std::uint32_t> was_;
};

// The lower parts of trees: nodes that have become small move to one place, and those that have become very small to
// another, of which the codes stay in the nearest cache but one.
template <class Task>
class Subtrees {
public:
    using Target = typename Task::Target;

    Subtrees(const CodedData& data, const Target& target, const GrowthSpec& spec,
             const std::atomic<bool>& cancelled)
        : table_(data),
          large_(data, target, spec, 16384, cancelled),
          small_(data, target, spec, 1024, cancelled) {}

    void use_features(std::span<const std::uint32_t> columns, FeatureDraw& draw,
                      std::uint32_t max_features) {
        table_.pack(columns);
        large_.use_features(table_, draw, max_features);
        small_.use_features(table_, draw, max_features);
    }
    void limit_depth(std::uint32_t max_depth) {
        large_.nodes().limit_depth(max_depth);
        small_.nodes().limit_depth(max_depth);
    }
    void grow_for_oob_only() {
        large_.nodes().grow_for_oob_only();
        small_.nodes().grow_for_oob_only();
    }

    // Returns whether the node was small enough, and so was grown. `above` has just begun it.
    bool grow(NodeGrower<Task, CodedData>& above, Tree& tree, const PendingNode& at) {
        return large_.grow(above, table_, tree, at, [&](const PendingNode& below) {
            return small_.grow(large_.nodes(), large_.codes(), tree, below,
                               [](const PendingNode&) { return false; });
        });
    }

private:
    using Small = typename Narrow<Task>::Small;

    PackedRows table_;  // all rows
    Place<Small> large_, small_;
};

}  // namespace frugal
