// How trees are grown for numbers: cuts by the variance within their sides, leaves that hold means.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "target.hpp"
#include "task.hpp"
#include "tree.hpp"

namespace frugal {

class NumberTask {
public:
    using Target = NumberTarget;

    // Of one row, of a group of rows, of a side of a cut. Whole numbers, exact as doubles: see NumberTarget.
    struct Item {
        double sum;  // of values, each as often as it was drawn
        double draws;

        Item& operator+=(const Item& other) {
            sum += other.sum;
            draws += other.draws;
            return *this;
        }
    };

    NumberTask(const Target& target, std::uint32_t n_codes, std::uint32_t n_rows)
        : values_(target.values.data()), bins_(n_codes), groups_(n_rows + group_room) {}

    static std::uint64_t bytes(std::uint64_t n_codes, std::uint64_t n_rows, const Target&) {
        return (n_codes + n_rows) * sizeof(Item);
    }

    Item item(std::uint32_t row, std::uint32_t draws) const {
        return {values_[row] * draws, static_cast<double>(draws)};
    }

    void begin_node(std::span<const Item> items) {
        total_ = {};
        for (const Item& item : items) total_ += item;
        mean_ = std::round(total_.sum / total_.draws);
        const double first = items[0].sum / items[0].draws;
        std::size_t n_equal = 1;  // most nodes differ in their first two rows
        while (n_equal < items.size() && items[n_equal].sum == first * items[n_equal].draws) ++n_equal;
        is_pure_ = n_equal == items.size();
    }
    std::uint64_t draws() const { return static_cast<std::uint64_t>(total_.draws); }
    bool is_pure() const { return is_pure_; }
    // That both sides are pure would cost more to find out than it saves.
    static bool is_perfect(Score) { return false; }
    // Of a cut that parts nothing: see `Scan::score`.
    Score score_without_gain() const {
        const double rest = total_.sum - mean_ * total_.draws;
        return rest * rest / total_.draws;
    }
    void write_leaf(Node& leaf, std::vector<double>& leaf_values) const {
        leaf.has_values = true;
        leaf.left = static_cast<std::uint32_t>(leaf_values.size());
        leaf_values.push_back(mean_);
    }

    void add_to_bin(std::uint32_t bin, const Item& item) { bins_[bin] += item; }
    bool bin_is_empty(std::uint32_t bin) const { return bins_[bin].draws == 0; }
    void move_bin_to_group(std::uint32_t bin, std::uint32_t group) {
        groups_[group] = bins_[bin];
        bins_[bin] = {};
    }
    void set_group(std::uint32_t group, const Item& item) { groups_[group] = item; }
    void add_to_group(std::uint32_t group, const Item& item) { groups_[group] += item; }

    class Scan {
    public:
        explicit Scan(const NumberTask& task)
            : groups_(task.groups_.data()),
              n_(task.total_.draws),
              mean_(task.mean_),
              rest_(task.total_.sum - task.mean_ * task.total_.draws) {}

        void take(std::uint32_t group) { left_ += groups_[group]; }
        void take_row(const Item& item) { left_ += item; }
        std::uint64_t draws() const { return static_cast<std::uint64_t>(left_.draws); }
        // Σ left² / left + Σ right² / right of values as they differ from the node's mean (rounded to the unit: that adds
        // the same to all cuts). The differences are exact: the variance is not lost beside the mean.
        Score score() const {
            const double n_left = left_.draws, n_right = n_ - n_left;
            const double left = left_.sum - mean_ * n_left, right = rest_ - left;
            return (left * left * n_right + right * right * n_left) / (n_left * n_right);
        }

    private:
        const Item* groups_;
        Item left_{};
        double n_, mean_, rest_;
    };
    Scan begin_scan() const { return Scan(*this); }

private:
    const double* values_;
    std::vector<Item> bins_;
    std::vector<Item> groups_;
    Item total_{};
    double mean_ = 0;
    bool is_pure_ = false;
};

template <class F>
decltype(auto) with_task(const NumberTarget&, std::uint32_t, F&& f) {
    return f.template operator()<NumberTask>();
}

}  // namespace frugal
