// The plain structures that cross from the bindings to the kernels. All sizes are checked in
// the bindings, once; the kernels trust them.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace vicinal {

constexpr double kSame = 1.5;     // the term of two equal values
constexpr int kBlock = 64;        // rows that share one run of packed codes
constexpr int kBlockBytes = 32;   // bytes of codes per block and column: two rows a byte
constexpr int kBins = 15;         // codes 0..14 are bins of values
constexpr int kMissingCode = 15;  // and the last one says "missing",
constexpr int kMixed = 15;        // or, of a block, "several bins" (of a nominal column) or none

constexpr int kMostDirections = 32;  // columns that influences are centered in, at most: the heaviest
// Offsets end here. A query so far from a neighbor is as far from the others, so rounding alone would
// decide how they are balanced; with equal offsets they keep the shares of the kernel.
constexpr double kFarthestOffset = 1e4;

enum Kind : std::uint8_t { kNumeric = 0, kCyclic = 1, kNominal = 2 };

// Rows of values, row-major. Their first columns may lie in the rows of another array, each at the place that
// `places` names: so two tables have them in memory once.
struct Rows {
    const double* values = nullptr;  // (rows, columns - shared)
    const double* shared_values = nullptr;
    const std::int32_t* places = nullptr;
    std::int64_t rows = 0;
    int columns = 0, shared = 0;

    // A value and, up to the last of its part, those of the columns behind it.
    [[gnu::always_inline]] const double* at(std::int64_t row, int column) const {
        if (column < shared) return shared_values + static_cast<std::int64_t>(places[row]) * shared + column;
        return values + row * (columns - shared) + (column - shared);
    }
    [[gnu::always_inline]] double value(std::int64_t row, int column) const { return *at(row, column); }
};

// The stored rows, in an order of their own that keeps like rows together; `numbers` are their case
// numbers. `codes` holds, block by block and column by column, the bin of 64
// rows (row r in the low half of byte r, row r + 32 in the high half). `summary` is packed in the
// same way, a block standing for a row, with two columns for each: the least and the greatest bin
// in the block, leaving aside missing values (or kMixed if there is no other); for a nominal column the one bin of
// the block (or kMixed), and nothing. A bit of
// `alive` says whether a row counts; `bins` holds the smallest and largest value in each bin;
// `lacking` says which columns have missing values. `kinds` are those the codes were packed by; a
// metric may read a numeric column as nominal.
struct Table : Rows {
    const std::int64_t* numbers = nullptr;
    const std::uint8_t* codes = nullptr;
    const std::uint8_t* summary = nullptr;
    const std::uint64_t* alive = nullptr;
    const double* bins = nullptr;
    const std::uint8_t* lacking = nullptr;
    const std::uint8_t* kinds = nullptr;
    std::int64_t blocks() const { return (rows + kBlock - 1) / kBlock; }
    const std::uint8_t* codes_of(std::int64_t block) const { return codes + block * columns * kBlockBytes; }
};

// How far beyond its base the last search of a single query by a metric went. It only says where the next one
// begins; what is found does not depend on it.
class LastRoom {
public:
    LastRoom() = default;
    LastRoom(const LastRoom& other) : room_(other.get()) {}
    LastRoom& operator=(const LastRoom& other) {
        set(other.get());
        return *this;
    }
    double get() const { return room_.load(std::memory_order_relaxed); }
    void set(double room) const { room_.store(room, std::memory_order_relaxed); }

private:
    mutable std::atomic<double> room_{std::numeric_limits<double>::infinity()};  // several threads may search
};

// A feature's distribution in short: points and shares, which sum to one; of nominal features the share of each
// category.
struct Support {
    const double *points = nullptr, *shares = nullptr;
    std::int64_t size = 0;
};

// What a distance is. Arrays run over all columns of the table; `active` lists those that count,
// ascending, and `weights` sums to one over them.
struct Metric {
    std::vector<std::uint8_t> kinds;
    std::vector<double> residuals;  // numeric, cyclic: the residual; nominal: the contrast
    std::vector<double> periods;
    std::vector<double> weights;
    std::vector<double> one_missing;    // fixed term of (value, missing), or NaN for the expectation
    std::vector<double> both_missing;   // term of (missing, missing)
    const Support* supports = nullptr;  // of each column, in what all metrics of the same features share
    std::shared_ptr<const void> held;
    std::vector<int> active;
    double p = 1.0;
    bool uniform = false;  // all active columns weigh the same
    LastRoom room;
    int columns() const { return static_cast<int>(kinds.size()); }
};

struct Found {
    double key;
    std::int64_t number;
    bool operator<(const Found& other) const { return key < other.key || (key == other.key && number < other.number); }
};

// Rows by their keys, and by their case numbers where these are equal. The standard library sorts by
// these, and calls functions of an instruction path slowly.
using KeyedRow = std::pair<double, std::int64_t>;
struct NearerRow {
    bool operator()(const KeyedRow& a, const KeyedRow& b) const { return a.first < b.first; }
};
struct NearerRowByNumber {
    const std::int64_t* numbers;
    bool operator()(const KeyedRow& a, const KeyedRow& b) const {
        return a.first < b.first || (a.first == b.first && numbers[a.second] < numbers[b.second]);
    }
};

// Of all rows the terms of their values against a missing one, by column: where it takes long to work them
// out, and queries enough lack the column. Empty for the others.
using MissingTerms = std::vector<std::vector<double>>;

class CategoryRows;
class FineCodes;
class StepCodes;
class CellCodes;
struct CellKernels;
struct StepColumn;

struct SearchJob {
    const Table* table;
    const Metric* metric;
    const double* queries;        // (count, columns)
    const std::int64_t* exclude;  // row to leave out for each query, -1 for none
    const double* ceilings;       // for each query the greatest key that found rows may have, or null
    std::int64_t count;
    int k;
    int required;  // a column that found rows must have, or -1
    bool pruned;
    std::int64_t* numbers;  // out (count, k), -1 where there are no more
    double* distances;      // out (count, k), infinity there
    double* keys;           // out (count, k): what rows are ordered by, infinity there
    std::atomic<std::int64_t>* evaluated;
    const FineCodes* fine;   // finer codes of the rows, or null
    const StepCodes* steps;  // their steps, or null
    const MissingTerms* against_missing;
    const CellCodes* cells;  // their cells, if there are finer codes, or null
    const CellKernels* by_cells;
    const std::vector<std::shared_ptr<const CategoryRows>>* categories;  // (columns,): of those with many, or null
};

// One leave-one-out pass over all features. `columns` is the reference in column-major order.
struct SweepJob {
    const Metric* metric;
    const double* columns;        // (columns, rows)
    const std::uint8_t* lacking;  // (columns,): which have missing values
    const StepColumn* steps;      // (columns,)
    std::int64_t rows;
    const double* case_weights;   // (rows,) or null
    const std::int64_t* queries;  // rows to leave out, (count,)
    std::int64_t count;
    int k;
    double* predictions;  // out (count, columns): predicted value, or for nominal features
                          // the influence on the true category; NaN where none
};

// Cases beside a pool that is the same for all, but for columns that cases see in several ways: what the terms
// between them are worked out of.
struct PairJob {
    const Metric* metric;
    const double* values;          // (any, pool): values of the pool, column by column
    const std::uint8_t* gaps;      // (any,): whether values are missing among them
    const std::int64_t* where;     // (views, active columns): which of these a case sees
    const float* known;            // (any, pool): excess terms against values that several cases have
    const std::int64_t* known_at;  // (cases, active columns): which of these are those of a case, -1 for none
    const double* queries;         // (cases, columns)
    const std::int64_t* views;     // (cases,): how a case sees the pool
    std::int64_t pool;
};

// Cases beside a pool of rows for each of them: what the terms between them are worked out of.
struct CandidateJob {
    const Table* table;
    const Metric* const* metrics;  // (views,): how cases see the rows
    const std::int64_t* views;     // (cases,)
    const double* queries;         // (cases, columns)
    const std::int64_t* rows;      // (cases, pool): rows of the table, below 0 for none
    bool coded;                    // whether terms are kept as bytes
};

// Left-out cases, each with a pool of others, for learning feature weights.
struct EntropyJob {
    const float* excess;             // (any, columns, pool): terms above those of equal values; or null where they
    const PairJob* pairs;            // are of pairs that they are worked out of,
    const CandidateJob* candidates;  // or of the candidates of each case
    const std::int64_t* rows;        // (cases,): where among any of these each case has its own
    const std::int64_t* own;  // (cases,): where each is in the pool of pairs, or -1: one of its weight is left out
    const double* places;     // (cases, pool), of pairs (pool,): how many of the k places it would take, 0 for none
    const double* outcomes;   // the same
    const double* truth;      // (cases,)
    const double* prior;      // (cases,): share of the true class
    const double* weights;    // (cases,): sum to one
    const double* start;      // (columns,): log weights that the pull draws to
    std::int64_t cases, pool;
    int k, columns, iterations;
    bool classes;
    double mix, smooth, pull, lowest, highest;
};

// How neighbors share a prediction, and the part of the answer that is shared so.
enum InfluenceRule : int { kInverse = 0, kProbability = 1, kCentred = 2, kLinear = 3 };
struct Influence {
    int rule;
    double bandwidth, ridge, share;
};

// The mean outcomes of neighbors found, by kernels of several bandwidths.
struct MeansJob {
    const double* excess;    // (count, k): distance above that of equal rows, infinite for none
    const double* counts;    // (count, k): what each neighbor counts, or null where all count 1
    const double* outcomes;  // (count, k)
    std::int64_t count;
    int k, classes, bandwidths;
    const double* bandwidth;  // (bandwidths,)
    double* out;              // (bandwidths, count, classes or 1)
};

// The mean outcomes of neighbors found, by shares that balance their offsets, for several ridges.
struct PathJob {
    const double* logits;    // (count, k): logarithms of the kernel, -infinity for none
    const double* offsets;   // (count, k, columns), to be multiplied by `scale`
    const double* outcomes;  // (count, k)
    std::int64_t count;
    int k, columns, classes, n_ridges;
    double scale;
    const double* ridges;  // (n_ridges,), falling
    bool linear, rough;
    double* out;  // (n_ridges, count, classes or 1), all 0
};

class Offsets;

// The shares of neighbors found, by several rules that balance their offsets.
struct ShareJob {
    const Table* table;
    const Offsets* offsets;
    int directions;            // how many offsets a neighbor has
    const double* queries;     // (count, columns)
    const std::int64_t* rows;  // (count, k): -1 for none
    const double* excess;      // (count, k): distance above that of equal rows, infinite for none
    const double* logs;        // (count, k): logarithms of what each neighbor counts, or null where all count 1
    std::int64_t count;
    int k, members;
    const Influence* influences;  // (members,): kCentred or kLinear
    double* out;                  // (members, count, k)
};

// Some of the players of coalitions, by their numbers. There may be thousands in each of hundreds of coalitions.
using Players = std::vector<std::uint32_t>;

// What coalitions of players predict. A player brings columns, and parts of columns that are scores.
// Coalitions form a tree, given in preorder: each node adds a player to the coalition of its parent.
struct CoalitionJob {
    const Table* table;
    const Metric* metric;
    double total;                 // sum of the metric's weights before they were made to sum to one
    const double* queries;        // (count, columns)
    const std::int64_t* exclude;  // row to leave out one unit of weight of, -1 for none
    std::int64_t count;
    const int* ks;                // (n_ks,): how many neighbors predict
    int n_ks, k;                  // and the most of them
    int required;                 // the column of the target, which neighbors must have
    const std::int64_t* depths;   // (nodes,): 1 for a single player
    const std::int64_t* players;  // (nodes,): the player a node adds
    const std::int64_t* slot_of;  // (nodes,): where its prediction goes, -1 for nowhere
    const std::int64_t* ends;     // (nodes,): the first node after those below this one
    std::int64_t nodes, slots;
    const std::int64_t* player_of;  // (columns,): the player that brings a column, if it counts and is no score
    const std::int64_t* scores;     // (n_scores,): columns that are sums of parts; all count
    std::int64_t n_players, n_scores;
    const double* case_parts;       // (rows of the table, n_players, n_scores)
    const double* query_parts;      // (count, n_players, n_scores)
    const double* most_part;        // (n_players, n_scores): the greatest of all rows, without its sign
    const double* outcomes;         // (rows of the table, width), or one class code for each row
    const double* case_weights;     // (rows of the table,) or null
    const std::int64_t* by_number;  // (rows of the table,): rows in the order of their case numbers,
    const std::int64_t* ranks;      // and the place of each row in it
    const MissingTerms* against_missing;
    const Influence* influences;
    int members, width;
    bool classes;
    double* out;          // (n_ks, count, slots, width), added to: mean outcome, or class shares
    double* nonnegative;  // the same with kProbability for kLinear, or null
};

}  // namespace vicinal
