// The weighted terms of a query and the rows of a span, player by player, in whole units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "rough_excess.hpp"
#include "terms.hpp"
#include "whole_units.hpp"

namespace vicinal::VICINAL_PATH {

// Rows treated at a time.
struct Span {
    // Of many columns fewer, since each takes room for every row, and so does every depth of the tree.
    explicit Span(const CoalitionJob& job) : rows(job.metric->active.size() > 1024 ? 64 : 256) {}

    const std::int64_t rows;
    // From one column or depth to the next. Were it a power of two, all of them would be kept in the same few
    // lines of the processor's cache, and drive each other out.
    const std::int64_t stride = rows + 2 * kLanes;
};

template <Power P>
class SpanTerms {
public:
    // Terms are laid out by column. Behind them come those of players without any, which are all 0, and the sums of
    // those of players with several.
    SpanTerms(const CoalitionJob& job, const Span& span, const WholeUnits<P>& units)
        : job_(job), table_(*job.table), metric_(*job.metric), units_(units), span_(span),
          place_(metric_.columns(), -1), values_(metric_.active.size() * span.stride) {
        std::size_t count = metric_.active.size();
        for (std::size_t c = 0; c < count; ++c) place_[metric_.active[c]] = static_cast<int>(c);
        std::vector<std::vector<int>> places(job_.n_players);
        for (const int column : metric_.active)
            if (job_.player_of[column] >= 0) places[job_.player_of[column]].push_back(place_[column]);
        const std::size_t nothing = count++;
        for (const auto& own : places) {
            place_of_player_.push_back(own.empty() ? nothing : own.size() == 1 ? own[0] : count);
            if (own.size() > 1) shared_.push_back({count++, own});
        }
        terms_.assign(count * span.stride, 0.0);
        rough_.assign(count * span.stride, 0.0f);
    }

    const double* of(std::size_t player) const { return &terms_[place_of_player_[player] * span_.stride]; }
    // The same in single precision, each wrong by a part of `kRough` and a unit for each column.
    const float* roughly_of(std::size_t player) const { return &rough_[place_of_player_[player] * span_.stride]; }

    // The values of some rows, column after column; scores are made up of parts.
    void gather(const std::vector<std::int64_t>& rows) {
        for (std::size_t c = 0; c < metric_.active.size(); ++c) {
            const int column = metric_.active[c];
            if (job_.player_of[column] < 0) continue;
            double* to = &values_[c * span_.stride];
            for (std::size_t r = 0; r < rows.size(); ++r) to[r] = table_.value(rows[r], column);
        }
    }

    // The terms of these rows.
    void fill(const Query& query, const std::vector<std::int64_t>& rows) {
        fill_columns(query, rows, [](int) { return true; });
        for (const SeveralColumns& one : shared_) add_up<Vec, kLanes>(one, terms_.data());
    }

    // The terms of these rows in single precision alone.
    void fill_roughly(const Query& query, const std::vector<std::int64_t>& rows) {
        if constexpr (P == Power::kOne) {
            for (const Group& group : query.numeric)
                for (int lane = 0; lane < kLanes; ++lane)
                    if (group.weight[lane] > 0 && job_.player_of[group.column[lane]] >= 0)
                        fill_number(group, lane, rows.size());
            fill_columns(query, rows, [&](int column) { return metric_.kinds[column] != kNumeric; });
            for (const int column : metric_.active)
                if (metric_.kinds[column] != kNumeric || missing(query.values[column])) narrow(place_[column]);
            for (const SeveralColumns& one : shared_) add_up<Single, kSingles>(one, rough_.data());
        } else {
            fill(query, rows);
            narrow();
        }
    }

    // The terms that have been filled, in single precision.
    void narrow() {
        for (std::size_t place = 0; place < rough_.size() / span_.stride; ++place) narrow(place);
    }

private:
    struct SeveralColumns {
        std::size_t place;
        std::vector<int> columns;
    };

    // The terms of columns that are wanted, and of all that the query lacks.
    template <class Wanted>
    void fill_columns(const Query& query, const std::vector<std::int64_t>& rows, const Wanted& wanted) {
        query.each_column_of(
            rows.size(),
            [&](int column) {
                return job_.player_of[column] < 0 || !wanted(column) ? nullptr
                                                                     : &values_[place_[column] * span_.stride];
            },
            [&](int column, double weight, std::size_t r, Vec s) {
                store(&terms_[place_[column] * span_.stride + r], units_.of(s, splat(weight)));
            });
        for (const int column : query.unknown) {
            double* to = &terms_[place_[column] * span_.stride];
            for (std::size_t r = 0; r < rows.size(); ++r) {
                const Vec s = splat(query.unknown_term(column, table_.value(rows[r], column), rows[r]));
                to[r] = units_.of(s, splat(metric_.weights[column]))[0];
            }
        }
    }

    void fill_number(const Group& group, int lane, std::size_t count) {
        const std::size_t first = static_cast<std::size_t>(place_[group.column[lane]]) * span_.stride;
        const Vec query = splat(group.query[lane]), factor = splat(group.factor[lane]);
        const Single weight = splat_single(static_cast<float>(group.weight[lane] * units_.per_key()));
        const Single lacking =
            splat_single(static_cast<float>(units_.of(splat(group.if_missing[lane]), splat(group.weight[lane]))[0]));
        for (std::size_t r = first; r < first + count; r += kSingles) {
            const Single t = to_single(absolute(load(&values_[r]) - query) * factor,
                                       absolute(load(&values_[r + kLanes]) - query) * factor);
            const Single term = laplace_excess(smaller(t, splat_single(kFarthestScales))) * weight;
            store(&rough_[r], t == t ? term : lacking);
        }
    }

    void narrow(std::size_t place) {
        for (std::size_t r = place * span_.stride; r < (place + 1) * span_.stride; r += kSingles)
            store(&rough_[r], to_single(load(&terms_[r]), load(&terms_[r + kLanes])));
    }

    template <class Some, std::int64_t Lanes, class Number>
    void add_up(const SeveralColumns& one, Number* terms) {
        Number* sum = terms + one.place * span_.stride;
        std::fill_n(sum, span_.rows, Number{0});
        for (const std::size_t own : one.columns)
            for (std::int64_t r = 0; r < span_.rows; r += Lanes) {
                const Some more = load(terms + own * span_.stride + r);
                store(sum + r, load(sum + r) + more);
            }
    }

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    const WholeUnits<P>& units_;
    const Span& span_;
    std::vector<int> place_;                    // of a column among those that count
    std::vector<std::size_t> place_of_player_;  // where its terms are
    std::vector<SeveralColumns> shared_;        // by player that has several
    std::vector<double> values_, terms_;        // by column
    std::vector<float> rough_;                  // the same terms in single precision
};

}  // namespace vicinal::VICINAL_PATH
