// Codes of 8 bits, those of a row side by side.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "coded_data.hpp"

namespace frugal {

// A hint that memory is needed soon. Compilers without one do without.
inline void fetch_early([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
    __builtin_prefetch(place);
#endif
}

// The rows of a binned table, or some of them, in the columns that a forest is grown on.
//
// A small node has few rows, far apart in the table. Row by row, all its columns are within a line of the cache or two
// for each row; column by column, each would be in another line.
class PackedRows {
public:
    explicit PackedRows(const CodedData& data) : data_(&data), place_(data.n_columns()) {}

    // All rows of the table, in these columns.
    void pack(std::span<const std::uint32_t> columns) {
        set_columns(columns);
        const std::uint32_t n = data_->n_rows();
        codes_.resize(std::size_t{n} * stride_);
        constexpr std::uint32_t block = 512;  // rows that stay in the cache while the columns are written
        for (std::uint32_t begin = 0; begin < n; begin += block) {
            const std::uint32_t end = std::min(n, begin + block);
            for (const std::uint32_t j : columns) {
                const Code* from = data_->column(j);
                std::uint8_t* to = codes_.data() + place_[j];
                for (std::uint32_t i = begin; i < end; ++i) {
                    to[std::size_t{i} * stride_] = static_cast<std::uint8_t>(from[i]);
                }
            }
        }
    }

    // Room for so many rows, of the same columns as another's.
    void reserve_like(const PackedRows& other, std::uint32_t n_rows) {
        place_ = other.place_;
        stride_ = other.stride_;
        codes_.resize(std::size_t{n_rows} * stride_);
    }
    // These rows of another become the rows from `first` on.
    void gather(const PackedRows& other, std::span<const std::uint32_t> rows, std::uint32_t first) {
        std::uint8_t* to = codes_.data() + std::size_t{first} * stride_;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            constexpr std::size_t ahead = 16;  // rows on their way from memory at a time
            const std::size_t soon = rows[std::min(i + ahead, rows.size() - 1)];
            fetch_early(other.codes_.data() + soon * stride_);
            const std::uint8_t* from = other.codes_.data() + std::size_t{rows[i]} * stride_;
            for (std::size_t k = 0; k < stride_; k += chunk) std::memcpy(to + k, from + k, chunk);
            to += stride_;
        }
    }

    // The codes of a column, by row.
    struct Column {
        const std::uint8_t* first;
        std::size_t stride;

        Code operator[](std::uint32_t row) const { return first[row * stride]; }
    };
    Column column(std::uint32_t j) const { return {codes_.data() + place_[j], stride_}; }

    std::uint32_t n_codes(std::uint32_t j) const { return data_->n_codes(j); }
    Code missing_code(std::uint32_t j) const { return data_->missing_code(j); }
    CodedData::Cut cut_between(std::uint32_t j, Code left, Code right) const {
        return data_->cut_between(j, left, right);
    }

private:
    void set_columns(std::span<const std::uint32_t> columns) {
        // A row that fits a line of the cache does not lie across two.
        stride_ = columns.size() <= 64 ? std::max(chunk, std::bit_ceil(columns.size()))
                                       : (columns.size() + chunk - 1) / chunk * chunk;
        for (std::size_t place = 0; place < columns.size(); ++place) {
            place_[columns[place]] = static_cast<std::uint32_t>(place);
        }
    }

    static constexpr std::size_t chunk = 16;  // bytes that are copied at once

    const CodedData* data_;
    std::vector<std::uint32_t> place_;  // of each column of the table, in a row
    std::size_t stride_ = 0;
    std::vector<std::uint8_t> codes_;
};

}  // namespace frugal
