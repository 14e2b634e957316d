#include "coded_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "rng.hpp"
#include "sorted_values.hpp"

namespace frugal {

CodedData::CodedData(const double* values, std::uint32_t n_rows, std::uint32_t n_columns,
                     std::uint32_t max_codes)
    : n_rows_(n_rows),
      n_columns_(n_columns),
      max_codes_(max_codes),
      codes_(std::size_t{n_rows} * n_columns),
      edges_(n_columns),
      has_missing_(n_columns, 0) {
    for (std::uint32_t j = 0; j < n_columns; ++j) {
        code_column(values + std::size_t{j} * n_rows, j);
    }
    key_columns();
}

void CodedData::code_column(const double* values, std::uint32_t j) {
    std::vector<double> sorted;
    sorted.reserve(n_rows_);
    for (std::uint32_t i = 0; i < n_rows_; ++i) {
        if (!std::isnan(values[i])) sorted.push_back(values[i]);
    }
    has_missing_[j] = sorted.size() < n_rows_;
    sort_values(sorted);

    std::vector<double> distinct;
    std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(distinct));

    Edges& edges = edges_[j];
    if (distinct.size() <= max_codes_) {
        edges.lowest = distinct;
        edges.highest = std::move(distinct);
    } else {
        // Quantile codes: what is left of the rows is shared out equally among the codes that are left, and never one
        // value under two codes. So a value that many rows have costs the others one code, not many.
        edges.exact = false;
        const std::size_t n = sorted.size();
        std::size_t begin = 0;
        for (std::uint32_t c = 0; begin < n; ++c) {
            const std::size_t n_left = max_codes_ - c;
            std::size_t end = begin + (n - begin + n_left - 1) / n_left;
            while (end < n && sorted[end] == sorted[end - 1]) ++end;
            edges.lowest.push_back(sorted[begin]);
            edges.highest.push_back(sorted[end - 1]);
            begin = end;
        }
    }

    Code* codes = codes_.data() + std::size_t{j} * n_rows_;
    const auto& highest = edges.highest;
    for (std::uint32_t i = 0; i < n_rows_; ++i) {
        codes[i] = std::isnan(values[i])
                       ? static_cast<Code>(highest.size())
                       : static_cast<Code>(count_below(highest, values[i]));
    }
}

void CodedData::key_columns() {
    feature_key_.resize(n_columns_);
    std::unordered_map<std::uint64_t, std::uint64_t> seen;
    for (std::uint32_t j = 0; j < n_columns_; ++j) {
        std::uint64_t hash = mix(n_rows_);
        for (std::uint32_t i = 0; i < n_rows_; ++i) hash = mix(hash ^ column(j)[i]);
        const std::uint64_t copies_before = seen[hash]++;
        feature_key_[j] = static_cast<std::uint32_t>(child_key(hash, copies_before) >> 32);
    }
}

CodedData::Cut CodedData::cut_between(std::uint32_t j, Code left, Code right) const {
    const Edges& edges = edges_[j];
    if (right == edges.lowest.size()) {  // every value goes left, what is missing goes right
        return {static_cast<Code>(edges.lowest.size() - 1),
                std::numeric_limits<double>::infinity()};
    }
    // Where the midpoint rounds up to the right value, the left one is the cut that still separates them.
    const auto between = [](double low, double high) {
        const double middle = std::midpoint(low, high);
        return middle < high ? middle : low;
    };
    double threshold = between(edges.highest[left], edges.lowest[right]);
    // Rows outside the node may have codes between the two: those at or below the threshold go left.
    const double* highest = edges.highest.data();
    const auto code = static_cast<Code>(last_up_to(highest + left, highest + right, threshold) - highest);
    if (!edges.exact) threshold = between(edges.highest[code], edges.lowest[code + 1]);
    return {code, threshold};
}

}  // namespace frugal
