#include "filling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "nearly_sorted.hpp"
#include "outlook.hpp"

namespace frugal {

namespace {

// Two swaps nearer to each other, relative to ξ, are one up to the rounding of either.
constexpr double same_xi = 1e-12;
// Lines that are this near to each other may have been sorted wrongly.
constexpr double near_lines = 1e-9;
// The first look ahead is this long.
constexpr double first_step = 0.1;
constexpr double infinity = std::numeric_limits<double>::infinity();

// To ten digits, as NumPy rounds.
double rounded(double value) { return std::rint(value * 1e10) / 1e10; }

// All ξ at which two lines swap places.
class Swaps {
public:
    explicit Swaps(std::vector<SwappingLines> lines) {
        for (const SwappingLines& of_sign : lines) {
            std::vector<Line>& kept = lines_.emplace_back();
            for (std::size_t i = 0; i < of_sign.height.size(); ++i) {
                kept.push_back({of_sign.height[i], of_sign.slope[i], 0.0});
            }
        }
    }

    // The middle between ξ and the next swap; if there is none, half as much again.
    double look_behind(double xi) {
        const double behind = xi * (1 + same_xi);
        double following = infinity;
        for (std::vector<Line>& lines : lines_) {
            for (Line& line : lines) line.at = line.height - behind * line.slope;
            sort_again(lines, [](const Line& a, const Line& b) { return a.at < b.at; });
            following = std::min(following, next_of_sorted(lines, behind));
        }
        return following < infinity ? (xi + following) / 2 : xi * 1.5;
    }

private:
    struct Line {
        double height, slope, at;
    };

    // The next to swap are neighbours. Those that have just swapped may still be in the wrong order, by rounding: so
    // where lines are that near, neighbours but one and but two count as well.
    static double next_of_sorted(const std::vector<Line>& lines, double xi) {
        double following = infinity, near_enough = infinity;
        const std::size_t n = lines.size();
        const auto [flattest, steepest] = std::minmax_element(
            lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.slope < b.slope; });
        const double fastest = n ? steepest->slope - flattest->slope : 0.0;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            // Lines that far apart do not meet before others do.
            if (lines[i + 1].at - lines[i].at > near_enough) continue;
            for (std::size_t apart = 1; apart <= 3 && i + apart < n; ++apart) {
                const double rise = lines[i + apart].height - lines[i].height;
                const double run = lines[i + apart].slope - lines[i].slope;
                if (apart > 1 && !(std::abs(rise - xi * run) < near_lines)) break;
                if (std::abs(run) <= same_slope) continue;
                const double at = rise / run;
                if (!(at > xi && at < following)) continue;
                following = at;
                // Twice as much, and the rounding of heights: nothing is left out by a hair.
                near_enough = 2 * (following - xi) * fastest + 2 * near_lines * (1 + xi);
            }
        }
        return following;
    }

    std::vector<std::vector<Line>> lines_;
};

}  // namespace

Filling::Filling(Variants variants, std::vector<std::int32_t> bundle, double limit, double taken)
    : variants_(std::move(variants)), bundle_(std::move(bundle)), limit_(limit), taken_(taken) {
    has_bundles_ = std::any_of(bundle_.begin(), bundle_.end(), [](std::int32_t b) { return b >= 0; });
    rank_.resize(variants_.tie_order.size());
    for (std::uint32_t rank = 0; rank < rank_.size(); ++rank) {
        const std::uint32_t variant = variants_.tie_order[rank];
        rank_[variant] = rank;
        // Without bundles no weight changes: one variant of each item does.
        if (has_bundles_ || variant < n_items()) turns_.push_back({0.0, rank, static_cast<int>(variants_.sign[variant])});
    }
}

void Filling::sort_turns(double xi) {
    for (Turn& turn : turns_) {
        const std::uint32_t i = variants_.tie_order[turn.rank];
        // A slope may be infinite.
        const double fall = xi == 0 ? 0.0 : xi * variants_.slope[i];
        turn.score = turn.sign == 0 ? 0.0 : rounded(variants_.height[i] - fall);
    }
    sort_again(turns_, [](const Turn& a, const Turn& b) {
        if (a.sign != b.sign) return a.sign > b.sign;
        if (a.score != b.score) return a.score > b.score;
        return a.rank < b.rank;
    });
}

std::vector<std::uint32_t> Filling::fill(double xi) {
    sort_turns(xi);
    const std::uint32_t n = static_cast<std::uint32_t>(n_items());
    std::vector<std::uint32_t> taken;
    double spent = taken_;
    if (!has_bundles_) {
        for (const Turn& turn : turns_) {
            const std::uint32_t item = variants_.tie_order[turn.rank];
            if (!(spent + variants_.weight[item] <= limit_)) continue;
            taken.push_back(item);
            spent += variants_.weight[item];
        }
        return taken;
    }
    // At its weight as a later one an item can be taken once its bundle is open. If its turn was before that, it is
    // made up for right after the opening: it is better than all that is left.
    std::vector<char> is_taken(n, 0), is_open(n, 0);
    std::vector<std::vector<std::uint32_t>> waiting(n);  // by bundle
    const auto take = [&](std::uint32_t variant) {
        const std::uint32_t item = variant % n;
        if (is_taken[item] || !(spent + variants_.weight[variant] <= limit_)) return false;
        is_taken[item] = 1;
        taken.push_back(item);
        spent += variants_.weight[variant];
        return true;
    };
    for (const Turn& turn : turns_) {
        const std::uint32_t variant = variants_.tie_order[turn.rank];
        const bool is_later = variant >= n;
        const std::int32_t bundle = bundle_[variant % n];
        const bool is_closed = bundle >= 0 && !is_open[bundle];
        if (is_later && is_closed) waiting[bundle].push_back(variant);
        if (is_later == is_closed || !take(variant)) continue;
        if (bundle < 0 || !is_closed) continue;
        is_open[bundle] = 1;
        for (const std::uint32_t made_up : waiting[bundle]) take(made_up);
    }
    return taken;
}

XiPath Filling::walk(std::vector<SwappingLines> swapping, const Interrupted& interrupted) {
    Swaps swaps(std::move(swapping));
    XiPath path;
    double xi = 0, step = first_step;
    std::vector<std::uint32_t> taken = fill(xi), as_set;
    const auto sorted = [](std::vector<std::uint32_t> items) {
        std::sort(items.begin(), items.end());
        return items;
    };
    const auto keep = [&] {
        path.xi.push_back(xi);
        path.items.insert(path.items.end(), taken.begin(), taken.end());
        path.start.push_back(path.items.size());
        as_set = sorted(taken);
    };
    keep();
    for (path.n_fills = 1;; ++path.n_fills) {
        // Asking takes the interpreter's lock.
        if (path.n_fills % 64 == 0 && interrupted()) throw Interruption();
        Outlook outlook(*this, taken, xi);
        const double change = outlook.next_change(step);
        path.n_pairs += outlook.n_pairs();
        if (change == infinity) return path;
        step = change - xi;
        xi = swaps.look_behind(change);
        taken = fill(xi);
        if (sorted(taken) != as_set) keep();
    }
}

}  // namespace frugal
