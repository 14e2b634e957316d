// How trees are grown for classes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "target.hpp"
#include "task.hpp"
#include "tree.hpp"

namespace frugal {

// Writes a leaf that votes for the heaviest class, the first of those that are equal. If it has several classes their
// shares go behind those of the leaves before it.
inline void write_class_leaf(std::span<const double> weights, bool mixed, Node& leaf,
                             std::vector<double>& leaf_values) {
    leaf.cut = static_cast<Code>(std::max_element(weights.begin(), weights.end()) - weights.begin());
    leaf.has_values = mixed;
    if (!mixed) return;
    leaf.left = static_cast<std::uint32_t>(leaf_values.size());
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (const double w : weights) leaf_values.push_back(w / total);
}

// Two classes, no weights. A sum is one word: draws in its lower half, draws of class 1 in the upper one.
// 16-bit halves hold every sum of a node as long as a tree draws fewer than 2^15 rows.
template <class Word>
class BinaryTask {
public:
    using Target = ClassTarget;
    using Item = Word;
    static constexpr int half = 4 * sizeof(Word);
    static constexpr Word low_half = (Word{1} << half) - 1;
    static constexpr Word most_draws = low_half >> 1;

    BinaryTask(const Target& target, std::uint32_t n_codes, std::uint32_t n_rows)
        : labels_(target.labels.data()), bins_(n_codes, 0), groups_(n_rows + group_room, 0) {}

    static std::uint64_t bytes(std::uint64_t n_codes, std::uint64_t n_rows, const Target&) {
        return (n_codes + n_rows) * sizeof(Item);
    }

    Item item(std::uint32_t row, std::uint32_t draws) const {
        return Item{draws} | static_cast<Item>(Item{draws} * labels_[row]) << half;
    }

    void begin_node(std::span<const Item> items) {
        Item total = 0;
        for (const Item item : items) total += item;
        n_ = total & low_half;
        n_1_ = total >> half;
    }
    std::uint64_t draws() const { return static_cast<std::uint64_t>(n_); }
    bool is_pure() const { return n_1_ == 0 || n_1_ == n_; }
    // Whether no cut can be better: both sides are pure.
    bool is_perfect(Score score) const {
        return score == static_cast<double>(n_1_ * (n_ - n_1_));
    }
    static Score score_without_gain() { return 0; }
    void write_leaf(Node& leaf, std::vector<double>& leaf_values) const {
        const std::array weights{static_cast<double>(n_ - n_1_), static_cast<double>(n_1_)};
        write_class_leaf(weights, !is_pure(), leaf, leaf_values);
    }

    void add_to_bin(std::uint32_t bin, Item item) { bins_[bin] += item; }
    bool bin_is_empty(std::uint32_t bin) const { return bins_[bin] == 0; }
    // Writing the group even if it will be overwritten keeps the sweep over bins free of branches.
    void move_bin_to_group(std::uint32_t bin, std::uint32_t group) {
        groups_[group] = bins_[bin];
        bins_[bin] = 0;
    }
    void set_group(std::uint32_t group, Item item) { groups_[group] = item; }
    void add_to_group(std::uint32_t group, Item item) { groups_[group] += item; }

    // What is left of a cut. A local of the caller, so that the sum stays in a register.
    class Scan {
    public:
        explicit Scan(const BinaryTask& task)
            : groups_(task.groups_.data()), n_(task.n_), n_1_(task.n_1_) {}

        void take(std::uint32_t group) { left_ += groups_[group]; }
        Item taken() const { return left_; }
        void restart_from(Item taken) { left_ = taken; }
        std::uint64_t draws() const { return left_ & low_half; }
        // Gini decrease times n²/2: n_L n_R (share_L − share_R)².
        Score score() const {
            const std::int64_t left = left_ & low_half;
            const std::int64_t left_1 = left_ >> half;
            const auto difference = static_cast<double>(left_1 * n_ - n_1_ * left);
            return difference * difference / static_cast<double>(left * (n_ - left));
        }
    private:
        const Item* groups_;
        Item left_ = 0;
        std::int64_t n_;
        std::int64_t n_1_;
    };
    Scan begin_scan() const { return Scan(*this); }
    std::span<const Item> groups() const { return groups_; }
    std::int64_t n() const { return n_; }
    std::int64_t n_1() const { return n_1_; }

private:
    const std::uint16_t* labels_;
    std::vector<Item> bins_;
    std::vector<Item> groups_;
    std::int64_t n_ = 0;
    std::int64_t n_1_ = 0;
};

// Any number of classes, weights or none.
class ClassesTask {
public:
    using Target = ClassTarget;
    using Weight = std::int64_t;
    struct Item {
        Weight weight;
        std::uint32_t draws;
        std::uint32_t label;
    };

    ClassesTask(const Target& target, std::uint32_t n_codes, std::uint32_t n_rows)
        : target_(&target),
          n_classes_(target.n_classes),
          bins_(std::size_t{n_codes} * n_classes_, 0),
          groups_((std::size_t{n_rows} + group_room) * n_classes_, 0),
          bin_draws_(n_codes, 0),
          group_draws_(n_rows + group_room, 0),
          total_(n_classes_),
          left_(n_classes_),
          weights_(n_classes_) {}

    // Bins and groups have room for every class: with very many classes that is too much, and the caller asks first.
    static std::uint64_t bytes(std::uint64_t n_codes, std::uint64_t n_rows, const Target& target) {
        return (n_codes + n_rows) * target.n_classes * sizeof(Weight);
    }

    Item item(std::uint32_t row, std::uint32_t draws) const {
        const Weight weight = target_->weights.empty() ? 1 : target_->weights[row];
        return {weight * draws, draws, target_->labels[row]};
    }

    void begin_node(std::span<const Item> items) {
        std::fill(total_.begin(), total_.end(), 0);
        draws_ = 0;
        for (const Item& item : items) {
            total_[item.label] += item.weight;
            draws_ += item.draws;
        }
    }
    std::uint64_t draws() const { return draws_; }
    bool is_pure() const {
        return std::count_if(total_.begin(), total_.end(), [](Weight w) { return w > 0; }) <= 1;
    }
    // Both sides pure takes two classes; with more the check would cost more than it saves.
    static bool is_perfect(Score) { return false; }
    Score score_without_gain() const {
        double all = 0, squares = 0;
        for (const Weight w : total_) {
            const auto here = static_cast<double>(w);
            all += here;
            squares += here * here;
        }
        return squares / all;
    }
    void write_leaf(Node& leaf, std::vector<double>& leaf_values) {
        std::copy(total_.begin(), total_.end(), weights_.begin());
        write_class_leaf(weights_, !is_pure(), leaf, leaf_values);
    }

    void add_to_bin(std::uint32_t bin, const Item& item) {
        bins_[std::size_t{bin} * n_classes_ + item.label] += item.weight;
        bin_draws_[bin] += item.draws;
    }
    bool bin_is_empty(std::uint32_t bin) const { return bin_draws_[bin] == 0; }
    void move_bin_to_group(std::uint32_t bin, std::uint32_t group) {
        Weight* from = &bins_[std::size_t{bin} * n_classes_];
        std::copy_n(from, n_classes_, &groups_[std::size_t{group} * n_classes_]);
        std::fill_n(from, n_classes_, 0);
        group_draws_[group] = bin_draws_[bin];
        bin_draws_[bin] = 0;
    }
    void set_group(std::uint32_t group, const Item& item) {
        std::fill_n(&groups_[std::size_t{group} * n_classes_], n_classes_, 0);
        group_draws_[group] = 0;
        add_to_group(group, item);
    }
    void add_to_group(std::uint32_t group, const Item& item) {
        groups_[std::size_t{group} * n_classes_ + item.label] += item.weight;
        group_draws_[group] += item.draws;
    }

    class Scan {
    public:
        explicit Scan(ClassesTask& task) : task_(&task) {
            std::fill(task.left_.begin(), task.left_.end(), 0);
        }
        void take(std::uint32_t group) {
            const Weight* from = &task_->groups_[std::size_t{group} * task_->n_classes_];
            for (std::uint32_t k = 0; k < task_->n_classes_; ++k) task_->left_[k] += from[k];
            draws_ += task_->group_draws_[group];
        }
        std::uint64_t draws() const { return draws_; }
        // Σ left² / left + Σ right² / right: the Gini decrease up to constants of the node.
        Score score() const {
            double left = 0, right = 0, left_squares = 0, right_squares = 0;
            for (std::uint32_t k = 0; k < task_->n_classes_; ++k) {
                const auto here = static_cast<double>(task_->left_[k]);
                const auto rest = static_cast<double>(task_->total_[k] - task_->left_[k]);
                left += here;
                right += rest;
                left_squares += here * here;
                right_squares += rest * rest;
            }
            return left_squares / left + right_squares / right;
        }

    private:
        ClassesTask* task_;
        std::uint64_t draws_ = 0;
    };
    Scan begin_scan() { return Scan(*this); }

private:
    const Target* target_;
    std::uint32_t n_classes_;
    std::vector<Weight> bins_, groups_;
    std::vector<std::uint32_t> bin_draws_, group_draws_;
    std::vector<Weight> total_, left_;
    std::vector<double> weights_;  // of the classes in a leaf
    std::uint64_t draws_ = 0;
};

// Calls f.template operator()<Task>() with the cheapest task for trees that draw so many rows.
template <class F>
decltype(auto) with_task(const ClassTarget& target, std::uint32_t n_draws, F&& f) {
    if (target.n_classes > 2 || !target.weights.empty()) return f.template operator()<ClassesTask>();
    if (n_draws <= BinaryTask<std::uint32_t>::most_draws) return f.template operator()<BinaryTask<std::uint32_t>>();
    return f.template operator()<BinaryTask<std::uint64_t>>();
}

}  // namespace frugal
