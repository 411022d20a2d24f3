// What the neighbors found for a coalition of players predict.
//
// What must hold:
// - Neighbors come nearest first, ties by their case numbers; sums over ties are made in the order of
//   case numbers. So the order in which rows are kept cannot be seen.
// - Each share is added to the outcomes in that order, too: sums of doubles depend on it.
#pragma once

#include <algorithm>
#include <utility>

#include "known_rows.hpp"
#include "member_shares.hpp"
#include "rough_list.hpp"
#include "shortlist.hpp"

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
    // `sorts_out` says whether there will be rows that bounds have left.
    CoalitionAnswers(const CoalitionJob& job, bool sorts_out)
        : job_(job), table_(*job.table), metric_(*job.metric), known_(job, sorts_out), players_(job.slots),
          sources_(job.slots), weights_(job.slots), score_of_(metric_.columns(), -1), tie_gaps_(job.n_scores),
          score_weights_((job.n_scores + kLanes - 1) / kLanes * kLanes), score_factors_(score_weights_.size()),
          score_numbers_(score_weights_.size()), shares_(job) {
        for (std::int64_t s = 0; s < job.n_scores; ++s) {
            score_of_[job.scores[s]] = static_cast<int>(s);
            score_weights_[s] = metric_.weights[job.scores[s]];
            score_factors_[s] = 1.0 / metric_.residuals[job.scores[s]];
        }
        set_sources();
    }

    // The query must outlive what is concluded for it; `parts` are its own, and `own` is the case to
    // leave out, or -1.
    void begin(const Query& query, const double* parts, std::int64_t own) {
        query_ = &query;
        query_parts_ = parts;
        own_ = own;
        known_.begin(query);
    }

    // Offers the rows that bounds have left to a coalition, in order. Only keys whose bounds overlap are worked out;
    // for any other stands its lower bound, which no other key is equal to.
    template <class Scores>
    void sort_out(std::int64_t slot, const RoughList& rough, Shortlist& list, const Scores& scores) {
        list.reset(job_.k, job_.ranks, table_.rows);
        by_lower_.clear();
        for (std::size_t at = 0; at < rough.count(); ++at) by_lower_.emplace_back(rough.lower(at), at);
        std::sort(by_lower_.begin(), by_lower_.end());
        for (std::size_t first = 0, last; first < by_lower_.size(); first = last) {
            float highest = rough.upper(by_lower_[first].second);
            for (last = first + 1; last < by_lower_.size() && by_lower_[last].first <= highest; ++last)
                highest = std::max(highest, rough.upper(by_lower_[last].second));
            for (std::size_t j = first; j < last; ++j) {
                const std::int64_t row = rough.row(by_lower_[j].second);
                list.offer(last - first == 1 ? by_lower_[j].first : whole_key(slot, row, scores), row);
            }
        }
    }

    double weight_of(std::int64_t row) const {
        return (job_.case_weights ? job_.case_weights[row] : 1.0) - (row == own_ ? 1.0 : 0.0);
    }

    // Adds what a coalition predicts, from its list of the nearest rows, for each number of neighbors.
    void conclude(std::int64_t at, std::int64_t slot, Shortlist& list) {
        auto& rows = list.rows();
        for (const auto& [key, row] : rows) fetch_row(row);
        const NearerRowByNumber nearer{table_.numbers};
        if (!std::is_sorted(rows.begin(), rows.end(), nearer)) std::sort(rows.begin(), rows.end(), nearer);
        for (int which = 0; which < job_.n_ks; ++which) {
            k_ = job_.ks[which];
            const bool tied = find_ties(slot, list);
            choose_neighbors(slot, rows, std::min<std::size_t>(k_, rows.size()), tied);
            if (neighbors_.empty()) return;
            predict(((which * job_.count + at) * job_.slots + slot) * job_.width, slot);
        }
    }

private:
    template <class Scores>
    double whole_key(std::int64_t slot, std::int64_t row, const Scores& scores) {
        const double* units = known_.units(row);
        double key = 0.0;
        for (const int source : sources_[slot])
            if (source >= 0) key += units[source];
        return key + scores.terms_of_row(parts_of(row), players_[slot]);
    }

    void predict(std::int64_t place, std::int64_t slot) {
        double* out = job_.out + place;
        double* nonnegative = job_.nonnegative ? job_.nonnegative + place : nullptr;
        fill_offsets(slot);
        shares_.find(neighbors_, k_, offsets_, static_cast<int>(chosen_.size()), nonnegative != nullptr);
        for (int m = 0; m < job_.members; ++m) {
            add_up(job_.influences[m].share, shares_.of(m), out);
            if (nonnegative) add_up(job_.influences[m].share, shares_.nonnegative(m), nonnegative);
        }
    }

    // Whether more rows are as far as the last of the nearest; sums them up if so.
    bool find_ties(std::int64_t slot, Shortlist& list) {
        const auto& rows = list.rows();
        const auto count = static_cast<std::size_t>(k_);
        if (rows.size() <= count ? !list.tied() : rows[count].first != rows[count - 1].first) return false;
        const double last = rows[std::min(count, rows.size()) - 1].first;
        begin_ties(slot);
        if (list.tied() && last == rows.back().first)
            list.each_tie([&](std::int64_t rank) { add_tie(slot, job_.by_number[rank]); });
        else
            for (const auto& [key, row] : rows)
                if (key == last) add_tie(slot, row);
        return true;
    }

    void begin_ties(std::int64_t slot) {
        ties_.first = -1;
        ties_.rows = ties_.mass = 0.0;
        ties_.outcomes.assign(job_.width, 0.0);
        ties_.offsets.assign(sources_[slot].size(), 0.0);
    }

    void add_tie(std::int64_t slot, std::int64_t row) {
        const double weight = weight_of(row);
        if (ties_.first < 0) ties_.first = row;
        ties_.rows += 1.0;
        ties_.mass += weight;
        add_outcome(ties_.outcomes.data(), weight, row);
        find_gaps(slot, row, tie_gaps_.data());
        for (std::size_t i = 0; i < sources_[slot].size(); ++i) {
            const int source = sources_[slot][i], column = column_of(source);
            const double gap = source >= 0 ? table_.value(row, column) - query_->values[column] : tie_gaps_[~source];
            ties_.offsets[i] += weight * known_.offset_by(column, gap);
        }
    }

    int column_of(int source) const {
        return source < 0 ? static_cast<int>(job_.scores[~source]) : known_.column_at(source);
    }

    // Scores count in every coalition. Columns are ascending, however players were added.
    void set_sources() {
        std::vector<std::vector<int>> brought(job_.n_players);
        for (const int column : metric_.active)
            if (score_of_[column] < 0) brought[job_.player_of[column]].push_back(column);
        Players path;
        std::vector<int> columns;
        for (std::int64_t n = 0; n < job_.nodes; ++n) {
            path.resize(job_.depths[n] - 1);
            path.push_back(static_cast<std::uint32_t>(job_.players[n]));
            if (job_.slot_of[n] < 0) continue;
            columns.assign(job_.scores, job_.scores + job_.n_scores);
            for (const std::size_t player : path)
                columns.insert(columns.end(), brought[player].begin(), brought[player].end());
            std::sort(columns.begin(), columns.end());
            std::vector<int>& sources = sources_[job_.slot_of[n]];
            sources.reserve(columns.size());
            for (const int column : columns) {
                weights_[job_.slot_of[n]] += metric_.weights[column];
                const int score = score_of_[column];
                sources.push_back(score < 0 ? known_.place_of_column(column) : ~score);
            }
            if (job_.n_scores == 0) continue;  // then nobody asks who they are
            players_[job_.slot_of[n]] = path;
            std::sort(players_[job_.slot_of[n]].begin(), players_[job_.slot_of[n]].end());
        }
    }

    const double* parts_of(std::int64_t row) const { return job_.case_parts + row * job_.n_players * job_.n_scores; }

    // What is known of a row comes from far, or will.
    void fetch_row(std::int64_t row) const {
        if (job_.n_scores > 0) fetch(parts_of(row), static_cast<std::size_t>(job_.n_players * job_.n_scores));
        known_.fetch_row(row);
    }

    // What a case differs by from the query in each score, as far as the coalition knows it.
    void find_gaps(std::int64_t slot, std::int64_t row, double* gaps) const {
        const std::int64_t count = job_.n_scores;
        const double* parts = parts_of(row);
        std::int64_t s = 0;
        for (; s + 3 <= count; s += 3) add_gaps<3>(slot, parts + s, query_parts_ + s, gaps + s);
        if (s + 2 <= count) add_gaps<2>(slot, parts + s, query_parts_ + s, gaps + s), s += 2;
        if (s < count) add_gaps<1>(slot, parts + s, query_parts_ + s, gaps + s);
    }

    // A few scores at a time, whose sums stay in registers.
    template <int Count>
    VICINAL_INLINE void add_gaps(std::int64_t slot, const double* parts, const double* own, double* gaps) const {
        double sums[Count] = {};
        for (const std::int64_t player : players_[slot])
            for (int s = 0; s < Count; ++s)
                sums[s] += parts[player * job_.n_scores + s] - own[player * job_.n_scores + s];
        std::copy_n(sums, Count, gaps);
    }

    void add_outcome(double* to, double share, std::int64_t row) const {
        if (job_.classes) {
            to[static_cast<std::int64_t>(job_.outcomes[row])] += share;
            return;
        }
        for (int c = 0; c < job_.width; ++c) to[c] += share * job_.outcomes[row * job_.width + c];
    }

    // What a case has in a column: what is known of it, or what has been worked out by scores.
    double number(int source, const double* known) const {
        return source < 0 ? score_numbers_[~source] : known[source];
    }

    // The columns in which a coalition is centered: all, or the heaviest.
    std::vector<int> directions(const std::vector<int>& sources) const {
        std::vector<int> places(sources.size());
        for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int>(i);
        if (places.size() <= kMostDirections) return places;
        const auto weight = [&](int place) { return metric_.weights[column_of(sources[place])]; };
        std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return weight(a) > weight(b); });
        places.resize(kMostDirections);
        std::sort(places.begin(), places.end());
        return places;
    }

    // Nearest first, each case takes as many places as it weighs; those that tie where the places
    // end share what is left, whether some were dropped from the list or all are on it.
    void choose_neighbors(std::int64_t slot, const std::vector<KeyedRow>& rows, std::size_t count, bool tied) {
        neighbors_.clear();
        double before = 0.0;
        for (std::size_t first = 0, last; first < count && before < k_; first = last) {
            double mass = 0.0;
            for (last = first; last < count && rows[last].first == rows[first].first; ++last)
                mass += weight_of(rows[last].second);
            const double room = k_ - before;
            if (last == count && tied) {
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
        const double* known = known_.keys(row);
        gaps_.resize((neighbors_.size() + 1) * job_.n_scores);
        double* gaps = gaps_.data() + neighbors_.size() * job_.n_scores;
        find_gaps(slot, row, gaps);
        find_score_keys(gaps);
        double key = 0.0;
        for (const int source : sources_[slot]) key += number(source, known);
        const double weights = weights_[slot], distance = to_distance<P>(key / weights, metric_.p);
        return {count, std::max(distance - kSame, 0.0) * weights * job_.total, distance, row};
    }

    void find_score_keys(const double* gaps) {
        std::copy_n(gaps, job_.n_scores, score_numbers_.begin());
        for (std::size_t s = 0; s < score_numbers_.size(); s += kLanes) {
            const Vec term = laplace_term(absolute(load(&score_numbers_[s])) * load(&score_factors_[s]));
            store(&score_numbers_[s], load(&score_weights_[s]) * to_key<P>(term, metric_.p));
        }
    }

    void fill_offsets(std::int64_t slot) {
        chosen_ = directions(sources_[slot]);
        const std::size_t d = chosen_.size();
        offsets_.assign(k_ * d, 0.0);
        for (std::size_t j = 0; j < neighbors_.size(); ++j) {
            const std::int64_t row = neighbors_[j].row;
            double* to = offsets_.data() + j * d;
            if (row < 0) {
                for (std::size_t i = 0; i < d; ++i) to[i] = ties_.offsets[chosen_[i]] / ties_.mass;
                continue;
            }
            const double* known = known_.offsets(row);
            const double* gaps = gaps_.data() + j * job_.n_scores;
            for (std::int64_t s = 0; s < job_.n_scores; ++s)
                score_numbers_[s] = known_.offset_by(static_cast<int>(job_.scores[s]), gaps[s]);
            for (std::size_t i = 0; i < d; ++i) {
                const int source = sources_[slot][chosen_[i]];
                to[i] = known || source < 0 ? number(source, known) : known_.offset(row, source);
            }
        }
    }

    void add_up(double part, const double* shares, double* out) const {
        for (std::size_t j = 0; j < neighbors_.size(); ++j) {
            const double share = part * shares[j];
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
    KnownRows<P> known_;
    const Query* query_ = nullptr;
    const double* query_parts_ = nullptr;
    std::int64_t own_ = -1;                              // the case that is left out
    int k_ = 1;                                          // how many neighbors predict
    TiedCases ties_;                                     // of the coalition at hand
    std::vector<Players> players_;                       // of each coalition, ascending, if there are scores
    std::vector<std::vector<int>> sources_;              // by column, ascending: its place in what is known or ~score,
    std::vector<double> weights_;                        // and the sum of their weights
    std::vector<int> score_of_;                          // by column, -1 for those that are no score
    std::vector<double> gaps_, tie_gaps_;                // of the neighbors, and of a tie, by score
    std::vector<double> score_weights_, score_factors_;  // by score, in whole vectors,
    std::vector<double> score_numbers_;                  // and what the row at hand has
    std::vector<std::pair<float, std::size_t>> by_lower_;  // rows by their lower bounds
    std::vector<Neighbor> neighbors_;
    std::vector<int> chosen_;
    std::vector<double> offsets_;
    MemberShares shares_;
};

}  // namespace vicinal::VICINAL_PATH
