// What is to be predicted: one type for each kind of target.
//
// A kind of target is a type here, the tasks that grow trees for it (task.hpp), and its two tallies, which add up what
// the leaves of many trees say of each row:
// - Tally: all of it. `add(row, leaf)` and `merge(other)`, in any order with the same result; `score(tally, target)`.
// - Votes: what the error needs, and no more. `add` and `remove` a row's Vote, which `vote_of(leaf)` is; `error(target)`.
// A leaf that has values has `leaf_width()` of them.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
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

}  // namespace frugal
