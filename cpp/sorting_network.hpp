// Sorting of the few keys of a small node, without unpredictable branches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace frugal {

namespace detail {

// Batcher's odd-even merge sort as a list of exchanges, made by the compiler.
template <std::size_t N>
constexpr std::size_t count_exchanges() {
    std::size_t count = 0;
    for (std::size_t p = 1; p < N; p *= 2)
        for (std::size_t k = p; k >= 1; k /= 2)
            for (std::size_t j = k % p; j + k < N; j += 2 * k)
                for (std::size_t i = 0; i < std::min(k, N - j - k); ++i)
                    count += (i + j) / (p * 2) == (i + j + k) / (p * 2);
    return count;
}

template <std::size_t N>
constexpr auto list_exchanges() {
    std::array<std::pair<std::size_t, std::size_t>, count_exchanges<N>()> exchanges{};
    std::size_t next = 0;
    for (std::size_t p = 1; p < N; p *= 2)
        for (std::size_t k = p; k >= 1; k /= 2)
            for (std::size_t j = k % p; j + k < N; j += 2 * k)
                for (std::size_t i = 0; i < std::min(k, N - j - k); ++i)
                    if ((i + j) / (p * 2) == (i + j + k) / (p * 2))
                        exchanges[next++] = {i + j, i + j + k};
    return exchanges;
}

template <std::size_t N, class Key>
inline void sort_exactly(Key* keys) {
    static constexpr auto exchanges = list_exchanges<N>();
    std::array<Key, N> a;
    std::copy_n(keys, N, a.begin());
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        const auto exchange = [&](std::size_t low, std::size_t high) {
            const Key x = a[low], y = a[high];
            a[low] = std::min(x, y);
            a[high] = std::max(x, y);
        };
        (exchange(exchanges[I].first, exchanges[I].second), ...);
    }(std::make_index_sequence<exchanges.size()>{});
    std::copy_n(a.begin(), N, keys);
}

}  // namespace detail

#if defined(__SSE2__)
// Sorts up to 32 keys by their upper halves: a key's place is how many are below it, and each is compared with four at
// once. Returns false, and does nothing, if two are equal.
inline bool sort_by_upper_half(std::uint64_t* keys, std::uint32_t n) {
    constexpr std::uint32_t most = 32;
    alignas(16) std::int32_t upper[most];
    alignas(16) std::int32_t place[most];
    // The comparison is of signed numbers.
    for (std::uint32_t i = 0; i < n; ++i) upper[i] = static_cast<std::int32_t>((keys[i] >> 32) ^ 0x80000000u);
    const std::uint32_t width = (n + 3) / 4 * 4;
    for (std::uint32_t i = n; i < width; ++i) upper[i] = std::numeric_limits<std::int32_t>::max();
    for (std::uint32_t k = 0; k < width; k += 4) {
        const __m128i four = _mm_load_si128(reinterpret_cast<const __m128i*>(upper + k));
        __m128i below = _mm_setzero_si128();
        for (std::uint32_t i = 0; i < n; ++i) {
            below = _mm_sub_epi32(below, _mm_cmpgt_epi32(four, _mm_set1_epi32(upper[i])));
        }
        _mm_store_si128(reinterpret_cast<__m128i*>(place + k), below);
    }
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += static_cast<std::uint32_t>(place[i]);
    if (sum != n * (n - 1) / 2) return false;
    std::array<std::uint64_t, most> a;
    std::copy_n(keys, n, a.begin());
    for (std::uint32_t i = 0; i < n; ++i) keys[place[i]] = a[i];
    return true;
}
#endif

// Up to this many keys a network beats std::sort, whose branches no processor can foresee.
inline constexpr std::uint32_t network_limit = 32;

// Sorts keys[0 … n). The array has room for `network_limit` keys even if n is smaller: the rest is padding.
template <class Key>
inline void sort_small(Key* keys, std::uint32_t n) {
    if (n > network_limit) {
        std::sort(keys, keys + n);
        return;
    }
#if defined(__SSE2__)
    if constexpr (sizeof(Key) == 8) {
        if (n > 8 && sort_by_upper_half(keys, n)) return;
    }
#endif
    const std::uint32_t width = n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : 32;
    for (std::uint32_t i = n; i < width; ++i) keys[i] = std::numeric_limits<Key>::max();
    if (width == 4) return detail::sort_exactly<4>(keys);
    if (width == 8) return detail::sort_exactly<8>(keys);
    if (width == 16) return detail::sort_exactly<16>(keys);
    detail::sort_exactly<32>(keys);
}

}  // namespace frugal
