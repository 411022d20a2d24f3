// Collecting the nearest rows of one query: rows that no bound has ruled out are evaluated exactly,
// and the k nearest kept.
//
// What must hold:
// - A floor is a lower bound of the key that `Query::key` gives, with its rounding. A row is ruled out
//   only where its floor lies above the threshold, never where they are equal: it may tie, and win by
//   its case number.
// - The threshold never rises, and starts from the ceiling that the query was given, if any. At least k
//   of the rows wanted within that one lie within it, if there are so many. So rows may come in any order, and twice
//   after the nearest were reset, without a trace in the answer.
// - At most kWaiting rows wait for their floors, and 2 * kWaiting for their keys.
// - Finer codes and steps, where a job has them, cover all rows of its table, and rows of finer codes
//   may be read kPadding bytes too far.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "bounds.hpp"
#include "category_rows.hpp"
#include "cell_bounds.hpp"
#include "fetch.hpp"
#include "floors.hpp"
#include "heap.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "stepped.hpp"
#include "unknown_terms.hpp"
#include "whole_floors.hpp"

namespace vicinal::VICINAL_PATH {

constexpr int kWaiting = 32;                // rows fetched into cache before they are evaluated
constexpr double kLeastWhole = 0.03;        // excess that whole numbers bound well
constexpr std::int64_t kMostAtOnce = 4096;  // rows whose keys are all kept, and the nearest chosen at the end

// One query, and how far its search has come.
struct SearchState {
    std::int64_t at = 0;  // which query it is
    Query query;
    FineQuery fine;
    WholeQuery whole;
    bool fine_floor = false;  // whether finer codes bound the key,
    bool in_whole = false;    // and do so in whole numbers
    StepQuery steps;
    bool stepped = false;  // whether steps give the key
    Bounds bounds;
    Nearest nearest;
    double ceiling = 0.0;           // no row beyond it can be among the k nearest
    std::uint8_t* bytes = nullptr;  // its look-up tables, kTableStride bytes from column to column; or none
    CellBounds cells;
    CellLine* cell_bytes = nullptr;  // the same by cells, CellTile::kQueries lines from slot to slot; or none
    double byte_threshold = 0.0;     // the threshold they were made for
    std::int64_t exclude = -1;
    std::vector<std::uint8_t> apart;     // by column whether the rows of the query's category were evaluated before,
    std::vector<int> apart_in;           // the columns where they were,
    std::vector<Found> same;             // and those of them within the ceiling that was given
    std::vector<std::uint64_t> visited;  // blocks, a bit each,
    std::vector<BlockRows> seen;         // or rows, block after block, up to one behind the last,
    std::size_t seen_at = 0;             // and how far that list has been used
    std::int64_t waiting[kWaiting];      // rows that no bound has ruled out, yet to be evaluated
    int waits = 0;
    Found close[2 * kWaiting];  // the same with their floors, which have not ruled them out
    int closes = 0;

    bool coded() const { return fine_floor || stepped; }
    double threshold() const { return std::min(ceiling, nearest.threshold()); }
    void make_bytes(double threshold) {
        byte_threshold = threshold;
        if (cell_bytes) return cells.to_bytes(threshold, cell_bytes, CellTile::kQueries);
        bounds.to_bytes(byte_threshold, bytes, kTableStride);
    }
};

template <Power P>
class Collector {
public:
    explicit Collector(const SearchJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), fine_(job.fine),
          required_(job.required >= 0 && table_.lacking[job.required] ? job.required : -1),
          unknown_(table_, metric_, fine_), read_(table_, metric_.active), spans_(table_, metric_.active) {
        if (job.steps) step_terms_.emplace(*job.steps, table_, metric_);
        if (fine_) whole_terms_.emplace(*fine_, metric_);
    }

    void begin(SearchState& state, std::int64_t at) {
        state.at = at;
        state.query.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
        state.query.against_missing = job_.against_missing;
        state.ceiling = job_.ceilings ? job_.ceilings[at] : std::numeric_limits<double>::infinity();
        state.exclude = job_.exclude[at];
        state.bytes = nullptr;
        state.cell_bytes = nullptr;
        state.in_whole = false;
        state.stepped = step_terms_ && state.query.unknown.empty();
        state.fine_floor = fine_ && !state.stepped;
        if (state.stepped) state.steps.prepare(*step_terms_, state.query.values);
        evaluate_apart(state);
        restart(state);
        if (state.fine_floor) state.fine.template prepare<P>(*fine_, state.query, unknown_);
    }

    // Forgets the nearest but for those that are evaluated apart.
    void restart(SearchState& state) const {
        state.nearest.reset(job_.k);
        for (const Found& found : state.same) state.nearest.offer(found);
    }

    // Whole numbers tell rows apart from here on, if it is not the small differences that count.
    void use_whole_numbers(SearchState& state) {
        if (state.fine_floor && whole_terms_->suit() && state.threshold() - state.bounds.base() > kLeastWhole) {
            state.in_whole = true;
            state.whole.prepare(*whole_terms_, state.query, unknown_);
        }
    }

    // The cells of a query.
    void prepare_cells(SearchState& state, const std::vector<std::size_t>& slots) {
        state.cells.template prepare<P>(*job_.cells, slots, state.query, unknown_);
    }

    static bool has_floor(const SearchState& state) { return state.query.template has_floor<P>(); }
    bool alive(std::int64_t row) const { return table_.alive[row / kBlock] >> (row % kBlock) & 1; }
    // Whether a value is missing is asked of the codes, which are in cache: the values of most rows never are.
    bool wanted(const SearchState& state, std::int64_t row) const {
        return row != state.exclude && (required_ < 0 || code_of(row, required_) != kMissingCode);
    }

    // Whether the codes rule out a row without the rounding to bytes, where its values would be fetched for a
    // floor. In many columns rounding adds up, and most of the rows that bytes leave lie just within it.
    bool ruled_out(const SearchState& state, std::int64_t row) const {
        return !state.coded() && has_floor(state) && !(code_floor(state, row) <= state.threshold());
    }

    void prepare_bounds(SearchState& state) {
        state.bounds.prepare(table_, metric_, [&](std::size_t place) {
            if (state.stepped) return step_terms_->bounds(state.query, place);
            const int column = metric_.active[place];
            if (missing(state.query.values[column])) return unknown_.bounds(state.query, column);
            return Bounds::of_column(table_, state.query, column);
        });
    }

    void evaluate_all(SearchState& state) {
        if (table_.rows > kMostAtOnce) {
            for (std::int64_t row = 0; row < table_.rows; ++row)
                if (alive(row) && wanted(state, row)) evaluate(state, row);
            return;
        }
        all_.clear();
        for (std::int64_t row = 0; row < table_.rows; ++row)
            if (alive(row) && wanted(state, row) && !is_apart(state, row))
                all_.push_back({key(state, row), table_.numbers[row]});
        evaluated_ += static_cast<std::int64_t>(all_.size());
        choose(state);
    }

    // Of a small table all floors are worked out, and bounds of blocks would not pay.
    void evaluate_few(SearchState& state) {
        clear_list();
        for (std::int64_t row = 0; row < table_.rows; ++row)
            if (alive(row) && wanted(state, row)) all_.push_back({0.0, row});
        evaluate_list(state);
    }

    // A list of rows, to be evaluated together.
    void clear_list() { all_.clear(); }
    void list(SearchState& state, std::int64_t row) {
        if (!wanted(state, row)) return;
        fetch_for_floor(state, row);
        if (state.fine_floor) fetch_for_key(row);  // most of them will be evaluated
        all_.push_back({0.0, row});
    }

    // A list of rows, most of which are near: their keys are worked out at once.
    void list_near(SearchState& state, std::int64_t row) {
        if (!wanted(state, row)) return;
        fetch_for_key(row);
        all_.push_back({0.0, row});
    }
    void evaluate_near(SearchState& state) {
        std::erase_if(all_, [&](const Found& one) { return is_apart(state, one.number); });
        for (Found& found : all_) found = {key(state, found.number), table_.numbers[found.number]};
        evaluated_ += static_cast<std::int64_t>(all_.size());
        choose(state);
    }

    // The k with the least floors first, which tell what is near. By steps they have their keys at once.
    void evaluate_list(SearchState& state) {
        if (state.stepped) {
            for (Found& found : all_)
                found = {state.steps.key(job_.steps->row(found.number)), table_.numbers[found.number]};
            evaluated_ += static_cast<std::int64_t>(all_.size());
            return state.nearest.choose(all_, state.ceiling);
        }
        for (Found& found : all_) found.key = floor_of(state, found.number);
        const std::size_t first = std::min(all_.size(), static_cast<std::size_t>(job_.k));
        if (first < all_.size()) std::nth_element(all_.begin(), all_.begin() + first, all_.end());
        many_.reset(job_.k);
        for (const Found& found : state.same) many_.offer(found);
        const auto near = [&](const Found& found) { return found.key <= std::min(state.ceiling, many_.threshold()); };
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (i % kWaiting == 0)
                for (std::size_t j = i; j < std::min(i + 2 * kWaiting, all_.size()); ++j)
                    if (near(all_[j])) fetch_for_key(all_[j].number);
            if (!near(all_[i]) || is_apart(state, all_[i].number)) continue;
            ++evaluated_;
            many_.offer({key(state, all_[i].number), table_.numbers[all_[i].number]});
        }
        state.nearest.choose(many_.found(), state.ceiling);
    }

    // Rows wait for a while, so that their values are in cache when their turn comes.
    void put_off(SearchState& state, std::int64_t row) {
        fetch_for_floor(state, row);
        state.waiting[state.waits++] = row;
        if (state.waits == kWaiting) evaluate_waiting(state);
    }

    // All the floors come first: the processor works ahead as long as it need not guess. What those by
    // finer codes do not rule out waits again, for its values to be in cache.
    void evaluate_waiting(SearchState& state) {
        if (state.stepped) return evaluate_stepped(state);
        double floors[kWaiting];
        if (state.in_whole)
            state.whole.key_floors(state.waiting, state.waits, floors);
        else if (state.fine_floor)
            for (int i = 0; i < state.waits; ++i)
                floors[i] = state.fine.template key_floor<P>(fine_->row(state.waiting[i]));
        else
            for (int i = 0; i < state.waits; ++i) floors[i] = floor_of(state, state.waiting[i]);
        const int before = state.closes;
        const double threshold = state.threshold();
        for (int i = 0; i < state.waits; ++i) {
            if (!(floors[i] <= threshold)) continue;
            if (state.in_whole && !(floor_of(state, state.waiting[i]) <= threshold))
                continue;  // it is nearer to the key
            if (state.fine_floor) fetch_for_key(state.waiting[i]);
            state.close[state.closes++] = {floors[i], state.waiting[i]};
        }
        state.waits = 0;
        evaluate_close(state, state.fine_floor ? before : state.closes);
    }

    void evaluate_all_waiting(SearchState& state) {
        evaluate_waiting(state);
        evaluate_close(state, state.closes);
    }

    void write(SearchState& state) const {
        const auto& found = state.nearest.sorted();
        for (int j = 0; j < job_.k; ++j) {
            const bool there = static_cast<std::size_t>(j) < found.size();
            const std::int64_t to = state.at * job_.k + j;
            job_.numbers[to] = there ? found[j].number : -1;
            job_.keys[to] = there ? found[j].key : std::numeric_limits<double>::infinity();
            job_.distances[to] =
                there ? to_distance<P>(found[j].key, metric_.p) : std::numeric_limits<double>::infinity();
        }
    }

    void write_count() {
        job_.evaluated->fetch_add(evaluated_, std::memory_order_relaxed);
        evaluated_ = 0;
    }

private:
    int code_of(std::int64_t row, int column) const {
        const auto place = static_cast<int>(row % kBlock);
        const std::uint8_t pair = table_.codes_of(row / kBlock)[column * kBlockBytes + place % kBlockBytes];
        return pair >> (place < kBlockBytes ? 0 : 4) & 15;
    }

    // Where few rows have the query's category they are evaluated at once, so that all others are known to differ.
    void evaluate_apart(SearchState& state) {
        state.apart_in.clear();
        state.same.clear();
        if (!job_.categories || state.stepped) return;
        all_.clear();
        state.apart.assign(table_.columns, 0);
        for (const int column : metric_.active) {
            const CategoryRows* rows = (*job_.categories)[column].get();
            if (!rows || missing(state.query.values[column])) continue;
            const auto listed = rows->of(state.query.values[column]);
            if (!rows->few(listed)) continue;
            for (const std::uint32_t* row = listed.first; row < listed.last; ++row)
                if (alive(*row) && wanted(state, *row) && !is_apart(state, *row)) {
                    fetch_for_key(*row);
                    all_.push_back({0.0, *row});
                }
            state.apart[column] = 1;
            state.apart_in.push_back(column);
        }
        for (const Found& found : all_)
            if (const double own = key(state, found.number); own <= state.ceiling)
                state.same.push_back({own, table_.numbers[found.number]});
        evaluated_ += static_cast<std::int64_t>(all_.size());
        if (!state.apart_in.empty()) state.query.apart = state.apart.data();
    }

    // Whether a row was evaluated so.
    bool is_apart(const SearchState& state, std::int64_t row) const {
        return std::any_of(state.apart_in.begin(), state.apart_in.end(),
                           [&](int column) { return table_.value(row, column) == state.query.values[column]; });
    }

    // The nearest of a list, and of those that were evaluated before.
    void choose(SearchState& state) {
        all_.insert(all_.end(), state.same.begin(), state.same.end());
        state.nearest.choose(all_, state.ceiling);
    }

    double key(SearchState& state, std::int64_t row) { return state.query.template key<P>(read_(row), row); }

    // The number is looked up for rows near enough only: it is seldom in cache.
    void evaluate(SearchState& state, std::int64_t row) {
        if (!is_apart(state, row)) evaluate(state, row, key(state, row));
    }

    void evaluate(SearchState& state, std::int64_t row, double key) {
        ++evaluated_;
        if (key <= state.threshold()) state.nearest.offer({key, table_.numbers[row]});
    }

    void evaluate_stepped(SearchState& state) {
        double keys[kWaiting];
        for (int i = 0; i < state.waits; ++i) keys[i] = state.steps.key(job_.steps->row(state.waiting[i]));
        for (int i = 0; i < state.waits; ++i) evaluate(state, state.waiting[i], keys[i]);
        state.waits = 0;
        tighten(state);
    }

    // Evaluates the first of the rows that wait for it.
    void evaluate_close(SearchState& state, int count) {
        for (int i = 0; i < count; ++i)
            if (state.close[i].key <= state.threshold()) evaluate(state, state.close[i].number);
        std::copy(state.close + count, state.close + state.closes, state.close);
        state.closes -= count;
        tighten(state);
    }

    void tighten(SearchState& state) const {
        // Tighter tables pay once the room under the threshold has shrunk by a few percent.
        const double base = state.bounds.base();
        if (state.bytes && state.threshold() < state.byte_threshold &&
            state.threshold() - base < (state.byte_threshold - base) * 0.95)
            state.make_bytes(state.threshold());
    }

    // A lower bound of the row's key, the best that is quickly had: at least that of its codes without
    // the rounding to bytes.
    double floor_of(const SearchState& state, std::int64_t row) {
        if (state.fine_floor) return state.fine.template key_floor<P>(fine_->row(row));
        if (has_floor(state)) return state.query.template key_floor<P>(read_(row), row);
        return code_floor(state, row);
    }

    double code_floor(const SearchState& state, std::int64_t row) const {
        return state.bounds.of_row(table_.codes_of(row / kBlock), metric_.active, row % kBlock) * (1.0 - 1e-9);
    }

    VICINAL_INLINE void fetch_for_key(std::int64_t row) const {
        spans_.fetch_row(row);
        __builtin_prefetch(table_.numbers + row);
    }

    VICINAL_INLINE void fetch_for_floor(const SearchState& state, std::int64_t row) const {
        if (state.stepped)
            fetch(job_.steps->row(row), job_.steps->slots().size());
        else if (state.fine_floor)
            fetch(fine_->row(row), fine_->slots());
        else if (has_floor(state))
            fetch_for_key(row);
    }

    const SearchJob& job_;
    const Table& table_;
    const Metric& metric_;
    const FineCodes* fine_;
    const int required_;  // the column that must not be missing, if it is in any row
    std::optional<StepTerms<P>> step_terms_;
    std::optional<WholeTerms> whole_terms_;
    UnknownTerms unknown_;
    RowReader read_;
    ColumnSpans spans_;
    std::vector<Found> all_;
    NearestOfMany many_;
    std::int64_t evaluated_ = 0;
};

}  // namespace vicinal::VICINAL_PATH
