#!/usr/bin/env bash
# The core under sanitizers: address and undefined behaviour, then threads. Any report fails.
#
# Called by `make sanitize` with PYTHON set to an interpreter that has the package's dependencies and nanobind.
# Needs GCC and its sanitizer libraries.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${PYTHON:?set PYTHON to the interpreter of the virtual environment, or run \`make sanitize\`}"
export CXX=${CXX:-g++}

PATH="$(dirname "$PYTHON"):$PATH" # tools of the environment first
for tool in cmake ninja; do
  command -v "$tool" >/dev/null || "$PYTHON" -m pip install --quiet "$tool"
done

# build NAME SANITIZERS: configures and compiles build/sanitize-NAME.
build() {
  # SKBUILD only silences the advice to build with pip. The assertions of libstdc++ find an index
  # that is outside a vector but still inside its memory, which the address sanitizer cannot.
  cmake -S . -B "build/sanitize-$1" -G Ninja -DSKBUILD=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS=-D_GLIBCXX_ASSERTIONS \
    -DFRUGALFOREST_SANITIZE="$2" -DPython_EXECUTABLE="$PYTHON" \
    -Dnanobind_DIR="$("$PYTHON" -m nanobind --cmake_dir)" >/dev/null
  cmake --build "build/sanitize-$1" --target _core -- --quiet
}

# exercise NAME LIBRARY THREADS: runs every binding of that build. The interpreter is not instrumented, so the
# sanitizer's library must be loaded before it, and libstdc++ with it so that throws are seen.
exercise() {
  echo "== $1 sanitizer, $3 threads"
  LD_PRELOAD="$("$CXX" -print-file-name="$2") $("$CXX" -print-file-name=libstdc++.so)" \
    PYTHONMALLOC=malloc "${FIXED_ADDRESSES[@]}" \
    "$PYTHON" tests/sanitize/exercise.py "build/sanitize-$1" "$3"
}

# The thread sanitizer of older compilers stops if address space randomisation uses many bits.
FIXED_ADDRESSES=()
if setarch "$(uname -m)" -R true 2>/dev/null; then FIXED_ADDRESSES=(setarch "$(uname -m)" -R); fi

# Leaks are not looked for: CPython keeps much of its memory until the process ends, by design.
export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1:strict_init_order=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1

build address address,undefined
exercise address libasan.so 3
build thread thread
exercise thread libtsan.so 4
echo "sanitizers: clean"
