// Rough scores of many cuts at once, to score exactly only the few that can win.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "task.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace frugal {

// Finds the cuts of a node that may be its best, in order.
//
// Scoring cut by cut waits for the processor to guess wrong whenever a cut beats the best so far, and on a
// useful feature the scores climb. Here four cuts are scored at a time in single precision and without a branch;
// then only those within the rounding error of the highest are left.
class Sieve {
public:
    explicit Sieve(std::uint32_t n_rows) : sums_(n_rows + group_room), rough_(n_rows + group_room) {}

    // Below this many cuts the set-up costs more than it saves.
    static constexpr std::uint32_t fewest_cuts = 16;

#if defined(__SSE2__)
    // Calls visit(group, sum of the groups up to it) for each candidate.
    template <class Visit>
    void for_each_candidate(const BinaryTask<std::uint32_t>& task, std::uint32_t already_left,
                            std::uint32_t n_cuts, Visit visit) {
        const float limit = fill(task, already_left, n_cuts) * (1 - margin);
        const __m128 limits = _mm_set1_ps(limit);
        for (std::uint32_t g = 0; g < n_cuts; g += 4) {
            int lanes = _mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(&rough_[g]), limits));
            for (; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t at = g + static_cast<std::uint32_t>(__builtin_ctz(
                                                 static_cast<unsigned>(lanes)));
                if (at < n_cuts) visit(at, sums_[at]);
            }
        }
    }

private:
    // A rough score carries four roundings of 2^-24 each; two of them differ by less than 5e-7.
    static constexpr float margin = 1e-6f;

    // Rough scores of all cuts; returns the highest.
    float fill(const BinaryTask<std::uint32_t>& task, std::uint32_t already_left,
               std::uint32_t n_cuts) {
        // (left, left_1) · (−n_1, n) is one multiply-add of 16-bit halves.
        const __m128i weights = _mm_set1_epi32(static_cast<int>(
            (static_cast<std::uint32_t>(task.n()) << 16) |
            (static_cast<std::uint32_t>(-task.n_1()) & 0xffffu)));
        const __m128 n = _mm_set1_ps(static_cast<float>(task.n()));
        const __m128i low = _mm_set1_epi32(0xffff);
        const std::uint32_t* groups = task.groups().data();
        __m128i before = _mm_set1_epi32(static_cast<int>(already_left));
        __m128 highest = _mm_setzero_ps();
        for (std::uint32_t g = 0; g < n_cuts; g += 4) {
            __m128i sums = _mm_loadu_si128(reinterpret_cast<const __m128i*>(groups + g));
            sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
            sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
            sums = _mm_add_epi32(sums, before);
            before = _mm_shuffle_epi32(sums, 0xff);
            const __m128 difference = _mm_cvtepi32_ps(_mm_madd_epi16(sums, weights));
            const __m128 left = _mm_cvtepi32_ps(_mm_and_si128(sums, low));
            __m128 score = _mm_div_ps(_mm_mul_ps(difference, difference),
                                      _mm_mul_ps(left, _mm_sub_ps(n, left)));
            if (g + 4 > n_cuts) {  // what lies behind the last cut is no cut
                const __m128i lane = _mm_set_epi32(3, 2, 1, 0);
                const __m128i n_left = _mm_set1_epi32(static_cast<int>(n_cuts - g));
                score = _mm_and_ps(score, _mm_castsi128_ps(_mm_cmplt_epi32(lane, n_left)));
            }
            highest = _mm_max_ps(highest, score);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(&sums_[g]), sums);
            _mm_storeu_ps(&rough_[g], score);
        }
        alignas(16) float lanes[4];
        _mm_store_ps(lanes, highest);
        return *std::max_element(lanes, lanes + 4);
    }
#endif

private:
    std::vector<std::uint32_t> sums_;
    std::vector<float> rough_;
};

// Whether a task's cuts can be sieved on this processor.
template <class Task>
inline constexpr bool can_sieve = false;
#if defined(__SSE2__)
template <>
inline constexpr bool can_sieve<BinaryTask<std::uint32_t>> = true;
#endif

}  // namespace frugal
