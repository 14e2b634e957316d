// Where the set that a limit holds can change next, as ξ grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "filling.hpp"

namespace frugal {

// Slopes nearer to each other are one.
constexpr double same_slope = 1e-10;

// What is ahead of the set that is taken at some ξ.
//
// Inside are the items of the set, outside those that could be taken: an item outside is taken once the items inside
// that come after its turn weigh as much as it needs. An item whose bundle the set has opened has two rows: at its
// weight as the first of the bundle, for it might open it; and at its weight as a later one, whose turn comes only
// once the bundle is open.
//
// The set may open a bundle by another item later on. It is then opened earlier than by this one, so that columns are
// overtaken later than is said here, which costs a look and no more.
class Outlook {
public:
    // For many looks: what they need is allocated once.
    explicit Outlook(const Filling& filling);

    // The first ξ behind which the set may be another one than that taken at ξ, and infinity if there is none. Before
    // it, the set is the same. `step` is how far to look at first.
    double next_change(const std::vector<std::uint32_t>& taken, double xi, double step);

    std::uint64_t n_pairs() const { return n_pairs_; }

private:
    static constexpr double never = std::numeric_limits<double>::infinity();

    struct Line {
        double height, slope;
        std::uint32_t rank;
        int sign;
        double at(double xi) const { return xi == never ? -slope : height - xi * slope; }
    };
    struct Row {
        Line line;
        double needed;
        std::int32_t bundle;  // −1 for rows at the weight of the first
    };
    struct Column {
        Line line;
        double weight;
        double weight_with_bundle;  // that of the whole bundle for the column that opens it
        std::int32_t bundle;
        bool opens;
        std::uint32_t opener;  // the column that opens its bundle; itself if there is none
    };
    // From which ξ on one line is above another: −∞ if it is, ∞ if it never will be. `untied`: where it is above by
    // less than rounding, the ξ from which on it is above by more; else ∞.
    struct Overtaking {
        double since, untied;
    };
    // From which ξ on any line of a bundle is above each column, and the first ξ at which a tie of one of its lines ends.
    struct Opening {
        std::vector<double> above;
        double untied = never;
        bool is_known = false;
    };

    void stand_at(const std::vector<std::uint32_t>& taken, double xi);
    Overtaking overtaking(const Line& outside, const Line& inside);
    const Opening& opening(std::int32_t bundle);
    void weight_below(double xi, std::vector<double>& total);
    double most_weight_of_bundle(std::int32_t bundle, double horizon);
    std::vector<std::uint32_t> possible_rows(double horizon);
    std::vector<std::uint32_t> columns_below(const std::vector<std::uint32_t>& rows, double horizon) const;
    double first_change(double horizon);
    void compare(const Row& row, const std::vector<std::uint32_t>& columns);
    double first_enough(const Row& row, const std::vector<std::uint32_t>& columns, double horizon);

    const Filling& filling_;
    std::vector<Line> lines_;  // by variant
    double xi_ = 0;
    std::vector<Row> rows_;
    std::vector<Column> columns_;
    std::vector<std::vector<std::uint32_t>> members_;  // by bundle, what the set has of it
    std::vector<Opening> openings_;                    // by bundle
    std::vector<double> bundle_weight_;
    std::vector<std::uint32_t> opener_column_;         // by bundle
    std::vector<char> is_inside_;                      // by item
    std::vector<double> below_now_, below_then_;       // by row
    bool has_openers_ = false;
    double total_weight_ = 0;  // of all columns
    std::uint64_t n_pairs_ = 0;
    // Scratch of `weight_below`: columns by height at ξ with their weights; and for each sign, from −1 on, heights and
    // the weight up to each, with that of all lower signs.
    std::vector<std::pair<double, double>> sorted_;
    struct {
        std::vector<double> heights, weight_up_to;
    } of_sign_[3];
    // Scratch of `compare`: by column.
    std::vector<double> since_, untied_, both_;
    std::vector<std::pair<double, double>> events_;
};

}  // namespace frugal
