// Greedy choice among trees: what one more tree does to the majority vote of those chosen.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task.hpp"

namespace frugal {

// Bit planes as in ensemble.hpp.
struct VotePlanes {
    const std::uint64_t* words = nullptr;  // [tree][class][word]
    std::uint32_t n_trees = 0;
    std::uint32_t n_classes = 0;
    std::uint32_t n_words = 0;

    const std::uint64_t* plane(std::size_t tree, std::uint32_t label) const {
        return words + (tree * n_classes + label) * n_words;
    }
};

struct TallyResult {
    double error;               // summed over rows, of the chosen trees together
    std::vector<double> gains;  // of each candidate: how much the summed error falls if it joins
};

// A row without a vote counts 1 − 1/n_classes, as a tie of all classes does; or 1 if `unvoted_is_wrong`.
TallyResult tally_gains(const VotePlanes& votes, const Target& target,
                        std::span<const std::uint32_t> chosen,
                        std::span<const std::uint32_t> candidates, bool unvoted_is_wrong);

// For each set, given as members[start[i] … start[i + 1]): the sum of its members' weights.
std::vector<double> sum_weights(std::span<const std::uint32_t> start,
                                std::span<const std::uint32_t> members,
                                std::span<const double> weights);

}  // namespace frugal
