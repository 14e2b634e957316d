// The lower parts of trees on binned tables, grown where the rows of a node are together.
#pragma once

#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "node_grower.hpp"
#include "packed_rows.hpp"
#include "target.hpp"
#include "task.hpp"
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

// Takes over a node that has become small: copies the codes of its rows to one place, and grows there what is below it.
// The tree is the same as if it had stayed where it was.
template <class Task>
class Subtrees {
public:
    using Small = typename Narrow<Task>::Small;

    Subtrees(const CodedData& data, const Target& target, const GrowthSpec& spec,
             const std::atomic<bool>& cancelled)
        : most_rows_(std::min(data.n_rows(), most_rows)),
          table_(data),
          here_(data),
          nodes_(here_, target, spec, most_rows_, n_bins(data), cancelled) {}

    void use_features(std::span<const std::uint32_t> columns, FeatureDraw& draw,
                      std::uint32_t max_features) {
        table_.pack(columns);
        here_.reserve_like(table_, 2 * most_rows_);
        nodes_.use_features(draw, max_features);
    }
    void limit_depth(std::uint32_t max_depth) { nodes_.limit_depth(max_depth); }
    void grow_for_oob_only() { nodes_.grow_for_oob_only(); }

    // Returns whether the node was small enough, and so was grown. `above` has just begun it.
    bool grow(NodeGrower<Task, CodedData>& above, Tree& tree, const PendingNode& at) {
        const std::uint32_t n = at.n_rows(), n_oob = at.n_oob_rows();
        if (n > most_rows_ || n_oob > most_rows_) return false;
        if (above.task().draws() > Narrow<Task>::most_draws) return false;

        const auto oob_rows = above.oob_rows_of(at);
        here_.gather(table_, above.rows_of(at), 0);
        here_.gather(table_, oob_rows, n);
        std::iota(nodes_.rows.begin(), nodes_.rows.begin() + n, 0);
        std::iota(nodes_.oob_rows.begin(), nodes_.oob_rows.begin() + n_oob, n);
        std::uint32_t next = 0;
        for (const auto& item : above.items_of(at)) nodes_.items[next++] = Narrow<Task>::item(item);

        nodes_.begin(tree, nullptr);
        nodes_.grow({at.node, at.depth, 0, n, 0, n_oob, at.key},
                    [](const PendingNode&) { return false; });

        // Out-of-bag rows now stand in the order of their leaves.
        was_.assign(oob_rows.begin(), oob_rows.end());
        for (std::uint32_t i = 0; i < n_oob; ++i) oob_rows[i] = was_[nodes_.oob_rows[i] - n];
        for (const LeafRows& leaf : nodes_.leaf_rows) {
            above.leaf_rows.push_back({leaf.node, at.oob_begin + leaf.begin, at.oob_begin + leaf.end});
        }
        return true;
    }

private:
    // Of these the codes stay in the second nearest cache.
    static constexpr std::uint32_t most_rows = 16384;

    std::uint32_t most_rows_;
    PackedRows table_;  // all rows
    PackedRows here_;   // those of the node: in-bag rows first
    NodeGrower<Small, PackedRows> nodes_;
    std::vector<std::uint32_t> was_;
};

}  // namespace frugal
