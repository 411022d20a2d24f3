// Exact k nearest rows: scan the byte bounds, evaluate what they cannot rule out.
//
// Each query first bounds whole blocks by their summary and visits the most promising ones. If few
// blocks are left then, it visits those, best first, until the bound of the next one rules out all
// the rest; else it joins a tile of queries that scan every block together, which is cheaper per
// block. Either way every row is evaluated unless a bound proves it too far: that of its bytes, or
// a floor of its key. Many queries at once have floors by finer codes as well, which are cheaper to fetch,
// or, where all values lie on few steps, exact keys by these.
#pragma once

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <optional>

#include "bounds.hpp"
#include "floors.hpp"
#include "heap.hpp"
#include "scan.hpp"
#include "stepped.hpp"

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kChunkBytes = 1 << 17;  // codes that stay in cache while a group of queries passes,
constexpr std::int64_t kFineChunkBytes = 1 << 15;  // and where finer codes of the same rows shall stay as well
constexpr int kGroup = 32;                     // queries that share a pass over the codes,
constexpr int kFineGroup = 256;                // and over the finer codes
constexpr std::int64_t kSeedRows = 48;         // rows evaluated up front, for a first ceiling
constexpr int kWaiting = 16;                   // rows fetched into cache before they are evaluated
constexpr std::int64_t kMostAtOnce = 4096;     // rows whose keys are all kept, and the nearest chosen at the end
constexpr double kMoreRoom = 1.4;              // how much more room a query is given than the last one had
constexpr std::size_t kFirstBlocks = 48;       // blocks visited before choosing between the two ways

template <Power P>
class Searcher {
public:
    explicit Searcher(const SearchJob& job) : job_(job), table_(*job.table), metric_(*job.metric), fine_(job.fine) {
        if (job.steps) step_terms_.emplace(*job.steps, table_, metric_);
        for (const int column : metric_.active) {
            summary_columns_.push_back(2 * column);
            summary_columns_.push_back(2 * column + 1);
        }
    }

    // Answers the queries [first, last), together.
    void run(std::int64_t first, std::int64_t last) {
        room_ = std::numeric_limits<double>::infinity();
        for (std::int64_t at = first; at < last; ++at) {
            // A query that is answered at once leaves its place, which is in cache, to the next one.
            if (states_.size() == wide_.size()) states_.emplace_back();
            State& state = states_[wide_.size()];
            state.at = at;
            state.query.prepare(metric_, job_.queries + at * table_.columns, table_.lacking);
            state.nearest.reset(job_.k);
            state.ceiling = std::numeric_limits<double>::infinity();
            state.exclude = job_.exclude[at];
            state.slot = -1;
            state.fine_floor = fine_ && state.query.template has_floor<P>();
            if (state.fine_floor) state.fine.prepare(*fine_, metric_, state.query.values);
            state.stepped = step_terms_ && state.query.unknown.empty();
            if (state.stepped) state.steps.prepare(*step_terms_, state.query.values);
            if (!job_.pruned || metric_.active.empty())
                evaluate_all(state);
            else if (table_.rows > (state.coded() ? 2 : 8) * seed_rows())
                begin(state);
            else if (state.stepped || state.query.template has_floor<P>())
                evaluate_few(state);
            else
                evaluate_all(state);
            if (wide_.empty() || wide_.back() != &state) write(state);
        }
        scan_together();
        for (State* state : wide_) write(*state);
        wide_.clear();
        job_.evaluated->fetch_add(evaluated_, std::memory_order_relaxed);
        evaluated_ = 0;
    }

private:
    struct State {
        std::int64_t at = 0;          // which query it is
        Query query;
        FineQuery fine;
        bool fine_floor = false;      // whether finer codes bound the key
        StepQuery steps;
        bool stepped = false;         // whether steps give the key
        Bounds bounds;
        Nearest nearest;
        double ceiling = 0.0;         // no row beyond it can be among the k nearest
        double byte_threshold = 0.0;  // the threshold the byte tables were made for
        std::int64_t exclude = -1;
        int slot = -1;                // where its byte tables are: tile * kTile + place in the tile
        std::vector<std::uint64_t> visited;  // blocks, a bit each
        std::int64_t waiting[kWaiting];  // rows that no bound has ruled out, yet to be evaluated
        int waits = 0;
        Found close[2 * kWaiting];       // the same with their floors, which have not ruled them out
        int closes = 0;
        bool coded() const { return fine_floor || stepped; }
        double threshold() const { return std::min(ceiling, nearest.threshold()); }
    };

    struct Left {
        std::int64_t block;
        std::uint64_t bits;  // rows that the bytes do not rule out
    };

    bool coded() const { return fine_ || job_.steps; }
    bool few_blocks() const { return table_.blocks() <= static_cast<std::int64_t>(kFirstBlocks); }
    std::int64_t seed_rows() const { return std::max<std::int64_t>(kSeedRows, 2 * job_.k); }
    std::size_t tile_bytes() const { return metric_.active.size() * kTableStride; }
    const std::uint8_t* codes_of(std::int64_t block) const { return table_.codes + block * table_.columns * kBlockBytes; }
    bool alive(std::int64_t row) const { return table_.alive[row / kBlock] >> (row % kBlock) & 1; }
    bool wanted(const State& state, std::int64_t row) const {
        return row != state.exclude && (job_.required < 0 || !missing(table_.row(row)[job_.required]));
    }

    // The number is looked up for rows near enough only: it is seldom in cache.
    void evaluate(State& state, std::int64_t row) {
        evaluate(state, row, state.query.template key<P>(table_.row(row)));
    }

    void evaluate(State& state, std::int64_t row, double key) {
        ++evaluated_;
        if (key <= state.nearest.threshold()) state.nearest.offer({key, table_.numbers[row]});
    }

    void evaluate_all(State& state) {
        if (table_.rows > kMostAtOnce) {
            for (std::int64_t row = 0; row < table_.rows; ++row)
                if (alive(row) && wanted(state, row)) evaluate(state, row);
            return;
        }
        all_.clear();
        for (std::int64_t row = 0; row < table_.rows; ++row)
            if (alive(row) && wanted(state, row))
                all_.push_back({state.query.template key<P>(table_.row(row)), table_.numbers[row]});
        evaluated_ += static_cast<std::int64_t>(all_.size());
        state.nearest.choose(all_);
    }

    // Of a small table all floors are worked out, and bounds of blocks would not pay.
    void evaluate_few(State& state) {
        all_.clear();
        for (std::int64_t row = 0; row < table_.rows; ++row)
            if (alive(row) && wanted(state, row)) all_.push_back({0.0, row});
        evaluate_ranked(state);
    }

    // The k-th nearest of some rows is a ceiling: of those kept around a stored query, which are like
    // it, else of some spread over the table.
    void set_ceiling(State& state) {
        const std::int64_t count = seed_rows();
        const bool stored = state.exclude >= 0;
        const std::int64_t step = stored ? 1 : table_.rows / count;
        std::int64_t row = step / 2;
        if (stored) row = std::clamp<std::int64_t>(state.exclude - count / 2, 0, table_.rows - count);
        for (std::int64_t i = 0; i < count; ++i, row += step)
            if (alive(row) && wanted(state, row)) put_off(state, row);
        evaluate_all_waiting(state);
        state.ceiling = state.nearest.threshold();
        state.nearest.reset(job_.k);
    }

    // Bytes are made for a threshold, and before any row is evaluated there is none. The room that the
    // query before had over its base is a guess, good enough to rank rows by; if it is too small, what
    // was found with it gives a ceiling.
    void begin(State& state) {
        state.bounds.prepare(table_, metric_, [&](std::size_t place) {
            if (state.stepped) return step_terms_->bounds(state.query, place);
            return Bounds::of_column(table_, state.query, metric_.active[place]);
        });
        state.slot = static_cast<int>(wide_.size());
        const std::size_t tiles = static_cast<std::size_t>(state.slot / kTile) + 1;
        if (bytes_.size() < tiles * tile_bytes()) bytes_.resize(tiles * tile_bytes(), 255);  // 255 rules everything out
        double made_for = state.bounds.base() + room_;
        const bool guess = state.coded() && room_ < std::numeric_limits<double>::infinity();
        if (!guess || !visit_nearest(state, made_for)) {
            if (!(state.ceiling < std::numeric_limits<double>::infinity())) set_ceiling(state);
            made_for = state.ceiling;
            visit_nearest(state, made_for);
        }
        visit_first_blocks(state, made_for);
        room_ = (state.threshold() - state.bounds.base()) * kMoreRoom;
        if (few_blocks()) return forget_bytes(state);  // all were first
        const int last = last_sum(state, made_for);
        if (how_many(sums_, last) * 2 > static_cast<std::size_t>(table_.blocks())) {
            state.visited = visited_;
            wide_.push_back(&state);
            return;
        }
        list_blocks(last);
        sort_blocks();
        for (const std::int64_t block : ranked_) {
            if (sums_[block] > last_sum(state, made_for)) break;
            visit_block(state, block);
        }
        evaluate_all_waiting(state);
        forget_bytes(state);
    }

    // Bounds all blocks by their summaries.
    void sum_summaries(const State& state, double threshold) {
        const std::int64_t blocks = table_.blocks();
        const std::size_t columns = summary_columns_.size();
        summary_bytes_.resize(columns * kTableBytes);
        state.bounds.to_summary_bytes(threshold, summary_bytes_.data(), kTableBytes);
        sums_.resize((blocks + kBlock - 1) / kBlock * kBlock);
        for (std::int64_t from = 0; from < blocks; from += kBlock) {
            const std::uint8_t* codes = table_.summary + from / kBlock * 2 * table_.columns * kBlockBytes;
            sum_block(codes, summary_columns_.data(), columns, summary_bytes_.data(), kTableBytes, &sums_[from]);
        }
        std::fill(sums_.begin() + blocks, sums_.end(), 255);
    }

    // Of the blocks that promise most the rows that do, by their bytes and then by their floors: what
    // these tell of the k nearest spares most of the others. False if the bytes were made for less.
    bool visit_nearest(State& state, double made_for) {
        make_bytes(state, made_for);
        if (few_blocks())
            sums_.assign(kBlock, 0);
        else
            sum_summaries(state, made_for);
        visited_.assign(sums_.size() / kBlock, 0);
        if (few_blocks()) {
            ranked_.resize(table_.blocks());
            std::iota(ranked_.begin(), ranked_.end(), 0);
        } else {
            list_blocks(sum_within(sums_, kFirstBlocks));
        }
        if (ranked_.size() > kFirstBlocks) ranked_.resize(kFirstBlocks);  // many may have the last sum
        row_sums_.resize(ranked_.size() * kBlock);
        std::uint8_t* sums = row_sums_.data();
        for (const std::int64_t block : ranked_) fetch(codes_of(block), table_.columns * kBlockBytes);
        for (const std::int64_t block : ranked_) {
            visited_[block / kBlock] |= std::uint64_t{1} << block % kBlock;
            sum_block(codes_of(block), metric_.active.data(), metric_.active.size(), bytes_of(state), kTableStride, sums);
            sums += kBlock;
        }
        nearer_ = sum_within(row_sums_, 2 * static_cast<std::size_t>(job_.k));
        if (state.coded())
            evaluate_nearer(state);
        else
            visit_sums(state, [&](const std::uint8_t* of) { return at_most(of, nearer_); });
        if (state.threshold() <= made_for) return true;
        state.ceiling = state.threshold();
        state.nearest.reset(job_.k);
        return false;
    }

    // The nearer rows of the first blocks.
    void evaluate_nearer(State& state) {
        all_.clear();
        for (std::size_t i = 0; i < ranked_.size(); ++i)
            for (std::uint64_t bits = at_most(&row_sums_[i * kBlock], nearer_) & table_.alive[ranked_[i]]; bits; bits &= bits - 1) {
                const std::int64_t row = ranked_[i] * kBlock + std::countr_zero(bits);
                if (!wanted(state, row)) continue;
                fetch_for_floor(state, row);
                all_.push_back({0.0, row});
            }
        evaluate_ranked(state);
    }

    // The rows listed, least floor first. By steps they have their keys at once.
    void evaluate_ranked(State& state) {
        if (state.stepped) {
            for (Found& found : all_) found = {state.steps.key(job_.steps->row(found.number)), table_.numbers[found.number]};
            evaluated_ += static_cast<std::int64_t>(all_.size());
            return state.nearest.choose(all_);
        }
        for (Found& found : all_) found.key = floor_of(state, found.number);
        const std::size_t sorted = std::min(all_.size(), 2 * static_cast<std::size_t>(job_.k));
        if (sorted < all_.size()) std::nth_element(all_.begin(), all_.begin() + sorted, all_.end());
        std::sort(all_.begin(), all_.begin() + sorted);
        for (std::size_t i = 0; i < all_.size(); ++i) {
            if (i % kWaiting == 0)
                for (std::size_t j = i; j < std::min(i + 2 * kWaiting, all_.size()); ++j)
                    if (all_[j].key <= state.threshold()) fetch_for_key(all_[j].number);
            if (all_[i].key <= state.threshold()) evaluate(state, all_[i].number);
        }
    }

    // The rest of the first blocks.
    void visit_first_blocks(State& state, double made_for) {
        visit_sums(state, [&](const std::uint8_t* of) { return at_most(of, last_sum(state, made_for)) & ~at_most(of, nearer_); });
    }

    // Visits the rows of the first blocks that are chosen by the sums of their block.
    template <class Choose>
    void visit_sums(State& state, const Choose& choose) {
        for (std::size_t i = 0; i < ranked_.size(); ++i)
            visit_rows(state, ranked_[i], choose(&row_sums_[i * kBlock]) & table_.alive[ranked_[i]]);
        evaluate_all_waiting(state);
    }

    static std::size_t how_many(const std::vector<std::uint8_t>& sums, int most) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < sums.size(); i += kBlock) count += std::popcount(at_most(&sums[i], most));
        return count;
    }

    // The least sum that so many do not exceed, at most 254.
    static int sum_within(const std::vector<std::uint8_t>& sums, std::size_t count) {
        int low = 0, high = 254;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (how_many(sums, middle) >= count) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    // The greatest sum of bytes, made for one threshold, that the present one does not rule out.
    static int last_sum(const State& state, double made_for) {
        return state.bounds.last_sum(state.threshold() * (1.0 + 1e-9), made_for);
    }

    // The blocks not yet visited, up to this sum.
    void list_blocks(int last) {
        ranked_.clear();
        for (std::size_t word = 0; word < visited_.size(); ++word)
            for (std::uint64_t bits = at_most(&sums_[word * kBlock], last) & ~visited_[word]; bits; bits &= bits - 1)
                ranked_.push_back(static_cast<std::int64_t>(word) * kBlock + std::countr_zero(bits));
    }

    // Least sum first: there are few sums, so the blocks are dealt out to them.
    void sort_blocks() {
        std::size_t starts[257] = {};
        for (const std::int64_t block : ranked_) ++starts[sums_[block] + 1];
        for (int sum = 1; sum < 256; ++sum) starts[sum] += starts[sum - 1];
        dealt_.resize(ranked_.size());
        for (const std::int64_t block : ranked_) dealt_[starts[sums_[block]]++] = block;
        ranked_.swap(dealt_);
    }

    std::uint8_t* bytes_of(const State& state) {
        return &bytes_[state.slot / kTile * tile_bytes() + state.slot % kTile * kTableBytes];
    }

    void make_bytes(State& state, double threshold) {
        state.byte_threshold = threshold;
        state.bounds.to_bytes(state.byte_threshold, bytes_of(state), kTableStride);
    }

    // A slot given up rules everything out, until the next query takes it.
    void forget_bytes(const State& state) {
        std::uint8_t* bytes = bytes_of(state);
        for (std::size_t c = 0; c < metric_.active.size(); ++c) std::fill_n(bytes + c * kTableStride, kTableBytes, 255);
    }

    void visit_block(State& state, std::int64_t block) {
        std::uint64_t survivors;
        scan_block<1>(codes_of(block), metric_.active.data(), metric_.active.size(), bytes_of(state), &survivors);
        visit_rows(state, block, survivors & table_.alive[block]);
    }

    void visit_rows(State& state, std::int64_t block, std::uint64_t bits) {
        for (; bits; bits &= bits - 1) {
            const std::int64_t row = block * kBlock + std::countr_zero(bits);
            if (wanted(state, row)) put_off(state, row);
        }
    }

    // Inlined: of functions that do nothing else, GCC drops the calls.
    template <class T>
    VICINAL_INLINE static void fetch(const T* values, std::size_t count) {
        const auto* bytes = reinterpret_cast<const char*>(values);
        for (std::size_t byte = 0; byte < count * sizeof(T); byte += 64) __builtin_prefetch(bytes + byte);
        __builtin_prefetch(bytes + count * sizeof(T) - 1);  // may lie in a line of its own
    }

    VICINAL_INLINE void fetch_for_key(std::int64_t row) const {
        fetch(table_.row(row), table_.columns);
        __builtin_prefetch(table_.numbers + row);
    }

    VICINAL_INLINE void fetch_for_floor(const State& state, std::int64_t row) {
        if (state.stepped) fetch(job_.steps->row(row), job_.steps->slots().size());
        else if (state.fine_floor) fetch(fine_->row(row), fine_->slots());
        else if (state.query.template has_floor<P>()) fetch(table_.row(row), table_.columns);
    }

    // A lower bound of the row's key, the best that is quickly had: at least that of its codes without
    // the rounding to bytes.
    double floor_of(const State& state, std::int64_t row) const {
        if (state.fine_floor) return state.fine.template key_floor<P>(fine_->row(row));
        if (state.query.template has_floor<P>()) return state.query.template key_floor<P>(table_.row(row));
        return state.bounds.of_row(codes_of(row / kBlock), metric_.active, row % kBlock) * (1.0 - 1e-9);
    }

    // Rows wait for a while, so that their values are in cache when their turn comes.
    void put_off(State& state, std::int64_t row) {
        fetch_for_floor(state, row);
        state.waiting[state.waits++] = row;
        if (state.waits == kWaiting) evaluate_waiting(state);
    }

    // All the floors come first: the processor works ahead as long as it need not guess. What those by
    // finer codes do not rule out waits again, for its values to be in cache.
    void evaluate_waiting(State& state) {
        if (state.stepped) return evaluate_stepped(state);
        double floors[kWaiting];
        if (state.fine_floor)
            for (int i = 0; i < state.waits; ++i) floors[i] = state.fine.template key_floor<P>(fine_->row(state.waiting[i]));
        else
            for (int i = 0; i < state.waits; ++i) floors[i] = floor_of(state, state.waiting[i]);
        const int before = state.closes;
        const double threshold = state.threshold();
        for (int i = 0; i < state.waits; ++i) {
            if (!(floors[i] <= threshold)) continue;
            if (state.fine_floor) fetch_for_key(state.waiting[i]);
            state.close[state.closes++] = {floors[i], state.waiting[i]};
        }
        state.waits = 0;
        evaluate_close(state, state.fine_floor ? before : state.closes);
    }

    void evaluate_stepped(State& state) {
        double keys[kWaiting];
        for (int i = 0; i < state.waits; ++i) keys[i] = state.steps.key(job_.steps->row(state.waiting[i]));
        for (int i = 0; i < state.waits; ++i) evaluate(state, state.waiting[i], keys[i]);
        state.waits = 0;
        tighten(state);
    }

    // Evaluates the first of the rows that wait for it.
    void evaluate_close(State& state, int count) {
        for (int i = 0; i < count; ++i)
            if (state.close[i].key <= state.threshold()) evaluate(state, state.close[i].number);
        std::copy(state.close + count, state.close + state.closes, state.close);
        state.closes -= count;
        tighten(state);
    }

    void tighten(State& state) {
        // Tighter tables pay once the room under the threshold has shrunk by a few per cent.
        const double base = state.bounds.base();
        if (state.slot >= 0 && state.threshold() - base < (state.byte_threshold - base) * 0.95)
            make_bytes(state, state.threshold());
    }

    void evaluate_all_waiting(State& state) {
        evaluate_waiting(state);
        evaluate_close(state, state.closes);
    }

    // The queries that need most blocks pass over all of them, a tile at a time, while a chunk of
    // codes is in cache. Where there are finer codes, what the bytes leave of a chunk is listed first,
    // without a branch that would often be guessed wrong, and looked at while those are in cache.
    void scan_together() {
        const std::int64_t bytes = coded() ? kFineChunkBytes : kChunkBytes;
        const std::int64_t chunk = std::max<std::int64_t>(1, bytes / (static_cast<std::int64_t>(kBlockBytes) * table_.columns));
        for (std::int64_t from = 0; !wide_.empty() && from < table_.blocks(); from += chunk)
            for (std::size_t tile = 0; tile * kTile < wide_.size(); ++tile)
                scan_tile(tile, from, std::min(from + chunk, table_.blocks()));
        for (State* state : wide_) evaluate_all_waiting(*state);
    }

    void scan_tile(std::size_t tile, std::int64_t from, std::int64_t to) {
        const std::size_t columns = metric_.active.size();
        const std::size_t queries = std::min<std::size_t>(kTile, wide_.size() - tile * kTile);
        const std::uint8_t* tables = &bytes_[tile * tile_bytes()];
        std::uint64_t survivors[kTile] = {};
        left_.resize(kTile * (to - from));
        Left* ends[kTile];
        for (int q = 0; q < kTile; ++q) ends[q] = &left_[q * (to - from)];
        for (std::int64_t block = from; block < to; ++block) {
            if (queries == 1)
                scan_block<1>(codes_of(block), metric_.active.data(), columns, tables, survivors);
            else
                scan_block<kTile>(codes_of(block), metric_.active.data(), columns, tables, survivors);
            if (coded()) {
                for (int q = 0; q < kTile; ++q) {
                    *ends[q] = {block, survivors[q] & table_.alive[block]};
                    ends[q] += ends[q]->bits != 0;
                }
            } else {
                for (std::size_t q = 0; q < queries; ++q)
                    visit_left(*wide_[tile * kTile + q], {block, survivors[q] & table_.alive[block]});
            }
        }
        for (std::size_t q = 0; coded() && q < queries; ++q) {
            State& state = *wide_[tile * kTile + q];
            for (const Left* left = &left_[q * (to - from)]; left != ends[q]; ++left) visit_left(state, *left);
            evaluate_waiting(state);
        }
    }

    void visit_left(State& state, Left left) {
        if (left.bits && !(state.visited[left.block / 64] >> left.block % 64 & 1)) visit_rows(state, left.block, left.bits);
    }

    void write(State& state) {
        const auto& found = state.nearest.sorted();
        for (int j = 0; j < job_.k; ++j) {
            const bool there = static_cast<std::size_t>(j) < found.size();
            job_.numbers[state.at * job_.k + j] = there ? found[j].number : -1;
            job_.distances[state.at * job_.k + j] =
                there ? to_distance(found[j].key, metric_.p) : std::numeric_limits<double>::infinity();
        }
    }

    const SearchJob& job_;
    const Table& table_;
    const Metric& metric_;
    const FineCodes* fine_;
    std::optional<StepTerms<P>> step_terms_;
    std::vector<int> summary_columns_;
    std::deque<State> states_;               // those that scan together, and one for the query at hand
    std::vector<Left> left_;                 // for each query of a tile, block by block
    std::vector<State*> wide_;               // queries that scan together; their slot is their place here
    std::vector<std::uint8_t> bytes_;        // look-up tables of the tiles
    std::vector<std::uint8_t> summary_bytes_;
    std::vector<std::uint8_t> sums_;         // byte bound of each block, for the query at hand
    std::vector<std::uint8_t> row_sums_;     // the same for the rows of the first blocks
    std::vector<std::int64_t> ranked_;       // blocks to visit
    std::vector<std::int64_t> dealt_;        // the same, while they are sorted
    std::vector<std::uint64_t> visited_;     // a bit for each block
    int nearer_ = 0;                         // the rows up to this sum came first
    double room_ = std::numeric_limits<double>::infinity();  // guess of the next query's
    std::vector<Found> all_;
    std::int64_t evaluated_ = 0;
};

}  // namespace vicinal::VICINAL_PATH
