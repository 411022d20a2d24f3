// Feature weights that make a target least surprising: the loss, its slope, and the descent.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "candidates.hpp"
#include "simd.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// The objective of EntropyJob as a function of the logarithms of the weights. Singles are added up
// over a few cases at a time, so that their rounding stays small.
class EntropyLoss {
public:
    EntropyLoss(const EntropyJob& job, const double* logs)
        : job_(job), candidates_(job, logs), weights_(job.columns), slopes_(job.columns),
          slope_(static_cast<std::size_t>(job.columns) * kSingles), shares_(candidates_.widest()),
          pull_(candidates_.widest()) {}

    double operator()(const std::vector<double>& logs, std::vector<double>& gradient) {
        const int d = job_.columns;
        for (int i = 0; i < d; ++i) weights_[i] = static_cast<float>(std::exp(logs[i]));
        std::fill(slopes_.begin(), slopes_.end(), 0.0);
        double loss = 0.0;
        for (std::int64_t q = 0; q < job_.cases; ++q) {
            loss += job_.weights[q] * one_case(q);
            if (q % kTogether == kTogether - 1 || q == job_.cases - 1) gather_slope();
        }
        double penalty = 0.0;
        for (int i = 0; i < d; ++i) {
            const double off = logs[i] - job_.start[i];
            penalty += off * off;
            gradient[i] = slopes_[i] * std::exp(logs[i]) + 2 * job_.pull * off / d;
        }
        return loss + job_.pull * penalty / d;
    }

private:
    static constexpr std::int64_t kTogether = 16;

    // Pointers and sizes are held in locals: what is written to memory might be any of the members.
    void find_shares(std::int64_t q) {
        const int width = candidates_.width(q);
        float* shares = shares_.data();
        int j = 0;
        for (; j + 4 * kSingles <= width; j += 4 * kSingles) find_logits<4>(q, j, shares);
        for (; j + 2 * kSingles <= width; j += 2 * kSingles) find_logits<2>(q, j, shares);
        if (j < width) find_logits<1>(q, j, shares);
        Single most = load(shares);
        for (j = kSingles; j < width; j += kSingles) most = larger(most, load(shares + j));
        float highest = most[0];
        for (int lane = 1; lane < kSingles; ++lane) highest = std::max(highest, most[lane]);
        if (!std::isfinite(highest)) highest = 0.0f;  // a case without candidates
        Single total = splat_single(0.0f);
        for (j = 0; j < width; j += kSingles) {
            const Single share = exponential(load(shares + j) - splat_single(highest));
            store(shares + j, share);
            total += share;
        }
        const float sum = sum_lanes(total);
        const Single part = splat_single(sum > 0 ? 1.0f / sum : 0.0f);
        for (j = 0; j < width; j += kSingles) store(shares + j, load(shares + j) * part);
    }

    // Several vectors abreast, because each sum alone would wait for its last term.
    template <int Count>
    VICINAL_INLINE void find_logits(std::int64_t q, int j, float* shares) const {
        const int d = job_.columns, width = candidates_.width(q);
        const float* weights = weights_.data();
        const float *terms = candidates_.excess_of(q) + j, *mass = candidates_.mass_of(q) + j;
        Single logits[Count];
        for (int v = 0; v < Count; ++v) logits[v] = load(mass + v * kSingles);
        for (int i = 0; i < d; ++i, terms += width)
            for (int v = 0; v < Count; ++v) logits[v] -= splat_single(weights[i]) * load(terms + v * kSingles);
        for (int v = 0; v < Count; ++v) store(shares + j + v * kSingles, logits[v]);
    }

    double one_case(std::int64_t q) {
        find_shares(q);
        const double loss = job_.classes ? class_loss(q) : number_loss(q);
        const Single weight = splat_single(static_cast<float>(job_.weights[q]));
        const int d = job_.columns, width = candidates_.width(q);
        const float *terms = candidates_.excess_of(q), *pull = pull_.data();
        float* slope = slope_.data();
        for (int i = 0; i < d; ++i, terms += width, slope += kSingles) {
            Single sum = splat_single(0.0f);
            for (int j = 0; j < width; j += kSingles) sum += load(pull + j) * load(terms + j);
            store(slope, load(slope) + weight * sum);
        }
        return loss;
    }

    void gather_slope() {
        for (int i = 0; i < job_.columns; ++i) {
            slopes_[i] += static_cast<double>(sum_lanes(load(&slope_[i * kSingles])));
            store(&slope_[i * kSingles], splat_single(0.0f));
        }
    }

    // -log of the influence on hits, mixed with a trace of the class's share.
    double class_loss(std::int64_t q) {
        const double hit = mean_outcome(q);
        const double mixed = (1 - job_.mix) * hit + job_.mix * job_.prior[q];
        find_pull(q, hit, (1 - job_.mix) / mixed);
        return -std::log(mixed);
    }

    // The absolute error, rounded off near zero. Of differences, so that a shift of all outcomes moves nothing.
    double number_loss(std::int64_t q) {
        const double error = mean_outcome(q);
        const double size = std::sqrt(error * error + job_.smooth * job_.smooth);
        find_pull(q, error, -error / size);
        return size;
    }

    double mean_outcome(std::int64_t q) const {
        const float *outcomes = candidates_.outcomes_of(q), *shares = shares_.data();
        const int width = candidates_.width(q);
        Single sum = splat_single(0.0f);
        for (int j = 0; j < width; j += kSingles) sum += load(shares + j) * load(outcomes + j);
        return sum_lanes(sum);
    }

    // How the loss falls with the excess of each candidate.
    void find_pull(std::int64_t q, double mean, double factor) {
        const float *outcomes = candidates_.outcomes_of(q), *shares = shares_.data();
        const int width = candidates_.width(q);
        float* pull = pull_.data();
        const Single middle = splat_single(static_cast<float>(mean)), part = splat_single(static_cast<float>(factor));
        for (int j = 0; j < width; j += kSingles)
            store(pull + j, part * load(shares + j) * (load(outcomes + j) - middle));
    }

    const EntropyJob& job_;
    const Candidates candidates_;
    std::vector<float> weights_;
    std::vector<double> slopes_;
    std::vector<float> slope_, shares_, pull_;
};

// L-BFGS within bounds: steps that leave the box are cut off at its sides.
class Descent {
public:
    Descent(const EntropyJob& job, const double* logs) : job_(job), loss_(job, logs) {}

    void run(double* logs) {
        const int d = job_.columns;
        std::vector<double> x(logs, logs + d), gradient(d), next(d), next_gradient(d), direction(d);
        double value = loss_(x, gradient);
        for (int n = 0; n < job_.iterations; ++n) {
            find_direction(x, gradient, direction);
            double slope = 0.0, length = pairs_.empty() ? 1.0 / std::max(norm(gradient), 1e-12) : 1.0;
            for (int i = 0; i < d; ++i) slope += direction[i] * gradient[i];
            if (!(slope < 0)) break;
            double reached = value;
            for (int halvings = 0; halvings < 16; ++halvings, length /= 2) {
                for (int i = 0; i < d; ++i)
                    next[i] = std::clamp(x[i] + length * direction[i], job_.lowest, job_.highest);
                reached = loss_(next, next_gradient);
                if (reached <= value + 1e-4 * length * slope) break;
            }
            if (!(reached < value)) break;
            remember(x, next, gradient, next_gradient);
            const double fall = value - reached;
            x.swap(next);
            gradient.swap(next_gradient);
            value = reached;
            if (fall < 1e-6 * std::max(std::abs(value), 1e-3)) break;  // what singles can tell
        }
        std::copy(x.begin(), x.end(), logs);
    }

private:
    static constexpr std::size_t kMemory = 8;
    struct Pair {
        std::vector<double> step, change;
        double inverse;  // 1 / (step . change)
    };

    static double dot(const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0.0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
        return sum;
    }
    static double norm(const std::vector<double>& a) { return std::sqrt(dot(a, a)); }

    void find_direction(const std::vector<double>& x, const std::vector<double>& gradient, std::vector<double>& out) {
        const int d = job_.columns;
        for (int i = 0; i < d; ++i) out[i] = -gradient[i];
        std::vector<double> alphas(pairs_.size());
        for (std::size_t p = pairs_.size(); p-- > 0;) {
            alphas[p] = pairs_[p].inverse * dot(pairs_[p].step, out);
            for (int i = 0; i < d; ++i) out[i] -= alphas[p] * pairs_[p].change[i];
        }
        if (!pairs_.empty()) {
            const Pair& last = pairs_.back();
            const double scale = 1.0 / (last.inverse * dot(last.change, last.change));
            for (double& value : out) value *= scale;
        }
        for (std::size_t p = 0; p < pairs_.size(); ++p) {
            const double beta = pairs_[p].inverse * dot(pairs_[p].change, out);
            for (int i = 0; i < d; ++i) out[i] += (alphas[p] - beta) * pairs_[p].step[i];
        }
        // At a side of the box only the way back in is open.
        for (int i = 0; i < d; ++i)
            if ((x[i] <= job_.lowest && out[i] < 0) || (x[i] >= job_.highest && out[i] > 0)) out[i] = 0.0;
    }

    void remember(const std::vector<double>& from, const std::vector<double>& to, const std::vector<double>& before,
                  const std::vector<double>& after) {
        Pair pair{to, after, 0.0};
        for (int i = 0; i < job_.columns; ++i) pair.step[i] -= from[i], pair.change[i] -= before[i];
        const double curvature = dot(pair.step, pair.change);
        if (!(curvature > 1e-12)) return;
        pair.inverse = 1.0 / curvature;
        if (pairs_.size() == kMemory) pairs_.erase(pairs_.begin());
        pairs_.push_back(std::move(pair));
    }

    const EntropyJob& job_;
    EntropyLoss loss_;
    std::vector<Pair> pairs_;
};

}  // namespace vicinal::VICINAL_PATH
