// The door to Python for scores that are learned without neighbors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "bindings.hpp"
#include "derive.hpp"
#include "forest.hpp"

namespace vicinal {
namespace {

// Rounds that all runs grow before their losses are added up.
constexpr int kRoundsTogether = 3;

// Grows the runs of a job side by side, until their losses together have not fallen for a while: the loss of all
// is less noisy than that of one, and rounds after its best one are dropped.
std::vector<std::unique_ptr<BoostRun>> boosted(const Kernels& kernels, const BoostJob& job, int threads) {
    std::vector<std::unique_ptr<BoostRun>> runs(job.runs);
    int best = 0;  // round
    double least = std::numeric_limits<double>::infinity();
    for (int done = 0; done < job.rounds && done - best < job.patience_together;) {
        const int more = std::min(kRoundsTogether, job.rounds - done);
        run_in_steps(job.runs, 1, threads, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t run = first; run < last; ++run) {
                if (!runs[run]) runs[run] = kernels.boost(job, run);
                runs[run]->grow_on(more);
            }
        });
        const int end = done + more;
        for (int round = done ? done + 1 : 0; round <= end; ++round) {
            double loss = 0.0;
            for (const auto& run : runs) loss += run->loss(round);
            if (loss < least) least = loss, best = round;
        }
        done = end;
    }
    return runs;
}

// Grown trees, of shape (runs, rounds, width) and node by node; and held-out losses.
nb::tuple boost(Bytes2 bins, Bytes3 own, Bytes1 nominal, Doubles1 weights, Doubles1 truth, Bytes2 held, int classes,
                int rounds, int patience, int patience_together, int leaves, int path_columns, int most_columns,
                bool symmetric, double rate, double ridge, double nominal_ridge, double least_mass, double faster,
                int threads, const std::optional<std::string>& path) {
    const Kernels& kernels = kernels_named(path);
    const std::size_t rows = bins.shape(1);
    const std::size_t columns = bins.shape(0) + own.shape(1);
    require(nominal.shape(0) == columns, "nominal does not fit bins");
    require(own.shape(0) == held.shape(0) && own.shape(2) == rows, "the runs' own bins do not fit");
    require(weights.shape(0) == rows && truth.shape(0) == rows && held.shape(1) == rows, "rows differ in number");
    const std::size_t runs = held.shape(0);
    require(runs >= 1 && rounds >= 1 && leaves >= 2 && leaves <= kMostLeaves && path_columns >= 1 &&
                most_columns >= 1 && most_columns <= kMostTreeColumns,
            "a size is out of range");
    require(rate > 0 && ridge > 0 && nominal_ridge > 0 && least_mass > 0, "a parameter must be positive");
    require(patience >= 1 && patience_together >= 1, "there must be some patience");
    require(faster >= 0, "the rate must not fall");
    for (std::size_t i = 0; i < bins.shape(0) * rows; ++i) require(bins.data()[i] < kBoostBins, "a bin is too large");
    for (std::size_t i = 0; i < own.size(); ++i) require(own.data()[i] < kBoostBins, "a bin is too large");
    for (std::size_t row = 0; row < rows; ++row) {
        require(!classes || (truth.data()[row] >= 0 && truth.data()[row] < classes), "a class is out of range");
    }
    const BoostJob job{bins.data(),
                       own.data(),
                       nominal.data(),
                       weights.data(),
                       truth.data(),
                       held.data(),
                       static_cast<std::int64_t>(rows),
                       static_cast<int>(columns),
                       static_cast<int>(own.shape(1)),
                       classes,
                       static_cast<int>(runs),
                       rounds,
                       patience,
                       patience_together,
                       leaves,
                       path_columns,
                       most_columns,
                       symmetric,
                       rate,
                       ridge,
                       nominal_ridge,
                       least_mass,
                       faster};
    const std::vector<std::unique_ptr<BoostRun>> grown = boosted(kernels, job, threads);
    auto losses = new_array<double>({runs, static_cast<std::size_t>(rounds) + 1});
    for (std::size_t run = 0; run < runs; ++run)
        for (int round = 0; round <= rounds; ++round)
            static_cast<double*>(losses.data())[run * (rounds + 1) + round] = grown[run]->loss(round);
    const std::size_t size = 2 * static_cast<std::size_t>(leaves) - 1;
    std::size_t most = 0;  // trees of one run
    for (const auto& run : grown) most = std::max(most, run->trees.size());
    const std::size_t width = static_cast<std::size_t>(job.width());
    const std::vector<std::size_t> shape{runs, most / width, width, size};
    auto nodes = new_array<std::int64_t>(shape);
    auto sets = new_array<std::uint64_t>(shape);
    auto values = new_array<double>(shape);
    std::size_t at = 0;
    for (const auto& run : grown) {
        std::vector<Tree>& trees = run->trees;
        trees.resize(most);  // those that a run has not grown are leaves of value 0
        for (std::size_t own = 0; own < most * size; ++own) {
            const TreeNode& node = trees[own / size][own % size];
            static_cast<std::int64_t*>(nodes.data())[at] = node.column < 0 ? -1 : node.column * kPerColumn + node.next;
            static_cast<std::uint64_t*>(sets.data())[at] = node.left;
            static_cast<double*>(values.data())[at++] = node.value;
        }
    }
    return nb::make_tuple(nodes, sets, values, losses);
}

// The score of each row (rows, columns) by the trees of its fold, or the mean over folds for -1.
nb::ndarray<nb::numpy, double> forest_scores(const Forest& forest, Bytes2 bins, Ints1 folds, int threads) {
    forest.check(bins, folds);
    auto out = new_array<double>({bins.shape(0), static_cast<std::size_t>(forest.width())}, 0.0);
    run_in_steps(static_cast<std::int64_t>(bins.shape(0)), 64, threads, [&](std::int64_t first, std::int64_t last) {
        const std::uint8_t nothing = 0;  // trees that ask for no column are leaves
        std::vector<std::uint8_t> right;
        for (std::int64_t row = first; row < last; ++row) {
            double* scores = static_cast<double*>(out.data()) + row * forest.width();
            forest.each_value(folds.data()[row], bins.shape(1) ? bins.data() + row * bins.shape(1) : &nothing, right,
                              [&](int c, double value) { scores[c] += value; });
        }
    });
    return out;
}

// What each feature adds to the score of each row, given the feature of each column: (rows, features, width).
nb::ndarray<nb::numpy, double> forest_parts(const Forest& forest, Bytes2 bins, Bytes1 reference, Ints1 owners,
                                            int features, Ints1 folds, int threads) {
    forest.check(bins, folds);
    require(reference.shape(0) == bins.shape(1), "the reference differs in columns");
    for (std::size_t c = 0; c < reference.shape(0); ++c)
        require(reference.data()[c] < kBoostBins, "a bin is too large");
    require(owners.shape(0) == bins.shape(1) && features >= 0, "the features differ in columns");
    for (std::size_t c = 0; c < owners.shape(0); ++c)
        require(owners.data()[c] >= 0 && owners.data()[c] < features, "a column belongs to no feature");
    const std::size_t d = bins.shape(1), width = static_cast<std::size_t>(forest.width());
    const std::size_t each = static_cast<std::size_t>(features) * width;
    auto out = new_array<double>({bins.shape(0), static_cast<std::size_t>(features), width}, 0.0);
    // Rows of one fold together, so that each of its trees is fetched once for many of them.
    std::vector<std::int64_t> rows(bins.shape(0));
    std::iota(rows.begin(), rows.end(), 0);
    const auto fold_of = [&](std::int64_t row) { return folds.data()[row]; };
    std::sort(rows.begin(), rows.end(), [&](auto a, auto b) { return fold_of(a) < fold_of(b); });
    run_in_steps(static_cast<std::int64_t>(rows.size()), 64, threads, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t from = first, to; from < last; from = to) {
            for (to = from + 1; to < last && fold_of(rows[to]) == fold_of(rows[from]);) ++to;
            forest.each(fold_of(rows[from]), [&](const TreeNode* tree, int c, double share) {
                for (std::int64_t i = from; i < to; ++i)
                    TreeParts(tree, bins.data() + rows[i] * d, reference.data(), owners.data(), share,
                              static_cast<double*>(out.data()) + rows[i] * each + c, static_cast<int>(width));
            });
        }
    });
    return out;
}

// Checks that columns are there, and that a list of numbers belongs to each.
Lists checked_lists(const Doubles2& rows, const Ints1& columns, const Ints1& starts, const Doubles1& values) {
    for (std::size_t c = 0; c < columns.shape(0); ++c)
        require(columns.data()[c] >= 0 && columns.data()[c] < static_cast<std::int64_t>(rows.shape(1)),
                "a column is out of range");
    require(starts.shape(0) == columns.shape(0) + 1 && starts.data()[0] == 0 &&
                starts.data()[columns.shape(0)] == static_cast<std::int64_t>(values.shape(0)),
            "starts do not fit the columns");
    for (std::size_t c = 0; c < columns.shape(0); ++c)
        require(starts.data()[c] <= starts.data()[c + 1], "starts must not decrease");
    return {starts.data(), values.data()};
}

// The bin of each cell of some columns: (rows, columns).
nb::ndarray<nb::numpy, std::uint8_t> bin_codes(Doubles2 rows, Ints1 columns, Bytes1 nominal, Ints1 starts,
                                               Doubles1 edges, int others) {
    const Lists lists = checked_lists(rows, columns, starts, edges);
    require(nominal.shape(0) == columns.shape(0), "nominal does not fit columns");
    for (std::size_t c = 0; c < columns.shape(0); ++c)
        require(lists.end(c) - lists.begin(c) <= others && others < kMissingBin, "there are too many bins");
    const std::size_t width = columns.shape(0);
    auto out = new_array<std::uint8_t>({rows.shape(0), width});
    auto* codes = static_cast<std::uint8_t*>(out.data());
    Working working;
    for (std::size_t row = 0; row < rows.shape(0); ++row)
        for (std::size_t c = 0; c < width; ++c) {
            const double value = rows.data()[row * rows.shape(1) + columns.data()[c]];
            const double *begin = lists.begin(c), *end = lists.end(c);
            *codes++ = static_cast<std::uint8_t>(value != value      ? kMissingBin
                                                 : nominal.data()[c] ? bin_of_category(begin, end, value, others)
                                                                     : bin_of_number(begin, end, value));
        }
    return out;
}

// A function of each cell of some columns that is linear between points: (rows, columns).
nb::ndarray<nb::numpy, double> interpolate(Doubles2 rows, Ints1 columns, Ints1 starts, Doubles1 points,
                                           Doubles1 heights) {
    const Lists lists = checked_lists(rows, columns, starts, points);
    require(heights.shape(0) == points.shape(0), "heights do not fit points");
    const std::size_t width = columns.shape(0);
    auto out = new_array<double>({rows.shape(0), width});
    auto* to = static_cast<double*>(out.data());
    Working working;
    for (std::size_t row = 0; row < rows.shape(0); ++row)
        for (std::size_t c = 0; c < width; ++c)
            *to++ = interpolated(lists.begin(c), lists.end(c), heights.data() + starts.data()[c],
                                 rows.data()[row * rows.shape(1) + columns.data()[c]]);
    return out;
}

// A hash of each row by where its numbers lie about the middles of their ranges, and by its categories.
nb::ndarray<nb::numpy, std::uint64_t> range_hashes(Doubles2 rows, Ints1 columns, Bytes1 nominal, Doubles1 middles,
                                                   Doubles1 halves, double steps, double farthest, std::uint64_t seed) {
    const std::size_t width = columns.shape(0);
    require(nominal.shape(0) == width && middles.shape(0) == width && halves.shape(0) == width,
            "ranges do not fit columns");
    for (std::size_t c = 0; c < width; ++c)
        require(columns.data()[c] >= 0 && columns.data()[c] < static_cast<std::int64_t>(rows.shape(1)),
                "a column is out of range");
    require(steps > 0 && farthest > 0 && steps * farthest < 0x1p60, "too many steps");
    const Grain grain{steps, farthest};
    auto out = new_array<std::uint64_t>({rows.shape(0)}, seed);
    auto* hashes = static_cast<std::uint64_t*>(out.data());
    Working working;
    for (std::size_t row = 0; row < rows.shape(0); ++row)
        for (std::size_t c = 0; c < width; ++c) {
            const double value = rows.data()[row * rows.shape(1) + columns.data()[c]];
            std::int64_t word = -1;
            if (value == value)
                word = nominal.data()[c] ? static_cast<std::int64_t>(std::clamp(value, -0x1p62, 0x1p62))
                                         : grain.place(value, middles.data()[c], halves.data()[c]);
            hashes[row] = mix(hashes[row] + static_cast<std::uint64_t>(word));
        }
    return out;
}

}  // namespace

void bind_scores(nb::module_& m) {
    m.def("bin_codes", &bin_codes, "rows"_a, "columns"_a, "nominal"_a, "starts"_a, "edges"_a, "others"_a);
    m.def("interpolate", &interpolate, "rows"_a, "columns"_a, "starts"_a, "points"_a, "heights"_a);
    m.def("range_hashes", &range_hashes, "rows"_a, "columns"_a, "nominal"_a, "middles"_a, "halves"_a, "steps"_a,
          "farthest"_a, "seed"_a);
    m.attr("BOOST_BINS") = kBoostBins;
    m.attr("MISSING_BIN") = kMissingBin;
    m.def("boost", &boost, "bins"_a, "own"_a, "nominal"_a, "weights"_a, "truth"_a, "held"_a, "classes"_a, "rounds"_a,
          "patience"_a, "patience_together"_a, "leaves"_a, "path_columns"_a, "most_columns"_a, "symmetric"_a, "rate"_a,
          "ridge"_a, "nominal_ridge"_a, "least_mass"_a, "faster"_a, "threads"_a, "path"_a.none() = nb::none());
    nb::class_<Forest>(m, "Forest").def(nb::init<Ints4, Sets4, Doubles4>(), "nodes"_a, "sets"_a, "values"_a);
    m.def("forest_scores", &forest_scores, "forest"_a, "bins"_a, "folds"_a, "threads"_a);
    m.def("forest_parts", &forest_parts, "forest"_a, "bins"_a, "reference"_a, "owners"_a, "features"_a, "folds"_a,
          "threads"_a);
}

}  // namespace vicinal
