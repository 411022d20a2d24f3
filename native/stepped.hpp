// Keys and bounds of queries whose rows are known by their steps.
#pragma once

#include "bounds.hpp"
#include "steps.hpp"

namespace vicinal::VICINAL_PATH {

// What one step of a column says of every other, worked out when a query first has it.
template <Power P>
class StepTerms {
public:
    StepTerms(const StepCodes& codes, const Table& table, const Metric& metric)
        : codes_(codes), table_(table), metric_(metric) {
        std::size_t keys = 0, rows = 0;
        for (const auto& slot : codes.slots()) {
            firsts_.push_back({keys, rows});
            keys += static_cast<std::size_t>(slot.steps) * (slot.steps + 1);
            rows += static_cast<std::size_t>(slot.steps);
        }
        keys_.resize(keys);
        bounds_.resize(rows);
        keys_known_.assign(rows, 0);
        bounds_known_.assign(rows, 0);
    }

    const StepCodes& codes() const { return codes_; }

    // The weighted keys of a step, or of any other value, and each step of its column.
    void write_keys(std::size_t s, double value, double* out) {
        const auto& slot = codes_.slots()[s];
        const int step = codes_.step(s, value);
        if (step < 0) return work_out(slot, value, out);
        double* keys = &keys_[firsts_[s].key + static_cast<std::size_t>(step) * (slot.steps + 1)];
        if (!keys_known_[firsts_[s].row + step]) {
            work_out(slot, value, keys);
            keys_known_[firsts_[s].row + step] = 1;
        }
        std::copy(keys, keys + slot.steps + 1, out);
    }

    // The bounds of the active column at a place, by its bins.
    Bounds::Column bounds(const Query& query, std::size_t place) {
        const std::size_t s = codes_.slot_at(place);
        const int column = codes_.slots()[s].column;
        const int step = codes_.step(s, query.values[column]);
        if (step < 0) return Bounds::of_column(table_, query, column);
        const std::size_t row = firsts_[s].row + step;
        if (!bounds_known_[row]) {
            bounds_[row] = Bounds::of_column(table_, query, column);
            bounds_known_[row] = 1;
        }
        return bounds_[row];
    }

private:
    struct First {
        std::size_t key, row;
    };

    // As `Query` has them, to the last bit.
    void work_out(const StepCodes::Slot& slot, double value, double* out) const {
        const int column = slot.column;
        const Vec query = splat(value), inverse = splat(1.0 / metric_.residuals[column]);
        const double weight = metric_.weights[column];
        for (int from = 0; from < slot.steps; from += kLanes) {
            const Vec x = splat(slot.first + from) + Vec{0.0, 1.0, 2.0, 3.0};
            Vec s;
            if (metric_.kinds[column] == kNominal)
                s = choose(x == query, splat(kSame), splat(kSame) + splat(metric_.residuals[column]));
            else if (metric_.kinds[column] == kCyclic)
                s = laplace_term(cyclic_gap(x, query, splat(metric_.periods[column])) * inverse);
            else
                s = laplace_term(absolute(x - query) * inverse);
            const Vec key = splat(weight) * to_key<P>(s, metric_.p);
            for (int lane = 0; lane < kLanes && from + lane < slot.steps; ++lane) out[from + lane] = key[lane];
        }
        if (!table_.lacking[column]) return;
        out[slot.steps] = weight * to_key<P>(splat(one_missing_term(metric_, column, value)), metric_.p)[0];
    }

    const StepCodes& codes_;
    const Table& table_;
    const Metric& metric_;
    std::vector<First> firsts_;  // of each slot
    std::vector<double> keys_;
    std::vector<Bounds::Column> bounds_;
    std::vector<std::uint8_t> keys_known_, bounds_known_;
};

// A query that lacks nothing, made ready for the steps of rows.
class StepQuery {
public:
    template <Power P>
    void prepare(StepTerms<P>& terms, const double* values) {
        const auto& slots = terms.codes().slots();
        width_ = static_cast<std::size_t>(terms.codes().widest());
        slots_ = slots.size();
        if (keys_.size() != slots_ * width_)
            keys_.assign(slots_ * width_, 0.0);  // where there is no column it stays so
        for (std::size_t s = 0; s < slots_; ++s)
            if (slots[s].column >= 0) terms.write_keys(s, values[slots[s].column], &keys_[s * width_]);
    }

    // The key of a row, in the order and so with the bits of `Query::key`.
    VICINAL_INLINE double key(const std::uint8_t* row) const {
        static_assert(StepCodes::kTogether == kLanes);
        Vec sum = splat(0.0);
        const double* at = keys_.data();
        for (std::size_t s = 0; s < slots_; s += kLanes, at += kLanes * width_)
            sum += Vec{at[row[s]], at[width_ + row[s + 1]], at[2 * width_ + row[s + 2]], at[3 * width_ + row[s + 3]]};
        return sum_lanes(sum);
    }

private:
    std::vector<double> keys_;  // (slots, width)
    std::size_t slots_ = 0, width_ = 0;
};

}  // namespace vicinal::VICINAL_PATH
