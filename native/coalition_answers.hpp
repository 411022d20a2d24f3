// What the neighbors found for a coalition of players predict.
//
// What must hold:
// - Neighbors come nearest first, ties by their case numbers; sums over ties are made in the order of
//   case numbers. So the order in which rows are kept cannot be seen.
// - Each share is added to the outcomes in that order, too: sums of doubles depend on it.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "center.hpp"
#include "offsets.hpp"
#include "shortlist.hpp"
#include "terms.hpp"

namespace vicinal::VICINAL_PATH {

// Cases that tie for the last places of a coalition.
struct TiedCases {
    std::int64_t first = -1;  // the one of the lowest number
    double rows = 0.0, mass = 0.0;
    std::vector<double> outcomes, offsets;
};

template <Power P>
class CoalitionAnswers {
public:
    explicit CoalitionAnswers(const CoalitionJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), players_(job.slots), members_(job.slots),
          score_of_(metric_.columns(), -1), gaps_(job.n_scores) {
        for (int column = 0; column < metric_.columns(); ++column) {
            root_.push_back(std::sqrt(metric_.weights[column] * job.total));
            root_contrast_.push_back(std::sqrt(metric_.residuals[column]));
        }
        for (std::int64_t s = 0; s < job.n_scores; ++s) score_of_[job.scores[s]] = static_cast<int>(s);
        set_members();
    }

    // The query must outlive what is concluded for it; `parts` are its own, and `own` is the case to
    // leave out, or -1.
    void begin(const Query& query, const double* parts, std::int64_t own) {
        query_ = &query;
        query_parts_ = parts;
        own_ = own;
    }

    double weight_of(std::int64_t row) const {
        return (job_.case_weights ? job_.case_weights[row] : 1.0) - (row == own_ ? 1.0 : 0.0);
    }

    // Adds what a coalition predicts, from its list of the nearest rows.
    void conclude(std::int64_t at, std::int64_t slot, Shortlist& list) {
        if (list.tied()) {
            begin_ties(slot);
            list.each_tie([&](std::int64_t rank) { add_tie(slot, job_.by_number[rank]); });
        }
        auto& rows = list.rows();
        std::sort(rows.begin(), rows.end(), NearerRowByNumber{table_.numbers});
        choose_neighbors(slot, list);
        if (neighbors_.empty()) return;
        double* out = job_.out + (at * job_.slots + slot) * job_.width;
        double* nonnegative = job_.nonnegative ? job_.nonnegative + (at * job_.slots + slot) * job_.width : nullptr;
        fill_offsets(slot);
        log_counts_.clear();
        for (const Neighbor& one : neighbors_) log_counts_.push_back(std::log(one.count));
        for (int m = 0; m < job_.members; ++m) {
            const Influence& member = job_.influences[m];
            const bool plain = member.rule <= kProbability || !std::isfinite(member.ridge);
            fill_logits(member);
            if (plain || (nonnegative && member.rule == kLinear)) {
                kernel_shares();
                if (plain) add_up(member.share, out);
                if (nonnegative && (plain || member.rule == kLinear)) add_up(member.share, nonnegative);
            }
            if (plain) continue;
            centered_shares(member);
            add_up(member.share, out);
            if (nonnegative && member.rule != kLinear) add_up(member.share, nonnegative);
        }
    }

private:
    void begin_ties(std::int64_t slot) {
        ties_.first = -1;
        ties_.rows = ties_.mass = 0.0;
        ties_.outcomes.assign(job_.width, 0.0);
        ties_.offsets.assign(members_[slot].size(), 0.0);
    }

    void add_tie(std::int64_t slot, std::int64_t row) {
        const double weight = weight_of(row);
        if (ties_.first < 0) ties_.first = row;
        ties_.rows += 1.0;
        ties_.mass += weight;
        add_outcome(ties_.outcomes.data(), weight, row);
        find_gaps(slot, row);
        for (std::size_t i = 0; i < members_[slot].size(); ++i)
            ties_.offsets[i] += weight * offset(members_[slot][i], table_.row(row));
    }

    // Scores count in every coalition. Columns are ascending, however players were added.
    void set_members() {
        std::vector<std::vector<int>> brought(job_.n_players);
        for (const int column : metric_.active)
            if (score_of_[column] < 0) brought[job_.player_of[column]].push_back(column);
        std::vector<std::int64_t> path;
        for (std::int64_t n = 0; n < job_.nodes; ++n) {
            path.resize(job_.depths[n] - 1);
            path.push_back(job_.players[n]);
            if (job_.slot_of[n] < 0) continue;
            std::vector<int>& columns = members_[job_.slot_of[n]];
            columns.assign(job_.scores, job_.scores + job_.n_scores);
            for (const std::int64_t player : path)
                columns.insert(columns.end(), brought[player].begin(), brought[player].end());
            std::sort(columns.begin(), columns.end());
            if (job_.n_scores == 0) continue;  // then nobody asks who they are
            players_[job_.slot_of[n]] = path;
            std::sort(players_[job_.slot_of[n]].begin(), players_[job_.slot_of[n]].end());
        }
    }

    // What a case differs by from the query in each score, as far as the coalition knows it.
    void find_gaps(std::int64_t slot, std::int64_t row) {
        if (gaps_.empty()) return;
        const double* parts = job_.case_parts + row * job_.n_players * job_.n_scores;
        std::fill(gaps_.begin(), gaps_.end(), 0.0);
        for (const std::int64_t player : players_[slot])
            for (std::int64_t s = 0; s < job_.n_scores; ++s)
                gaps_[s] += parts[player * job_.n_scores + s] - query_parts_[player * job_.n_scores + s];
    }

    void add_outcome(double* to, double share, std::int64_t row) const {
        if (job_.classes) {
            to[static_cast<std::int64_t>(job_.outcomes[row])] += share;
            return;
        }
        for (int c = 0; c < job_.width; ++c) to[c] += share * job_.outcomes[row * job_.width + c];
    }

    // How far a case lies from the query in one column, with sign; its gaps have been found.
    double offset(int column, const double* values) const {
        const double gap = score_of_[column] < 0 ? values[column] - query_->values[column] : gaps_[score_of_[column]];
        return offset_of(static_cast<Kind>(metric_.kinds[column]), metric_.periods[column], gap,
                         root_contrast_[column] * root_[column],
                         [&](double gap) { return gap / metric_.residuals[column] * root_[column]; });
    }

    // The columns in which a coalition is centered: all, or the heaviest.
    std::vector<int> directions(const std::vector<int>& columns) const {
        std::vector<int> places(columns.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
        if (places.size() <= kMostDirections) return places;
        std::stable_sort(places.begin(), places.end(),
                         [&](int a, int b) { return metric_.weights[columns[a]] > metric_.weights[columns[b]]; });
        places.resize(kMostDirections);
        std::sort(places.begin(), places.end());
        return places;
    }

    // One neighbor, or the cases that tie for the last places.
    struct Neighbor {
        double count, excess, distance;
        std::int64_t row;  // -1 for tied cases
    };

    // Nearest first, each case takes as many places as it weighs; those that tie where the places
    // end share what is left, whether some were dropped from the list or all are on it.
    void choose_neighbors(std::int64_t slot, Shortlist& list) {
        const auto& rows = list.rows();
        neighbors_.clear();
        double before = 0.0;
        for (std::size_t first = 0, last; first < rows.size() && before < job_.k; first = last) {
            double mass = 0.0;
            for (last = first; last < rows.size() && rows[last].first == rows[first].first; ++last)
                mass += weight_of(rows[last].second);
            const double room = job_.k - before;
            if (last == rows.size() && list.tied()) {
                const double part = ties_.mass * static_cast<double>(last - first) / ties_.rows;
                neighbors_.push_back(measured(slot, ties_.first, std::min(room, part)));
                neighbors_.back().row = -1;
                return;
            }
            if (mass > room) {
                begin_ties(slot);
                for (std::size_t j = first; j < last; ++j) add_tie(slot, rows[j].second);
                neighbors_.push_back(measured(slot, rows[first].second, room));
                neighbors_.back().row = -1;
                return;
            }
            for (std::size_t j = first; j < last; ++j)
                neighbors_.push_back(measured(slot, rows[j].second, weight_of(rows[j].second)));
            before += mass;
        }
    }

    Neighbor measured(std::int64_t slot, std::int64_t row, double count) {
        row_terms_.resize(table_.columns);
        query_->terms(table_.row(row), row_terms_.data());
        find_gaps(slot, row);
        for (std::int64_t s = 0; s < job_.n_scores; ++s) {
            const double factor = 1.0 / metric_.residuals[job_.scores[s]];
            row_terms_[job_.scores[s]] = laplace_term(splat(std::abs(gaps_[s]) * factor))[0];
        }
        double key = 0.0, weights = 0.0;
        for (const int column : members_[slot]) {
            key += metric_.weights[column] * to_key<P>(splat(row_terms_[column]), metric_.p)[0];
            weights += metric_.weights[column];
        }
        const double distance = to_distance<P>(key / weights, metric_.p);
        return {count, std::max(distance - kSame, 0.0) * weights * job_.total, distance, row};
    }

    void fill_offsets(std::int64_t slot) {
        chosen_ = directions(members_[slot]);
        const std::size_t d = chosen_.size();
        offsets_.assign(job_.k * d, 0.0);
        for (std::size_t j = 0; j < neighbors_.size(); ++j) {
            if (neighbors_[j].row >= 0) find_gaps(slot, neighbors_[j].row);
            for (std::size_t i = 0; i < d; ++i)
                offsets_[j * d + i] = neighbors_[j].row < 0
                                          ? ties_.offsets[chosen_[i]] / ties_.mass
                                          : offset(members_[slot][chosen_[i]], table_.row(neighbors_[j].row));
        }
    }

    void fill_logits(const Influence& member) {
        logits_.assign(job_.k, -std::numeric_limits<double>::infinity());
        for (std::size_t j = 0; j < neighbors_.size(); ++j) {
            const Neighbor& one = neighbors_[j];
            logits_[j] =
                log_counts_[j] - member.bandwidth * (member.rule == kInverse ? std::log(one.distance) : one.excess);
        }
    }

    void kernel_shares() {
        const double highest = *std::max_element(logits_.begin(), logits_.end());
        shares_.resize(job_.k);
        double total = 0.0;
        for (int j = 0; j < job_.k; ++j) total += shares_[j] = std::exp(logits_[j] - highest);
        for (double& share : shares_) share /= total;
    }

    void centered_shares(const Influence& member) {
        const int d = static_cast<int>(chosen_.size());
        scaled_ = offsets_;
        for (double& z : scaled_) z *= std::sqrt(member.bandwidth);
        auto& solver = solvers_.try_emplace({d, member.ridge}, job_.k, d, member.ridge).first->second;
        shares_.resize(job_.k);
        solver.run(logits_.data(), scaled_.data(), member.rule == kLinear, shares_.data());
    }

    void add_up(double part, double* out) const {
        for (std::size_t j = 0; j < neighbors_.size(); ++j) {
            const double share = part * shares_[j];
            if (neighbors_[j].row >= 0) {
                add_outcome(out, share, neighbors_[j].row);
                continue;
            }
            for (int c = 0; c < job_.width; ++c) out[c] += share * ties_.outcomes[c] / ties_.mass;
        }
    }

    const CoalitionJob& job_;
    const Table& table_;
    const Metric& metric_;
    std::vector<double> root_, root_contrast_;  // square roots of weights and residuals
    const Query* query_ = nullptr;
    const double* query_parts_ = nullptr;
    std::int64_t own_ = -1;                           // the case that is left out
    TiedCases ties_;                                  // of the coalition at hand
    std::vector<std::vector<std::int64_t>> players_;  // of each coalition, ascending, if there are scores
    std::vector<std::vector<int>> members_;           // its columns, ascending
    std::vector<int> score_of_;                       // by column, -1 for those that are no score
    std::vector<double> gaps_;                        // of the case at hand, by score
    std::vector<Neighbor> neighbors_;
    std::vector<int> chosen_;
    std::vector<double> row_terms_, offsets_, scaled_, log_counts_, logits_, shares_;
    std::map<std::pair<int, double>, Centring> solvers_;
};

}  // namespace vicinal::VICINAL_PATH
