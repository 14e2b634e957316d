// The best cut of a column of few codes in a node, without looking which codes are there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "class_tasks.hpp"
#include "packed_rows.hpp"
#include "sieve.hpp"

namespace frugal {

#if defined(__SSE2__)
// Sums of a node's items for each code, and rough scores of the cuts behind each code, four at a time.
//
// Groups of equal codes need not be found first: behind a code that no row of the node has lies the same cut as
// before it, which scores the same and so does not win. Where all is on one side the score is 0/0, no number, and every
// comparison with it is false.
class BinSieve {
public:
    explicit BinSieve(std::uint32_t n_bins) : n_bins_(n_bins), sums_(n_bins), rough_(n_bins) {}

    using Task = BinaryTask<std::uint32_t>;
    using Item = Task::Item;

    // Sums up the items of each code of some columns. Four columns at a time: what is known of a row is read once for
    // all of them, and its codes are side by side.
    void count(std::span<const PackedRows::Column> columns, std::span<const std::uint32_t> rows,
               std::span<const Item> items) {
        bins_.assign(columns.size() * n_bins_, 0);
        std::size_t c = 0;
        for (; c + 4 <= columns.size(); c += 4) count_columns<4>(columns, c, rows, items);
        for (; c + 2 <= columns.size(); c += 2) count_columns<2>(columns, c, rows, items);
        if (c < columns.size()) count_columns<1>(columns, c, rows, items);
    }
    // What follows is about this one of the columns counted last.
    void look_at(std::size_t column) { at_ = bins_.data() + column * n_bins_; }
    Item take(std::uint32_t code) { return std::exchange(at_[code], 0); }
    Item bin(std::uint32_t code) const { return at_[code]; }

    // Calls visit(code, sum of the items up to it) for each cut that may be the best of those behind the first `n_bins`
    // codes and better than `so_far`. Returns whether there is any cut.
    template <class Visit>
    bool for_each_candidate(const Task& task, Item already_left, std::uint32_t n_bins,
                            std::uint32_t min_leaf, Score so_far, Visit visit) {
        const float highest = min_leaf > 1 ? fill<true>(task, already_left, n_bins, min_leaf)
                                           : fill<false>(task, already_left, n_bins, min_leaf);
        if (highest < 0) return false;
        const float limit = std::max(highest, static_cast<float>(so_far)) * (1 - RoughScore::margin);
        if (highest < limit) return true;
        const __m128 limits = _mm_set1_ps(limit);
        for (std::uint32_t c = 0; c < n_bins; c += 4) {
            int lanes = _mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(&rough_[c]), limits));
            for (; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t at = c + static_cast<std::uint32_t>(std::countr_zero(
                                                 static_cast<unsigned>(lanes)));
                visit(at, sums_[at]);
            }
        }
        return true;
    }

    // The first code behind this one that a row of the node has. There is one if a cut lies between them.
    std::uint32_t next_present(std::uint32_t code) const {
        do ++code; while (at_[code] == 0);
        return code;
    }

private:
    template <std::size_t n>
    void count_columns(std::span<const PackedRows::Column> columns, std::size_t first,
                       std::span<const std::uint32_t> rows, std::span<const Item> items) {
        std::array<const std::uint8_t*, n> codes;
        std::array<Item*, n> bins;
        for (std::size_t k = 0; k < n; ++k) {
            codes[k] = columns[first + k].first;
            bins[k] = bins_.data() + (first + k) * n_bins_;
        }
        const std::size_t stride = columns[first].stride;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::size_t at = rows[i] * stride;
            const Item item = items[i];
            for (std::size_t k = 0; k < n; ++k) bins[k][codes[k][at]] += item;
        }
    }

    // Rough scores of all cuts; returns the highest, −1 if there is no cut.
    template <bool with_min_leaf>
    float fill(const Task& task, Item already_left, std::uint32_t n_bins, std::uint32_t min_leaf) {
        const RoughScore rough(task);
        const __m128i fewest = _mm_set1_epi32(static_cast<int>(min_leaf) - 1);
        const __m128i n = _mm_set1_epi32(static_cast<int>(task.n()));
        __m128i before = _mm_set1_epi32(static_cast<int>(already_left));
        __m128 highest = _mm_set1_ps(-1);
        for (std::uint32_t c = 0; c < n_bins; c += 4) {
            const __m128i sums = running_sums(&at_[c], before);
            before = _mm_shuffle_epi32(sums, 0xff);
            __m128 score = rough(sums);
            if constexpr (with_min_leaf) {  // where there are too few draws on a side, all bits: no number
                const __m128i left = _mm_and_si128(sums, _mm_set1_epi32(0xffff));
                const __m128i enough = _mm_and_si128(
                    _mm_cmpgt_epi32(left, fewest), _mm_cmpgt_epi32(_mm_sub_epi32(n, left), fewest));
                score = _mm_or_ps(score, _mm_castsi128_ps(_mm_xor_si128(enough, _mm_set1_epi32(-1))));
            }
            highest = _mm_max_ps(score, highest);  // the second one if the first is no number
            _mm_storeu_si128(reinterpret_cast<__m128i*>(&sums_[c]), sums);
            _mm_storeu_ps(&rough_[c], score);
        }
        return largest_lane(highest);
    }

    std::uint32_t n_bins_;
    std::vector<std::uint32_t> bins_;  // column after column
    std::uint32_t* at_ = nullptr;      // the bins of one of them
    std::vector<std::uint32_t> sums_;
    std::vector<float> rough_;
};
#else
class BinSieve;
#endif

}  // namespace frugal
