// Arrays from and to NumPy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace frugal {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<const T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T, int Dimensions>
using Result = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>, nb::c_contig>;

// Not a std::string: that would be built for every row and column that is checked.
inline void require(bool holds, const char* message) {
    if (!holds) throw std::invalid_argument(message);
}

template <class T>
std::span<const T> as_span(const Vector<T>& array) {
    return {array.data(), array.size()};
}

// Another thread may write to the caller's array once the interpreter's lock is released; indices that were checked
// must not change under the core.
template <class T>
std::vector<T> copy(const Vector<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// Hands a vector's memory to NumPy without a copy.
template <int Dimensions, class T>
Result<T, Dimensions> to_numpy(std::vector<T> values, const std::array<std::size_t, Dimensions>& shape) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    nb::capsule owner(owned.release(),
                      [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Result<T, Dimensions>(data, Dimensions, shape.data(), owner);
}
template <class T>
Result<T, 1> to_numpy(std::vector<T> values) {
    const std::size_t size = values.size();
    return to_numpy<1>(std::move(values), {size});
}

}  // namespace frugal
