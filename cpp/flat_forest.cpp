#include "flat_forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace frugal {

void FlatForest::append(const Tree& tree) {
    const std::uint32_t offset = tree_start.back();
    const std::size_t n_nodes = tree.nodes.size();
    shares.resize((offset + n_nodes) * n_classes, 0.0);
    for (std::size_t i = 0; i < n_nodes; ++i) {
        const Node& node = tree.nodes[i];
        column.push_back(node.column);
        threshold.push_back(tree.thresholds[i]);
        missing_left.push_back(node.missing_left);
        left.push_back(node.is_leaf() ? 0 : offset + node.left);
        if (!node.is_leaf()) continue;
        double* share = &shares[(offset + i) * n_classes];
        if (node.pure) {
            share[node.cut] = 1.0;
        } else {
            std::copy_n(&tree.leaf_shares[node.left], n_classes, share);
        }
    }
    tree_start.push_back(static_cast<std::uint32_t>(offset + n_nodes));
}

void FlatForestView::check(std::uint32_t n_columns) const {
    const std::size_t n_nodes = column.size();
    const auto require = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    };
    require(left.size() == n_nodes && threshold.size() == n_nodes &&
                missing_left.size() == n_nodes && shares.size() == n_nodes * n_classes,
            "the arrays of a forest differ in length");
    require(!tree_start.empty() && tree_start.front() == 0 && tree_start.back() == n_nodes,
            "the trees of a forest do not cover its nodes");
    for (std::size_t t = 0; t + 1 < tree_start.size(); ++t) {
        require(tree_start[t] < tree_start[t + 1] && tree_start[t + 1] <= n_nodes,
                "a tree of a forest is empty");
        for (std::size_t i = tree_start[t]; i < tree_start[t + 1]; ++i) {
            if (column[i] < 0) continue;
            require(static_cast<std::uint32_t>(column[i]) < n_columns,
                    "a forest splits on a column that the rows do not have");
            // Children lie behind their parent, so every walk ends.
            require(left[i] > i && left[i] < tree_start[t + 1] - 1,
                    "a node of a forest points outside its tree");
        }
    }
}

void add_votes(const FlatForestView& forest, const RawRows& rows, std::uint32_t begin,
               std::uint32_t end, VoteCounts& counts) {
    const std::uint32_t n_classes = forest.n_classes;
    for (std::size_t t = 0; t + 1 < forest.tree_start.size(); ++t) {
        for (std::uint32_t row = begin; row < end; ++row) {
            std::uint32_t node = forest.tree_start[t];
            while (forest.column[node] >= 0) {
                const double x = rows.at(row, static_cast<std::uint32_t>(forest.column[node]));
                const bool left = std::isnan(x) ? forest.missing_left[node] != 0
                                                : x <= forest.threshold[node];
                node = forest.left[node] + !left;
            }
            const double* shares = &forest.shares[std::size_t{node} * n_classes];
            const auto vote =
                static_cast<std::uint32_t>(std::max_element(shares, shares + n_classes) - shares);
            counts.add(row, vote, shares[vote] == 1.0 ? nullptr : shares);
        }
    }
}

}  // namespace frugal
