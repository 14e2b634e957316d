#include "outlook.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace frugal {

namespace {

// Lines are rounded to 10 digits: this far apart they are not tied, unless ξ is so large that the rounding of ξ times
// a slope is more than that.
constexpr double not_tied = 2e-10;
constexpr double rounding_per_xi = 2e-15;
// Sums of weights in different orders differ by less, relative to the sum.
constexpr double sum_rounding = 1e-12;
// A look ahead that found nothing is made longer by this factor, and without end from some ξ on.
constexpr double longer = 4.0;
constexpr double long_step = 1e3;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Lines that are nearer to each other at ξ may be tied.
double tie_width(double xi) { return xi == infinity ? not_tied : not_tied + rounding_per_xi * xi; }

// How many sorted numbers are no greater than a value. Without branches, which no processor could foresee.
std::size_t n_up_to(const std::vector<double>& sorted, double value) {
    const double* from = sorted.data();
    for (std::size_t n = sorted.size(); n > 0;) {
        const std::size_t half = (n + 1) / 2;
        from += from[half - 1] <= value ? half : 0;
        n -= half;
    }
    return static_cast<std::size_t>(from - sorted.data());
}

}  // namespace

Outlook::Outlook(const Filling& filling) : filling_(filling), is_inside_(filling.n_items()) {
    const Variants& v = filling.variants_;
    for (std::size_t i = 0; i < v.weight.size(); ++i) {
        const bool moves = v.sign[i] != 0 && v.weight[i] > 0;
        const std::uint32_t rank = filling.rank_[i];
        // Without a sign or a weight, a line's place is that in the order of ties, at every ξ.
        const double height = moves ? v.height[i] : -1.0 * rank, slope = moves ? v.slope[i] : 0.0;
        lines_.push_back({height, slope, rank, static_cast<int>(v.sign[i])});
    }
    if (!filling.has_bundles_) return;
    members_.resize(filling.n_items());
    openings_.resize(filling.n_items());
    bundle_weight_.resize(filling.n_items());
    opener_column_.resize(filling.n_items());
}

void Outlook::stand_at(const std::vector<std::uint32_t>& taken, double xi) {
    const Filling& filling = filling_;
    const std::uint32_t n = static_cast<std::uint32_t>(filling.n_items());
    const std::vector<double>& weight = filling.variants_.weight;
    xi_ = xi;
    rows_.clear();
    columns_.clear();
    for (std::vector<std::uint32_t>& of_bundle : members_) of_bundle.clear();
    for (Opening& opening : openings_) opening.is_known = false;
    std::fill(bundle_weight_.begin(), bundle_weight_.end(), 0.0);
    std::fill(opener_column_.begin(), opener_column_.end(), 0);
    std::fill(is_inside_.begin(), is_inside_.end(), 0);
    has_openers_ = false;
    total_weight_ = 0;
    double spent = filling.taken_;
    for (const std::uint32_t item : taken) {
        is_inside_[item] = 1;
        const std::int32_t bundle = filling.bundle_[item];
        const bool opens = bundle >= 0 && members_[bundle].empty();
        if (bundle >= 0) members_[bundle].push_back(item);
        has_openers_ |= opens;
        const std::uint32_t variant = opens ? item : item + n;
        spent += weight[variant];
        if (!(weight[variant] > 0)) continue;  // what weighs nothing makes no room for anything
        const auto place = static_cast<std::uint32_t>(columns_.size());
        if (bundle >= 0) bundle_weight_[bundle] += weight[variant];
        if (opens) opener_column_[bundle] = place;
        columns_.push_back({lines_[variant], weight[variant], 0.0, bundle, opens,
                            bundle >= 0 ? opener_column_[bundle] : place});
    }
    for (Column& column : columns_) {
        total_weight_ += column.weight;
        column.weight_with_bundle = column.opens ? bundle_weight_[column.bundle] : column.weight;
    }
    const double left = filling.limit_ - spent;
    const auto add_row = [&](std::uint32_t variant, std::int32_t bundle) {
        const double own = weight[variant];
        rows_.push_back({lines_[variant], own - left - sum_rounding * (spent + own), bundle});
    };
    for (std::uint32_t item = 0; item < n; ++item) {
        if (!is_inside_[item]) add_row(item, -1);
    }
    for (std::uint32_t item = 0; has_openers_ && item < n; ++item) {
        const std::int32_t bundle = filling.bundle_[item];
        if (!is_inside_[item] && bundle >= 0 && !members_[bundle].empty()) add_row(item + n, bundle);
    }
    since_.resize(columns_.size());
    untied_.resize(columns_.size());
    both_.resize(columns_.size());
    weight_below(xi_, below_now_);
}

Outlook::Overtaking Outlook::overtaking(const Line& outside, const Line& inside) {
    ++n_pairs_;
    if (inside.sign != outside.sign) return {inside.sign < outside.sign ? -never : never, never};
    const double run = inside.slope - outside.slope;
    if (std::abs(run) <= same_slope) return {inside.rank > outside.rank ? -never : never, never};
    const double width = tie_width(xi_);
    const double rise = inside.height - outside.height;
    const double lead = rise - xi_ * run;
    const bool falls = run > 0;
    if (falls && std::abs(lead) <= width) {
        // A tie may put the line outside first at once; then it stays there.
        const double at = xi_ + (lead + width) / run;
        return {-never, inside.rank > outside.rank || at <= xi_ ? never : at};
    }
    if (lead < -width) return {-never, never};
    return {falls ? rise / run : never, never};
}

const Outlook::Opening& Outlook::opening(std::int32_t bundle) {
    Opening& opening = openings_[bundle];
    if (opening.is_known) return opening;
    opening.is_known = true;
    opening.untied = never;
    opening.above.assign(columns_.size(), never);
    for (const std::uint32_t item : members_[bundle]) {
        const Line opener = lines_[item];
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Overtaking found = overtaking(opener, columns_[k].line);
            opening.above[k] = std::min(opening.above[k], found.since);
            opening.untied = std::min(opening.untied, found.untied);
        }
    }
    return opening;
}

// For each row the weight of the columns that are below it at ξ, or tied; with their bundles.
void Outlook::weight_below(double xi, std::vector<double>& total) {
    double lower = 0;
    for (const int sign : {-1, 0, 1}) {
        sorted_.clear();
        for (const Column& column : columns_) {
            if (column.line.sign == sign) sorted_.emplace_back(column.line.at(xi), column.weight_with_bundle);
        }
        // In the order of purchase, so from behind they are nearly sorted.
        std::reverse(sorted_.begin(), sorted_.end());
        std::sort(sorted_.begin(), sorted_.end());
        auto& [heights, weight_up_to] = of_sign_[sign + 1];
        heights.clear();
        weight_up_to.assign(1, lower);
        for (const auto& [height, weight] : sorted_) {
            heights.push_back(height);
            weight_up_to.push_back(lower += weight);
        }
    }
    total.resize(rows_.size());
    const double width = tie_width(xi);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Line& row = rows_[i].line;
        const auto& [heights, weight_up_to] = of_sign_[row.sign + 1];
        total[i] = weight_up_to[n_up_to(heights, row.at(xi) + width)];
    }
}

// The weight of a bundle, and of the columns that one of its lines may be above up to the horizon.
double Outlook::most_weight_of_bundle(std::int32_t bundle, double horizon) {
    const Opening& open = opening(bundle);
    double most = bundle_weight_[bundle];
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (open.above[k] <= horizon) most += columns_[k].weight_with_bundle;
    }
    return most;
}

// The rows that may have enough at some ξ up to the horizon.
//
// A line that is below another at some ξ between two is below it at one of the two. So what is below a row now and what
// is below it at the horizon, added up, is never too little.
std::vector<std::uint32_t> Outlook::possible_rows(double horizon) {
    weight_below(horizon, below_then_);
    std::vector<double> most_of_bundle(has_openers_ ? members_.size() : 0, -1.0);
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        const double below = std::min(below_now_[i] + below_then_[i], total_weight_);
        if (!(below * (1 + sum_rounding) >= row.needed)) continue;
        if (row.bundle >= 0) {
            double& most = most_of_bundle[row.bundle];
            if (most < 0) most = most_weight_of_bundle(row.bundle, horizon);
            if (!(most * (1 + sum_rounding) >= row.needed)) continue;
        }
        rows.push_back(static_cast<std::uint32_t>(i));
    }
    return rows;
}

// The columns that one of these rows may overtake up to the horizon, with those that open their bundles and those
// whose bundles they open.
std::vector<std::uint32_t> Outlook::columns_below(const std::vector<std::uint32_t>& rows, double horizon) const {
    std::vector<char> below(columns_.size(), 0);
    for (const int sign : {1, 0, -1}) {
        double now = -infinity, then = -infinity;
        bool any = false;
        for (const std::uint32_t i : rows) {
            const Line& row = rows_[i].line;
            if (row.sign != sign) continue;
            any = true;
            now = std::max(now, row.at(xi_));
            then = std::max(then, row.at(horizon));
        }
        if (!any) continue;
        now += tie_width(xi_);
        then += tie_width(horizon);
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            const Line& column = columns_[k].line;
            below[k] |= column.sign < sign ||
                        (column.sign == sign && (column.at(xi_) <= now || column.at(horizon) <= then));
        }
    }
    if (has_openers_) {
        const std::vector<char> alone = below;
        for (std::size_t k = 0; k < columns_.size(); ++k) {
            if (alone[k]) below[columns_[k].opener] = 1;
        }
        for (std::size_t k = 0; k < columns_.size(); ++k) below[k] |= below[columns_[k].opener];
    }
    std::vector<std::uint32_t> found;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
        if (below[k]) found.push_back(static_cast<std::uint32_t>(k));
    }
    return found;
}

// From which ξ on the row may have its turn before each column: fills since_ and untied_.
//
// A column that another one opens the bundle for is taken once both are above all else: it is overtaken where its own
// line is, or its opener's. A row of a bundle has its turn not before the bundle is opened: it overtakes a column not
// before some line of its bundle inside does.
void Outlook::compare(const Row& row, const std::vector<std::uint32_t>& columns) {
    for (const std::uint32_t k : columns) {
        const Overtaking found = overtaking(row.line, columns_[k].line);
        since_[k] = found.since;
        untied_[k] = found.untied;
    }
    if (!has_openers_) return;
    const Opening* open = row.bundle < 0 ? nullptr : &opening(row.bundle);
    for (const std::uint32_t k : columns) {
        both_[k] = open == nullptr ? since_[k] : std::max(since_[k], open->above[k]);
        if (open != nullptr) untied_[k] = std::min(untied_[k], open->untied);
    }
    for (const std::uint32_t k : columns) {
        const Column& column = columns_[k];
        if (column.bundle >= 0 && column.bundle == row.bundle) {
            // Within a bundle lines decide; but the opener comes first as long as it is the opener.
            if (column.opens) since_[k] = both_[k];
        } else {
            since_[k] = std::min(both_[k], both_[column.opener]);
        }
        // The opener is before its columns, so its own tie has been looked at, and is not changed by this.
        untied_[k] = std::min(untied_[k], untied_[column.opener]);
    }
}

// The first ξ at which the row overtakes a column, or a tie ends, and it has enough weight.
double Outlook::first_enough(const Row& row, const std::vector<std::uint32_t>& columns, double horizon) {
    double weight = 0, reachable = 0;
    events_.clear();
    for (const std::uint32_t k : columns) {
        const double gained = columns_[k].weight;
        if (since_[k] <= horizon) {
            reachable += gained;
            if (since_[k] > xi_) {
                events_.emplace_back(since_[k], gained);
            } else {
                weight += gained;
            }
        }
        if (untied_[k] <= horizon && untied_[k] < never) events_.emplace_back(untied_[k], 0.0);
    }
    if (!(reachable >= row.needed)) return never;
    std::sort(events_.begin(), events_.end());
    for (const auto& [at, gained] : events_) {
        weight += gained;
        if (weight >= row.needed) return at;
    }
    return never;
}

double Outlook::first_change(double horizon) {
    const std::vector<std::uint32_t> rows = possible_rows(horizon);
    const std::vector<std::uint32_t> columns = columns_below(rows, horizon);
    double change = never;
    for (const std::uint32_t i : rows) {
        compare(rows_[i], columns);
        change = std::min(change, first_enough(rows_[i], columns, std::min(horizon, change)));
    }
    return change;
}

double Outlook::next_change(const std::vector<std::uint32_t>& taken, double xi, double step) {
    stand_at(taken, xi);
    while (true) {
        const double horizon = step < long_step ? xi_ + step : never;
        const double change = first_change(horizon);
        if (change <= horizon) return change;
        step *= longer;
    }
}

}  // namespace frugal
