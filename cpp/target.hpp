// What is to be predicted: one type for each kind of target.
//
// A kind of target is a type here, the tasks that grow trees for it (task.hpp), and its two tallies, which add up what
// the leaves of many trees say of each row:
// - Tally: all of it. `add(row, leaf)` and `merge(other)`, in any order with the same result; `score(tally, target)`.
// - Votes: what the error needs, and no more. `add` and `remove` a row's Vote, which `vote_of(leaf)` is; `error(target)`.
// A leaf that has values has `leaf_width()` of them. Tallies hold `most_trees`.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace frugal {

class ClassTally;
class ClassVotes;

// Labels 0 … n_classes−1, and weights or none. No tree draws more rows than there are.
//
// Weights are whole numbers, in units of which the largest weight has as many as leave every sum of drawn
// rows below 2^53. Sums are then exact: they do not depend on the order of the rows, and cuts that are
// equally good score equal. A weight below one unit (10^-13 of the largest for 500 rows) is 0.
struct ClassTarget {
    using Tally = ClassTally;
    using Votes = ClassVotes;
    static constexpr std::uint32_t most_trees = INT32_MAX;

    std::vector<std::uint16_t> labels;
    std::uint32_t n_classes = 2;
    std::vector<std::int64_t> weights;  // empty: one each

    std::uint32_t leaf_width() const { return n_classes; }
    std::size_t n_rows() const { return labels.size(); }
    bool has_weight(std::size_t row) const { return weights.empty() || weights[row] > 0; }

    void set_weights(std::span<const double> values) {
        const double largest = *std::max_element(values.begin(), values.end());
        const int bits = 52 - static_cast<int>(std::bit_width(values.size()));
        weights.clear();
        for (const double value : values) {
            weights.push_back(std::llround(std::ldexp(value / largest, bits)));
        }
    }
};

// How numbers are kept as whole ones: so many units above or below the middle of their range.
struct NumberScale {
    static constexpr int most_bits = 42;  // of a number: 12 digits of the range

    double middle = 0;
    double unit = 1;

    double value_of(double n_units) const { return middle + unit * n_units; }
};

class MeanTally;

// Numbers. No tree draws more rows than there are.
//
// They are whole numbers of units, exact as doubles: half the range has 2^42, or as many as leave every sum of drawn rows,
// less the mean of any, below 2^53. Sums are then exact, as those of weights are. That keeps 12 digits of the range of 500
// numbers, 10 of 100,000 and 9 of 1,000,000.
struct NumberTarget {
    using Tally = MeanTally;
    using Votes = MeanTally;
    static constexpr std::uint32_t most_trees = std::uint32_t{1} << 20;

    NumberScale scale;
    std::vector<double> values;

    explicit NumberTarget(NumberScale of_no_rows) : scale(of_no_rows) {}
    explicit NumberTarget(std::span<const double> numbers) {
        const auto [lowest, highest] = std::minmax_element(numbers.begin(), numbers.end());
        scale.middle = std::midpoint(*lowest, *highest);
        const double half = std::max(scale.middle - *lowest, *highest - scale.middle);
        const int bits = std::min(NumberScale::most_bits, 51 - static_cast<int>(std::bit_width(numbers.size())));
        const int exponent = half > 0 ? std::ilogb(half) + 1 - bits : 0;  // of the unit
        scale.unit = std::ldexp(1.0, exponent);
        values.reserve(numbers.size());
        for (const double number : numbers) {
            values.push_back(std::round(std::ldexp(number - scale.middle, -exponent)));
        }
    }

    std::uint32_t leaf_width() const { return 1; }
    std::size_t n_rows() const { return values.size(); }
    bool has_weight(std::size_t) const { return true; }
};

}  // namespace frugal
