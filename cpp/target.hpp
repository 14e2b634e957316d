// What is to be predicted.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace frugal {

// Labels 0 … n_classes−1, and weights or none. No tree draws more rows than there are.
//
// Weights are whole numbers, in units of which the largest weight has as many as leave every sum of drawn
// rows below 2^53. Sums are then exact: they do not depend on the order of the rows, and cuts that are
// equally good score equal. A weight below one unit (10^-13 of the largest for 500 rows) is 0.
struct Target {
    std::vector<std::uint16_t> labels;
    std::uint32_t n_classes = 2;
    std::vector<std::int64_t> weights;  // empty: one each

    void set_weights(std::span<const double> values) {
        const double largest = *std::max_element(values.begin(), values.end());
        const int bits = 52 - static_cast<int>(std::bit_width(values.size()));
        weights.clear();
        for (const double value : values) {
            weights.push_back(std::llround(std::ldexp(value / largest, bits)));
        }
    }
};

}  // namespace frugal
