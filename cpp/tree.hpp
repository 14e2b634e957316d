// One tree: its nodes, and the way of a row through them.
#pragma once

#include <cstdint>
#include <vector>

#include "coded_data.hpp"

namespace frugal {

struct Node {
    static constexpr std::int32_t leaf = -1;

    std::int32_t column = leaf;
    std::uint32_t left = 0;   // the right child is the next one; of a leaf with values: where those begin
    Code cut = 0;             // codes up to here go left; of a leaf: its vote
    bool missing_left = false;
    bool has_values = false;  // of a leaf

    bool is_leaf() const { return column == leaf; }
    std::uint16_t vote() const { return cut; }
};

// What a leaf says. For classes: a vote, and the class shares if they are not all the vote's.
struct Leaf {
    std::uint16_t vote;
    const double* values;  // as many as the kind of target has in a leaf; null if it has none
};

struct Tree {
    std::vector<Node> nodes;
    std::vector<double> thresholds;   // of each node, for raw values
    std::vector<double> leaf_values;  // of the leaves that have some, one after the other

    Leaf leaf(const Node& node) const {
        return {node.vote(), node.has_values ? &leaf_values[node.left] : nullptr};
    }
    void clear() {
        nodes.clear();
        thresholds.clear();
        leaf_values.clear();
    }
};

// The child of a split node that a row with this code goes to.
inline std::uint32_t next_node(const Node& node, const CodedData& data, Code code) {
    const Code missing = data.missing_code(static_cast<std::uint32_t>(node.column));
    const bool left = (code <= node.cut) | (node.missing_left & (code == missing));
    return node.left + !left;
}

// Follows a row of coded data from a node to its leaf. `code_of(column)` is the row's code there.
template <class CodeOf>
const Node& find_leaf(const Tree& tree, const CodedData& data, CodeOf code_of, std::uint32_t from) {
    const Node* node = &tree.nodes[from];
    while (!node->is_leaf()) {
        const Code code = code_of(static_cast<std::uint32_t>(node->column));
        node = &tree.nodes[next_node(*node, data, code)];
    }
    return *node;
}

}  // namespace frugal
