// Sorting of the few keys of a small node, without unpredictable branches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

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

// Up to this many keys a network beats std::sort, whose branches no processor can foresee.
inline constexpr std::uint32_t network_limit = 32;

// Sorts keys[0 … n). The array has room for `network_limit` keys even if n is smaller: the rest is padding.
template <class Key>
inline void sort_small(Key* keys, std::uint32_t n) {
    if (n > network_limit) {
        std::sort(keys, keys + n);
        return;
    }
    const std::uint32_t width = n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : 32;
    for (std::uint32_t i = n; i < width; ++i) keys[i] = std::numeric_limits<Key>::max();
    if (width == 4) return detail::sort_exactly<4>(keys);
    if (width == 8) return detail::sort_exactly<8>(keys);
    if (width == 16) return detail::sort_exactly<16>(keys);
    detail::sort_exactly<32>(keys);
}

}  // namespace frugal
