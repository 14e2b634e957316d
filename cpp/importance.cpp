#include "importance.hpp"

#include <limits>
#include <utility>

#include "class_tasks.hpp"
#include "number_task.hpp"

namespace frugal {

namespace {

// Shuffles each column among the out-of-bag rows of one tree, and follows the rows whose way that changes.
//
// A row goes down its own path once. At a node on column j it leaves the path if j's shuffled value goes to the other
// side; then, and only then, its leaf under that shuffle can be another one. Most columns of a tree are not on a
// row's path at all: on 500 × 200, 300 trees, 0.18 → 0.09 s, of which growing takes 0.07.
template <class Rise>
class TreeShuffler {
public:
    TreeShuffler(const CodedData& data, const Rise& rise, const std::atomic<bool>& cancelled)
        : data_(data), rise_(rise), cancelled_(cancelled), shuffle_of_(data.n_columns()) {}

    // Writes one rise for each of the columns; returns the number of out-of-bag rows.
    std::uint32_t write_rises(const Tree& tree, std::uint64_t key,
                              std::span<const std::uint32_t> draws,
                              std::span<const std::uint32_t> columns, double* rises) {
        oob_.clear();
        for (std::uint32_t row = 0; row < data_.n_rows(); ++row) {
            if (draws[row] == 0) oob_.push_back(row);
        }
        shuffle_columns(tree, key);
        rises_.assign(n_shuffles_, 0);
        left_at_.assign(n_shuffles_, none);
        for (std::uint32_t i = 0; i < oob_.size() && !cancelled_; ++i) follow(tree, i);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            const std::uint32_t shuffle = shuffle_of_[columns[c]];
            rises[c] = shuffle == none ? 0 : rises_[shuffle];
        }
        return static_cast<std::uint32_t>(oob_.size());
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    // One shuffle for each column that the tree splits on.
    void shuffle_columns(const Tree& tree, std::uint64_t key) {
        std::fill(shuffle_of_.begin(), shuffle_of_.end(), none);
        n_shuffles_ = 0;
        for (const Node& node : tree.nodes) {
            if (node.is_leaf() || shuffle_of_[node.column] != none) continue;
            shuffle_of_[node.column] = n_shuffles_++;
            if (codes_.size() < n_shuffles_ * oob_.size()) codes_.resize(n_shuffles_ * oob_.size());
            shuffle(static_cast<std::uint32_t>(node.column), key,
                    codes_.data() + (n_shuffles_ - 1) * oob_.size());
        }
    }

    // Writes the code that each out-of-bag row gets.
    void shuffle(std::uint32_t column, std::uint64_t key, Code* codes) const {
        const Code* code = data_.column(column);
        for (std::size_t i = 0; i < oob_.size(); ++i) codes[i] = code[oob_[i]];
        Stream stream(child_key(key, data_.feature_key(column)));
        for (std::size_t i = oob_.size(); i > 1; --i) {
            std::swap(codes[i - 1], codes[stream.below(static_cast<std::uint32_t>(i))]);
        }
    }

    // Sends out-of-bag row i down its path and, where a shuffle makes it leave, down the other way.
    void follow(const Tree& tree, std::uint32_t i) {
        const std::uint32_t row = oob_[i];
        left_.clear();
        const Node* node = &tree.nodes[0];
        while (!node->is_leaf()) {
            const auto j = static_cast<std::uint32_t>(node->column);
            const std::uint32_t shuffle = shuffle_of_[j];
            const Code shuffled = codes_[shuffle * oob_.size() + i];
            const std::uint32_t own = next_node(*node, data_, data_.column(j)[row]);
            const std::uint32_t other = next_node(*node, data_, shuffled);
            // Once off the path a row is not on it again: only the first such node of a column counts.
            if (own != other && left_at_[shuffle] != i) {
                left_at_[shuffle] = i;
                const Node& leaf = find_leaf(
                    tree, data_,
                    [&](std::uint32_t k) { return k == j ? shuffled : data_.column(k)[row]; }, other);
                left_.push_back({shuffle, &leaf});
            }
            node = &tree.nodes[own];
        }
        const Leaf own_leaf = tree.leaf(*node);
        for (const auto& [shuffle, leaf] : left_) {
            rises_[shuffle] += rise_(row, own_leaf, tree.leaf(*leaf));
        }
    }

    struct Departure {
        std::uint32_t shuffle;
        const Node* leaf;
    };

    const CodedData& data_;
    const Rise& rise_;
    const std::atomic<bool>& cancelled_;
    std::vector<std::uint32_t> oob_;
    std::vector<std::uint32_t> shuffle_of_;  // of each column; `none` if the tree does not split on it
    std::uint32_t n_shuffles_ = 0;
    std::vector<Code> codes_;                // shuffle after shuffle, a code for each out-of-bag row
    std::vector<double> rises_;              // of each shuffle
    std::vector<std::uint32_t> left_at_;     // of each shuffle: the last row that left its path by it
    std::vector<Departure> left_;            // of one row
};

template <class Task, class Rise>
class RiseWriter : public TreeVisitor<Task> {
public:
    RiseWriter(const Job& job, TreeShuffler<Rise> shuffler, PermutationRises& result)
        : job_(job), shuffler_(std::move(shuffler)), result_(result) {}

    void visit(const TreeRun&, std::uint32_t t, const TreeGrower<Task>& grower) {
        const std::uint64_t key = tree_key(job_.seed, job_.first_tree + t);
        result_.n_oob[t] = shuffler_.write_rises(
            grower.tree(), purpose_key(key, Purpose::permutation), grower.draws(), job_.columns,
            result_.rises.data() + t * job_.columns.size());
    }

private:
    const Job& job_;
    TreeShuffler<Rise> shuffler_;
    PermutationRises& result_;
};

}  // namespace

template <class Target, class Rise>
PermutationRises permutation_rises(const CodedData& data, const Target& target, const Rise& rise,
                                   const Job& job, const ForestSpec& spec,
                                   const Interrupted& interrupted) {
    PermutationRises result{std::vector<double>(spec.n_trees * job.columns.size()),
                            std::vector<std::uint32_t>(spec.n_trees)};
    const auto runs = tree_runs(1, spec.n_trees, spec.n_threads);
    with_task(target, spec.growth.n_draws, [&]<class Task>() {
        for_each_tree<Task>(data, target, {&job, 1}, runs, spec, interrupted,
                            [&](TreeGrower<Task>&, const std::atomic<bool>& cancelled) {
            return RiseWriter<Task, Rise>(job, TreeShuffler<Rise>(data, rise, cancelled), result);
        });
    });
    return result;
}

template PermutationRises permutation_rises(const CodedData&, const ClassTarget&, const ClassRise&,
                                            const Job&, const ForestSpec&, const Interrupted&);
template PermutationRises permutation_rises(const CodedData&, const NumberTarget&, const NumberRise&,
                                            const Job&, const ForestSpec&, const Interrupted&);

}  // namespace frugal
