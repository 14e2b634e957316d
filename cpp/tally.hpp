// Greedy choice among trees: what one more tree does to the majority vote of those chosen, and what it costs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "task.hpp"

namespace frugal {

// Bit planes as in ensemble.hpp: [tree][class][word].
struct VotePlanes {
    std::vector<std::uint64_t> words;
    std::uint32_t n_trees = 0;
    std::uint32_t n_classes = 0;
    std::uint32_t n_words = 0;

    const std::uint64_t* plane(std::size_t tree, std::uint32_t label) const {
        return words.data() + (tree * n_classes + label) * n_words;
    }
};

// Sets of numbers, one a tree: members[start[t] … start[t + 1]).
struct TreeSets {
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> members;
};

// Trees that could be chosen next. A tree's cost is the sum of the costs of its columns and of its groups.
struct TreeOffers {
    double error = 0;                 // of the chosen trees' vote, summed over rows
    std::vector<std::uint32_t> tree;  // ascending
    std::vector<double> gain;         // by how much the summed error falls if the tree joins
    std::vector<double> cost;
};

struct OfferQuery {
    std::span<const std::uint32_t> chosen;
    std::uint32_t n_trees;                    // only the first so many are offered
    std::span<const double> column_cost;      // what a column adds now
    std::span<const std::uint8_t> column_is_new;
    std::span<const double> group_cost;       // what a group adds now
    double most_cost;                         // dearer trees are not offered
    bool unvoted_is_wrong;                    // else a row without a vote counts as a tie of all classes
    bool undominated_only;                    // leave out trees when another gains no less and costs no more
};

class TreeTally {
public:
    TreeTally(VotePlanes votes, Target target, TreeSets columns, TreeSets groups);

    // Trees without a new column are never offered. Not for two threads at once: prices are kept from one query to
    // the next, and only those of trees with a column or a group that changed are added up again.
    TreeOffers offers(const OfferQuery& query);

    std::uint32_t n_trees() const { return votes_.n_trees; }

private:
    void update_prices(const OfferQuery& query);

    VotePlanes votes_;
    Target target_;
    TreeSets columns_, groups_;
    TreeSets trees_of_column_, trees_of_group_;
    std::vector<double> column_cost_, group_cost_;  // of the last query
    std::vector<std::uint8_t> column_is_new_;
    std::vector<double> tree_cost_;  // empty before the first query
    std::vector<char> tree_is_new_;
    std::vector<std::uint64_t> right_and_wrong_;  // two classes: [tree][right, wrong][word]
};

}  // namespace frugal
