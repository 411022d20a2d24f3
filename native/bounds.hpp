// Lower bounds of the weighted key, bin by bin, and their rounding to bytes.
#pragma once

#include <algorithm>

#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

constexpr int kCodes = 16;
constexpr double kUnreachable = 1e300;   // the bound of an empty bin
constexpr std::size_t kTableBytes = 32;  // one look-up table, written twice

// Least distance from each of four points to the interval [low, high].
inline Vec gap_to_interval(Vec point, double low, double high) {
    return larger(larger(splat(low) - point, point - splat(high)), splat(0.0));
}

inline Vec cyclic_gap_to_interval(Vec point, double low, double high, double period) {
    const Vec nearest =
        smaller(cyclic_gap(point, splat(low), splat(period)), cyclic_gap(point, splat(high), splat(period)));
    return choose((point >= splat(low)) & (point <= splat(high)), splat(0.0), nearest);
}

// For one query, column by column, a lower bound of w h(s) over the values in each bin.
class Bounds {
public:
    // Of one column the least bound of all, and how far above it that of each bin lies.
    struct Column {
        double least = kUnreachable;
        double above[kCodes];
    };

    static Column of_column(const Table& table, const Query& query, int column) {
        double terms[kCodes];
        term_bounds(table, query, column, terms);
        return of_terms(*query.metric, column, terms);
    }

    // The same of the least terms, bin by bin.
    static Column of_terms(const Metric& metric, int column, const double* terms) {
        Column bounds;
        Vec lowest = splat(kUnreachable);
        for (int code = 0; code < kCodes; code += kLanes) {
            // The bound is one rounding step away from the exact key at most; a relative
            // margin far above that keeps it a bound.
            const Vec s = smaller(load(terms + code), splat(kUnreachable));
            const Vec key = to_key(s, metric.p) * splat(metric.weights[column] * (1.0 - 1e-12));
            const Vec bound = choose(s < splat(kUnreachable), key, splat(kUnreachable));
            store(bounds.above + code, bound);
            lowest = minimum(lowest, bound);
        }
        for (int lane = 0; lane < kLanes; ++lane) bounds.least = std::min(bounds.least, lowest[lane]);
        for (int code = 0; code < kCodes; code += kLanes)
            store(bounds.above + code, load(bounds.above + code) - splat(bounds.least));
        return bounds;
    }

    // The least terms of a column, bin by bin, and that of missing values.
    static void term_bounds(const Table& table, const Query& query, int column, double* terms) {
        const Metric& metric = *query.metric;
        const double value = query.values[column];
        if (missing(value) && missing(metric.one_missing[column]) && nothing_observed(metric, column))
            std::fill(terms, terms + kBins, kSame);
        else if (table.kinds[column] == kNominal)
            nominal_bounds(metric, column, value, query.may_match(column), terms);
        else if (metric.kinds[column] == kNominal)
            category_bounds(metric, column, value, table.bins + column * kBins * 2, terms);
        else if (metric.kinds[column] == kNumeric && !missing(value))
            number_bounds(1.0 / metric.residuals[column], value, table.bins + column * kBins * 2, terms);
        else
            interval_bounds(metric, column, value, table.bins + column * kBins * 2, terms);
        terms[kMissingCode] = !table.lacking[column] ? kUnreachable
                              : missing(value)       ? metric.both_missing[column]
                                                     : query.gap_terms[column];
    }

    // `column_at` gives the bounds of the active column at a place.
    template <class ColumnAt>
    void prepare(const Table& table, const Metric& metric, const ColumnAt& column_at) {
        const std::size_t count = metric.active.size();
        bound_.resize(count * kCodes);
        nominal_.resize(count);
        base_ = 0.0;
        for (std::size_t c = 0; c < count; ++c) {
            nominal_[c] = table.kinds[metric.active[c]] == kNominal;
            const Column bounds = column_at(c);
            std::copy(bounds.above, bounds.above + kCodes, &bound_[c * kCodes]);
            base_ += bounds.least;
        }
    }

    // Bytes such that a sum that reaches 255 (the sums saturate) proves key > threshold. Written
    // twice in a row per column, since the shuffle looks up each half of a register by itself,
    // with `stride` bytes from column to column.
    void to_bytes(double threshold, std::uint8_t* out, std::size_t stride) const {
        const double scale = byte_scale(threshold);
        for (std::size_t c = 0; c * kCodes < bound_.size(); ++c)
            write_table(&bound_[c * kCodes], scale, out + c * stride);
    }

    // The same for the summary of blocks, from the bytes of rows: from the least bin of a block on upwards no bound
    // is below the minimum of those that follow, and from the greatest on downwards likewise. What is the least of
    // all is taken away, rounded up: then one of the two is always 0, so they may be added.
    void to_summary_bytes(const std::uint8_t* bytes, std::size_t stride, std::uint8_t* out) const {
        for (std::size_t c = 0; c < nominal_.size(); ++c, bytes += stride, out += 2 * kTableBytes) {
            if (nominal_[c]) {
                write_twice(bytes, out);
                std::fill_n(out + kTableBytes, kTableBytes, 0);
            } else {
                std::uint8_t least[kCodes], most[kCodes], either[kCodes];
                // Some row may lack the column, wherever the others of its block are.
                for (int code = 0; code < kCodes; ++code) either[code] = std::min(bytes[code], bytes[kMissingCode]);
                lowest_beyond(either, least, most);
                write_twice(least, out);
                write_twice(most, out + kTableBytes);
            }
            for (const int code : {kMixed, kMixed + kCodes}) out[code] = out[code + kTableBytes] = 0;  // no bound
        }
    }

    // The bound of one row by its codes, without the rounding to bytes. `codes` points at its block.
    double of_row(const std::uint8_t* codes, const std::vector<int>& active, int place) const {
        const std::uint8_t* at = codes + place % kBlockBytes;
        const int shift = place < kBlockBytes ? 0 : 4;
        const std::size_t count = active.size();
        const auto bound = [&](std::size_t c) {
            return bound_[c * kCodes + (at[static_cast<std::size_t>(active[c]) * kBlockBytes] >> shift & 15)];
        };
        double even = base_, odd = 0.0;  // two, so that additions need not wait for each other
        for (std::size_t c = 0; c + 1 < count; c += 2) even += bound(c), odd += bound(c + 1);
        return (count % 2 ? even + bound(count - 1) : even) + odd;
    }

    // The greatest sum of bytes, made for `threshold`, that stands for a bound within `limit`; at
    // most 254, the last that rules nothing out. Half a step to spare covers rounding.
    int last_sum(double limit, double threshold) const {
        const double sum = (limit - base_) * byte_scale(threshold) + 0.5;
        return sum < 254 ? static_cast<int>(std::max(0.0, sum)) : 254;
    }

    // No key lies below the base.
    double base() const { return base_; }

private:
    double byte_scale(double threshold) const {
        const double room = threshold * (1.0 + 1e-9) - base_;
        return room > 0 ? std::min(254.5 / room, 1e250) : 1e250;
    }

    static void write_twice(const std::uint8_t* bytes, std::uint8_t* out) {
        std::copy_n(bytes, kCodes, out);
        std::copy_n(bytes, kCodes, out + kCodes);
    }

    // The least of the bytes of a bin and all after it, and of it and all before, above the least of all.
    static void lowest_beyond(const std::uint8_t* bytes, std::uint8_t* after, std::uint8_t* before) {
#if defined(VICINAL_AVX2)
        // As the greatest of what lacks of 255: shifts bring in zeros.
        const __m128i full = _mm_set1_epi8(-1), bins = _mm_srli_si128(full, 1);
        const __m128i lack = _mm_andnot_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)), bins);
        __m128i up = _mm_max_epu8(lack, _mm_srli_si128(lack, 1)), down = _mm_max_epu8(lack, _mm_slli_si128(lack, 1));
        up = _mm_max_epu8(up, _mm_srli_si128(up, 2)), down = _mm_max_epu8(down, _mm_slli_si128(down, 2));
        up = _mm_max_epu8(up, _mm_srli_si128(up, 4)), down = _mm_max_epu8(down, _mm_slli_si128(down, 4));
        up = _mm_max_epu8(up, _mm_srli_si128(up, 8)), down = _mm_max_epu8(down, _mm_slli_si128(down, 8));
        const int lowest = 255 - (_mm_cvtsi128_si32(up) & 255);
        const __m128i less = _mm_set1_epi8(static_cast<char>(std::min(lowest + (lowest > 0), 255)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(after), _mm_subs_epu8(_mm_xor_si128(up, full), less));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(before), _mm_subs_epu8(_mm_xor_si128(down, full), less));
#else
        std::copy_n(bytes, kCodes, after);
        std::copy_n(bytes, kCodes, before);
        for (int code = kBins - 2; code >= 0; --code) after[code] = std::min(after[code], after[code + 1]);
        for (int code = 1; code < kBins; ++code) before[code] = std::min(before[code], before[code - 1]);
        const int less = after[0] + (after[0] > 0);
        for (int code = 0; code < kBins; ++code) {
            after[code] = static_cast<std::uint8_t>(std::max(after[code] - less, 0));
            before[code] = static_cast<std::uint8_t>(std::max(before[code] - less, 0));
        }
#endif
    }

    static void write_table(const double* bound, double scale, std::uint8_t* out) {
        typedef std::int32_t Whole __attribute__((vector_size(16)));
        typedef std::uint8_t Bytes __attribute__((vector_size(4)));
        for (int code = 0; code < kCodes; code += kLanes) {
            const Vec scaled = smaller(load(bound + code) * splat(scale), splat(255.0));
            const Bytes bytes = __builtin_convertvector(__builtin_convertvector(scaled, Whole), Bytes);
            std::memcpy(out + code, &bytes, sizeof bytes);
            std::memcpy(out + code + kCodes, &bytes, sizeof bytes);
        }
    }

    // The floor of a term is a bound as well, and sooner had.
    static void number_bounds(double inverse, double value, const double* bins, double* terms) {
        for (int code = 0; code < kCodes; code += kLanes) {
            const double* at = bins + 2 * code;
            const double* last = bins + 2 * std::min(code + 3, kBins - 1);  // there is no bin of missing values
            const Vec low = {at[0], at[2], at[4], last[0]}, high = {at[1], at[3], at[5], last[1]};
            const Vec gap = larger(larger(low - splat(value), splat(value) - high), splat(0.0));
            store(terms + code, choose(low <= high, laplace_floor(gap * splat(inverse)), splat(kUnreachable)));
        }
    }

    static void interval_bounds(const Metric& metric, int column, double value, const double* bins, double* terms) {
        const double period = metric.periods[column];
        const auto gap = [&](Vec points, int bin) {
            const double low = bins[2 * bin], high = bins[2 * bin + 1];
            return metric.kinds[column] == kCyclic ? cyclic_gap_to_interval(points, low, high, period)
                                                   : gap_to_interval(points, low, high);
        };
        double gaps[kCodes] = {};
        for (int bin = 0; bin < kBins; ++bin) {
            const bool empty = !(bins[2 * bin] <= bins[2 * bin + 1]);
            if (!missing(value))
                gaps[bin] = empty ? 0.0 : gap(splat(value), bin)[0];
            else if (!missing(metric.one_missing[column]))
                terms[bin] = metric.one_missing[column];
            else if (!empty)  // each point's term is bounded, so the mean is
                terms[bin] = expected_laplace(metric, column, [&](Vec points) { return gap(points, bin); });
            if (empty) terms[bin] = kUnreachable;
        }
        if (missing(value)) return;
        const Vec inverse = splat(1.0 / metric.residuals[column]);
        for (int bin = 0; bin < kCodes; bin += kLanes) store(gaps + bin, laplace_term(load(gaps + bin) * inverse));
        for (int bin = 0; bin < kBins; ++bin)
            terms[bin] = bins[2 * bin] <= bins[2 * bin + 1] ? gaps[bin] : kUnreachable;
    }

    // Numbers read as categories: another value of the same bin may be the query's.
    static void category_bounds(const Metric& metric, int column, double value, const double* bins, double* terms) {
        const double contrast = metric.residuals[column];
        for (int bin = 0; bin < kBins; ++bin) {
            const double low = bins[2 * bin], high = bins[2 * bin + 1];
            double term = kSame + contrast;
            if (!missing(value)) {
                if (value >= low && value <= high) term = kSame;
            } else if (!missing(metric.one_missing[column])) {
                term = metric.one_missing[column];
            } else {
                const Support& support = metric.supports[column];
                for (std::int64_t m = 0; m < support.size; ++m)
                    if (support.points[m] >= low && support.points[m] <= high)
                        term = std::min(term, kSame + contrast * (1.0 - support.shares[m]));
            }
            terms[bin] = low <= high ? term : kUnreachable;
        }
    }

    // Category c lies in bin c mod 15.
    static void nominal_bounds(const Metric& metric, int column, double value, bool may_match, double* terms) {
        const double contrast = metric.residuals[column];
        if (missing(value)) {
            const bool fixed = !missing(metric.one_missing[column]);
            std::fill(terms, terms + kBins, fixed ? metric.one_missing[column] : kSame + contrast);
            const Support& support = metric.supports[column];
            for (std::int64_t m = 0; m < support.size && !fixed; ++m) {
                double& term = terms[m % kBins];
                term = std::min(term, kSame + contrast * (1.0 - support.shares[m]));
            }
            return;
        }
        std::fill(terms, terms + kBins, kSame + contrast);
        if (may_match) terms[static_cast<std::int64_t>(value) % kBins] = kSame;
    }

    std::vector<double> bound_;
    std::vector<bool> nominal_;
    double base_ = 0.0;
};

}  // namespace vicinal::VICINAL_PATH
