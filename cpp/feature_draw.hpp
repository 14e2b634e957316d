// Which features a node may split on: the first few in the node's own random order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "rng.hpp"
#include "sorting_network.hpp"

namespace frugal {

// A feature in a node's order: priority above, place in the set's canonical order below. Comparing
// two of them breaks the rare tie of priorities the same way in every set that holds both.
using Drawn = std::uint64_t;

class FeatureDraw {
public:
    FeatureDraw() = default;

    // Canonical order is by feature key: it does not change if columns trade places.
    void assign(const CodedData& data, std::span<const std::uint32_t> columns) {
        columns_.assign(columns.begin(), columns.end());
        std::sort(columns_.begin(), columns_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(data.feature_key(a), a) < std::pair(data.feature_key(b), b);
        });
        keys_.clear();
        for (const std::uint32_t j : columns_) keys_.push_back(data.feature_key(j));
        drawn_.resize(std::max<std::size_t>(columns_.size(), network_limit));
        priorities_.resize(columns_.size());
    }

    std::size_t size() const { return columns_.size(); }
    std::uint32_t column(Drawn drawn) const {
        return columns_[static_cast<std::uint32_t>(drawn)];
    }
    std::uint32_t place_of(std::uint32_t column) const {
        return static_cast<std::uint32_t>(std::find(columns_.begin(), columns_.end(), column) -
                                          columns_.begin());
    }

    // The first `count` features at this node, in order. Valid until the next call.
    std::span<const Drawn> first(std::uint64_t node_key, std::uint32_t count) {
        const auto n = static_cast<std::uint32_t>(columns_.size());
        for (std::uint32_t i = 0; i < n; ++i) priorities_[i] = draw_priority(node_key, keys_[i]);
        // Sorting only those below a limit that `count` of them are all but sure to be below.
        if (count < n && n > 8) {
            const std::uint32_t held = collect_below(count + 2 * root(count) + 1);
            if (held >= count) {
                sort_small(drawn_.data(), held);
                return {drawn_.data(), count};
            }
        }
        for (std::uint32_t i = 0; i < n; ++i) drawn_[i] = pack(i);
        sort_small(drawn_.data(), n);
        return {drawn_.data(), std::min(count, n)};
    }

    // Some of the features, in order; those of other columns are left out. Valid until the next call.
    std::span<const Drawn> of(std::uint64_t node_key, std::span<const std::uint32_t> columns) {
        std::uint32_t held = 0;
        for (const std::uint32_t column : columns) {
            const std::uint32_t i = place_of(column);
            if (i == columns_.size()) continue;
            priorities_[i] = draw_priority(node_key, keys_[i]);
            drawn_[held++] = pack(i);
        }
        sort_small(drawn_.data(), held);
        return {drawn_.data(), held};
    }

private:
    static std::uint32_t root(std::uint32_t count) {
        return static_cast<std::uint32_t>(std::sqrt(static_cast<double>(count)));
    }

    // Packs the features whose priority is among the lowest `expected` of them, on average.
    std::uint32_t collect_below(std::uint32_t expected) {
        const auto n = static_cast<std::uint32_t>(columns_.size());
        const auto limit = static_cast<std::uint32_t>(
            std::min<std::uint64_t>((std::uint64_t{expected} << 32) / n, 0xffffffffu));
        std::uint32_t held = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            drawn_[held] = pack(i);
            held += priorities_[i] < limit;
        }
        return held;
    }

    Drawn pack(std::uint32_t i) const { return Drawn{priorities_[i]} << 32 | i; }

    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> keys_;
    std::vector<std::uint32_t> priorities_;
    std::vector<Drawn> drawn_;
};

}  // namespace frugal
