#include "filling.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "nearly_sorted.hpp"
#include "outlook.hpp"
#include "swaps.hpp"

namespace frugal {

namespace {

// The first look ahead is this long.
constexpr double first_step = 0.1;
constexpr double infinity = std::numeric_limits<double>::infinity();

// To ten digits, as NumPy rounds. Doubles beyond 2⁵² have no fractions, so adding that rounds; without a call for
// each value, that takes a fraction of the time.
double rounded(double value) {
    constexpr double no_fractions = 6755399441055744.0;  // 1.5 · 2⁵²
    const double shifted = value * 1e10;
    const double whole = std::abs(shifted) < 1e15 ? shifted + no_fractions - no_fractions : std::rint(shifted);
    return whole / 1e10;
}

}  // namespace

Filling::Filling(Variants variants, std::vector<std::int32_t> bundle, double limit, double taken)
    : variants_(std::move(variants)), bundle_(std::move(bundle)), limit_(limit), taken_(taken) {
    has_bundles_ = std::any_of(bundle_.begin(), bundle_.end(), [](std::int32_t b) { return b >= 0; });
    waiting_.resize(has_bundles_ ? n_items() : 0);
    rank_.resize(variants_.tie_order.size());
    for (std::uint32_t rank = 0; rank < rank_.size(); ++rank) {
        const std::uint32_t variant = variants_.tie_order[rank];
        rank_[variant] = rank;
        by_rank_.push_back({variants_.height[variant], variants_.slope[variant]});
        // Without bundles no weight changes: one variant of each item does.
        if (has_bundles_ || variant < n_items()) turns_.push_back({0.0, rank, static_cast<int>(variants_.sign[variant])});
    }
}

void Filling::sort_turns(double xi) {
    for (Turn& turn : turns_) {
        const auto [height, slope] = by_rank_[turn.rank];
        // A slope may be infinite.
        const double fall = xi == 0 ? 0.0 : xi * slope;
        turn.score = turn.sign == 0 ? 0.0 : rounded(height - fall);
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
    for (std::vector<std::uint32_t>& of_bundle : waiting_) of_bundle.clear();
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
        if (is_later && is_closed) waiting_[bundle].push_back(variant);
        if (is_later == is_closed || !take(variant)) continue;
        if (bundle < 0 || !is_closed) continue;
        is_open[bundle] = 1;
        for (const std::uint32_t made_up : waiting_[bundle]) take(made_up);
    }
    return taken;
}

XiPath Filling::walk(std::vector<SwappingLines> swapping, const Interrupted& interrupted) {
    Swaps swaps(std::move(swapping));
    Outlook outlook(*this);
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
        const double change = outlook.next_change(taken, xi, step);
        path.n_pairs = outlook.n_pairs();
        if (change == infinity) return path;
        step = change - xi;
        xi = swaps.look_behind(change);
        taken = fill(xi);
        if (sorted(taken) != as_set) keep();
    }
}

}  // namespace frugal
