// Leave-one-out: every feature of a case predicted from all its other features, in one pass.
//
// The terms T_i of all features and their sum S are computed once for a query; the order for
// feature i is that of S - T_i. In floating point that difference would carry rounding noise and
// break ties at random, so here terms are fixed-point integers, for which it is exact.
#pragma once

#include <algorithm>
#include <cmath>

#include "terms.hpp"

#if defined(VICINAL_AVX2)
#include <immintrin.h>
#endif

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kStretch = 512;  // rows treated at a time, so that their terms stay in cache

typedef std::int32_t Fixed __attribute__((vector_size(16)));

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
    void clear() {
        cases.clear();
        total = 0.0;
    }
    // Rows come in ascending order, so an equal key never displaces an earlier row.
    std::int32_t limit(double k) const { return total < k ? INT32_MAX : cases.back().key; }
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
    explicit Sweeper(const SweepJob& job) : job_(job), metric_(*job.metric), count_(metric_.active.size()),
          farthest_(farthest_term(metric_.p)), k_(job.k) {
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
            for (std::size_t c = 0; c < count_; ++c)
                if (!missing(value(metric_.active[c], self))) select(c, self, from, size);
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

    void fill_terms(std::size_t c, std::int64_t self, std::int64_t from, std::int64_t size) {
        const int column = metric_.active[c];
        const double query = value(column, self);
        const double* values = job_.columns + column * job_.rows + from;
        const bool lacks = missing(query);
        const double against_missing = lacks                   ? metric_.both_missing[column]
                                       : job_.lacking[column] ? one_missing_term(metric_, column, query)
                                                              : kSame;
        const double factor = 1.0 / metric_.residuals[column];
        const Vec q = splat(query), period = splat(metric_.periods[column]);
        const auto each = [&](const auto& term) {
            for (std::int64_t r = 0; r < size; r += kLanes) {
                Vec x = splat(query);
                if (r + kLanes <= size) x = load(values + r);
                else for (std::int64_t lane = 0; r + lane < size; ++lane) x[lane] = values[r + lane];
                const Vec s = choose(x == x, term(x), splat(against_missing));
                add_fixed(c, r, to_key<P>(smaller(s, splat(farthest_)), metric_.p));
            }
        };
        if (lacks)
            each([&](Vec x) {
                Vec s = splat(0.0);
                for (int lane = 0; lane < kLanes; ++lane)
                    s[lane] = missing(x[lane]) ? against_missing : one_missing_term(metric_, column, x[lane]);
                return s;
            });
        else if (metric_.kinds[column] == kNumeric)
            each([&](Vec x) { return laplace_term(absolute(x - q) * splat(factor)); });
        else if (metric_.kinds[column] == kCyclic)
            each([&](Vec x) { return laplace_term(cyclic_gap(x, q, period) * splat(factor)); });
        else
            each([&](Vec x) { return choose(x == q, splat(kSame), splat(kSame + metric_.residuals[column])); });
    }

    VICINAL_INLINE void add_fixed(std::size_t c, std::int64_t r, Vec key) {
        const Fixed fixed = __builtin_convertvector(splat(weights_[c]) * key * splat(scale_) + splat(0.5), Fixed);
        Fixed sum;
        std::memcpy(&terms_[c * kStretch + r], &fixed, sizeof fixed);
        std::memcpy(&sum, &sums_[r], sizeof sum);
        sum += fixed;
        std::memcpy(&sums_[r], &sum, sizeof sum);
    }

    void select(std::size_t c, std::int64_t self, std::int64_t from, std::int64_t size) {
        const std::int32_t* terms = &terms_[c * kStretch];
        std::int64_t r = 0;
#if defined(VICINAL_AVX2)
        for (; r + 8 <= size; r += 8) {
            const __m256i sum = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(&sums_[r]));
            const __m256i term = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(terms + r));
            const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(best_[c].limit(k_)), _mm256_sub_epi32(sum, term));
            if (_mm256_testz_si256(below, below)) continue;
            for (std::int64_t row = r; row < r + 8; ++row) offer(c, sums_[row] - terms[row], from + row, self);
        }
#endif
        for (; r < size; ++r) offer(c, sums_[r] - terms[r], from + r, self);
    }

    void offer(std::size_t c, std::int32_t key, std::int64_t row, std::int64_t self) {
        if (key >= best_[c].limit(k_) || missing(value(metric_.active[c], row))) return;
        const double weight = weight_left(row, self);
        if (weight > 0) best_[c].insert({key, row, weight}, k_);
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
            const double distance = to_distance(static_cast<double>(candidate.key) / scale_ / others, metric_.p);
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
                first += w * std::cos(outcome / period * 2 * M_PI);
                second += w * std::sin(outcome / period * 2 * M_PI);
            }
        }
        double result() const {
            if (missing(truth) || weight <= 0) return std::numeric_limits<double>::quiet_NaN();
            if (kind != kCyclic) return first / weight;
            // Directions that cancel have no mean.
            if (std::hypot(first, second) < 1e-9 * weight) return std::numeric_limits<double>::quiet_NaN();
            const double angle = std::atan2(second, first) / (2 * M_PI);
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
    std::vector<std::int32_t> terms_, sums_;
    std::vector<Nearby> best_;
};

}  // namespace vicinal::VICINAL_PATH
