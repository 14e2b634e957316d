#include "flat_forest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

PackedForest::PackedForest(const FlatForestView& forest)
    : forest_(forest), nodes_(forest.column.size()), leaves_(forest.column.size()) {
    constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        if (forest.column[i] < 0) {
            nodes_[i] = {std::numeric_limits<double>::infinity(), i, 0};
            const double* shares = &forest.shares[std::size_t{i} * forest.n_classes];
            const auto vote = std::max_element(shares, shares + forest.n_classes) - shares;
            leaves_[i] = {static_cast<std::uint16_t>(vote), shares[vote] == 1.0};
            continue;
        }
        const auto j = static_cast<std::uint32_t>(forest.column[i]);
        if (j >= place.size()) place.resize(j + 1, unseen);
        if (place[j] == unseen) {
            place[j] = static_cast<std::uint32_t>(columns_.size());
            columns_.push_back(j);
        }
        nodes_[i] = {forest.threshold[i], forest.left[i], place[j]};
    }
    if (columns_.empty()) columns_.push_back(0);  // leaves alone: they look at place 0, in vain
}

std::uint32_t PackedForest::find_leaf_with_missing(std::uint32_t root, const double* row) const {
    std::uint32_t at = root;
    while (forest_.column[at] >= 0) {
        const double x = row[nodes_[at].place];
        const bool left = std::isnan(x) ? forest_.missing_left[at] != 0 : x <= nodes_[at].threshold;
        at = nodes_[at].left + !left;
    }
    return at;
}

void PackedForest::add_votes(const RawRows& rows, std::uint32_t begin, std::uint32_t end,
                             VoteCounts& counts) const {
    constexpr std::uint32_t side_by_side = 8, block = 64;
    const std::size_t width = columns_.size();
    std::vector<double> buffer(block * width);
    for (std::uint32_t first = begin; first < end; first += block) {
        const std::uint32_t n = std::min(block, end - first);
        bool missing = false;
        for (std::size_t c = 0; c < width; ++c) {
            for (std::uint32_t r = 0; r < block; ++r) {
                // Behind the last row the block repeats it: its walk is made and not counted.
                const double x = rows.at(first + std::min(r, n - 1), columns_[c]);
                buffer[r * width + c] = x;
                missing |= std::isnan(x);
            }
        }
        const auto count = [&](std::uint32_t r, std::uint32_t leaf) {
            const double* shares = &forest_.shares[std::size_t{leaf} * forest_.n_classes];
            counts.add(first + r, leaves_[leaf].vote, leaves_[leaf].pure ? nullptr : shares);
        };
        for (std::size_t t = 0; t + 1 < forest_.tree_start.size(); ++t) {
            const std::uint32_t root = forest_.tree_start[t];
            if (missing) {
                for (std::uint32_t r = 0; r < n; ++r) {
                    count(r, find_leaf_with_missing(root, &buffer[r * width]));
                }
                continue;
            }
            for (std::uint32_t r = 0; r < n; r += side_by_side) {
                std::uint32_t at[side_by_side];
                std::fill_n(at, side_by_side, root);
                const double* row = &buffer[r * width];
                for (bool walking = true; walking;) {
                    walking = false;
                    for (std::uint32_t k = 0; k < side_by_side; ++k) {
                        const Node& node = nodes_[at[k]];
                        const std::uint32_t next =
                            node.left + !(row[k * width + node.place] <= node.threshold);
                        walking |= next != at[k];
                        at[k] = next;
                    }
                }
                for (std::uint32_t k = 0; k < side_by_side && r + k < n; ++k) count(r + k, at[k]);
            }
        }
    }
}

}  // namespace frugal
