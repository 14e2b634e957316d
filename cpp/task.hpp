// What is predicted, as a template parameter of everything that grows trees.
//
// A task says what one row brings to a node (Item), how items add up to the groups of equal values that
// a split may not cut (bins and groups), and how good a cut is (score). Regression
// will be one more struct here: its item is (draws, weight, weight · y) and its score
// (ΣL)²/L + (ΣR)²/R.
//
// Shared by all tasks:
// - bins are indexed by code and all zero between two calls of a split finder;
// - groups are the occupied bins in order of code, with room for one more than there are rows;
// - `score` compares cuts of one node; its scale is the task's own business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace frugal {

// Labels 0 … n_classes−1, and weights or none.
struct Target {
    std::vector<std::uint16_t> labels;
    std::uint32_t n_classes = 2;
    std::vector<double> weights;  // empty: one each
};

// Two classes, no weights. A sum is one word: draws below, draws of class 1 above.
class BinaryTask {
public:
    using Item = std::uint64_t;

    BinaryTask(const Target& target, std::uint32_t n_codes, std::uint32_t n_rows)
        : labels_(target.labels.data()), bins_(n_codes, 0), groups_(n_rows + 1, 0) {}

    static constexpr std::uint32_t n_classes() { return 2; }

    Item item(std::uint32_t row, std::uint32_t draws) const {
        return draws | (Item{draws} * labels_[row]) << 32;
    }

    void begin_node(std::span<const Item> items) {
        total_ = 0;
        for (const Item item : items) total_ += item;
        n_ = static_cast<std::int64_t>(total_ & low_half);
        n_1_ = static_cast<std::int64_t>(total_ >> 32);
    }
    std::uint64_t draws() const { return total_ & low_half; }
    bool is_pure() const { return n_1_ == 0 || n_1_ == n_; }
    void class_weights(double* out) const {
        out[0] = static_cast<double>(n_ - n_1_);
        out[1] = static_cast<double>(n_1_);
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

    void begin_scan() { left_ = 0; }
    void take_left(std::uint32_t group) { left_ += groups_[group]; }
    std::uint64_t left_draws() const { return left_ & low_half; }
    // Gini decrease times n²/2: n_L n_R (share_L − share_R)² with one division.
    double score() const {
        const auto left = static_cast<std::int64_t>(left_ & low_half);
        const auto left_1 = static_cast<std::int64_t>(left_ >> 32);
        const auto difference = static_cast<double>(left_1 * n_ - n_1_ * left);
        return difference * difference / (static_cast<double>(left) * static_cast<double>(n_ - left));
    }

private:
    static constexpr std::uint64_t low_half = 0xffffffffULL;

    const std::uint16_t* labels_;
    std::vector<Item> bins_;
    std::vector<Item> groups_;
    Item total_ = 0;
    Item left_ = 0;
    std::int64_t n_ = 0;
    std::int64_t n_1_ = 0;
};

// Any number of classes. Weight is std::int64_t (draws; exact) or double (draws × sample weight).
template <class Weight>
class ClassesTask {
public:
    struct Item {
        Weight weight;
        std::uint32_t draws;
        std::uint32_t label;
    };

    ClassesTask(const Target& target, std::uint32_t n_codes, std::uint32_t n_rows)
        : target_(&target),
          n_classes_(target.n_classes),
          bins_(std::size_t{n_codes} * n_classes_, Weight{}),
          groups_((std::size_t{n_rows} + 1) * n_classes_, Weight{}),
          bin_draws_(n_codes, 0),
          group_draws_(n_rows + 1, 0),
          total_(n_classes_),
          left_(n_classes_) {}

    std::uint32_t n_classes() const { return n_classes_; }

    Item item(std::uint32_t row, std::uint32_t draws) const {
        auto weight = static_cast<Weight>(draws);
        if constexpr (!std::is_integral_v<Weight>) weight *= target_->weights[row];
        return {weight, draws, target_->labels[row]};
    }

    void begin_node(std::span<const Item> items) {
        std::fill(total_.begin(), total_.end(), Weight{});
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
    void class_weights(double* out) const { std::copy(total_.begin(), total_.end(), out); }

    void add_to_bin(std::uint32_t bin, const Item& item) {
        bins_[std::size_t{bin} * n_classes_ + item.label] += item.weight;
        bin_draws_[bin] += item.draws;
    }
    bool bin_is_empty(std::uint32_t bin) const { return bin_draws_[bin] == 0; }
    void move_bin_to_group(std::uint32_t bin, std::uint32_t group) {
        Weight* from = &bins_[std::size_t{bin} * n_classes_];
        std::copy_n(from, n_classes_, &groups_[std::size_t{group} * n_classes_]);
        std::fill_n(from, n_classes_, Weight{});
        group_draws_[group] = bin_draws_[bin];
        bin_draws_[bin] = 0;
    }
    void set_group(std::uint32_t group, const Item& item) {
        std::fill_n(&groups_[std::size_t{group} * n_classes_], n_classes_, Weight{});
        group_draws_[group] = 0;
        add_to_group(group, item);
    }
    void add_to_group(std::uint32_t group, const Item& item) {
        groups_[std::size_t{group} * n_classes_ + item.label] += item.weight;
        group_draws_[group] += item.draws;
    }

    void begin_scan() {
        std::fill(left_.begin(), left_.end(), Weight{});
        left_draws_ = 0;
    }
    void take_left(std::uint32_t group) {
        const Weight* from = &groups_[std::size_t{group} * n_classes_];
        for (std::uint32_t k = 0; k < n_classes_; ++k) left_[k] += from[k];
        left_draws_ += group_draws_[group];
    }
    std::uint64_t left_draws() const { return left_draws_; }
    // Σ left² / left + Σ right² / right: the Gini decrease up to constants of the node.
    double score() const {
        Weight left{}, right{}, left_squares{}, right_squares{};
        for (std::uint32_t k = 0; k < n_classes_; ++k) {
            const Weight rest = total_[k] - left_[k];
            left += left_[k];
            right += rest;
            left_squares += left_[k] * left_[k];
            right_squares += rest * rest;
        }
        return static_cast<double>(left_squares) / static_cast<double>(left) +
               static_cast<double>(right_squares) / static_cast<double>(right);
    }

private:
    const Target* target_;
    std::uint32_t n_classes_;
    std::vector<Weight> bins_, groups_;
    std::vector<std::uint32_t> bin_draws_, group_draws_;
    std::vector<Weight> total_, left_;
    std::uint64_t draws_ = 0;
    std::uint64_t left_draws_ = 0;
};

}  // namespace frugal
