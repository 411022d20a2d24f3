// Leave-one-out: every feature of a case predicted from all its other features, in one pass.
//
// The terms T_i of all features and their sum S are computed once for a query; the order for
// feature i is that of S - T_i. In floating point that difference would carry rounding noise and
// break ties at random, so here terms are fixed-point integers, for which it is exact. Singles have
// digits enough to make them of.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "steps.hpp"
#include "terms.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kStretch = 512;  // rows treated at a time, so that their terms stay in cache

// Terms beyond this count as this: just "far". Large powers stretch keys apart, so there it lies
// nearer, to leave the integers enough steps for what is near.
inline double farthest_term(double p) { return p > 0 ? std::min(64.0, kSame * std::exp2(16.0 / p)) : 64.0; }

struct Candidate {
    std::int32_t key;
    std::int64_t row;
    double weight;
};

// The nearest cases so far whose weights add up to k, the last one perhaps in part.
struct Nearby {
    std::vector<Candidate> cases;
    double total = 0.0;
    std::int32_t ceiling = INT32_MAX;  // k units are known to lie below it
    void clear() {
        cases.clear();
        total = 0.0;
        ceiling = INT32_MAX;
    }
    // Rows come in ascending order, so an equal key never displaces an earlier row.
    std::int32_t limit(double k) const { return total < k ? ceiling : cases.back().key; }
    void insert(const Candidate& candidate, double k) {
        const auto after = [](std::int32_t key, const Candidate& other) { return key < other.key; };
        cases.insert(std::upper_bound(cases.begin(), cases.end(), candidate.key, after), candidate);
        total += candidate.weight;
        while (total - cases.back().weight >= k) {
            total -= cases.back().weight;
            cases.pop_back();
        }
    }
};

template <Power P>
class Sweeper {
public:
    explicit Sweeper(const SweepJob& job)
        : job_(job), metric_(*job.metric), count_(metric_.active.size()), farthest_(farthest_term(metric_.p)),
          k_(job.k) {
        // Weights that sum to the number of features have mean one.
        const double farthest = to_key<P>(splat(farthest_), metric_.p)[0];
        double reach = 0.0;
        for (const int column : metric_.active) {
            weights_.push_back(metric_.weights[column] * static_cast<double>(count_));
            reach += weights_.back() * farthest + 1.0;
        }
        scale_ = std::exp2(std::floor(std::log2(2147483647.0 / std::max(reach, 1.0))));
        terms_.resize(count_ * kStretch);
        sums_.resize(kStretch);
        none_.resize(kStretch);
        tables_.resize(count_ * kTableWidth);
        best_.resize(count_);
    }

    void run(std::int64_t at) {
        const std::int64_t self = job_.queries[at];
        double* out = job_.predictions + at * metric_.columns();
        std::fill(out, out + metric_.columns(), std::numeric_limits<double>::quiet_NaN());
        if (count_ < 2) {
            for (const int column : metric_.active) out[column] = predict_alone(column, self);
            return;
        }
        for (auto& best : best_) best.clear();
        for (std::int64_t from = 0; from < job_.rows; from += kStretch) {
            const std::int64_t size = std::min(kStretch, job_.rows - from);
            std::fill(sums_.begin(), sums_.end(), 0);
            for (std::size_t c = 0; c < count_; ++c) fill_terms(c, self, from, size);
            if (from == 0) set_ceilings(self, size);
            for (std::size_t c = 0; c < count_; ++c) {
                const int column = metric_.active[c];
                if (missing(value(column, self))) continue;
                const std::int32_t* terms = &terms_[c * kStretch];
                select(best_[c], job_.lacking[column] ? column : kAny, terms, self, from, size);
            }
        }
        for (std::size_t c = 0; c < count_; ++c) out[metric_.active[c]] = predict(c, self);
    }

private:
    double value(int column, std::int64_t row) const { return job_.columns[column * job_.rows + row]; }

    // What is left of a case's weight when one unit of the query's own is taken away.
    double weight_left(std::int64_t row, std::int64_t self) const {
        const double weight = job_.case_weights ? job_.case_weights[row] : 1.0;
        return row == self ? weight - 1.0 : weight;
    }

    // Of a column with few steps the terms are looked up; of others they are worked out row by row.
    void fill_terms(std::size_t c, std::int64_t self, std::int64_t from, std::int64_t size) {
        const int column = metric_.active[c];
        const double query = value(column, self);
        std::int32_t* terms = &terms_[c * kStretch];
        if (const StepColumn& steps = job_.steps[column]; !steps.values.empty()) {
            const auto count = static_cast<std::int64_t>(steps.values.size());
            std::int32_t* table = &tables_[c * kTableWidth];
            if (from == 0) work_out(c, query, steps.values.data(), count, table);
            add_looked_up(table, count, steps.codes.data() + from, size, terms, sums_.data());
        } else {
            work_out(c, query, job_.columns + column * job_.rows + from, size, terms);
            for (std::int64_t r = 0; r < size; r += kSingles) add_eight(load_bits(terms + r), &sums_[r]);
        }
    }

    VICINAL_INLINE static SingleBits load_bits(const std::int32_t* from) {
        SingleBits x;
        std::memcpy(&x, from, sizeof x);
        return x;
    }
    VICINAL_INLINE static void add_eight(SingleBits terms, std::int32_t* sums) {
        const SingleBits sum = load_bits(sums) + terms;
        std::memcpy(sums, &sum, sizeof sum);
    }

    // Eight rows at a time; `codes` may be read as far.
    static void add_looked_up(const std::int32_t* table, std::int64_t count, const std::uint8_t* codes,
                              std::int64_t size, std::int32_t* terms, std::int32_t* sums) {
        const auto each = [&](const auto& look_up) {
            for (std::int64_t r = 0; r < size; r += kSingles) {
                const SingleBits found = look_up(codes + r);
                std::memcpy(terms + r, &found, sizeof found);
                add_eight(found, sums + r);
            }
        };
#if defined(VICINAL_AVX2)
        // Up to eight entries are looked up by one instruction; bits of the code choose between the eights.
        const __m256i* eights = reinterpret_cast<const __m256i*>(table);
        const __m256i first = _mm256_loadu_si256(eights), second = _mm256_loadu_si256(eights + 1),
                      third = _mm256_loadu_si256(eights + 2), fourth = _mm256_loadu_si256(eights + 3);
        const auto wide = [](const std::uint8_t* from) {
            return _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from)));
        };
        const auto entry = [](__m256i of, __m256i code) {
            return _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(of, code));
        };
        const auto either = [](__m256 low, __m256 high, __m256i code, int bit) {
            return _mm256_blendv_ps(low, high, _mm256_castsi256_ps(_mm256_slli_epi32(code, 31 - bit)));
        };
        const auto as_bits = [](__m256 x) { return reinterpret_cast<SingleBits>(x); };
        if (count <= 8) return each([&](const std::uint8_t* from) { return as_bits(entry(first, wide(from))); });
        if (count <= 16)
            return each([&](const std::uint8_t* from) {
                const __m256i code = wide(from);
                return as_bits(either(entry(first, code), entry(second, code), code, 3));
            });
        if (count <= 32)
            return each([&](const std::uint8_t* from) {
                const __m256i code = wide(from);
                const __m256 low = either(entry(first, code), entry(second, code), code, 3);
                return as_bits(either(low, either(entry(third, code), entry(fourth, code), code, 3), code, 4));
            });
#else
        static_cast<void>(count);
#endif
        each([&](const std::uint8_t* from) {
            return SingleBits{table[from[0]], table[from[1]], table[from[2]], table[from[3]],
                              table[from[4]], table[from[5]], table[from[6]], table[from[7]]};
        });
    }

    // The keys of a column's terms for some values, written in eights.
    void work_out(std::size_t c, double query, const double* values, std::int64_t size, std::int32_t* out) const {
        const int column = metric_.active[c];
        const bool lacks = missing(query);
        const double against_missing = lacks                  ? metric_.both_missing[column]
                                       : job_.lacking[column] ? one_missing_term(metric_, column, query)
                                                              : kSame;
        const Keys keys{metric_.p, farthest_, weights_[c] * scale_};
        const std::int32_t unknown = keys.of_term(against_missing);
        const bool gaps = job_.lacking[column];
        // Calls term(low, high) for eight values, four and four.
        const auto each = [&](const auto& term) {
            for (std::int64_t r = 0; r < size; r += kSingles) {
                double last[kSingles];
                const double* x = values + r;
                if (r + kSingles > size) {
                    std::fill_n(last, kSingles, query);
                    std::copy(x, values + size, last);
                    x = last;
                }
                SingleBits key = term(load(x), load(x + kLanes));
                if (gaps)
                    for (int lane = 0; lane < kSingles; ++lane)
                        if (missing(x[lane])) key[lane] = unknown;
                std::memcpy(out + r, &key, sizeof key);
            }
        };
        const double factor = 1.0 / metric_.residuals[column];
        const Vec q = splat(query), scales = splat(factor), period = splat(metric_.periods[column]);
        if (lacks)
            each([&](Vec low, Vec high) {
                SingleBits each;
                for (int lane = 0; lane < kSingles; ++lane) {
                    const double x = lane < kLanes ? low[lane] : high[lane - kLanes];
                    each[lane] = missing(x) ? unknown : keys.of_term(one_missing_term(metric_, column, x));
                }
                return each;
            });
        else if (metric_.kinds[column] == kNumeric)
            each([&](Vec low, Vec high) {
                return keys.of_laplace(absolute(low - q) * scales, absolute(high - q) * scales);
            });
        else if (metric_.kinds[column] == kCyclic)
            each([&](Vec low, Vec high) {
                return keys.of_laplace(cyclic_gap(low, q, period) * scales, cyclic_gap(high, q, period) * scales);
            });
        else {
            const Vec same = splat(keys.of_term(kSame)), other = splat(keys.of_term(kSame + metric_.residuals[column]));
            each([&](Vec low, Vec high) {
                return to_integers(choose(low == q, same, other), choose(high == q, same, other));
            });
        }
    }

    // Terms turned into integer keys. Singles have digits enough for them; only large powers have not.
    struct Keys {
        const double p, farthest, unit;

        std::int32_t of_term(double term) const {
            if constexpr (P == Power::kOther) return of_terms(splat(term), splat(term))[0];
            return of_terms(splat_single(static_cast<float>(std::min(term, farthest))))[0];
        }
        // Of differences in scales.
        VICINAL_INLINE SingleBits of_laplace(Vec low, Vec high) const {
            low = smaller(low, splat(farthest));
            high = smaller(high, splat(farthest));
            if constexpr (P == Power::kOther) return of_terms(laplace_term(low), laplace_term(high));
            const Single t = to_single(on_grid(low), on_grid(high));
            return of_terms(t + splat_single(0.5f) * exponential(-t) * (splat_single(3.0f) + t));
        }

    private:
        VICINAL_INLINE SingleBits of_terms(Single s) const {
            Single key = smaller(s, splat_single(static_cast<float>(farthest)));
            if constexpr (P == Power::kZero) key = logarithm(key);
            if constexpr (P == Power::kTwo) key = key * key;
            return __builtin_convertvector(key * splat_single(static_cast<float>(unit)) + splat_single(0.5f),
                                           SingleBits);
        }
        SingleBits of_terms(Vec low, Vec high) const {
            low = to_key<P>(smaller(low, splat(farthest)), p) * splat(unit) + splat(0.5);
            high = to_key<P>(smaller(high, splat(farthest)), p) * splat(unit) + splat(0.5);
            return to_integers(low, high);
        }
        // Rounded to what a single can hold of 64, so that rounding in a change of unit is not seen.
        VICINAL_INLINE static Vec on_grid(Vec t) {
            const Vec rounder = splat(kRounder / (1 << 18));
            return (t + rounder) - rounder;
        }
    };

    static constexpr int kTableWidth = kMostSteps + kSingles;
    static constexpr int kAny = -1;  // no column that a case might lack

    // The rows of the first stretch that are nearest by all features are near by all but one, too:
    // the farthest of them without feature c shows how near the nearest k must be.
    void set_ceilings(std::int64_t self, std::int64_t size) {
        nearest_.clear();
        select(nearest_, kAny, none_.data(), self, 0, size);
        if (nearest_.total < k_) return;
        for (std::size_t c = 0; c < count_; ++c) {
            if (job_.lacking[metric_.active[c]]) continue;
            std::int32_t farthest = 0;
            for (const Candidate& candidate : nearest_.cases)
                farthest = std::max(farthest, candidate.key - terms_[c * kStretch + candidate.row]);
            best_[c].ceiling = farthest + 1;
        }
    }

    // Offers the rows of a stretch, each by its sum less one term.
    void select(Nearby& best, int needed, const std::int32_t* terms, std::int64_t self, std::int64_t from,
                std::int64_t size) {
        std::int64_t r = 0;
#if defined(VICINAL_AVX2)
        __m256i limit = _mm256_set1_epi32(best.limit(k_));
        for (; r + 8 <= size; r += 8) {
            const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&sums_[r]));
            const __m256i term = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms + r));
            const __m256i below = _mm256_cmpgt_epi32(limit, _mm256_sub_epi32(sum, term));
            auto there = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(below)));
            if (!there) continue;
            for (; there; there &= there - 1) {
                const std::int64_t row = r + std::countr_zero(there);
                offer(best, needed, sums_[row] - terms[row], from + row, self);
            }
            limit = _mm256_set1_epi32(best.limit(k_));
        }
#endif
        for (; r < size; ++r) offer(best, needed, sums_[r] - terms[r], from + r, self);
    }

    void offer(Nearby& best, int needed, std::int32_t key, std::int64_t row, std::int64_t self) {
        if (key >= best.limit(k_) || (needed != kAny && missing(value(needed, row)))) return;
        const double weight = weight_left(row, self);
        if (weight > 0) best.insert({key, row, weight}, k_);
    }

    double predict(std::size_t c, std::int64_t self) const {
        const int column = metric_.active[c];
        const double others = static_cast<double>(count_) - weights_[c];
        double units = k_;
        Mean mean(metric_, column, value(column, self));
        for (const Candidate& candidate : best_[c].cases) {
            const double count = std::min(candidate.weight, units);
            units -= count;
            // No distance lies below that of equal cases; the integers might, where weights are tiny.
            const double distance = to_distance<P>(static_cast<double>(candidate.key) / scale_ / others, metric_.p);
            mean.add(value(column, candidate.row), count / std::max(distance, kSame));
        }
        return mean.result();
    }

    // With no other feature to go by, all other cases count alike.
    double predict_alone(int column, std::int64_t self) const {
        Mean mean(metric_, column, value(column, self));
        for (std::int64_t row = 0; row < job_.rows; ++row) {
            const double left = weight_left(row, self);
            if (left > 0 && !missing(value(column, row))) mean.add(value(column, row), left);
        }
        return mean.result();
    }

    // The influence-weighted outcome: a mean, a mean direction, or the influence on the true category.
    struct Mean {
        const std::uint8_t kind;
        const double period, truth;
        double weight = 0.0, first = 0.0, second = 0.0;
        Mean(const Metric& metric, int column, double truth)
            : kind(metric.kinds[column]), period(metric.periods[column]), truth(truth) {}
        void add(double outcome, double w) {
            weight += w;
            if (kind == kNumeric) first += w * outcome;
            if (kind == kNominal) first += outcome == truth ? w : 0.0;
            if (kind == kCyclic) {
                first += w * std::cos(outcome / period * 2 * std::numbers::pi);
                second += w * std::sin(outcome / period * 2 * std::numbers::pi);
            }
        }
        double result() const {
            if (missing(truth) || weight <= 0) return std::numeric_limits<double>::quiet_NaN();
            if (kind != kCyclic) return first / weight;
            // Directions that cancel have no mean.
            if (std::hypot(first, second) < 1e-9 * weight) return std::numeric_limits<double>::quiet_NaN();
            const double angle = std::atan2(second, first) / (2 * std::numbers::pi);
            return (angle < 0 ? angle + 1.0 : angle) * period;
        }
    };

    const SweepJob& job_;
    const Metric& metric_;
    const std::size_t count_;
    const double farthest_;
    const double k_;
    std::vector<double> weights_;
    double scale_ = 1.0;
    std::vector<std::int32_t> terms_, sums_, none_;
    std::vector<std::int32_t> tables_;  // of columns with steps: the terms of the query and each of them
    std::vector<Nearby> best_;
    Nearby nearest_;
};

}  // namespace vicinal::VICINAL_PATH
