// Filling for Python: checks what could crash the process, and translates.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "filling.hpp"
#include "interruptible.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace frugal;

Filling make_filling(const Vector<double>& weight, const Vector<double>& sign, const Vector<double>& height,
                     const Vector<double>& slope, const Vector<std::uint32_t>& tie_order,
                     const Vector<std::int32_t>& bundle, double limit, double taken) {
    const std::size_t n = bundle.size();
    require(n <= INT32_MAX / 2, "there are too many items");
    require(weight.size() == 2 * n && sign.size() == 2 * n && height.size() == 2 * n && slope.size() == 2 * n &&
                tie_order.size() == 2 * n,
            "there must be two variants of each item");
    std::vector<bool> seen(2 * n);
    for (const std::uint32_t variant : as_span(tie_order)) {
        require(variant < 2 * n && !seen[variant], "the order of ties must have each variant once");
        seen[variant] = true;
    }
    for (const std::int32_t b : as_span(bundle)) {
        require(b >= -1 && b < static_cast<std::int64_t>(n), "a bundle must be below the number of items, or -1");
    }
    for (std::size_t i = 0; i < 2 * n; ++i) {
        const double own = sign.data()[i];
        require(weight.data()[i] >= 0 && (own == 1 || own == 0 || own == -1), "a weight or a sign cannot be");
        require(sign.data()[i] == 0 || !(std::isnan(height.data()[i]) || std::isnan(slope.data()[i])),
                "a line is not a number");
    }
    return Filling({copy(weight), copy(sign), copy(height), copy(slope), copy(tie_order)}, copy(bundle), limit,
                   taken);
}

auto py_walk(Filling& filling, const std::vector<std::pair<Vector<double>, Vector<double>>>& swapping) {
    std::vector<SwappingLines> lines;
    for (const auto& [height, slope] : swapping) {
        require(height.size() == slope.size(), "heights and slopes differ in length");
        for (const auto& numbers : {as_span(height), as_span(slope)}) {
            require(std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); }),
                    "a line is not finite");
        }
        lines.push_back({copy(height), copy(slope)});
    }
    XiPath path = run_interruptibly(
        [&](const Interrupted& interrupted) { return filling.walk(std::move(lines), interrupted); });
    return std::make_tuple(to_numpy(std::move(path.xi)), to_numpy(std::move(path.start)),
                           to_numpy(std::move(path.items)), path.n_fills, path.n_pairs);
}

}  // namespace

void bind_filling(nb::module_& m) {
    nb::class_<Filling>(m, "Filling", "Weighted items of which a limit holds some, by lines over xi.")
        .def("fill", [](Filling& filling, double xi) { return to_numpy(filling.fill(xi)); }, "xi"_a,
             "The items that the limit holds, in the order in which they are taken.")
        .def("walk", &py_walk, "swapping"_a,
             "(first xi of each run of equal sets, starts in items, items, fills, pairs of lines compared).");
    m.def("make_filling", &make_filling, nb::kw_only(), "weight"_a, "sign"_a, "height"_a, "slope"_a,
          "tie_order"_a, "bundle"_a, "limit"_a, "taken"_a);
}
