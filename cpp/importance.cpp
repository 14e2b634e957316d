#include "importance.hpp"

#include <memory>

namespace frugal {

namespace {

// Shuffles one column at a time among the out-of-bag rows of one tree.
class TreeShuffler {
public:
    TreeShuffler(const CodedData& data, const Target& target, const std::atomic<bool>& cancelled)
        : data_(data), target_(target), cancelled_(cancelled), used_(data.n_columns()) {}

    // Writes one rise for each of the columns; returns the number of out-of-bag rows.
    std::uint32_t write_rises(const Tree& tree, std::uint64_t key,
                              std::span<const std::uint32_t> draws,
                              std::span<const std::uint32_t> columns, std::int32_t* rises) {
        oob_.clear();
        for (std::uint32_t row = 0; row < data_.n_rows(); ++row) {
            if (draws[row] == 0) oob_.push_back(row);
        }
        std::fill(used_.begin(), used_.end(), false);
        for (const Node& node : tree.nodes) {
            if (!node.is_leaf()) used_[static_cast<std::size_t>(node.column)] = true;
        }
        shuffled_ = oob_;
        const std::int32_t wrong = count_wrong(tree, data_.n_columns());
        for (std::size_t i = 0; i < columns.size() && !cancelled_; ++i) {
            if (!used_[columns[i]]) {
                rises[i] = 0;
                continue;
            }
            shuffle(child_key(key, data_.feature_key(columns[i])));
            rises[i] = count_wrong(tree, columns[i]) - wrong;
        }
        return static_cast<std::uint32_t>(oob_.size());
    }

private:
    void shuffle(std::uint64_t key) {
        shuffled_ = oob_;
        Stream stream(key);
        for (std::size_t i = shuffled_.size(); i > 1; --i) {
            std::swap(shuffled_[i - 1], shuffled_[stream.below(static_cast<std::uint32_t>(i))]);
        }
    }

    std::int32_t count_wrong(const Tree& tree, std::uint32_t shuffled_column) const {
        std::int32_t wrong = 0;
        for (std::size_t i = 0; i < oob_.size(); ++i) {
            const Node& leaf = find_leaf(tree, data_, [&](std::uint32_t j) {
                return data_.column(j)[j == shuffled_column ? shuffled_[i] : oob_[i]];
            });
            wrong += leaf.cut != target_.labels[oob_[i]];
        }
        return wrong;
    }

    const CodedData& data_;
    const Target& target_;
    const std::atomic<bool>& cancelled_;
    std::vector<std::uint32_t> oob_, shuffled_;
    std::vector<bool> used_;
};

}  // namespace

PermutationRises permutation_rises(const CodedData& data, const Target& target, const Job& job,
                                   const ForestSpec& spec, const Interrupted& interrupted) {
    const std::size_t width = job.columns.size();
    PermutationRises result{std::vector<std::int32_t>(spec.n_trees * width),
                            std::vector<std::uint32_t>(spec.n_trees)};
    const auto ranges = tree_ranges(spec.n_trees, 1, spec.n_threads);
    with_task(target, spec.growth, [&]<class Task>() {
        parallel_for(ranges.size(), spec.n_threads, interrupted,
                     [&](const std::atomic<bool>& cancelled) {
            auto grower = std::make_shared<TreeGrower<Task>>(data, target, spec.growth, cancelled);
            auto shuffler = std::make_shared<TreeShuffler>(data, target, cancelled);
            grower->use_features(job.columns, job.max_features);
            return [&, grower, shuffler](std::size_t r) {
                for (std::uint32_t t = ranges[r].first; t < ranges[r].second && !cancelled; ++t) {
                    const std::uint64_t number = job.first_tree + t;
                    const Tree& tree = grower->grow(job.seed, number);
                    if (cancelled) return;
                    result.n_oob[t] = shuffler->write_rises(
                        tree, purpose_key(tree_key(job.seed, number), Purpose::permutation),
                        grower->draws(), job.columns, &result.rises[t * width]);
                }
            };
        });
    });
    return result;
}

}  // namespace frugal
