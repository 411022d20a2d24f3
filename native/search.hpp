// Exact k nearest rows: scan the byte bounds, evaluate what they cannot rule out.
//
// Each query first bounds whole blocks by their summary and visits the most promising ones (plan.hpp).
// If few blocks are left then, it visits those, best first, until the bound of the next one rules out
// all the rest; else it joins a tile of queries that scan every block together (tiles.hpp), which is
// cheaper per block. Either way every row is evaluated (collect.hpp) unless a bound proves it too far:
// that of its bytes, or a floor of its key. Many queries at once have floors by finer codes as well,
// which are cheaper to fetch, or, where all values lie on few steps, exact keys by these.
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>

#include "cell_tiles.hpp"
#include "collect.hpp"
#include "plan.hpp"
#include "tiles.hpp"

namespace vicinal::VICINAL_PATH {

constexpr int kGroup = 32;              // queries that share a pass over the codes,
constexpr int kFineGroup = 64;          // and over the finer codes: what they need is to stay in cache
constexpr int kFineGroups = 8;          // groups that a searcher answers, one after the other, in the same memory
constexpr std::int64_t kSeedRows = 48;  // rows evaluated up front, for a first ceiling
constexpr double kMoreRoom = 1.4;       // how much more room a query is given than the last one had

template <Power P>
class Searcher {
public:
    explicit Searcher(const SearchJob& job)
        : job_(job), table_(*job.table), metric_(*job.metric), lone_(job.count == 1), collector_(job),
          plan_(table_, metric_, job.k), tiles_(table_, metric_), cell_tiles_(job) {}

    // Answers the queries [first, last), a group at a time.
    void run(std::int64_t first, std::int64_t last) {
        const std::int64_t group = job_.fine || job_.steps ? kFineGroup : kGroup;
        room_ = lone_ ? metric_.room.get() : std::numeric_limits<double>::infinity();
        for (; first < last; first += group) run_group(first, std::min(first + group, last));
        collector_.write_count();
        if (lone_) metric_.room.set(room_);
    }

private:
    void run_group(std::int64_t first, std::int64_t last) {
        for (std::int64_t at = first; at < last; ++at) {
            // A query that is answered at once leaves its place, which is in cache, to the next one.
            const std::size_t joined = wide_.size() + by_cells_.size();
            if (states_.size() == joined) states_.emplace_back();
            SearchState& state = states_[joined];
            collector_.begin(state, at);
            if (!job_.pruned || metric_.active.empty())
                collector_.evaluate_all(state);
            else if (table_.rows > (state.coded() ? 2 : 8) * seed_rows())
                search(state);
            else if (state.coded() || collector_.has_floor(state))
                collector_.evaluate_few(state);
            else
                collector_.evaluate_all(state);
            if (wide_.size() + by_cells_.size() == joined) collector_.write(state);
        }
        scan_together();
        for (auto* states : {&wide_, &by_cells_}) {
            for (SearchState* state : *states) collector_.write(*state);
            states->clear();
        }
    }

    std::int64_t seed_rows() const { return std::max<std::int64_t>(kSeedRows, 2 * job_.k); }

    // Bytes are made for a threshold, and before any row is evaluated there is none. The room that the
    // query before had over its base is a guess, good enough to rank rows by; if it is too small, what
    // was found with it gives a ceiling.
    void search(SearchState& state) {
        collector_.prepare_bounds(state);
        // No row is within the ceiling it was given, or none of those left is near enough.
        if (state.threshold() * (1.0 + 1e-9) < state.bounds.base()) return;
        const double given = state.ceiling;
        state.bytes = tiles_.at(wide_.size());
        double made_for = std::min(state.bounds.base() + room_, state.ceiling);
        const bool guess = (state.coded() || lone_) && room_ < std::numeric_limits<double>::infinity();
        if (guess) {
            choose_blocks(state, made_for);
            if (search_by_cells(state, made_for)) return;
        }
        if (!guess || !visit_nearest(state, made_for)) {
            if (!(state.ceiling < given)) set_ceiling(state);
            made_for = state.ceiling;
            choose_blocks(state, made_for);
            visit_nearest(state, made_for);
        }
        collector_.use_whole_numbers(state);
        visit_first(state, [&](const std::uint8_t* of) {
            return at_most(of, last_sum(state, made_for)) & ~at_most(of, nearer_);
        });
        guess_room(state);
        if (plan_.few_blocks()) return tiles_.forget(state.bytes);  // all were first
        if (plan_.most_are_left(last_sum(state, made_for))) {
            state.visited = plan_.visited();
            wide_.push_back(&state);
            return;
        }
        plan_.each_left([&] { return last_sum(state, made_for); },
                        [&](std::int64_t block) { visit_block(state, block); });
        collector_.evaluate_all_waiting(state);
        tiles_.forget(state.bytes);
    }

    // Rows that were evaluated apart may lie below the base: they tell nothing of the others.
    void guess_room(const SearchState& state) {
        const double room = state.threshold() - state.bounds.base();
        if (room > 0) room_ = room * kMoreRoom;
    }

    void choose_blocks(SearchState& state, double made_for) {
        state.make_bytes(made_for);
        plan_.choose_first(state.bounds, state.bytes);
    }

    // Where most blocks would be left, by a guess of the threshold, the query scans them by cells, with the others of
    // its group. The rows of the first blocks that promise most come before, and tell how far the k nearest are at
    // most. False if it is to be searched otherwise.
    bool search_by_cells(SearchState& state, double made_for) {
        if (!job_.cells || !state.fine_floor || plan_.few_blocks()) return false;
        if (!plan_.most_are_left(last_sum(state, made_for))) return false;
        collector_.prepare_cells(state, cell_tiles_.slots());
        state.cell_bytes = cell_tiles_.at(by_cells_.size());
        state.make_bytes(made_for);
        visit_nearest_cells(state);
        if (!(state.threshold() < std::numeric_limits<double>::infinity())) {
            collector_.restart(state);
            state.cell_bytes = nullptr;
            return false;
        }
        guess_room(state);
        tiles_.forget(state.bytes);
        state.make_bytes(state.threshold());
        by_cells_.push_back(&state);
        return true;
    }

    // Bounds by cells are near to the keys, so few more than the k rows that are looked for need to be evaluated.
    void visit_nearest_cells(SearchState& state) {
        plan_.sum_rows_by([&](const std::int64_t* blocks, const std::int64_t* end, std::uint8_t* sums) {
            cell_tiles_.sum(by_cells_.size(), blocks, end, sums);
        });
        const int nearer = plan_.row_sum_within(static_cast<std::size_t>(job_.k) * 5 / 4 + 4);
        collector_.clear_list();
        state.seen.clear();
        state.seen_at = 0;
        const auto see = [&](std::int64_t block, std::uint64_t bits) {
            state.seen.push_back({block, bits});
            for (; bits; bits &= bits - 1) collector_.list_near(state, block * kBlock + std::countr_zero(bits));
        };
        plan_.each_first([&](const std::uint8_t* of) { return at_most(of, nearer); }, see);
        state.seen.push_back({table_.blocks(), 0});
        collector_.evaluate_near(state);
    }

    // The k-th nearest of some rows is a ceiling, if a better one was not given: of those kept around a stored query,
    // which are like it, else of some spread over the table.
    void set_ceiling(SearchState& state) {
        const std::int64_t count = seed_rows();
        const bool stored = state.exclude >= 0;
        const std::int64_t step = stored ? 1 : table_.rows / count;
        std::int64_t row = step / 2;
        if (stored) row = std::clamp<std::int64_t>(state.exclude - count / 2, 0, table_.rows - count);
        for (std::int64_t i = 0; i < count; ++i, row += step)
            if (collector_.alive(row) && collector_.wanted(state, row)) collector_.put_off(state, row);
        collector_.evaluate_all_waiting(state);
        state.ceiling = state.threshold();
        collector_.restart(state);
    }

    // Of the blocks that promise most the rows that do, by their bytes and then by their floors: what
    // these tell of the k nearest spares most of the others. False if the bytes were made for less.
    bool visit_nearest(SearchState& state, double made_for) {
        plan_.sum_rows(state.bytes);
        nearer_ = plan_.row_sum_within(2 * static_cast<std::size_t>(job_.k));
        const auto nearer = [&](const std::uint8_t* of) { return at_most(of, nearer_); };
        if (state.coded()) {
            collector_.clear_list();
            plan_.each_first(nearer, [&](std::int64_t block, std::uint64_t bits) {
                for (; bits; bits &= bits - 1) collector_.list(state, block * kBlock + std::countr_zero(bits));
            });
            collector_.evaluate_list(state);
        } else {
            visit_first(state, nearer);
        }
        if (state.threshold() <= made_for) return true;
        state.ceiling = state.threshold();
        collector_.restart(state);
        return false;
    }

    // Visits the rows of the first blocks that are chosen by the sums of their block.
    template <class Choose>
    void visit_first(SearchState& state, const Choose& choose) {
        plan_.each_first(choose, [&](std::int64_t block, std::uint64_t bits) { visit_rows(state, block, bits); });
        collector_.evaluate_all_waiting(state);
    }

    // The greatest sum of bytes, made for one threshold, that the present one does not rule out.
    static int last_sum(const SearchState& state, double made_for) {
        return state.bounds.last_sum(state.threshold() * (1.0 + 1e-9), made_for);
    }

    void visit_block(SearchState& state, std::int64_t block) {
        std::uint64_t survivors;
        scan_block<1>(table_.codes_of(block), metric_.active.data(), metric_.active.size(), state.bytes, &survivors);
        visit_rows(state, block, survivors & table_.alive[block]);
    }

    void visit_rows(SearchState& state, std::int64_t block, std::uint64_t bits) {
        for (; bits; bits &= bits - 1) {
            const std::int64_t row = block * kBlock + std::countr_zero(bits);
            if (collector_.wanted(state, row) && !collector_.ruled_out(state, row)) collector_.put_off(state, row);
        }
    }

    // The queries that need most blocks pass over all of them.
    void scan_together() {
        tiles_.scan(
            wide_.size(), job_.fine || job_.steps,
            [&](std::size_t place, std::int64_t block, std::uint64_t bits) {
                SearchState& state = *wide_[place];
                if (bits && !(state.visited[block / 64] >> block % 64 & 1)) visit_rows(state, block, bits);
            },
            [&](std::size_t place) { collector_.evaluate_waiting(*wide_[place]); });
        cell_tiles_.scan(by_cells_.size(), [&](std::size_t place, std::int64_t block, std::uint64_t bits) {
            visit_rows(*by_cells_[place], block, bits & ~seen(*by_cells_[place], block));
        });
        for (const auto* states : {&wide_, &by_cells_})
            for (SearchState* state : *states) collector_.evaluate_all_waiting(*state);
    }

    // The rows of a block that were seen before; blocks come one after the other.
    static std::uint64_t seen(SearchState& state, std::int64_t block) {
        while (state.seen[state.seen_at].block < block) ++state.seen_at;
        return state.seen[state.seen_at].block == block ? state.seen[state.seen_at].bits : 0;
    }

    const SearchJob& job_;
    const Table& table_;
    const Metric& metric_;
    const bool lone_;  // one query, which begins with what the last one of its metric needed
    Collector<P> collector_;
    BlockPlan plan_;
    Tiles tiles_;
    CellTiles cell_tiles_;
    std::deque<SearchState> states_;      // those that scan together, and one for the query at hand
    std::vector<SearchState*> wide_;      // queries that scan together, at their places in the tiles,
    std::vector<SearchState*> by_cells_;  // and those that do so by cells
    int nearer_ = 0;                      // the rows up to this sum came first
    double room_ = std::numeric_limits<double>::infinity();  // guess of the next query's
};

}  // namespace vicinal::VICINAL_PATH
