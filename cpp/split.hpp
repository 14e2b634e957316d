// The best cut of one feature in one node, exactly.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "bin_sieve.hpp"
#include "coded_data.hpp"
#include "distinct_order.hpp"
#include "packed_rows.hpp"
#include "sieve.hpp"
#include "sorting_network.hpp"
#include "task.hpp"

namespace frugal {

struct Split {
    Score score = no_score;
    std::uint32_t column = 0;
    Code left_code = 0;   // the neighbouring codes, present in the node, that the cut separates
    Code right_code = 0;
    bool missing_left = false;
    bool saw_missing = false;

    bool found() const { return score > no_score; }
};

// `Table` is CodedData, or has the same codes in another place.
template <class Task, class Table>
class SplitFinder {
public:
    using Item = typename Task::Item;

    SplitFinder(const Table& table, Task& task, std::uint32_t min_leaf, std::uint32_t most_rows,
                std::uint32_t n_bins)
        : table_(table),
          task_(task),
          min_leaf_(min_leaf),
          codes_(most_rows + group_room),
          keys_(std::max(most_rows, network_limit)),
          sieve_(most_rows),
          bin_sieve_(n_bins),
          distinct_order_(scans_rows ? most_rows : 0, scans_rows ? n_bins : 0),
          occupied_((n_bins + 63) / 64, 0) {}

    // Says which columns will be tried next in a node, so that they can be counted together.
    void announce(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows,
                  std::span<const Item> items) {
        if constexpr (counts_ahead) {
            if (rows.size() >= fewest_to_count) count_ahead(columns, rows, items);
        }
    }

    // Improves `best` if a cut of this column is better. Returns whether the column has any cut here, that is
    // whether it is not constant in the node and leaves enough draws on both sides.
    // The task has begun this node.
    bool try_column(std::uint32_t column, std::span<const std::uint32_t> rows,
                    std::span<const Item> items, Split& best) {
        if constexpr (counts_ahead) {
            if (rows.size() >= fewest_to_count) return sieve_bins(column, rows, items, best);
        }
        if constexpr (scans_rows) {
            if (table_.is_distinct(column)) return scan_in_order(column, rows, items, best);
        }
        const std::uint32_t n_groups = group_by_code(column, rows, items);
        if (n_groups < 2) return false;
        const std::uint32_t last = n_groups - 1;
        const bool saw_missing = codes_[last] == table_.missing_code(column);
        bool any = scan(column, last, false, saw_missing, best);
        // Missing values are the last group: right of every cut, then left of every cut.
        if (saw_missing) any |= scan(column, last - 1, true, saw_missing, best);
        return any;
    }

private:
    // A sieve that is not there is not looked into.
    using RowSieve = std::conditional_t<can_sieve<Task>, Sieve, NoSieve>;
    using CodeSieve = std::conditional_t<can_sieve<Task>, BinSieve, NoSieve>;
    static constexpr bool counts_ahead = can_sieve<Task> && std::is_same_v<Table, PackedRows>;
    // Whether rows can be scanned one by one, without groups, where no two are equal.
    static constexpr bool scans_rows = std::is_same_v<Table, CodedData> &&
                                       requires(Task task, Item item) { task.begin_scan().take_row(item); };
    static constexpr std::uint32_t fewest_to_count = 17;  // below, sorting is faster

    void count_ahead(std::span<const std::uint32_t> columns, std::span<const std::uint32_t> rows,
                     std::span<const Item> items) {
        counted_.assign(columns.begin(), columns.end());
        next_counted_ = 0;
        packed_.clear();
        for (const std::uint32_t j : columns) packed_.push_back(table_.column(j));
        bin_sieve_.count(packed_, rows, items);
    }

    // The same cuts as those of `scan`, in the same order.
    bool sieve_bins(std::uint32_t column, std::span<const std::uint32_t> rows,
                    std::span<const Item> items, Split& best) {
        if (next_counted_ == counted_.size() || counted_[next_counted_] != column) {
            count_ahead({&column, 1}, rows, items);
        }
        bin_sieve_.look_at(next_counted_++);
        const std::uint32_t missing = table_.missing_code(column);
        const Item missing_items = bin_sieve_.bin(missing);
        const auto try_cuts = [&](bool missing_left) {
            auto left = task_.begin_scan();
            return bin_sieve_.for_each_candidate(
                task_, missing_left ? missing_items : 0, missing, min_leaf_, best.score,
                [&](std::uint32_t bin, Item taken) {
                    left.restart_from(taken);
                    const Score score = left.score();
                    if (score > best.score) {
                        best = {score, column, static_cast<Code>(bin),
                                static_cast<Code>(bin_sieve_.next_present(bin)), missing_left,
                                missing_items != 0};
                    }
                });
        };
        bool any = try_cuts(false);
        if (missing_items != 0) {
            bin_sieve_.take(missing);
            any |= try_cuts(true);
        }
        return any;
    }

    // Cuts between any two neighbours of the node. The first of equal scores stays.
    bool scan_in_order(std::uint32_t column, std::span<const std::uint32_t> rows,
                       std::span<const Item> items, Split& best) {
        const Code* code = table_.column(column);
        const auto order = distinct_order_.of(code, rows, table_.n_codes(column));
        auto left = task_.begin_scan();
        bool any = false;
        std::size_t best_cut = 0;
        for (std::size_t cut = 1; cut < order.size(); ++cut) {
            left.take_row(items[order[cut - 1]]);
            if (left.draws() < min_leaf_) continue;
            if (task_.draws() - left.draws() < min_leaf_) break;
            any = true;
            const Score score = left.score();
            if (score > best.score) {
                best.score = score;
                best_cut = cut;
            }
        }
        if (best_cut > 0) {
            const auto code_at = [&](std::size_t place) { return code[rows[order[place]]]; };
            best = {best.score, column, code_at(best_cut - 1), code_at(best_cut), false, false};
        }
        return any;
    }

    // Cuts after groups 0 … n_cuts−1. The first of equal scores stays.
    bool scan(std::uint32_t column, std::uint32_t n_cuts, bool missing_left, bool saw_missing,
              Split& best) {
        const std::uint64_t n_draws = task_.draws();
        auto left = task_.begin_scan();
        if (missing_left) left.take(n_cuts + 1);
        bool any = false;
        Score best_score = best.score;
        std::uint32_t best_group = none;
        const auto score_cut_after = [&](std::uint32_t g) {
            any = true;
            const Score score = left.score();
            if (score > best_score) {
                best_score = score;
                best_group = g;
            }
        };
        if (min_leaf_ > 1) {
            for (std::uint32_t g = 0; g < n_cuts; ++g) {
                left.take(g);
                if (left.draws() < min_leaf_) continue;
                if (n_draws - left.draws() < min_leaf_) break;
                score_cut_after(g);
            }
        } else if (n_cuts >= RowSieve::fewest_cuts) {
            if constexpr (can_sieve<Task>) {
                sieve_.for_each_candidate(task_, left.taken(), n_cuts,
                                          [&](std::uint32_t g, Item taken) {
                                              left.restart_from(taken);
                                              score_cut_after(g);
                                          });
            }
            any = true;
        } else {
            for (std::uint32_t g = 0; g < n_cuts; ++g) {
                left.take(g);
                score_cut_after(g);
            }
        }
        if (best_group != none) {
            best = {best_score, column, codes_[best_group], codes_[best_group + 1], missing_left,
                    saw_missing};
        }
        return any;
    }

    // Brings the node's items into groups of equal code, ascending, and their codes into codes_.
    // Three ways, by size; each gives the same groups.
    std::uint32_t group_by_code(std::uint32_t column, std::span<const std::uint32_t> rows,
                                std::span<const Item> items) {
        const auto n = static_cast<std::uint32_t>(rows.size());
        const std::uint32_t n_bins = table_.n_codes(column) + 1;
        if (n_bins <= 3 * n) return group_by_sweep(column, rows, items, n_bins);
        if (n <= 16) return group_by_sorting(column, rows, items);
        if (n_bins <= 64 * n) return group_by_bitmap(column, rows, items, n_bins);
        return group_by_sorting(column, rows, items);
    }

    // Large nodes: sum into bins, then look at every bin.
    std::uint32_t group_by_sweep(std::uint32_t column, std::span<const std::uint32_t> rows,
                                 std::span<const Item> items, std::uint32_t n_bins) {
        const auto code = table_.column(column);
        for (std::size_t i = 0; i < rows.size(); ++i) task_.add_to_bin(code[rows[i]], items[i]);
        std::uint32_t n_groups = 0;
        for (std::uint32_t bin = 0; bin < n_bins; ++bin) {
            const bool empty = task_.bin_is_empty(bin);
            codes_[n_groups] = static_cast<Code>(bin);
            task_.move_bin_to_group(bin, n_groups);
            n_groups += !empty;
        }
        return n_groups;
    }

    // Middling nodes: sum into bins, and look only at the bins that a bitmap says are occupied.
    std::uint32_t group_by_bitmap(std::uint32_t column, std::span<const std::uint32_t> rows,
                                  std::span<const Item> items, std::uint32_t n_bins) {
        const auto code = table_.column(column);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const Code c = code[rows[i]];
            task_.add_to_bin(c, items[i]);
            occupied_[c / 64] |= std::uint64_t{1} << (c % 64);
        }
        std::uint32_t n_groups = 0;
        for (std::uint32_t word = 0; word * 64 < n_bins; ++word) {
            std::uint64_t bits = std::exchange(occupied_[word], 0);
            // Four at a time, whether or not there are four: what is written too much is overwritten, and one
            // foreseeable branch replaces four. Without bits left, bin 63 is looked at again, which is empty by then.
            while (bits != 0) {
                for (int k = 0; k < 4; ++k) {
                    const std::uint32_t bin =
                        word * 64 + static_cast<std::uint32_t>(
                                        std::countr_zero(bits | std::uint64_t{1} << 63));
                    codes_[n_groups] = static_cast<Code>(bin);
                    task_.move_bin_to_group(bin, n_groups);
                    n_groups += bits != 0;
                    bits &= bits - 1;
                }
            }
        }
        return n_groups;
    }

    // Small nodes: sort (code, position in the node).
    std::uint32_t group_by_sorting(std::uint32_t column, std::span<const std::uint32_t> rows,
                                   std::span<const Item> items) {
        const auto code = table_.column(column);
        const auto n = static_cast<std::uint32_t>(rows.size());
        for (std::uint32_t i = 0; i < n; ++i) {
            keys_[i] = static_cast<std::uint32_t>(code[rows[i]]) << 16 | i;
        }
        sort_small(keys_.data(), n);
        std::uint32_t group = 0;
        codes_[0] = static_cast<Code>(keys_[0] >> 16);
        task_.set_group(0, items[keys_[0] & 0xffff]);
        for (std::uint32_t i = 1; i < n; ++i) {
            const auto c = static_cast<Code>(keys_[i] >> 16);
            const Item& item = items[keys_[i] & 0xffff];
            if (c != codes_[group]) {
                codes_[++group] = c;
                task_.set_group(group, item);
            } else {
                task_.add_to_group(group, item);
            }
        }
        return group + 1;
    }

    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

    const Table& table_;
    Task& task_;
    std::uint32_t min_leaf_;
    std::vector<Code> codes_;           // of the groups
    std::vector<std::uint32_t> keys_;   // for sorting
    RowSieve sieve_;
    CodeSieve bin_sieve_;
    std::vector<std::uint32_t> counted_;  // columns that bin_sieve_ holds
    std::size_t next_counted_ = 0;
    std::vector<PackedRows::Column> packed_;
    DistinctOrder distinct_order_;
    std::vector<std::uint64_t> occupied_;  // one bit a bin, all zero between calls
};

}  // namespace frugal
