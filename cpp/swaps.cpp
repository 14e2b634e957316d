#include "swaps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nearly_sorted.hpp"
#include "outlook.hpp"

namespace frugal {

namespace {

// Two swaps nearer to each other, relative to ξ, are one up to the rounding of either.
constexpr double same_xi = 1e-12;
// Lines that are this near to each other may have been sorted wrongly.
constexpr double near_lines = 1e-9;
// The next swap is looked for this many times as far ahead as the last one was, then farther.
constexpr double look_ahead = 8.0;
constexpr double first_reach = 1e-6;
constexpr int most_looks = 3;
// With so many bits a line, one in twenty shares a bit by chance.
constexpr std::size_t bits_a_line = 32;
// More comparisons a line cost as much as sorting all lines.
constexpr std::size_t most_comparisons = 4;
constexpr double most_cells = 1e15;  // numbers beyond have no halves
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;  // 2⁶⁴ over the golden ratio: spreads numbers

// Two grids of cells, half a cell apart: lines that are nearer than that share a cell of one of them.
struct TwoCells {
    std::uint64_t bit[2];

    TwoCells(double place, unsigned n_bits) {
        // By way of signed numbers, which processors know how to make.
        bit[0] = 2 * static_cast<std::uint64_t>(static_cast<std::int64_t>(place)) * golden >> (64 - n_bits);
        bit[1] = (2 * static_cast<std::uint64_t>(static_cast<std::int64_t>(place + 0.5)) + 1) * golden >> (64 - n_bits);
    }
};

}  // namespace

Swaps::Swaps(std::vector<SwappingLines> lines) : reach_(first_reach) {
    std::size_t most_lines = 0;
    for (const SwappingLines& of_sign : lines) {
        if (of_sign.slope.empty()) continue;
        OneSign& own = signs_.emplace_back();
        for (std::size_t i = 0; i < of_sign.height.size(); ++i) {
            own.lines.push_back({of_sign.height[i], of_sign.slope[i], 0.0});
        }
        const auto [flattest, steepest] = std::minmax_element(of_sign.slope.begin(), of_sign.slope.end());
        own.fastest = *steepest - *flattest;
        most_lines = std::max(most_lines, own.lines.size());
    }
    while (std::size_t{1} << n_bits_ < bits_a_line * most_lines) ++n_bits_;
    marks_.resize((std::size_t{1} << n_bits_) / 64);
}

double Swaps::look_behind(double xi) {
    const double behind = xi * (1 + same_xi);
    double following = infinity;
    for (OneSign& own : signs_) {
        move_to(behind, own);
        std::optional<double> found;
        double reach = reach_;
        for (int look = 0; look < most_looks && !found; ++look, reach *= look_ahead) {
            found = first_within(own, behind, reach);
        }
        if (!found) {
            sort_again(own.lines, [](const Line& a, const Line& b) { return a.at < b.at; });
            found = first_of_sorted(own, behind);
        }
        following = std::min(following, *found);
    }
    if (following == infinity) return xi * 1.5;
    // One swap may be near by chance: the next is likely to be as far as those before.
    reach_ = std::max(look_ahead * (following - behind), reach_ / look_ahead);
    return (xi + following) / 2;
}

void Swaps::move_to(double xi, OneSign& own) {
    own.low = infinity;
    own.high = -infinity;
    for (Line& line : own.lines) {
        line.at = line.height - xi * line.slope;
        own.low = std::min(own.low, line.at);
        own.high = std::max(own.high, line.at);
    }
}

// The first swap behind ξ, if there is one within reach: of all pairs of lines that are near enough to each other at ξ
// to meet there. If very many are, none is returned.
std::optional<double> Swaps::first_within(const OneSign& own, double xi, double reach) {
    // Twice as much, and the rounding of heights: nothing is left out by a hair.
    const double near = 2 * reach * own.fastest + 2 * near_lines * (1 + xi);
    const double cells_a_height = 0.5 / near;
    if (!((own.high - own.low) * cells_a_height < most_cells)) return std::nullopt;
    const auto cells_of = [&](const Line& line) {
        return TwoCells((line.at - own.low) * cells_a_height, n_bits_);
    };
    std::fill(marks_.begin(), marks_.end(), Marks());
    for (const Line& line : own.lines) {
        for (const std::uint64_t bit : cells_of(line).bit) {
            const std::uint64_t mask = std::uint64_t{1} << bit % 64;
            Marks& marks = marks_[bit / 64];
            marks.more |= marks.one & mask;
            marks.one |= mask;
        }
    }
    near_.clear();
    const auto is_shared = [this](std::uint64_t bit) { return marks_[bit / 64].more >> bit % 64 & 1; };
    for (const Line& line : own.lines) {
        const TwoCells cells = cells_of(line);
        if (is_shared(cells.bit[0]) | is_shared(cells.bit[1])) near_.push_back(line);
    }
    std::sort(near_.begin(), near_.end(), [](const Line& a, const Line& b) { return a.at < b.at; });
    double following = infinity;
    std::size_t comparisons = 0;
    for (std::size_t i = 0; i < near_.size(); ++i) {
        for (std::size_t j = i + 1; j < near_.size() && near_[j].at - near_[i].at <= near; ++j) {
            if (++comparisons > most_comparisons * own.lines.size()) return std::nullopt;
            const double run = near_[j].slope - near_[i].slope;
            if (std::abs(run) <= same_slope) continue;
            const double at = (near_[j].height - near_[i].height) / run;
            if (at > xi && at < following) following = at;
        }
    }
    return following <= xi + reach ? std::optional(following) : std::nullopt;
}

// The next to swap are neighbours. Lines that have just swapped may be in the wrong order, by rounding: so two lines are
// neighbours if all that are between them are that near to one of the two.
double Swaps::first_of_sorted(const OneSign& own, double xi) {
    const std::vector<Line>& lines = own.lines;
    const double unsure = near_lines * (1 + xi);
    double following = infinity, near_enough = infinity;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        // Lines that far apart do not meet before others do.
        if (lines[i + 1].at - lines[i].at > near_enough) continue;
        std::size_t first_apart = i + 1;  // the first line that is certainly above this one
        for (std::size_t j = i + 1; j < lines.size(); ++j) {
            if (first_apart == j && lines[j].at - lines[i].at <= unsure) ++first_apart;
            if (first_apart < j && lines[j].at - lines[first_apart].at > unsure) break;
            const double run = lines[j].slope - lines[i].slope;
            if (std::abs(run) <= same_slope) continue;
            const double at = (lines[j].height - lines[i].height) / run;
            if (!(at > xi && at < following)) continue;
            following = at;
            near_enough = 2 * (following - xi) * own.fastest + 2 * unsure;
        }
    }
    return following;
}

}  // namespace frugal
