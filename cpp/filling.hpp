// What a limit holds of weighted items, taken by the height of their lines over ξ, and every set that some ξ leads to.
//
// An item has one line, and a weight; an item in a bundle has two of each: as the first of its bundle, which weighs
// more, and as a later one. What weights stand for is the caller's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace frugal {

// Variants of items: 0 … n−1 as the first of their bundle, n … 2n−1 as a later one.
struct Variants {
    std::vector<double> weight;
    std::vector<double> sign;        // 1, 0 or −1: a line of a higher sign is above, at every ξ
    std::vector<double> height;      // the line is height − ξ · slope
    std::vector<double> slope;       // the logarithm of the weight; −∞ if that is 0
    std::vector<std::uint32_t> tie_order;  // all variants, the first wins a tie
};

// Lines of which two that swap places make a difference in some order, whether or not to a set. Of one sign.
struct SwappingLines {
    std::vector<double> height, slope;
};

// For each run of equal sets along ξ: the first ξ looked at, and the items taken there, in that order.
struct XiPath {
    std::vector<double> xi;
    std::vector<std::uint64_t> start{0};
    std::vector<std::uint32_t> items;
    std::uint64_t n_fills = 0;
    std::uint64_t n_pairs = 0;  // of lines that were compared
};

class Filling {
public:
    // `bundle` is a number below the number of items, or −1 for none. `taken` is what weighs on the limit already.
    Filling(Variants variants, std::vector<std::int32_t> bundle, double limit, double taken);

    // The items that the limit holds at ξ: the highest line first, skipping what does not fit. Not for two threads at
    // once: the order is kept, because the next ξ is often a near one.
    std::vector<std::uint32_t> fill(double xi);

    // Every set that some ξ from 0 on leads to. Each is looked at in the middle between two swaps.
    XiPath walk(std::vector<SwappingLines> swapping, const Interrupted& interrupted);

    std::size_t n_items() const { return bundle_.size(); }

private:
    friend class Outlook;

    // When a variant's turn is, by its rank in the order of ties.
    struct Turn {
        double score;
        std::uint32_t rank;
        int sign;
    };

    struct HeightAndSlope {
        double height, slope;
    };

    void sort_turns(double xi);

    Variants variants_;
    std::vector<std::int32_t> bundle_;
    double limit_, taken_;
    bool has_bundles_;
    std::vector<std::uint32_t> rank_;  // place in the order of ties
    std::vector<HeightAndSlope> by_rank_;
    std::vector<Turn> turns_;  // as in the last fill
    std::vector<std::vector<std::uint32_t>> waiting_;  // scratch of `fill`: by bundle, who had a turn before it was open
};

}  // namespace frugal
