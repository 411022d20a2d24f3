// Terms of a pair of cases, and their weighted sum: the key by which cases are ordered.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "power.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// f(t) = t + e^-t (3 + t) / 2, the Lukaszyk-Karmowski distance of two Laplace variables over their
// scale, at t scales apart.
VICINAL_INLINE Vec laplace_term(Vec t) { return t + splat(0.5) * exponential(-t) * (splat(3.0) + t); }

// A lower bound of f, for half the work. The alternating series 1 - y + y^2/2 - y^3/6 never exceeds
// e^-y, so neither does its eighth power e^-8y while it is positive: it falls, through 0 a little
// behind y = 1.596. From there on, up to t = infinity, its eighth power is below 1e-34 and adds
// nothing to t in double precision; and f(t) > t. What is left is rounding.
VICINAL_INLINE Vec laplace_floor(Vec t) {
    const Vec y = smaller(t * splat(0.125), splat(1.596));
    const Vec root = (splat(1.0) - y) + (y * y) * (splat(1.0 / 2) - y * splat(1.0 / 6));
    const Vec square = root * root;
    const Vec fourth = square * square;
    return t + (fourth * fourth) * (splat(1.5) + splat(4.0) * y);
}

// The shorter way round; both values lie in [0, period).
VICINAL_INLINE Vec cyclic_gap(Vec x, Vec y, Vec period) {
    const Vec gap = absolute(x - y);
    return smaller(gap, period - gap);
}

constexpr int kMostFactors = 1000;      // numbers below 2 whose product stays finite
constexpr std::size_t kFewGroups = 25;  // up to so many, terms are cut off at 1024 or later
constexpr double kLogTwo = 0.69314718055994530942;

inline bool missing(double x) { return x != x; }

inline double share_of(const Metric& metric, int column, double value) {
    const Support& support = metric.supports[column];
    // Category codes stand at their own place; numbers read as categories may stand anywhere.
    if (value >= 0 && value < static_cast<double>(support.size)) {
        const auto place = static_cast<std::int64_t>(value);
        if (support.points[place] == value) return support.shares[place];
    }
    for (std::int64_t m = 0; m < support.size; ++m)
        if (support.points[m] == value) return support.shares[m];
    return 0.0;
}

// Of a feature never observed nothing can be told apart.
inline bool nothing_observed(const Metric& metric, int column) { return metric.supports[column].size == 0; }

// The mean over the feature's distribution of the term of gap(point), four points at a time.
template <class Gap>
inline double expected_laplace(const Metric& metric, int column, const Gap& gap) {
    const double inverse = 1.0 / metric.residuals[column];
    Vec sum = splat(0.0);
    const Support& support = metric.supports[column];
    std::int64_t m = 0;
    for (; m + kLanes <= support.size; m += kLanes)
        sum += load(support.shares + m) * laplace_term(gap(load(support.points + m)) * splat(inverse));
    if (m < support.size) {
        Vec points = splat(support.points[m]), shares = splat(0.0);
        for (int lane = 0; lane < kLanes && m + lane < support.size; ++lane) {
            points[lane] = support.points[m + lane];
            shares[lane] = support.shares[m + lane];
        }
        sum += shares * laplace_term(gap(points) * splat(inverse));
    }
    return sum_lanes(sum);
}

// The term of (value, missing): fixed where the metric says so, else its expectation.
inline double one_missing_term(const Metric& metric, int column, double value) {
    if (!missing(metric.one_missing[column])) return metric.one_missing[column];
    if (nothing_observed(metric, column)) return kSame;
    if (metric.kinds[column] == kNominal)
        return kSame + metric.residuals[column] * (1.0 - share_of(metric, column, value));
    const Vec v = splat(value), period = splat(metric.periods[column]);
    if (metric.kinds[column] == kCyclic)
        return expected_laplace(metric, column, [&](Vec x) { return cyclic_gap(x, v, period); });
    return expected_laplace(metric, column, [&](Vec x) { return absolute(x - v); });
}

// The expected term of two values drawn from a feature's distribution.
inline double random_pair_term(const Metric& metric, int column) {
    const Support& support = metric.supports[column];
    double sum = support.size == 0 ? kSame : 0.0;
    for (std::int64_t m = 0; m < support.size; ++m)
        sum += support.shares[m] * (metric.kinds[column] == kNominal
                                        ? kSame + metric.residuals[column] * (1.0 - support.shares[m])
                                        : one_missing_term(metric, column, support.points[m]));
    return sum;
}

// The observed columns of one kind, four to a group; the last group is padded with weight zero.
struct Group {
    // No vectors: the standard library is to keep groups, and knows nothing of an instruction path.
    alignas(32) double query[kLanes], factor[kLanes], period[kLanes], weight[kLanes], if_missing[kLanes];
    int column[kLanes];
    bool contiguous, full;  // columns side by side; no lane is padded
    VICINAL_INLINE Vec values(const double* row) const {
        if (contiguous) return load(row + column[0]);
        return Vec{row[column[0]], row[column[1]], row[column[2]], row[column[3]]};
    }
};

// A query made ready for one metric: everything that does not depend on the other case.
struct Query {
    std::vector<Group> numeric, cyclic, nominal;
    std::vector<int> unknown;  // active columns that the query itself lacks
    const Metric* metric = nullptr;
    const double* values = nullptr;
    const MissingTerms* against_missing = nullptr;
    bool gaps = true;               // whether a stored case may lack a column that the query has
    std::vector<double> gap_terms;  // of columns that stored cases may lack, where the query has them
    // By column whether no row at hand has the query's category, because those that do are evaluated apart; or null.
    const std::uint8_t* apart = nullptr;
    double cut_off = 0.0;  // so far may terms go that the product of all is finite

    std::size_t groups() const { return numeric.size() + cyclic.size() + nominal.size(); }

    // Whether rows may have the query's category.
    bool may_match(int column) const { return !apart || !apart[column]; }

    // `lacking` says of each column whether any stored case may lack it; only then is the term
    // against a missing value worked out.
    void prepare(const Metric& m, const double* row, const std::uint8_t* lacking) {
        metric = &m;
        values = row;
        apart = nullptr;
        numeric.clear();
        cyclic.clear();
        nominal.clear();
        unknown.clear();
        gaps = false;
        gap_terms.resize(m.kinds.size());
        int filled[3] = {0, 0, 0};
        for (const int column : m.active) {
            if (missing(row[column])) {
                unknown.push_back(column);
                continue;
            }
            gaps |= lacking[column] != 0;
            auto& groups = m.kinds[column] == kNumeric ? numeric : m.kinds[column] == kCyclic ? cyclic : nominal;
            put(groups, filled[m.kinds[column]]++ % kLanes, column, lacking[column]);
        }
        for (auto* groups : {&numeric, &cyclic, &nominal})
            for (auto& group : *groups) {
                group.contiguous = true;
                group.full = group.weight[0] > 0;
                for (int lane = 1; lane < kLanes; ++lane) {
                    group.contiguous &= group.column[lane] == group.column[0] + lane;
                    group.full &= group.weight[lane] > 0;
                }
            }
        cut_off = std::exp2(std::floor(1000.0 / static_cast<double>(kLanes * std::max<std::size_t>(groups(), 1))));
    }

    // Calls use(group, terms) for each group of observed columns, in the one fixed order.
    template <class Use>
    VICINAL_INLINE void each_group(const double* row, const Use& use) const {
        each_group(row, [](Vec t) { return laplace_term(t); }, use);
    }

    // The same with another function of the differences in scales.
    template <class Laplace, class Use>
    VICINAL_INLINE void each_group(const double* row, const Laplace& laplace, const Use& use) const {
        if (gaps)
            each_group(
                row, laplace, [](const Group& g, Vec x, Vec s) { return choose(x == x, s, load(g.if_missing)); }, use);
        else
            each_group(row, laplace, [](const Group&, Vec, Vec s) { return s; }, use);
    }

    template <class Laplace, class Known, class Use>
    VICINAL_INLINE void each_group(const double* row, const Laplace& laplace, const Known& known,
                                   const Use& use) const {
        for (const Group& g : numeric) use(g, numeric_terms(g, row, laplace, known));
        for (const Group& g : cyclic) use(g, cyclic_terms(g, row, laplace, known));
        for (const Group& g : nominal) use(g, nominal_terms(g, row, known));
    }

    // The same of many rows whose values lie side by side, column after column: calls use(column, weight, i,
    // terms) for four rows at a time. The values of a column are at column_at(column).
    template <class ColumnAt, class Use>
    VICINAL_INLINE void each_column_of(std::size_t count, const ColumnAt& column_at, const Use& use) const {
        const auto known = [](const Group& g, int lane, Vec x, Vec s) {
            return choose(x == x, s, splat(g.if_missing[lane]));
        };
        const auto each = [&](const std::vector<Group>& groups, const auto& term) {
            for (const Group& g : groups)
                for (int lane = 0; lane < kLanes; ++lane) {
                    if (!(g.weight[lane] > 0)) continue;
                    const double* values = column_at(g.column[lane]);
                    if (!values) continue;
                    for (std::size_t i = 0; i < count; i += kLanes) {
                        const Vec x = load(values + i);
                        use(g.column[lane], g.weight[lane], i, known(g, lane, x, term(g, lane, x)));
                    }
                }
        };
        each(numeric, [](const Group& g, int lane, Vec x) {
            return laplace_term(absolute(x - splat(g.query[lane])) * splat(g.factor[lane]));
        });
        each(cyclic, [](const Group& g, int lane, Vec x) {
            const Vec gap = cyclic_gap(x, splat(g.query[lane]), splat(g.period[lane]));
            return laplace_term(gap * splat(g.factor[lane]));
        });
        each(nominal, [](const Group& g, int lane, Vec x) {
            return choose(x == splat(g.query[lane]), splat(kSame), splat(kSame) + splat(g.factor[lane]));
        });
    }

    // The term of a column that the query lacks, against a value of the row `at`.
    double unknown_term(int column, double value, std::int64_t at) const {
        if (missing(value)) return metric->both_missing[column];
        if (against_missing && !(*against_missing)[column].empty()) return (*against_missing)[column][at];
        return one_missing_term(*metric, column, value);
    }

    template <Power P>
    VICINAL_INLINE void add_unknown(const double* row, std::int64_t at, double& total) const {
        for (const int column : unknown) {
            const Vec s = splat(unknown_term(column, row[column], at));
            total += metric->weights[column] * to_key<P>(s, metric->p)[0];
        }
    }

    // Of the values of a row, and where among all it is.
    template <Power P>
    double key(const double* row, std::int64_t at) const {
        double total;
        if (P == Power::kZero && metric->uniform) {
            total = uniform_log_sum(row, [](Vec t) { return laplace_term(t); });
        } else {
            Vec sum = splat(0.0);
            each_group(row, [&](const Group& g, Vec s) { sum += load(g.weight) * to_key<P>(s, metric->p); });
            total = sum_lanes(sum);
        }
        add_unknown<P>(row, at, total);
        return total;
    }

    // Other powers take logarithms, and the expectation of a term that the query lacks takes longer
    // than all the rest, unless it is known of all rows: then a floor would not be faster.
    template <Power P>
    bool has_floor() const {
        return P != Power::kOther && std::all_of(unknown.begin(), unknown.end(), [&](int column) {
                   return !missing(metric->one_missing[column]) ||
                          (against_missing && !(*against_missing)[column].empty());
               });
    }

    // A lower bound of the key, faster to work out and little below it. Keys grow with terms, so only
    // rounding could lift it above; the margin is far larger, since the logarithm of any number that
    // a double holds is below 710.
    template <Power P>
    double key_floor(const double* row, std::int64_t at) const {
        const auto laplace = [](Vec t) { return laplace_floor(t); };
        double total;
        if (P == Power::kZero && metric->uniform) {
            total = groups() <= kFewGroups ? uniform_log_floor(row, laplace) : uniform_log_sum(row, laplace);
        } else {
            Vec sum = splat(0.0);
            each_group(row, laplace, [&](const Group& g, Vec s) { sum += load(g.weight) * to_key<P>(s, metric->p); });
            total = sum_lanes(sum);
        }
        add_unknown<P>(row, at, total);
        return total - 1e-9 * (1.0 + std::abs(total));
    }

    // The terms themselves, for every active column; the others are left alone.
    void terms(const double* row, std::int64_t at, double* out) const {
        each_group(row, [&](const Group& g, Vec s) {
            if (g.contiguous && g.full) return store(out + g.column[0], s);
            for (int lane = 0; lane < kLanes; ++lane)
                if (g.weight[lane] > 0) out[g.column[lane]] = s[lane];
        });
        for (const int column : unknown) out[column] = unknown_term(column, row[column], at);
    }

private:
    // `known` puts the terms against a missing value in their place.
    template <class Laplace, class Known>
    VICINAL_INLINE static Vec numeric_terms(const Group& g, const double* row, const Laplace& laplace,
                                            const Known& known) {
        const Vec x = g.values(row);
        return known(g, x, laplace(absolute(x - load(g.query)) * load(g.factor)));
    }
    template <class Laplace, class Known>
    VICINAL_INLINE static Vec cyclic_terms(const Group& g, const double* row, const Laplace& laplace,
                                           const Known& known) {
        const Vec x = g.values(row);
        return known(g, x, laplace(cyclic_gap(x, load(g.query), load(g.period)) * load(g.factor)));
    }
    template <class Known>
    VICINAL_INLINE static Vec nominal_terms(const Group& g, const double* row, const Known& known) {
        const Vec x = g.values(row);
        return known(g, x, choose(x == load(g.query), splat(kSame), splat(kSame) + load(g.factor)));
    }

    // With equal weights the logarithm of a product stands for a sum of logarithms. Exponents are
    // added apart, so that the product, of numbers below 2, is far from what a double can hold.
    template <class Laplace>
    VICINAL_INLINE double uniform_log_sum(const double* row, const Laplace& laplace) const {
        Vec sum = splat(0.0), product = splat(1.0);
        Bits exponents = splat_bits(0);
        int factors = 0;
        each_group(row, laplace, [&](const Group& g, Vec s) {
            const Bits bits = as_bits(choose(load(g.weight) > splat(0.0), s, splat(1.0)));
            exponents += (bits >> 52) - splat_bits(1023);
            product = product * as_vec((bits & splat_bits(kFraction)) | splat_bits(kOneBits));
            if (++factors % kMostFactors == 0) {
                sum += logarithm(product);
                product = splat(1.0);
            }
        });
        sum += logarithm(product);
        const std::int64_t twos = exponents[0] + exponents[1] + exponents[2] + exponents[3];
        return metric->weights[metric->active[0]] * (sum_lanes(sum) + static_cast<double>(twos) * kLogTwo);
    }

    // The same from below: terms are cut off where their product might overflow. For x in [0, 1] the
    // ratio of log2(1 + x) - x to x (1 - x) is convex, so it lies above its tangents; this is one.
    template <class Laplace>
    VICINAL_INLINE double uniform_log_floor(const double* row, const Laplace& laplace) const {
        Vec product = splat(1.0);
        each_group(row, laplace, [&](const Group& g, Vec s) {
            product = product * smaller(choose(load(g.weight) > splat(0.0), s, splat(1.0)), splat(cut_off));
        });
        const double whole = (product[0] * product[1]) * (product[2] * product[3]);
        const std::int64_t bits = std::bit_cast<std::int64_t>(whole);
        const double x = std::bit_cast<double>((bits & kFraction) | kOneBits) - 1.0;
        const double twos = static_cast<double>((bits >> 52) - 1023) + x + x * (1.0 - x) * (0.416 - 0.153 * x);
        return metric->weights[metric->active[0]] * (twos * kLogTwo);
    }

    void put(std::vector<Group>& groups, int lane, int column, bool lacking) {
        const Metric& m = *metric;
        if (lane == 0) {
            Group padded{};
            std::fill_n(padded.if_missing, kLanes, kSame);
            for (int& c : padded.column) c = column;
            groups.push_back(padded);
        }
        Group& g = groups.back();
        g.column[lane] = column;
        g.query[lane] = values[column];
        g.factor[lane] = m.kinds[column] == kNominal ? m.residuals[column] : 1.0 / m.residuals[column];
        g.period[lane] = m.periods[column];
        g.weight[lane] = m.weights[column];
        if (lacking) g.if_missing[lane] = gap_terms[column] = one_missing_term(m, column, values[column]);
    }
};

}  // namespace vicinal::VICINAL_PATH
