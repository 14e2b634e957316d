// A table of numbers, each column coded once to the ranks of its distinct values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace frugal {

using Code = std::uint16_t;

// Invariants:
// - code(i) < code(k) in a column exactly when value(i) < value(k), if the column has at most
//   `max_codes` distinct values. Above that, neighbouring values share a code (quantile codes).
// - A missing value (NaN) has the code `missing_code(column)`, one above the largest rank.
class CodedData {
public:
    static constexpr std::uint32_t most_codes = 65535;
    static constexpr std::uint32_t most_bins = 255;

    // `values` holds the columns one after the other. The caller has refused infinite values, and more codes than
    // `most_codes`.
    CodedData(const double* values, std::uint32_t n_rows, std::uint32_t n_columns,
              std::uint32_t max_codes = most_codes);

    std::uint32_t n_rows() const { return n_rows_; }
    std::uint32_t n_columns() const { return n_columns_; }
    std::uint32_t max_codes() const { return max_codes_; }
    // Whether every code, and that of a missing value, fits 8 bits because the columns were cut into so few bins.
    bool is_binned() const { return max_codes_ <= most_bins; }
    const Code* column(std::uint32_t j) const { return codes_.data() + std::size_t{j} * n_rows_; }

    // Number of ranks in use; the code of a missing value is the next one.
    std::uint32_t n_codes(std::uint32_t j) const {
        return static_cast<std::uint32_t>(edges_[j].lowest.size());
    }
    // Whether no two rows are equal, nor any missing.
    bool is_distinct(std::uint32_t j) const { return n_codes(j) == n_rows_; }
    Code missing_code(std::uint32_t j) const { return static_cast<Code>(n_codes(j)); }
    bool has_missing(std::uint32_t j) const { return has_missing_[j]; }

    // A number that follows the column's content, not its place in the table: permuting the columns
    // of a table leaves each column its key, and so leaves the forests alone. Equal columns get
    // different keys, in order of appearance.
    std::uint32_t feature_key(std::uint32_t j) const { return feature_key_[j]; }

    // Where two values that are neighbours in a node are cut, as a code and as a raw value.
    struct Cut {
        Code code;         // codes up to and including this one go left
        double threshold;  // the same for raw values
    };
    Cut cut_between(std::uint32_t j, Code left, Code right) const;

private:
    // Smallest and largest value of each code; equal unless the column has quantile codes.
    struct Edges {
        std::vector<double> lowest;
        std::vector<double> highest;
        bool exact = true;
    };

    void code_column(const double* values, std::uint32_t j);
    void key_columns();

    std::uint32_t n_rows_;
    std::uint32_t n_columns_;
    std::uint32_t max_codes_;
    std::vector<Code> codes_;
    std::vector<Edges> edges_;
    std::vector<char> has_missing_;
    std::vector<std::uint32_t> feature_key_;
};

}  // namespace frugal
