// The rows of each category of a column that has many: a query finds the few that have its own without a scan.
//
// What must hold:
// - All rows of the table that have a category are listed under it, those that no longer count among them.
// - Codes are whole numbers from 0 on, as tables of them have been checked to hold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "types.hpp"

namespace vicinal {

class CategoryRows {
public:
    static constexpr std::int64_t kFewestRows = 4096;       // of fewer all are soon scanned,
    static constexpr std::int64_t kFewestCategories = 256;  // and with fewer categories each has many rows
    static constexpr std::int64_t kRowsPerMatch = 256;      // so many are scanned while one that is apart is evaluated

    struct Listed {
        const std::uint32_t *first, *last;
        std::int64_t size() const { return last - first; }
    };

    // How many codes there are, counted from 0, if it is worth the memory to list the rows of each; else 0.
    static std::int64_t worth_listing(const Table& table, int column) {
        if (table.kinds[column] != kNominal || table.rows < kFewestRows || table.rows > kMostRows) return 0;
        double most = 0.0;
        for (int bin = 0; bin < kBins; ++bin) most = std::max(most, table.bins[(column * kBins + bin) * 2 + 1]);
        // Codes of categories are dense, but for those of rows that have gone.
        return most >= kFewestCategories && most < 4.0 * static_cast<double>(table.rows)
                   ? static_cast<std::int64_t>(most) + 1
                   : 0;
    }

    CategoryRows(const Table& table, int column, std::int64_t categories)
        : most_(table.rows / kRowsPerMatch), starts_(categories + 1) {
        std::vector<std::uint32_t> codes(table.rows);
        for (std::int64_t row = 0; row < table.rows; ++row) {
            const double value = table.value(row, column);
            codes[row] = value >= 0 ? static_cast<std::uint32_t>(value) : kNone;
            if (codes[row] != kNone) ++starts_[codes[row] + 1];
        }
        for (std::int64_t code = 0; code < categories; ++code) starts_[code + 1] += starts_[code];
        rows_.resize(starts_.back());
        std::vector<std::uint32_t> ends(starts_.begin(), starts_.end() - 1);
        for (std::int64_t row = 0; row < table.rows; ++row)
            if (codes[row] != kNone) rows_[ends[codes[row]]++] = static_cast<std::uint32_t>(row);
    }

    // The rows of a category, and whether these are so few that they are better evaluated apart.
    Listed of(double value) const {
        if (!(value < static_cast<double>(starts_.size() - 1))) return {nullptr, nullptr};
        const auto code = static_cast<std::size_t>(value);
        return {rows_.data() + starts_[code], rows_.data() + starts_[code + 1]};
    }
    bool few(const Listed& listed) const { return listed.size() <= most_; }

private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr std::int64_t kMostRows = kNone;

    std::int64_t most_;
    std::vector<std::uint32_t> starts_, rows_;
};

// The same of all columns of a table that are worth it, column by column, made when they are first asked for.
class ListedCategories {
public:
    using OfColumns = std::vector<std::shared_ptr<const CategoryRows>>;

    // Used with Python's lock held. Only columns that count in a search are listed.
    const OfColumns& of(const Table& table, const Metric& metric) {
        columns_.resize(table.columns);
        for (const int column : metric.active)
            if (!columns_[column])
                if (const std::int64_t categories = CategoryRows::worth_listing(table, column))
                    columns_[column] = std::make_shared<CategoryRows>(table, column, categories);
        return columns_;
    }

private:
    OfColumns columns_;
};

}  // namespace vicinal
