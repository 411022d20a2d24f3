// The door to Python for what is learned and predicted from neighbors.
#include <cmath>
#include <limits>
#include <numeric>

#include "bindings.hpp"
#include "offsets.hpp"
#include "steps.hpp"

namespace vicinal {
namespace {

nb::ndarray<nb::numpy, double> sweep(const Metric& metric, Doubles2 columns, std::optional<Doubles1> case_weights,
                                     Ints1 queries, int k, int threads, std::optional<std::string> path) {
    require(static_cast<int>(columns.shape(0)) == metric.columns(), "columns and metric differ in length");
    const auto rows = static_cast<std::int64_t>(columns.shape(1));
    require(!case_weights || case_weights->shape(0) == columns.shape(1), "one case weight per row is needed");
    require(k >= 1, "k must be at least 1");
    for (std::size_t q = 0; q < queries.shape(0); ++q)
        require(queries.data()[q] >= 0 && queries.data()[q] < rows, "a row number is out of range");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({queries.shape(0), columns.shape(0)}, std::numeric_limits<double>::quiet_NaN());
    std::vector<std::uint8_t> lacking(columns.shape(0));
    for (std::size_t c = 0; c < lacking.size(); ++c) {
        const double* values = columns.data() + c * columns.shape(1);
        lacking[c] = std::any_of(values, values + rows, [](double x) { return x != x; });
    }
    std::vector<StepColumn> steps;
    for (std::size_t c = 0; c < lacking.size(); ++c) steps.emplace_back(columns.data() + c * columns.shape(1), rows);
    const SweepJob job{&metric,
                       columns.data(),
                       lacking.data(),
                       steps.data(),
                       rows,
                       case_weights ? case_weights->data() : nullptr,
                       queries.data(),
                       static_cast<std::int64_t>(queries.shape(0)),
                       k,
                       static_cast<double*>(out.data())};
    run_in_steps(job.count, 8, threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.sweep(job, first, last); });
    return out;
}

nb::ndarray<nb::numpy, double> influences(Doubles2 logits, Doubles3 offsets, double ridge, bool linear, int threads,
                                          std::optional<std::string> path) {
    require(offsets.shape(0) == logits.shape(0) && offsets.shape(1) == logits.shape(1), "offsets do not fit logits");
    require(ridge > 0, "the ridge must be positive");
    const Kernels& kernels = kernels_named(path);
    const std::size_t count = logits.shape(0), k = logits.shape(1), d = offsets.shape(2);
    auto out = new_array<double>({count, k}, 0.0);
    run_in_steps(static_cast<std::int64_t>(count), 32, threads, [&](std::int64_t first, std::int64_t last) {
        kernels.influences(logits.data() + first * k, offsets.data() + first * k * d, last - first, static_cast<int>(k),
                           static_cast<int>(d), ridge, linear, static_cast<double*>(out.data()) + first * k);
    });
    return out;
}

nb::ndarray<nb::numpy, double> path_means(Doubles2 logits, Doubles3 offsets, Doubles2 outcomes, int classes,
                                          double scale, Doubles1 ridges, bool linear, bool rough, int threads,
                                          std::optional<std::string> path) {
    const std::size_t count = logits.shape(0), k = logits.shape(1), steps = ridges.shape(0);
    require(offsets.shape(0) == count && offsets.shape(1) == k, "offsets do not fit logits");
    require(outcomes.shape(0) == count && outcomes.shape(1) == k && classes >= 0, "outcomes do not fit logits");
    require(steps > 0, "at least one ridge is needed");
    for (std::size_t r = 0; r < steps; ++r)
        require(ridges.data()[r] > 0 && (r == 0 || ridges.data()[r] < ridges.data()[r - 1]),
                "ridges must be positive and fall");
    for (std::size_t i = 0; classes && i < outcomes.size(); ++i)
        require(outcomes.data()[i] >= 0 && outcomes.data()[i] < classes, "a class is out of range");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({steps, count, static_cast<std::size_t>(std::max(classes, 1))}, 0.0);
    const PathJob job{logits.data(),
                      offsets.data(),
                      outcomes.data(),
                      static_cast<std::int64_t>(count),
                      static_cast<int>(k),
                      static_cast<int>(offsets.shape(2)),
                      classes,
                      static_cast<int>(steps),
                      scale,
                      ridges.data(),
                      linear,
                      rough,
                      static_cast<double*>(out.data())};
    run_in_steps(job.count, 8, threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.path_means(job, first, last); });
    return out;
}

}  // namespace

std::vector<Influence> read_influences(const Doubles2& influences) {
    require(influences.shape(1) == 4, "an influence has four numbers");
    std::vector<Influence> members;
    for (std::size_t m = 0; m < influences.shape(0); ++m) {
        const double* one = influences.data() + 4 * m;
        require(one[0] >= static_cast<double>(kInverse) && one[0] <= static_cast<double>(kLinear),
                "unknown rule of influence");
        require(one[1] > 0 && one[2] > 0, "bandwidth and ridge must be positive");
        members.push_back({static_cast<int>(one[0]), one[1], one[2], one[3]});
    }
    return members;
}

namespace {

// Of several rules that balance offsets the shares of neighbors found: (members, queries, k).
nb::ndarray<nb::numpy, double> balanced_shares(const StoredTable& stored, const Metric& metric, Doubles2 queries,
                                               Ints2 rows, Ints1 columns, Doubles1 factors, Doubles2 excess,
                                               std::optional<Doubles2> logs, Doubles2 influences, int threads,
                                               std::optional<std::string> path) {
    check_queries(queries, metric, stored.table);
    check_rows(rows, queries, stored.table);
    check_directions(columns, factors, metric);
    const std::size_t count = rows.shape(0), k = rows.shape(1);
    require(excess.shape(0) == count && excess.shape(1) == k, "excess does not fit rows");
    require(!logs || (logs->shape(0) == count && logs->shape(1) == k), "logs do not fit rows");
    const std::vector<Influence> members = read_influences(influences);
    for (const Influence& one : members)
        require(one.rule == kCentred || one.rule == kLinear, "only two rules balance offsets");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({members.size(), count, k});
    const Offsets offsets(metric, columns.data(), factors.data(), static_cast<int>(columns.shape(0)));
    const ShareJob job{&stored.table,
                       &offsets,
                       static_cast<int>(columns.shape(0)),
                       queries.data(),
                       rows.data(),
                       excess.data(),
                       logs ? logs->data() : nullptr,
                       static_cast<std::int64_t>(count),
                       static_cast<int>(k),
                       static_cast<int>(members.size()),
                       members.data(),
                       static_cast<double*>(out.data())};
    run_in_steps(job.count, 32, threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.balanced_shares(job, first, last); });
    return out;
}

nb::ndarray<nb::numpy, double> kernel_means(Doubles2 excess, std::optional<Doubles2> counts, Doubles2 outcomes,
                                            int classes, Doubles1 bandwidths, int threads,
                                            std::optional<std::string> path) {
    const std::size_t count = excess.shape(0), k = excess.shape(1), n = bandwidths.shape(0);
    require(outcomes.shape(0) == count && outcomes.shape(1) == k, "outcomes do not fit excess");
    require(!counts || (counts->shape(0) == count && counts->shape(1) == k), "counts do not fit excess");
    require(k >= 1 && classes >= 0, "there is no neighbor");
    for (std::size_t i = 0; classes && i < outcomes.size(); ++i)
        require(outcomes.data()[i] >= 0 && outcomes.data()[i] < classes, "a class is out of range");
    const Kernels& kernels = kernels_named(path);
    auto out = new_array<double>({n, count, static_cast<std::size_t>(std::max(classes, 1))});
    const MeansJob job{excess.data(),
                       counts ? counts->data() : nullptr,
                       outcomes.data(),
                       static_cast<std::int64_t>(count),
                       static_cast<int>(k),
                       classes,
                       static_cast<int>(n),
                       bandwidths.data(),
                       static_cast<double*>(out.data())};
    run_in_steps(job.count, 64, threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.kernel_means(job, first, last); });
    return out;
}

std::vector<std::int64_t> rows_by_number(const Table& table) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(table.rows));
    std::iota(rows.begin(), rows.end(), 0);
    std::sort(rows.begin(), rows.end(),
              [&](std::int64_t a, std::int64_t b) { return table.numbers[a] < table.numbers[b]; });
    return rows;
}

constexpr double kMostPart = 1e300;  // so that sums of parts stay finite

// What players bring: columns that count, and parts of scores.
void check_players(const Metric& metric, const Ints1& player_of, const Ints1& scores, const Doubles3& case_parts,
                   const Doubles3& query_parts) {
    require(static_cast<int>(player_of.shape(0)) == metric.columns(), "player_of and metric differ in columns");
    const std::size_t players = case_parts.shape(1), n_scores = scores.shape(0);
    require(query_parts.shape(1) == players, "the parts differ in players");
    require(case_parts.shape(2) == n_scores && query_parts.shape(2) == n_scores, "the parts differ in scores");
    for (std::size_t s = 0; s < n_scores; ++s) {
        const std::int64_t column = scores.data()[s];
        require(std::count(metric.active.begin(), metric.active.end(), column) == 1, "a score does not count");
        require(metric.kinds[column] == kNumeric, "a score is not numeric");
        require(std::count(scores.data(), scores.data() + s, column) == 0, "a score is there twice");
    }
    for (const int column : metric.active) {
        const bool is_score = std::count(scores.data(), scores.data() + n_scores, column) > 0;
        const std::int64_t player = player_of.data()[column];
        require(is_score ? player == -1 : player >= 0 && player < static_cast<std::int64_t>(players),
                "a column that counts must be a score or belong to a player");
    }
}

// The greatest part of each player and score, without its sign.
std::vector<double> greatest_parts(const Doubles3& parts) {
    const std::size_t each = parts.shape(1) * parts.shape(2);
    std::vector<double> most(each);
    for (std::size_t row = 0; row < parts.shape(0); ++row)
        for (std::size_t i = 0; i < each; ++i) {
            const double part = std::abs(parts.data()[row * each + i]);
            require(part <= kMostPart, "parts of scores must be finite");
            most[i] = std::max(most[i], part);
        }
    return most;
}

// The tree of coalitions is in preorder, and something counts in each. Returns the number of slots.
std::int64_t check_tree(const Metric& metric, const Ints1& player_of, std::int64_t n_players, bool scored,
                        const Ints1& depths, const Ints1& players, const Ints1& slot_of, const Ints1& ends) {
    const auto nodes = static_cast<std::int64_t>(depths.shape(0));
    require(
        players.shape(0) == depths.shape(0) && slot_of.shape(0) == depths.shape(0) && ends.shape(0) == depths.shape(0),
        "the arrays of the tree differ in length");
    std::vector<bool> counts(n_players, scored);
    for (const int column : metric.active)
        if (player_of.data()[column] >= 0) counts[player_of.data()[column]] = true;
    std::int64_t slots = 0;
    std::vector<std::int64_t> path;
    for (std::int64_t n = 0; n < nodes; ++n) {
        const std::int64_t depth = depths.data()[n], player = players.data()[n], end = ends.data()[n];
        require(depth >= 1 && depth <= (n ? depths.data()[n - 1] : 0) + 1, "the tree is not in preorder");
        require(player >= 0 && player < n_players, "a coalition has a player that does not exist");
        path.resize(depth - 1);
        require(std::count(path.begin(), path.end(), player) == 0, "a coalition has a player twice");
        path.push_back(player);
        require(slot_of.data()[n] < 0 || std::any_of(
                                             path.begin(), path.end(), [&](auto one) { return counts[one]; }),
                "a coalition has nothing that counts");
        std::int64_t after = n + 1;
        while (after < nodes && depths.data()[after] > depth) ++after;
        require(end == after, "the ends do not fit the depths");
        require(slot_of.data()[n] >= -1 && slot_of.data()[n] < nodes, "a slot is out of range");
        slots = std::max(slots, slot_of.data()[n] + 1);
    }
    std::vector<int> seen(slots);
    for (std::int64_t n = 0; n < nodes; ++n)
        if (slot_of.data()[n] >= 0) ++seen[slot_of.data()[n]];
    for (const int times : seen) require(times == 1, "every slot must be filled once");
    return slots;
}

nb::tuple coalitions(const StoredTable& stored, const Metric& metric, double total, Doubles2 queries, Ints1 exclude,
                     std::vector<int> ks, int required, Ints1 depths, Ints1 players, Ints1 slot_of, Ints1 ends,
                     Ints1 player_of, Ints1 scores, Doubles3 case_parts, Doubles3 query_parts, Doubles2 outcomes,
                     int n_classes, std::optional<Doubles1> case_weights, Doubles2 influences, int threads,
                     std::optional<std::string> path) {
    const Table& table = stored.table;
    check_queries(queries, metric, table);
    const std::size_t rows = static_cast<std::size_t>(table.rows), count = queries.shape(0);
    require(exclude.shape(0) == count, "exclude must name one row per query");
    require(!ks.empty() && *std::min_element(ks.begin(), ks.end()) >= 1, "k must be at least 1");
    require(total > 0 && std::isfinite(total), "total must be positive");
    require(required >= 0 && required < table.columns, "no such column is there to require");
    require(outcomes.shape(0) == rows && (n_classes == 0 || outcomes.shape(1) == 1), "outcomes do not fit the table");
    require(!case_weights || case_weights->shape(0) == rows, "one case weight per row is needed");
    for (std::size_t q = 0; q < count; ++q)
        require(exclude.data()[q] >= -1 && exclude.data()[q] < table.rows, "a row number is out of range");
    if (n_classes > 0)
        for (std::size_t r = 0; r < rows; ++r) {
            const double code = outcomes.data()[r];
            require(code != code || (code >= 0 && code < n_classes), "a class code is out of range");
        }
    const bool fit = case_parts.shape(0) == rows && query_parts.shape(0) == count;
    require(fit, "one set of parts per row is needed");
    check_players(metric, player_of, scores, case_parts, query_parts);
    greatest_parts(query_parts);  // all of them finite
    const std::vector<double> most_part = greatest_parts(case_parts);
    const auto n_players = static_cast<std::int64_t>(case_parts.shape(1));
    const auto n_scores = static_cast<std::int64_t>(scores.shape(0));
    const std::int64_t slots = check_tree(metric, player_of, n_players, n_scores > 0, depths, players, slot_of, ends);
    const std::vector<Influence> members = read_influences(influences);
    const bool linear =
        std::any_of(members.begin(), members.end(), [](const Influence& one) { return one.rule == kLinear; });
    const Kernels& kernels = kernels_named(path);
    const std::size_t width = n_classes > 0 ? static_cast<std::size_t>(n_classes) : outcomes.shape(1);
    auto out = new_array<double>({ks.size(), count, static_cast<std::size_t>(slots), width}, 0.0);
    const bool held = linear && n_classes > 0;
    auto nonnegative = new_array<double>({ks.size(), held ? count : 0, static_cast<std::size_t>(slots), width}, 0.0);
    const std::vector<std::int64_t> by_number = rows_by_number(table);
    std::vector<std::int64_t> ranks(rows);
    for (std::size_t at = 0; at < rows; ++at) ranks[by_number[at]] = static_cast<std::int64_t>(at);
    const MissingTerms missing_terms = against_missing(kernels, table, metric, queries, table.rows, threads);
    const CoalitionJob job{&table,
                           &metric,
                           total,
                           queries.data(),
                           exclude.data(),
                           static_cast<std::int64_t>(count),
                           ks.data(),
                           static_cast<int>(ks.size()),
                           *std::max_element(ks.begin(), ks.end()),
                           required,
                           depths.data(),
                           players.data(),
                           slot_of.data(),
                           ends.data(),
                           static_cast<std::int64_t>(depths.shape(0)),
                           slots,
                           player_of.data(),
                           scores.data(),
                           n_players,
                           n_scores,
                           case_parts.data(),
                           query_parts.data(),
                           most_part.data(),
                           outcomes.data(),
                           case_weights ? case_weights->data() : nullptr,
                           by_number.data(),
                           ranks.data(),
                           &missing_terms,
                           members.data(),
                           static_cast<int>(members.size()),
                           static_cast<int>(width),
                           n_classes > 0,
                           static_cast<double*>(out.data()),
                           held ? static_cast<double*>(nonnegative.data()) : nullptr};
    // A few at a time, since what a coalition needs is laid out anew for each call.
    const std::int64_t fair = (job.count + threads - 1) / std::max(threads, 1);
    run_in_steps(job.count, std::clamp<std::int64_t>(fair, 1, 4), threads,
                 [&](std::int64_t first, std::int64_t last) { kernels.coalitions(job, first, last); });
    return nb::make_tuple(out, held ? nb::cast(nonnegative) : nb::none());
}

}  // namespace

void bind_learning(nb::module_& m) {
    m.def("sweep", &sweep, "metric"_a, "columns"_a, "case_weights"_a.none(), "queries"_a, "k"_a, "threads"_a,
          "path"_a.none());
    m.def("influences", &influences, "logits"_a, "offsets"_a, "ridge"_a, "linear"_a, "threads"_a, "path"_a.none());
    m.def("path_means", &path_means, "logits"_a, "offsets"_a, "outcomes"_a, "classes"_a, "scale"_a, "ridges"_a,
          "linear"_a, "rough"_a, "threads"_a, "path"_a.none());
    m.def("kernel_means", &kernel_means, "excess"_a, "counts"_a.none(), "outcomes"_a, "classes"_a, "bandwidths"_a,
          "threads"_a, "path"_a.none());
    m.def("balanced_shares", &balanced_shares, "table"_a, "metric"_a, "queries"_a, "rows"_a, "columns"_a, "factors"_a,
          "excess"_a, "logs"_a.none(), "influences"_a, "threads"_a, "path"_a.none());
    m.def("coalitions", &coalitions, "table"_a, "metric"_a, "total"_a, "queries"_a, "exclude"_a, "ks"_a, "required"_a,
          "depths"_a, "players"_a, "slot_of"_a, "ends"_a, "player_of"_a, "scores"_a, "case_parts"_a, "query_parts"_a,
          "outcomes"_a, "n_classes"_a, "case_weights"_a.none(), "influences"_a, "threads"_a, "path"_a.none());
}

}  // namespace vicinal
