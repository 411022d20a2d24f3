// Reading whole rows of a table, which may lie in two parts.
#pragma once

#include <algorithm>
#include <vector>

#include "fetch.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// Rows in one part are read where they lie; others are copied, into room for so many at a time. Of these only the
// parts with columns that count are fetched, since they come from far.
class RowReader {
public:
    RowReader(const Rows& rows, const std::vector<int>& active, int at_once = 1) : rows_(rows) {
        if (rows.shared == 0 || active.empty()) return;
        room_.resize(static_cast<std::size_t>(rows.columns) * at_once);
        first_ = active.front() < rows.shared;
        second_ = active.back() >= rows.shared;
    }

    VICINAL_INLINE const double* operator()(std::int64_t row, int slot = 0) {
        if (room_.empty()) return rows_.values + row * (rows_.columns - rows_.shared);
        double* to = room_.data() + slot * rows_.columns;
        if (first_) std::copy_n(rows_.at(row, 0), rows_.shared, to);
        if (second_) std::copy_n(rows_.at(row, rows_.shared), rows_.columns - rows_.shared, to + rows_.shared);
        return to;
    }

private:
    const Rows& rows_;
    std::vector<double> room_;
    bool first_ = false, second_ = false;
};

// The runs of columns that count, each within a part; with the others between, if these fill no line of the cache.
class ColumnSpans {
public:
    ColumnSpans(const Rows& rows, const std::vector<int>& active) : rows_(rows) {
        for (const int column : active) {
            const bool near = !spans_.empty() && column < spans_.back().first + spans_.back().count + kGap;
            if (near && (column < rows.shared) == (spans_.back().first < rows.shared))
                spans_.back().count = column + 1 - spans_.back().first;
            else
                spans_.push_back({column, 1});
        }
    }

    VICINAL_INLINE void fetch_row(std::int64_t row) const {
        for (const Span& span : spans_) fetch(rows_.at(row, span.first), span.count);
    }

private:
    static constexpr int kGap = 8;  // values in a line of the cache
    struct Span {
        int first, count;
    };
    const Rows& rows_;
    std::vector<Span> spans_;
};

}  // namespace vicinal::VICINAL_PATH
