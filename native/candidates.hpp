// The candidates of each left-out case when feature weights are learned.
//
// What must hold:
// - Nearest first, each candidate takes as many of the k places as it weighs. Those that tie for the last
//   places share them, each by its weight, so that their order cannot be seen.
// - Of more ties than there is room for, some stand for all: in the order of their outcomes and then of
//   their terms, equal parts of the weight have one each. So outcomes are spread as among all ties, and
//   the order of the pool cannot be seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "candidate_terms.hpp"
#include "nearest.hpp"
#include "pair_terms.hpp"
#include "simd.hpp"
#include "term_codes.hpp"
#include "types.hpp"

namespace vicinal::VICINAL_PATH {

// Candidates of a case lie side by side, so that eight are treated at a time; its width is their number
// rounded up to that.
class Candidates {
public:
    Candidates(const EntropyJob& job, const double* logs) : job_(job), own_(job.columns), starts_{0} {
        std::vector<float> weights(job.columns);
        for (int i = 0; i < job.columns; ++i) weights[i] = static_cast<float>(std::exp(logs[i]));
        if (job.pairs) pairs_.emplace(*job.pairs);
        if (job.candidates) near_.emplace(*job.candidates);
        NearestOfPool nearest(job.columns, job.pool, job.k);
        reserve();
        for (std::int64_t q = 0; q < job.cases; ++q) {
            terms_ = pairs_ ? pairs_->of(job.rows[q]) : columns_of(q);
            choose(q, nearest.find(terms_, weights.data(), [&](float* totals) { leave_out(q, totals); }));
            const std::size_t room = std::max<std::size_t>(taken_.size(), 1);
            starts_.push_back(starts_.back() + (room + kSingles - 1) / kSingles * kSingles);
            make_room();
            keep(q);  // at once, while its terms are in cache
        }
    }

    int width(std::int64_t q) const { return static_cast<int>(starts_[q + 1] - starts_[q]); }
    int widest() const {
        int most = kSingles;
        for (std::int64_t q = 0; q < job_.cases; ++q) most = std::max(most, width(q));
        return most;
    }
    // (columns, width), until another case is asked about
    const float* excess_of(std::int64_t q) const {
        const std::size_t first = starts_[q] * job_.columns;
        if (!coded()) return excess_.data() + first;
        if (q != asked_) {
            decoded_.resize(static_cast<std::size_t>(width(q)) * job_.columns);
            decode_terms(codes_.data() + first, decoded_.size(), decoded_.data());
            asked_ = q;
        }
        return decoded_.data();
    }
    // (width,): logarithm of the places taken, -infinity for none
    const float* mass_of(std::int64_t q) const { return mass_.data() + starts_[q]; }
    // (width,): 1 for the true class, 0 for another; or the number less the true one
    const float* outcomes_of(std::int64_t q) const { return outcomes_.data() + starts_[q]; }

private:
    struct Taken {
        std::int64_t at;  // where in the pool
        double places;
    };

    // (columns, pool), of a case with a pool of its own
    const float* const* columns_of(std::int64_t q) {
        const float* terms =
            near_ ? near_->of(job_.rows[q], job_.pool) : job_.excess + job_.rows[q] * job_.columns * job_.pool;
        for (int i = 0; i < job_.columns; ++i) own_[i] = terms + i * job_.pool;
        return own_.data();
    }
    bool coded() const { return job_.candidates && job_.candidates->coded; }
    double places_of(std::int64_t q, std::int64_t at) const {
        if (job_.pairs) return job_.places[at] - (at == job_.own[q] ? 1.0 : 0.0);
        return job_.places[q * job_.pool + at];
    }
    double outcome_of(std::int64_t q, std::int64_t at) const {
        const double outcome = job_.outcomes[job_.pairs ? at : q * job_.pool + at], truth = job_.truth[q];
        return job_.classes ? outcome == truth : outcome - truth;
    }

    void leave_out(std::int64_t q, float* totals) const {
        if (job_.pairs) {  // all of them weigh something, but for the case itself
            const std::int64_t own = job_.own[q];
            if (own >= 0 && !(places_of(q, own) > 0)) totals[own] = NearestOfPool::kNever;
            return;
        }
        const double* places = job_.places + q * job_.pool;
        for (std::int64_t at = 0; at < job_.pool; ++at)
            totals[at] = places[at] > 0 ? totals[at] : NearestOfPool::kNever;
    }

    // For as many as there are without ties for the last of the places.
    void reserve() {
        const std::size_t most = static_cast<std::size_t>(std::min<std::int64_t>(job_.k, job_.pool));
        const std::size_t size = static_cast<std::size_t>(job_.cases) * ((most + kSingles - 1) / kSingles * kSingles);
        mass_.reserve(size);
        outcomes_.reserve(size);
        if (coded())
            codes_.reserve(size * job_.columns);
        else
            excess_.reserve(size * job_.columns);
    }

    void make_room() {
        mass_.resize(starts_.back(), -std::numeric_limits<float>::infinity());
        outcomes_.resize(starts_.back());
        if (coded())
            codes_.resize(starts_.back() * job_.columns);
        else
            excess_.resize(starts_.back() * job_.columns);
    }

    void choose(std::int64_t q, const std::vector<NearestOfPool::Place>& order) {
        taken_.clear();
        double left = job_.k;
        for (std::size_t first = 0, last; first < order.size() && left > 0; first = last) {
            double mass = 0.0;
            for (last = first; last < order.size() && order[last].first == order[first].first; ++last)
                mass += places_of(q, order[last].second);
            const double room = static_cast<double>(job_.k) - static_cast<double>(first);
            const double part = std::min({1.0, left / mass, room / static_cast<double>(last - first)});
            const std::size_t before = taken_.size();
            for (std::size_t j = first; j < last; ++j)
                taken_.push_back({order[j].second, part * places_of(q, order[j].second)});
            if (part < 1.0) {
                if (taken_.size() > static_cast<std::size_t>(job_.k)) represent(q, before, part * mass);
                return;
            }
            left -= mass;
        }
    }

    // Lets at most k of the ties from `first` on stand for all of them.
    void represent(std::int64_t q, std::size_t first, double mass) {
        const auto tied = taken_.begin() + static_cast<std::ptrdiff_t>(first);
        std::sort(tied, taken_.end(), [&](const Taken& a, const Taken& b) { return compare(q, a.at, b.at) < 0; });
        auto last = tied;
        for (auto one = tied + 1; one < taken_.end(); ++one)
            if (compare(q, last->at, one->at) == 0)
                last->places += one->places;
            else
                *++last = *one;
        taken_.erase(last + 1, taken_.end());
        const std::size_t distinct = taken_.size() - first, most = static_cast<std::size_t>(job_.k);
        if (distinct <= most) return;
        std::vector<Taken> chosen;
        double reached = 0.0;
        std::size_t part = 0;
        for (std::size_t j = first; j < taken_.size() && part < most; ++j) {
            reached += taken_[j].places;
            Taken one{taken_[j].at, 0.0};
            // Each part is stood for by the one in its middle; the last one by rounding, too.
            for (; part < most && (mass * (static_cast<double>(part) + 0.5) < reached * static_cast<double>(most) ||
                                   j + 1 == taken_.size());
                 ++part)
                one.places += mass / static_cast<double>(most);
            if (one.places > 0) chosen.push_back(one);
        }
        taken_.resize(first);
        taken_.insert(taken_.end(), chosen.begin(), chosen.end());
    }

    // By outcome, then by terms.
    int compare(std::int64_t q, std::int64_t a, std::int64_t b) const {
        const auto order = [](auto x, auto y) { return x < y ? -1 : x > y ? 1 : 0; };
        int sign = order(outcome_of(q, a), outcome_of(q, b));
        for (int i = 0; i < job_.columns && sign == 0; ++i) sign = order(terms_[i][a], terms_[i][b]);
        return sign;
    }

    void keep(std::int64_t q) {
        const std::size_t start = starts_[q], width = starts_[q + 1] - start;
        for (std::size_t j = 0; j < taken_.size(); ++j) {
            mass_[start + j] = static_cast<float>(std::log(taken_[j].places));
            outcomes_[start + j] = static_cast<float>(outcome_of(q, taken_[j].at));
        }
        const bool coded = this->coded();
        std::size_t to = start * job_.columns;
        for (int i = 0; i < job_.columns; ++i, to += width)
            for (std::size_t j = 0; j < taken_.size(); ++j)
                if (coded)
                    codes_[to + j] = term_code(terms_[i][taken_[j].at]);
                else
                    excess_[to + j] = terms_[i][taken_[j].at];
    }

    const EntropyJob& job_;
    std::optional<PairTerms> pairs_;
    std::optional<CandidateTerms> near_;
    const float* const* terms_ = nullptr;  // (columns, pool), of the case at hand
    std::vector<const float*> own_;        // where they are, if it has a pool of its own
    std::vector<std::size_t> starts_;
    std::vector<float> excess_, mass_, outcomes_;
    std::vector<std::uint8_t> codes_;  // of the terms, if they are kept as bytes
    mutable std::vector<float> decoded_;
    mutable std::int64_t asked_ = -1;  // whose terms these are
    std::vector<Taken> taken_;         // by the case at hand
};

}  // namespace vicinal::VICINAL_PATH
