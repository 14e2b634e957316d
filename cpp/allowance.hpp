// What a tree may use: so many columns, so much weight; and how much less a cut counts for the weight that it adds.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace frugal {

// What columns weigh: each its own weight, and that of its bundle if no column of that is used yet.
struct ColumnWeights {
    std::vector<double> own;
    std::vector<std::int32_t> bundle;  // of each column; −1: none
    std::vector<double> bundle_weight;
    std::vector<std::uint8_t> is_free;  // columns that count as used from the start
    double least = 1.0;                 // a cut of a column that adds no more than this counts in full
};

struct TreeLimits {
    std::uint32_t most_columns = std::numeric_limits<std::uint32_t>::max();
    double most_weight = std::numeric_limits<double>::infinity();
    double zeta = 0.0;  // a gain is divided by (added weight / least weight)^zeta

    bool any() const { return *this != TreeLimits{}; }
    bool operator==(const TreeLimits&) const = default;
};

// What a tree that is being grown has used, and what it may still use.
class Allowance {
public:
    explicit Allowance(const ColumnWeights& weights) : weights_(&weights) {}

    void limit(const TreeLimits& limits) { limits_ = limits; }
    void begin_tree() {
        used_.assign(weights_->is_free.begin(), weights_->is_free.end());
        bundle_used_.assign(weights_->bundle_weight.size(), 0);
        n_used_ = 0;
        weight_used_ = 0;
        columns_.clear();
        for (std::uint32_t j = 0; j < used_.size(); ++j) {
            if (used_[j]) columns_.push_back(j);
        }
        look_whether_spent();
    }

    // What the tree has used, with what is free; and whether that is all that it may use.
    std::span<const std::uint32_t> used() const { return columns_; }
    bool is_spent() const { return is_spent_; }

    bool allows(std::uint32_t column) const {
        return used_[column] || (n_used_ < limits_.most_columns &&
                                 weight_used_ + added_by(column) <= limits_.most_weight);
    }
    double discount(std::uint32_t column) const {
        return std::pow(std::max(added_by(column), weights_->least) / weights_->least,
                        -limits_.zeta);
    }
    void use(std::uint32_t column) {
        if (used_[column]) return;
        weight_used_ += added_by(column);
        ++n_used_;
        used_[column] = 1;
        if (weights_->bundle[column] >= 0) {
            bundle_used_[static_cast<std::size_t>(weights_->bundle[column])] = 1;
        }
        columns_.push_back(column);
        look_whether_spent();
    }

private:
    void look_whether_spent() {
        is_spent_ = true;
        for (std::uint32_t j = 0; is_spent_ && j < used_.size(); ++j) {
            is_spent_ = used_[j] || !allows(j);
        }
    }

    double added_by(std::uint32_t column) const {
        if (used_[column]) return 0;
        const std::int32_t b = weights_->bundle[column];
        const bool opens = b >= 0 && !bundle_used_[static_cast<std::size_t>(b)];
        return weights_->own[column] +
               (opens ? weights_->bundle_weight[static_cast<std::size_t>(b)] : 0.0);
    }

    const ColumnWeights* weights_;
    TreeLimits limits_;
    std::vector<std::uint8_t> used_, bundle_used_;
    std::vector<std::uint32_t> columns_;
    bool is_spent_ = false;
    std::uint32_t n_used_ = 0;
    double weight_used_ = 0;
};

}  // namespace frugal
