// All ξ at which two lines swap places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "filling.hpp"

namespace frugal {

class Swaps {
public:
    explicit Swaps(std::vector<SwappingLines> lines);

    // The middle between ξ and the next swap; if there is none, half as much again.
    double look_behind(double xi);

private:
    struct Line {
        double height, slope;
        double at;  // the height at the ξ last asked for
    };
    struct OneSign {
        std::vector<Line> lines;
        double fastest;  // difference of slopes
        double low, high;  // of all lines at that ξ
    };

    static void move_to(double xi, OneSign& own);
    std::optional<double> first_within(const OneSign& own, double xi, double reach);
    static double first_of_sorted(const OneSign& own, double xi);

    std::vector<OneSign> signs_;
    double reach_;  // how far to look at first
    // Scratch of `first_within`: bits of cells, and lines that share one.
    struct Marks {
        std::uint64_t one = 0, more = 0;  // cells that hold a line, and those that hold several
    };
    unsigned n_bits_ = 6;  // as a power of two
    std::vector<Marks> marks_;
    std::vector<Line> near_;
};

}  // namespace frugal
