#include "flat_forest.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>

#include "means.hpp"
#include "votes.hpp"

namespace frugal {

namespace {

// Refuses what is not a forest, with the tree and the node (or −1) at which it is not.
class ForestCheck {
public:
    ForestCheck(const FlatForest& forest, std::uint32_t n_columns, FlatForest::LeafFault fault_of)
        : forest_(forest), n_columns_(n_columns), fault_of_(fault_of) {}

    void run() {
        check_arrays();
        for (tree_ = 0; tree_ < forest_.n_trees(); ++tree_) check_tree();
    }

private:
    void check_arrays() const {
        const std::size_t n = forest_.column.size();
        require(forest_.left.size() == n && forest_.threshold.size() == n &&
                    forest_.missing_left.size() == n && forest_.vote.size() == n &&
                    forest_.has_values.size() == n,
                "the arrays of the nodes differ in length");
        const auto& start = forest_.tree_start;
        require(start.size() >= 2 && start.front() == 0 && start.back() == n &&
                    std::adjacent_find(start.begin(), start.end(), std::greater_equal<>()) == start.end(),
                "the trees do not divide the nodes among them");
        for (const auto* flags : {&forest_.missing_left, &forest_.has_values}) {
            require(std::all_of(flags->begin(), flags->end(), [](std::uint8_t flag) { return flag <= 1; }),
                    "a mark of a node is neither 0 nor 1");
        }
        std::size_t n_with_values = 0;
        for (std::size_t i = 0; i < n; ++i) {
            n_with_values += forest_.column[i] < 0 && forest_.has_values[i] != 0;
        }
        require(forest_.values.size() == n_with_values * forest_.width,
                "there are not as many values as leaves that have some");
    }

    void check_tree() {
        const std::size_t root = forest_.tree_start[tree_];
        const std::size_t n_nodes = forest_.tree_start[tree_ + 1] - root;
        has_parent_.assign(n_nodes, false);
        for (node_ = 0; node_ < n_nodes; ++node_) {
            require_here(node_ == 0 || has_parent_[node_], "is no child of a node before it");
            if (forest_.column[root + node_] >= 0) {
                check_split(root + node_, n_nodes);
            } else {
                check_leaf(root + node_);
            }
        }
    }

    void check_split(std::size_t at, std::size_t n_nodes) {
        require_here(static_cast<std::uint32_t>(forest_.column[at]) < n_columns_,
                     "splits on a column that there is not");
        require_here(!std::isnan(forest_.threshold[at]), "splits at a threshold that is not a number");
        const std::size_t left = forest_.left[at];
        require_here(left > node_ && left + 1 < n_nodes, "has children outside its tree or before it");
        require_here(!has_parent_[left] && !has_parent_[left + 1], "has the child of another node");
        has_parent_[left] = has_parent_[left + 1] = true;
    }

    void check_leaf(std::size_t at) {
        require_here(forest_.column[at] == Node::leaf, "splits on a column that there is not");
        Leaf leaf{forest_.vote[at], nullptr};
        if (forest_.has_values[at] != 0) leaf.values = &forest_.values[n_with_values_++ * forest_.width];
        const char* fault = fault_of_(leaf, forest_.width);
        require_here(fault == nullptr, fault);
    }

    static void require(bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(what);
    }
    void require_here(bool holds, const char* what) const {
        if (holds) return;
        throw std::invalid_argument("node " + std::to_string(node_) + " of tree " +
                                    std::to_string(tree_) + " " + what);
    }

    const FlatForest& forest_;
    std::uint32_t n_columns_;
    FlatForest::LeafFault fault_of_;
    std::size_t tree_ = 0, node_ = 0;  // the node counted from its root
    std::size_t n_with_values_ = 0;  // leaves seen so far
    std::vector<bool> has_parent_;
};

}  // namespace

void FlatForest::append(const Tree& tree) {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const Node& node = tree.nodes[i];
        column.push_back(node.column);
        left.push_back(node.is_leaf() ? 0 : node.left);
        threshold.push_back(tree.thresholds[i]);
        missing_left.push_back(node.missing_left);
        vote.push_back(node.is_leaf() ? node.vote() : 0);
        has_values.push_back(node.has_values);
        const Leaf leaf = tree.leaf(node);
        if (leaf.values != nullptr) values.insert(values.end(), leaf.values, leaf.values + width);
    }
    tree_start.push_back(column.size());
}

void FlatForest::check(std::uint32_t n_columns, LeafFault fault_of) const {
    ForestCheck(*this, n_columns, fault_of).run();
}

PackedForest::PackedForest(FlatForest forest)
    : tree_start_(std::move(forest.tree_start)),
      missing_left_(std::move(forest.missing_left)),
      values_(std::move(forest.values)),
      nodes_(forest.column.size()),
      leaves_(forest.column.size()),
      values_at_(values_.empty() ? 0 : forest.column.size()) {
    constexpr std::uint32_t unseen = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place;
    std::size_t next_values = 0;
    for (std::size_t t = 0; t + 1 < tree_start_.size(); ++t) {
        const std::size_t root = tree_start_[t];
        for (std::size_t i = root; i < tree_start_[t + 1]; ++i) {
            if (forest.column[i] < 0) {
                nodes_[i] = {std::numeric_limits<double>::infinity(),
                             static_cast<std::uint32_t>(i - root), 0};
                leaves_[i] = {forest.vote[i], forest.has_values[i] != 0};
                if (!leaves_[i].has_values) continue;
                values_at_[i] = next_values;
                next_values += forest.width;
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
    }
    if (columns_.empty()) columns_.push_back(0);  // leaves alone: they look at place 0, in vain
}

std::uint32_t PackedForest::find_leaf_with_missing(std::size_t root, const double* row) const {
    for (std::uint32_t at = 0;;) {
        const Node& node = nodes_[root + at];
        if (node.left == at) return at;
        const double x = row[node.place];
        const bool left = std::isnan(x) ? missing_left_[root + at] != 0 : x <= node.threshold;
        at = node.left + !left;
    }
}

template <class Tally>
void PackedForest::add_to(Tally& tally, const RawRows& rows, std::uint32_t begin,
                          std::uint32_t end) const {
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
        for (std::size_t t = 0; t + 1 < tree_start_.size(); ++t) {
            const std::size_t root = tree_start_[t];
            const Node* nodes = &nodes_[root];
            const auto count = [&](std::uint32_t r, std::uint32_t at) {
                const auto [vote, has_values] = leaves_[root + at];
                tally.add(first + r,
                          {vote, has_values ? &values_[values_at_[root + at]] : nullptr});
            };
            if (missing) {
                for (std::uint32_t r = 0; r < n; ++r) {
                    count(r, find_leaf_with_missing(root, &buffer[r * width]));
                }
                continue;
            }
            for (std::uint32_t r = 0; r < n; r += side_by_side) {
                std::uint32_t at[side_by_side];
                std::fill_n(at, side_by_side, 0);
                const double* row = &buffer[r * width];
                for (bool walking = true; walking;) {
                    walking = false;
                    for (std::uint32_t k = 0; k < side_by_side; ++k) {
                        const Node& node = nodes[at[k]];
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

template void PackedForest::add_to(ClassTally&, const RawRows&, std::uint32_t, std::uint32_t) const;
template void PackedForest::add_to(MeanTally&, const RawRows&, std::uint32_t, std::uint32_t) const;

}  // namespace frugal
