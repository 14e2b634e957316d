// Greedy choice among trees: what one more tree does to the majority vote of those chosen, and what it weighs.
//
// Columns have weights, and so have bundles of columns, which come whole with their first column. What the weights stand
// for is the caller's business.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "target.hpp"

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

// Trees that could be chosen next. A tree's weight is the sum of the weights of its columns and of its bundles.
struct TreeOffers {
    double error = 0;                 // of the chosen trees' vote, summed over rows
    std::vector<std::uint32_t> tree;  // ascending
    std::vector<double> gain;         // by how much the summed error falls if the tree joins
    std::vector<double> weight;
};

struct OfferQuery {
    std::span<const std::uint32_t> chosen;
    std::uint32_t n_trees;                    // only the first so many are offered
    std::span<const double> column_weight;      // what a column adds now
    std::span<const std::uint8_t> column_is_new;
    std::span<const double> bundle_weight;       // what a bundle adds now
    double most_weight;                         // heavier trees are not offered
    bool unvoted_is_wrong;                    // else a row without a vote counts as a tie of all classes
    bool undominated_only;                    // leave out trees when another gains no less and weighs no more
};

class TreeTally {
public:
    // Columns and bundles are numbers below n_columns: there cannot be more bundles than columns.
    TreeTally(VotePlanes votes, ClassTarget target, TreeSets columns, TreeSets bundles,
              std::uint32_t n_columns);

    // Trees without a new column are never offered. Not for two threads at once: weights are kept from one query
    // to the next, and only those of trees with a column or a bundle that changed are added up again.
    TreeOffers offers(const OfferQuery& query);

    std::uint32_t n_trees() const { return votes_.n_trees; }
    // How many columns and bundles a query must give the weights of.
    std::size_t n_columns() const { return column_weight_.size(); }
    std::size_t n_bundles() const { return bundle_weight_.size(); }

private:
    void update_weights(const OfferQuery& query);

    VotePlanes votes_;
    ClassTarget target_;
    TreeSets columns_, bundles_;
    TreeSets trees_of_column_, trees_of_bundle_;
    std::vector<double> column_weight_, bundle_weight_;  // of the last query
    std::vector<std::uint8_t> column_is_new_;
    std::vector<double> tree_weight_;  // empty before the first query
    std::vector<char> tree_is_new_;
    std::vector<std::uint64_t> right_and_wrong_;  // two classes: [tree][right, wrong][word]
};

}  // namespace frugal
