// Counter-based random numbers: every draw is a pure function of what it is for.
//
// A key is a hash of (seed, tree, node, …). Nothing here has state that outlives a call, so a
// result cannot depend on threads, on call order, or on which other forests were grown before.
#pragma once

#include <cstdint>

namespace frugal {

// The finaliser of SplitMix64: a bijection of 64-bit words with full avalanche.
constexpr std::uint64_t mix(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// A key below `key`. Hashing twice keeps (a, b) and (b, a) apart.
constexpr std::uint64_t child_key(std::uint64_t key, std::uint64_t what) {
    return mix(key ^ mix(what + 0x9e3779b97f4a7c15ULL));
}

// What a tree's draws are for. One tree key has three independent families below it.
enum class Purpose : std::uint64_t { bootstrap = 1, nodes = 2, permutation = 3 };

constexpr std::uint64_t tree_key(std::uint64_t seed, std::uint64_t tree) {
    return child_key(mix(seed + 0x632be59bd9b4e019ULL), tree);
}

constexpr std::uint64_t purpose_key(std::uint64_t tree_key, Purpose purpose) {
    return child_key(tree_key, static_cast<std::uint64_t>(purpose) << 56);
}

// The numbers mix(key + 1·γ), mix(key + 2·γ), … : SplitMix64 read as a counter.
class Stream {
public:
    explicit constexpr Stream(std::uint64_t key) : state_(key) {}

    constexpr std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        return mix(state_);
    }

    // Uniform on 0 … n−1, up to a relative bias of n / 2^32.
    constexpr std::uint32_t below(std::uint32_t n) {
        return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32);
    }

private:
    std::uint64_t state_;
};

// Rank of a feature in the random order of a node: the lower, the earlier it is drawn.
//
// The order of the features of a set S at a node is the order of these numbers. It does not change when
// a feature joins S, except that the new feature takes its place in it. That is what lets
// forward selection reuse a tree for S when it grows the tree for S ∪ {j}.
inline std::uint32_t draw_priority(std::uint64_t node_key, std::uint32_t feature_key) {
    std::uint32_t x = feature_key ^ static_cast<std::uint32_t>(node_key);
    x *= static_cast<std::uint32_t>(node_key >> 32) | 1u;
    x ^= x >> 16;
    x *= 0x21f0aaadu;
    x ^= x >> 15;
    x *= 0x735a2d97u;
    return x ^ (x >> 15);
}

}  // namespace frugal
