// Exact k nearest rows: scan the byte bounds, evaluate what they cannot rule out.
//
// Each query first bounds whole blocks by their summary and visits the most promising ones. If few
// blocks are left then, it visits those, best first, until the bound of the next one rules out all
// the rest; else it joins a tile of queries that scan every block together, which is cheaper per
// block. Either way every row is evaluated unless a bound proves it too far.
#pragma once

#include <algorithm>
#include <bit>

#include "bounds.hpp"
#include "scan.hpp"

namespace vicinal::VICINAL_PATH {

constexpr std::int64_t kChunkBytes = 1 << 17;  // codes that stay in cache while a group of queries passes
constexpr int kGroup = 32;                     // queries that share a pass over the codes
constexpr std::int64_t kSeedRows = 48;         // rows evaluated up front, for a first ceiling
constexpr int kWaiting = 8;                    // rows fetched into cache before they are evaluated
constexpr std::int64_t kMostAtOnce = 4096;     // rows whose keys are all kept, and the nearest chosen at the end
constexpr int kFirstBlocks = 16;               // blocks visited before choosing between the two ways

// The k best so far, ordered by (key, case number): a max-heap, so the answer does not depend on the order
// in which rows come.
class Nearest {
public:
    void reset(int k) {
        k_ = static_cast<std::size_t>(k);
        heap_.clear();
    }
    bool full() const { return heap_.size() == k_; }
    double threshold() const { return full() ? heap_.front().key : std::numeric_limits<double>::infinity(); }
    void offer(Found found) {
        if (!full()) {
            heap_.push_back(found);
            std::push_heap(heap_.begin(), heap_.end());
        } else if (found < heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = found;
            std::push_heap(heap_.begin(), heap_.end());
        }
    }
    // The k best of many at once, which is cheaper than one by one.
    void choose(const std::vector<Found>& found) {
        heap_ = found;
        if (heap_.size() > k_) {
            std::nth_element(heap_.begin(), heap_.begin() + (k_ - 1), heap_.end());
            heap_.resize(k_);
        }
        std::make_heap(heap_.begin(), heap_.end());
    }
    const std::vector<Found>& sorted() {
        std::sort_heap(heap_.begin(), heap_.end());
        return heap_;
    }

private:
    std::size_t k_ = 0;
    std::vector<Found> heap_;
};

template <Power P>
class Searcher {
public:
    explicit Searcher(const SearchJob& job) : job_(job), table_(*job.table), metric_(*job.metric) {
        for (const int column : metric_.active) {
            summary_columns_.push_back(2 * column);
            summary_columns_.push_back(2 * column + 1);
        }
    }

    // Answers the queries [first, last), at most kGroup of them.
    void run(std::int64_t first, std::int64_t last) {
        const int count = static_cast<int>(last - first);
        wide_.clear();
        bytes_.assign((kGroup + kTile - 1) / kTile * tile_bytes(), 255);  // 255 rules everything out
        for (int q = 0; q < count; ++q) {
            State& state = states_[q];
            state.query.prepare(metric_, job_.queries + (first + q) * table_.columns, table_.lacking);
            state.nearest.reset(job_.k);
            state.ceiling = std::numeric_limits<double>::infinity();
            state.exclude = job_.exclude[first + q];
            state.slot = -1;
            if (job_.pruned && table_.rows > 4 * seed_rows() && !metric_.active.empty())
                begin(state);
            else
                evaluate_all(state);
        }
        scan_together();
        for (int q = 0; q < count; ++q) write(states_[q], first + q);
        job_.evaluated->fetch_add(evaluated_, std::memory_order_relaxed);
        evaluated_ = 0;
    }

private:
    struct State {
        Query query;
        Bounds bounds;
        Nearest nearest;
        double ceiling = 0.0;         // no row beyond it can be among the k nearest
        double byte_threshold = 0.0;  // the threshold the byte tables were made for
        std::int64_t exclude = -1;
        int slot = -1;                // where its byte tables are: tile * kTile + place in the tile
        std::vector<std::int64_t> visited;
        std::int64_t waiting[kWaiting];  // rows that no bound has ruled out, yet to be evaluated
        int waits = 0;
        double threshold() const { return std::min(ceiling, nearest.threshold()); }
    };

    std::int64_t seed_rows() const { return std::max<std::int64_t>(kSeedRows, 4 * job_.k); }
    std::size_t tile_bytes() const { return metric_.active.size() * kTableStride; }
    bool alive(std::int64_t row) const { return table_.alive[row / kBlock] >> (row % kBlock) & 1; }
    bool wanted(const State& state, std::int64_t row) const {
        return row != state.exclude && (job_.required < 0 || !missing(table_.row(row)[job_.required]));
    }

    // The number is looked up for rows near enough only: it is seldom in cache.
    void evaluate(State& state, std::int64_t row) {
        ++evaluated_;
        const double key = state.query.template key<P>(table_.row(row));
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

    // Some rows spread over the table: the k-th nearest of them is a ceiling.
    void set_ceiling(State& state) {
        const std::int64_t step = table_.rows / seed_rows();
        for (std::int64_t row = step / 2; row < table_.rows; row += step)
            if (alive(row) && wanted(state, row)) evaluate(state, row);
        state.ceiling = state.nearest.threshold();
        state.nearest.reset(job_.k);
    }

    void begin(State& state) {
        state.bounds.prepare(table_, state.query);
        set_ceiling(state);
        state.slot = static_cast<int>(wide_.size());
        state.visited.clear();
        make_bytes(state);
        const double made_for = state.threshold();
        rank_blocks(state, made_for);
        const std::size_t first = std::min<std::size_t>(kFirstBlocks, ranked_.size());
        for (std::size_t i = 0; i < first; ++i) visit_block(state, ranked_[i]);
        evaluate_waiting(state);
        if (promising(state, made_for) * 2 > static_cast<std::size_t>(table_.blocks())) {
            state.visited.assign(ranked_.begin(), ranked_.begin() + first);
            wide_.push_back(&state);
            return;
        }
        for (std::size_t i = first; i < ranked_.size(); ++i) {
            if (state.bounds.bound_of_sum(sums_[ranked_[i]], made_for) > state.threshold() * (1.0 + 1e-9)) break;
            visit_block(state, ranked_[i]);
        }
        evaluate_waiting(state);
        forget_bytes(state);
    }

    // Bounds all blocks and sorts those that are not ruled out, most promising first.
    void rank_blocks(const State& state, double threshold) {
        const std::int64_t blocks = table_.blocks();
        const std::size_t columns = summary_columns_.size();
        summary_bytes_.resize(columns * kTableBytes);
        state.bounds.to_summary_bytes(threshold, summary_bytes_.data(), kTableBytes);
        sums_.resize((blocks + kBlock - 1) / kBlock * kBlock);
        std::fill(std::begin(starts_), std::end(starts_), 0);
        for (std::int64_t from = 0; from < blocks; from += kBlock) {
            const std::uint8_t* codes = table_.summary + from / kBlock * 2 * table_.columns * kBlockBytes;
            sum_block(codes, summary_columns_.data(), columns, summary_bytes_.data(), &sums_[from]);
        }
        for (std::int64_t block = 0; block < blocks; ++block) ++starts_[sums_[block] + 1];
        for (int sum = 1; sum < 256; ++sum) starts_[sum] += starts_[sum - 1];
        ranked_.resize(starts_[255]);
        std::int64_t next[256];
        std::copy(starts_, starts_ + 256, next);
        const std::uint8_t* sums = sums_.data();  // bytes may alias anything: keep the pointers at hand
        std::int64_t* ranked = ranked_.data();
        for (std::int64_t block = 0; block < blocks; ++block)
            if (sums[block] < 255) ranked[next[sums[block]]++] = block;
    }

    // How many blocks the present threshold leaves.
    std::size_t promising(const State& state, double made_for) const {
        const double threshold = state.threshold() * (1.0 + 1e-9);
        int sum = 254;
        while (sum >= 0 && state.bounds.bound_of_sum(sum, made_for) > threshold) --sum;
        return static_cast<std::size_t>(starts_[sum + 1]);
    }

    std::uint8_t* bytes_of(const State& state) {
        return &bytes_[state.slot / kTile * tile_bytes() + state.slot % kTile * kTableBytes];
    }

    void make_bytes(State& state) {
        state.byte_threshold = state.threshold();
        state.bounds.to_bytes(state.byte_threshold, bytes_of(state), kTableStride);
    }

    // A slot given up rules everything out, until the next query takes it.
    void forget_bytes(const State& state) {
        std::uint8_t* bytes = bytes_of(state);
        for (std::size_t c = 0; c < metric_.active.size(); ++c) std::fill_n(bytes + c * kTableStride, kTableBytes, 255);
    }

    void visit_block(State& state, std::int64_t block) {
        const std::uint8_t* codes = table_.codes + block * table_.columns * kBlockBytes;
        std::uint64_t survivors;
        scan_block<1>(codes, metric_.active.data(), metric_.active.size(), bytes_of(state), &survivors);
        visit_rows(state, block, survivors & table_.alive[block]);
    }

    // Rows wait for a while, so that their values are in cache when their turn comes.
    void visit_rows(State& state, std::int64_t block, std::uint64_t bits) {
        const std::uint8_t* codes = table_.codes + block * table_.columns * kBlockBytes;
        const double limit = state.threshold() * (1.0 + 1e-9);
        for (; bits; bits &= bits - 1) {
            const int place = std::countr_zero(bits);
            // Bytes round down, so many a row comes this far that its own bound still rules out.
            if (state.bounds.of_row(codes, metric_.active, place) > limit) continue;
            const std::int64_t row = block * kBlock + place;
            if (!wanted(state, row)) continue;
            const auto* values = reinterpret_cast<const char*>(table_.row(row));
            for (std::size_t byte = 0; byte < table_.columns * sizeof(double); byte += 64) __builtin_prefetch(values + byte);
            state.waiting[state.waits++] = row;
            if (state.waits == kWaiting) evaluate_waiting(state);
        }
    }

    void evaluate_waiting(State& state) {
        for (int i = 0; i < state.waits; ++i) evaluate(state, state.waiting[i]);
        state.waits = 0;
        // Tighter tables pay once the room under the threshold has shrunk by a few per cent.
        const double base = state.bounds.base();
        if (state.threshold() - base < (state.byte_threshold - base) * 0.95) make_bytes(state);
    }

    // The queries that need most blocks pass over all of them, a tile at a time, while a chunk of
    // codes is in cache.
    void scan_together() {
        const std::int64_t chunk =
            std::max<std::int64_t>(1, kChunkBytes / (static_cast<std::int64_t>(kBlockBytes) * table_.columns));
        for (std::int64_t from = 0; !wide_.empty() && from < table_.blocks(); from += chunk)
            for (std::size_t tile = 0; tile * kTile < wide_.size(); ++tile)
                scan_tile(tile, from, std::min(from + chunk, table_.blocks()));
        for (State* state : wide_) evaluate_waiting(*state);
    }

    void scan_tile(std::size_t tile, std::int64_t from, std::int64_t to) {
        const std::size_t columns = metric_.active.size();
        const std::size_t queries = std::min<std::size_t>(kTile, wide_.size() - tile * kTile);
        const std::uint8_t* tables = &bytes_[tile * tile_bytes()];
        std::uint64_t survivors[kTile];
        for (std::int64_t block = from; block < to; ++block) {
            const std::uint8_t* codes = table_.codes + block * table_.columns * kBlockBytes;
            if (queries == 1)
                scan_block<1>(codes, metric_.active.data(), columns, tables, survivors);
            else
                scan_block<kTile>(codes, metric_.active.data(), columns, tables, survivors);
            for (std::size_t q = 0; q < queries; ++q) {
                const std::uint64_t bits = survivors[q] & table_.alive[block];
                if (!bits) continue;
                State& state = *wide_[tile * kTile + q];
                const auto& visited = state.visited;
                if (std::find(visited.begin(), visited.end(), block) == visited.end()) visit_rows(state, block, bits);
            }
        }
    }

    void write(State& state, std::int64_t at) {
        const auto& found = state.nearest.sorted();
        for (int j = 0; j < job_.k; ++j) {
            const bool there = static_cast<std::size_t>(j) < found.size();
            job_.numbers[at * job_.k + j] = there ? found[j].number : -1;
            job_.distances[at * job_.k + j] =
                there ? to_distance(found[j].key, metric_.p) : std::numeric_limits<double>::infinity();
        }
    }

    const SearchJob& job_;
    const Table& table_;
    const Metric& metric_;
    std::vector<int> summary_columns_;
    State states_[kGroup];
    std::vector<State*> wide_;               // queries that scan together; their slot is their place here
    std::vector<std::uint8_t> bytes_;        // look-up tables of the tiles
    std::vector<std::uint8_t> summary_bytes_;
    std::vector<std::uint8_t> sums_;         // byte bound of each block, for the query at hand
    std::vector<std::int64_t> ranked_;       // blocks by that bound
    std::int64_t starts_[257] = {};          // where the blocks of each sum begin in ranked_
    std::vector<Found> all_;
    std::int64_t evaluated_ = 0;
};

}  // namespace vicinal::VICINAL_PATH
