// Forward selection: the out-of-bag error of S ∪ {j} for many j, from one forest on S.
#pragma once

#include <cstdint>
#include <vector>

#include "forest.hpp"

namespace frugal {

// The error of the forest on base.columns and one candidate more, for each candidate: exactly that of growing each
// from scratch with `base.max_features` features a node and the same seed. At least one base column.
template <class Target>
std::vector<double> forward_errors(const CodedData& data, const Target& target, const Job& base,
                                   std::span<const std::uint32_t> candidates,
                                   const ForestSpec& spec, const Interrupted& interrupted);

}  // namespace frugal
