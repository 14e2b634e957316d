// What a task is: how trees are grown for a kind of target, as a template parameter of everything that grows them.
//
// A task says what one row brings to a node (Item), how items add up to the groups of equal values that a split may
// not cut (bins and groups), how good a cut is (score), when a node is done (is_pure), and what a leaf says
// (write_leaf). A kind of target may have several: with_task picks the cheapest. What becomes of the leaves of many
// trees is in the tallies of the kind (target.hpp), which know nothing of how a tree was grown.
//
// Shared by all tasks:
// - bins are indexed by code and all zero between two calls of a split finder;
// - groups are the occupied bins in order of code, with room for a few more than there are rows;
// - `score` compares cuts of one node; its scale is the task's own business, but what a cut gains is its score less
//   `score_without_gain`;
// - `bytes` is about what the bins and groups take.
#pragma once

#include <cstdint>

namespace frugal {

// Groups that may be written or read behind the last one, so that loops can go in steps of four.
inline constexpr std::uint32_t group_room = 4;

// How good a cut is. One number, so that comparing is transitive: forward selection relies on it. Whole-number
// sums are exact below 2^53, and a division rounds correctly, so cuts that are equally good score equal.
using Score = double;
inline constexpr Score no_score = -1.0;  // below every real score: a cut that gains nothing is still a cut

}  // namespace frugal
