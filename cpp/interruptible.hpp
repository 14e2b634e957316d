// Long work that Ctrl-C ends.
#pragma once

#include <nanobind/nanobind.h>

#include "parallel.hpp"

namespace frugal {

namespace nb = nanobind;

// Runs work without the interpreter's lock; a pending Ctrl-C ends it as KeyboardInterrupt.
template <class Work>
auto run_interruptibly(Work work) {
    const Interrupted interrupted = [] {
        nb::gil_scoped_acquire locked;
        return PyErr_CheckSignals() != 0;
    };
    try {
        nb::gil_scoped_release unlocked;
        return work(interrupted);
    } catch (const Interruption&) {
        throw nb::python_error();
    }
}

}  // namespace frugal
