// Which features a node may split on: the first few in the node's own random order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "coded_data.hpp"
#include "rng.hpp"

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
        drawn_.resize(columns_.size());
        priorities_.resize(columns_.size());
    }

    std::size_t size() const { return columns_.size(); }
    std::uint32_t column(Drawn drawn) const {
        return columns_[static_cast<std::uint32_t>(drawn)];
    }
    static std::uint32_t priority(Drawn drawn) { return static_cast<std::uint32_t>(drawn >> 32); }

    // The first `count` features at this node, in order. Valid until the next call.
    std::span<const Drawn> first(std::uint64_t node_key, std::uint32_t count) {
        const auto n = static_cast<std::uint32_t>(columns_.size());
        for (std::uint32_t i = 0; i < n; ++i) priorities_[i] = draw_priority(node_key, keys_[i]);
        if (count >= n) {
            for (std::uint32_t i = 0; i < n; ++i) drawn_[i] = pack(i);
            std::sort(drawn_.begin(), drawn_.end());
            return {drawn_.data(), n};
        }
        // Insertion into the `count` smallest so far: few features enter once the first few are in.
        std::uint32_t held = 0;
        for (std::uint32_t i = 0; i < n; ++i) {
            const Drawn next = pack(i);
            if (held == count) {
                if (next > drawn_[count - 1]) continue;
            } else {
                ++held;
            }
            std::uint32_t place = held - 1;
            for (; place > 0 && drawn_[place - 1] > next; --place) drawn_[place] = drawn_[place - 1];
            drawn_[place] = next;
        }
        return {drawn_.data(), count};
    }

private:
    Drawn pack(std::uint32_t i) const { return Drawn{priorities_[i]} << 32 | i; }

    std::vector<std::uint32_t> columns_;
    std::vector<std::uint32_t> keys_;
    std::vector<std::uint32_t> priorities_;
    std::vector<Drawn> drawn_;
};

}  // namespace frugal
