#include "means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace frugal {

void MeanTally::merge(const MeanTally& other) {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        rows_[i].sum += other.rows_[i].sum;
        rows_[i].n_trees += other.rows_[i].n_trees;
    }
}

double MeanTally::error(const NumberTarget& target) const {
    double squares = 0;
    std::size_t n_predicted = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (rows_[i].n_trees == 0) continue;
        ++n_predicted;
        const double difference = rows_[i].mean() - target.values[i];
        squares += difference * difference;
    }
    if (n_predicted == 0) return std::numeric_limits<double>::quiet_NaN();
    return squares / static_cast<double>(n_predicted) * scale_.unit * scale_.unit;
}

std::uint32_t MeanTally::n_unpredicted() const {
    return static_cast<std::uint32_t>(
        std::count_if(rows_.begin(), rows_.end(), [](const OfRow& row) { return row.n_trees == 0; }));
}

std::vector<double> MeanTally::predictions() const {
    std::vector<double> predictions;
    predictions.reserve(rows_.size());
    for (const OfRow& row : rows_) predictions.push_back(scale_.value_of(row.mean()));  // 0/0 is NaN
    return predictions;
}

const char* fault_of_number_leaf(const Leaf& leaf, std::uint32_t) {
    if (leaf.values == nullptr) return "has no value";
    return std::abs(*leaf.values) <= std::ldexp(1.0, NumberScale::most_bits)
               ? nullptr
               : "has a value outside the range of its scale";
}

}  // namespace frugal
