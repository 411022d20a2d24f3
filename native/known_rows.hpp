// What is known of rows beside a query, column by column, worked out when first asked for: many coalitions have
// the same neighbors. Scores are not among it; those differ from one coalition to another.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "fetch.hpp"
#include "offsets.hpp"
#include "rows.hpp"
#include "terms.hpp"
#include "whole_units.hpp"

namespace vicinal::VICINAL_PATH {

// Of more columns, offsets are not kept: influences are centered in few of them.
constexpr std::size_t kFewColumns = 8 * kMostDirections;

template <Power P>
class KnownRows {
public:
    // `in_units` says whether terms will be asked for in whole units.
    KnownRows(const CoalitionJob& job, bool in_units)
        : table_(*job.table), metric_(*job.metric), units_(metric_.p), place_of_column_(metric_.columns(), -1),
          stride_((metric_.active.size() + kLanes - 1) / kLanes * kLanes), has_units_(in_units),
          has_offsets_(metric_.active.size() <= kFewColumns), lanes_(metric_.active.begin(), metric_.active.end()),
          terms_(table_.columns), place_of_(table_.rows, -1), read_(table_, metric_.active),
          spans_(table_, metric_.active) {
        for (int column = 0; column < metric_.columns(); ++column) {
            root_.push_back(std::sqrt(metric_.weights[column] * job.total));
            root_contrast_.push_back(std::sqrt(metric_.residuals[column]));
        }
        for (std::size_t c = 0; c < lanes_.size(); ++c) place_of_column_[lanes_[c]] = static_cast<int>(c);
        lanes_.resize(stride_, lanes_.empty() ? 0 : lanes_.front());
        for (std::size_t c = 0; c < stride_; ++c) {
            lane_weights_.push_back(metric_.weights[lanes_[c]]);
            lane_residuals_.push_back(metric_.residuals[lanes_[c]]);
            lane_roots_.push_back(root_[lanes_[c]]);
            if (metric_.kinds[lanes_[c]] != kNumeric) other_lanes_.push_back(c);
        }
        // Hardly more rows than these are asked about. Lists that grow are in memory twice while they are moved.
        const std::size_t most = std::min(table_.rows, job.slots * job.k) * stride_;
        keys_.reserve(most);
        if (has_units_) in_units_.reserve(most);
        if (has_offsets_) offsets_.reserve(most);
    }

    // The query must outlive what is asked about it.
    void begin(const Query& query) {
        query_ = &query;
        for (const std::int64_t row : rows_) place_of_[row] = -1;
        rows_.clear();
        keys_.clear();
        in_units_.clear();
        offsets_.clear();
        lane_queries_.clear();
        for (const int column : lanes_) lane_queries_.push_back(query.values[column]);
    }

    // The place of a column in what is known of a row, and the column there.
    int place_of_column(int column) const { return place_of_column_[column]; }
    int column_at(int place) const { return lanes_[place]; }

    // Weighted terms, and the same in whole units. They are valid until another row is asked for.
    const double* keys(std::int64_t row) { return in(keys_, row); }
    const double* units(std::int64_t row) { return in(in_units_, row); }

    // How far a row lies from the query in all columns that count, with sign; null if they are too many.
    const double* offsets(std::int64_t row) { return has_offsets_ ? in(offsets_, row) : nullptr; }
    // The same in the column at one place, worked out anew.
    double offset(std::int64_t row, int place) const {
        return offset_by(lanes_[place], table_.value(row, lanes_[place]) - lane_queries_[place]);
    }

    // How far a case lies from the query in one column.
    double offset_by(int column, double gap) const {
        return offset_of(static_cast<Kind>(metric_.kinds[column]), metric_.periods[column], gap,
                         root_contrast_[column] * root_[column],
                         [&](double gap) { return gap / metric_.residuals[column] * root_[column]; });
    }

    // Asks for what comes from far.
    void fetch_row(std::int64_t row) const {
        if (place_of_[row] < 0)
            spans_.fetch_row(row);
        else
            fetch(&keys_[place_of_[row] * stride_], stride_);
    }

private:
    // Numbers may move when a row becomes known.
    const double* in(const std::vector<double>& numbers, std::int64_t row) {
        const std::size_t first = place(row) * stride_;
        return numbers.data() + first;
    }

    std::size_t place(std::int64_t row) {
        if (place_of_[row] >= 0) return place_of_[row];
        const auto at = static_cast<std::int32_t>(rows_.size());
        rows_.push_back(row);
        place_of_[row] = at;
        const double* values = read_(row);
        query_->terms(values, row, terms_.data());
        double* keys = grow(keys_);
        for (std::size_t c = 0; c < stride_; c += kLanes)
            store(keys + c, load(&lane_weights_[c]) * to_key<P>(four(terms_.data(), c), metric_.p));
        if (has_units_) add_units();
        if (has_offsets_) add_offsets(values);
        return at;
    }

    void add_units() {
        double* units = grow(in_units_);
        for (std::size_t c = 0; c < stride_; c += kLanes)
            store(units + c, units_.of(four(terms_.data(), c), load(&lane_weights_[c])));
    }

    void add_offsets(const double* values) {
        double* offsets = grow(offsets_);
        for (std::size_t c = 0; c < stride_; c += kLanes)
            store(offsets + c, number_offsets(four(values, c) - load(&lane_queries_[c]), c));
        for (const std::size_t c : other_lanes_)
            offsets[c] = offset_by(lanes_[c], values[lanes_[c]] - lane_queries_[c]);
    }

    VICINAL_INLINE Vec four(const double* values, std::size_t first) const {
        const int* column = &lanes_[first];
        return Vec{values[column[0]], values[column[1]], values[column[2]], values[column[3]]};
    }

    // As `offset_by` has it of numbers.
    VICINAL_INLINE Vec number_offsets(Vec gap, std::size_t first) const {
        const Vec offset = gap / load(&lane_residuals_[first]) * load(&lane_roots_[first]);
        const Vec known = choose(offset == offset, offset, splat(0.0));
        return larger(smaller(known, splat(kFarthestOffset)), splat(-kFarthestOffset));
    }

    double* grow(std::vector<double>& values) const {
        values.resize(values.size() + stride_);
        return values.data() + values.size() - stride_;
    }

    const Table& table_;
    const Metric& metric_;
    const WholeUnits<P> units_;
    const Query* query_ = nullptr;
    std::vector<double> root_, root_contrast_;  // square roots of weights and residuals
    std::vector<int> place_of_column_;          // among those that count
    const std::size_t stride_;                  // from a row to the next: columns that count, in whole vectors
    const bool has_units_, has_offsets_;        // what is kept besides terms
    std::vector<int> lanes_;                    // these columns, the first one again beyond the last,
    std::vector<double> lane_weights_, lane_residuals_, lane_roots_, lane_queries_;  // what is known of them,
    std::vector<std::size_t> other_lanes_;                                           // and those that are no numbers
    std::vector<double> terms_;                                                      // of the row at hand
    std::vector<std::int32_t> place_of_;             // by row: where what is known of it is, -1 for nowhere
    std::vector<std::int64_t> rows_;                 // that are known
    std::vector<double> keys_, in_units_, offsets_;  // of these rows
    RowReader read_;
    ColumnSpans spans_;
};

}  // namespace vicinal::VICINAL_PATH
