"""The index: exact nearest cases under a metric.

=============  ==================================================================================
protocol       `Index`: the interface of all indexes; `seen`: one whose last columns have versions
exact          `ExactIndex`: all cases in memory, scanned by bounds, evaluated exactly
large_powers   exact search where powers of terms exceed the range of floats
brute_force    `BruteForce`: a simple reference implementation
sharded        `ShardedIndex`: cases in `shards`, wherever each `shard` is; `divide` makes some;
               `shard_jobs`, `shard_floors`, `shard_search`, `shard_merge`, `shard_samples`,
               `shard_memory`
metric         a distance: `kinds`, residuals, weights, p; `missing`, `support`, `shared_supports`
storage        the cases, which come and go; `packed`: as they lie in memory (`layout`) or are
               `mapped`, with codes in `bins`; `extending`: with more columns, in `shared_rows`
checks, saved  rows as the kernels take them; what a file says about cases, checked
sampling       cases chosen by `hashes` of what they hold; `large_sample`: of cases on disk
statistics     summary statistics, with `exact_sums`; `cells`: bins and hashes, cell by cell
terms          terms, excess and `offsets` of cases against queries; of `pairs`, or of `candidates`
case_weights   how many of the nearest places a case of some weight takes
ties           the nearest cases with all that tie for the last places; `tied_neighbors`: what is
               found; `tie_groups`: many ties, of which a few stand for all
leave_one_out  every feature of a case predicted from its other features, in one native pass
descent        the loss of feature weights on left-out cases; `outcome_sums`; `shares` that
               balance; `spaces`: of few queries in several spaces at once
coalitions     what coalitions of features predict; `players`: what features bring to them
trees          boosted trees on binned columns, and what each column adds to their scores
_native        the kernels (C++, folder ``native/``), for this package alone; `threads`, `memory`
=============  ==================================================================================

Data flows one way: encoded values → codes → byte bounds → the few rows evaluated exactly →
``(key, case number)`` pairs. May import `formulas` and below.
"""
