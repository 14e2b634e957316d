// Rough scores of many cuts at once, to score exactly only the few that can win.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "class_tasks.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace frugal {

#if defined(__SSE2__)
// The rough scores of four cuts of a node.
class RoughScore {
public:
    // A rough score carries four roundings of 2^-24 each; two of them differ by less than 5e-7.
    static constexpr float margin = 1e-6f;

    explicit RoughScore(const BinaryTask<std::uint32_t>& task)
        // (left, left_1) · (−n_1, n) is one multiply-add of 16-bit halves.
        : weights_(_mm_set1_epi32(static_cast<int>(
              (static_cast<std::uint32_t>(task.n()) << 16) |
              (static_cast<std::uint32_t>(-task.n_1()) & 0xffffu)))),
          n_(_mm_set1_ps(static_cast<float>(task.n()))) {}

    // Of what is left of each cut.
    __m128 operator()(__m128i sums) const {
        const __m128 difference = _mm_cvtepi32_ps(_mm_madd_epi16(sums, weights_));
        const __m128 left = _mm_cvtepi32_ps(_mm_and_si128(sums, _mm_set1_epi32(0xffff)));
        return _mm_div_ps(_mm_mul_ps(difference, difference), _mm_mul_ps(left, _mm_sub_ps(n_, left)));
    }

private:
    __m128i weights_;
    __m128 n_;
};

// Sums of the first one, two, three and four of these, and of what was before them.
inline __m128i running_sums(const std::uint32_t* four, __m128i before) {
    __m128i sums = _mm_loadu_si128(reinterpret_cast<const __m128i*>(four));
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 4));
    sums = _mm_add_epi32(sums, _mm_slli_si128(sums, 8));
    return _mm_add_epi32(sums, before);
}

inline float largest_lane(__m128 four) {
    alignas(16) float lanes[4];
    _mm_store_ps(lanes, four);
    return *std::max_element(lanes, lanes + 4);
}

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

    // Calls visit(group, sum of the groups up to it) for each candidate.
    template <class Visit>
    void for_each_candidate(const BinaryTask<std::uint32_t>& task, std::uint32_t already_left,
                            std::uint32_t n_cuts, Visit visit) {
        const float limit = fill(task, already_left, n_cuts) * (1 - RoughScore::margin);
        const __m128 limits = _mm_set1_ps(limit);
        for (std::uint32_t g = 0; g < n_cuts; g += 4) {
            int lanes = _mm_movemask_ps(_mm_cmpge_ps(_mm_loadu_ps(&rough_[g]), limits));
            for (; lanes != 0; lanes &= lanes - 1) {
                const std::uint32_t at = g + static_cast<std::uint32_t>(std::countr_zero(
                                                 static_cast<unsigned>(lanes)));
                if (at < n_cuts) visit(at, sums_[at]);
            }
        }
    }

private:
    // Rough scores of all cuts; returns the highest.
    float fill(const BinaryTask<std::uint32_t>& task, std::uint32_t already_left,
               std::uint32_t n_cuts) {
        const RoughScore rough(task);
        const std::uint32_t* groups = task.groups().data();
        __m128i before = _mm_set1_epi32(static_cast<int>(already_left));
        __m128 highest = _mm_setzero_ps();
        for (std::uint32_t g = 0; g < n_cuts; g += 4) {
            const __m128i sums = running_sums(groups + g, before);
            before = _mm_shuffle_epi32(sums, 0xff);
            __m128 score = rough(sums);
            if (g + 4 > n_cuts) {  // what lies behind the last cut is no cut
                const __m128i lane = _mm_set_epi32(3, 2, 1, 0);
                const __m128i n_left = _mm_set1_epi32(static_cast<int>(n_cuts - g));
                score = _mm_and_ps(score, _mm_castsi128_ps(_mm_cmplt_epi32(lane, n_left)));
            }
            highest = _mm_max_ps(highest, score);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(&sums_[g]), sums);
            _mm_storeu_ps(&rough_[g], score);
        }
        return largest_lane(highest);
    }

    std::vector<std::uint32_t> sums_;
    std::vector<float> rough_;
};
#else
class Sieve;
#endif

// In the place of a sieve where there is none: no node has so many cuts.
struct NoSieve {
    static constexpr std::uint32_t fewest_cuts = std::numeric_limits<std::uint32_t>::max();
    explicit NoSieve(std::uint32_t) {}
};

// Whether a task's cuts can be sieved on this processor.
template <class Task>
inline constexpr bool can_sieve = false;
#if defined(__SSE2__)
template <>
inline constexpr bool can_sieve<BinaryTask<std::uint32_t>> = true;
#endif

}  // namespace frugal
