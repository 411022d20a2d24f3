"""What ``native/bindings_*.cpp`` offer, for type checkers. Keep the two in step.

Arrays must be C-contiguous and of exactly these types; sizes are checked there, once.
"""

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Bytes = NDArray[np.uint8]

MOST_DIRECTIONS: int

BLOCK: int
BLOCK_BYTES: int
BINS: int

FEW_ROWS: int
SUM_WORDS: int

class Rows:
    @overload
    def __init__(self, values: _Floats) -> None: ...
    @overload
    def __init__(self, values: _Floats, shared: _Floats, places: NDArray[np.int32]) -> None: ...

class Table:
    def __init__(
        self,
        values: Rows | _Floats,
        numbers: _Ints,
        codes: _Bytes,
        summary: _Bytes,
        alive: NDArray[np.uint64],
        bins: _Floats,
        lacking: _Bytes,
        kinds: _Bytes,
        keeps: bool,
    ) -> None: ...

class Supports: ...

class Metric:
    @property
    def both_missing(self) -> _Floats: ...

def make_metric(
    kinds: _Bytes,
    residuals: _Floats,
    periods: _Floats,
    weights: _Floats,
    one_missing: _Floats,
    both_missing: _Floats,
    supports: Supports,
    p: float,
) -> Metric: ...
def make_supports(
    points: _Floats,
    shares: _Floats,
    offsets: _Ints,
    long_columns: _Ints,
    long_points: list[_Floats],
    long_shares: list[_Floats],
) -> Supports: ...
def return_memory() -> None: ...
def search(
    table: Table,
    metric: Metric,
    queries: _Floats,
    exclude: _Ints,
    k: int,
    required: int,
    ceilings: _Floats | None,
    threads: int,
    path: str | None,
    pruned: bool,
) -> tuple[_Ints, _Floats, _Floats, int]: ...

_Optional = _Floats | None
SearchedSpace = tuple[_Ints, _Floats, _Floats, int, _Optional, _Optional, _Optional]

class Space:
    def __init__(
        self,
        metric: Metric,
        total: float,
        k: int,
        columns: _Ints,
        factors: _Floats,
        influences: _Floats,
        places: _Ints,
        weights: _Floats,
    ) -> None: ...

def search_spaces(
    table: Table,
    spaces: list[Space],
    row_of: _Ints,
    queries: _Floats,
    required: int,
    threads: int,
) -> list[SearchedSpace]: ...
def terms(
    table: Table,
    metric: Metric,
    queries: _Floats,
    rows: _Ints,
    threads: int,
    path: str | None,
) -> _Floats: ...

class Pairs:
    def __init__(
        self, metric: Metric, values: _Floats, where: _Ints, queries: _Floats, views: _Ints
    ) -> None: ...

def pair_offsets(
    pairs: Pairs,
    rows: _Ints,
    places: _Ints,
    columns: _Ints,
    factors: _Floats,
    threads: int,
) -> _Floats: ...
def nearest(
    pairs: Pairs,
    weights: NDArray[np.float32],
    rows: _Ints,
    own: _Ints,
    k: int,
    threads: int,
    path: str | None,
) -> tuple[_Ints, _Floats]: ...
def offsets(
    table: Table,
    metric: Metric,
    queries: _Floats,
    rows: _Ints,
    columns: _Ints,
    factors: _Floats,
    threads: int,
) -> _Floats: ...
def excess(
    table: Table,
    metric: Metric,
    queries: _Floats,
    rows: _Ints,
    threads: int,
    path: str | None,
) -> NDArray[np.float32]: ...
def kernel_means(
    excess: _Floats,
    counts: _Floats | None,
    outcomes: _Floats,
    classes: int,
    bandwidths: _Floats,
    threads: int,
    path: str | None,
) -> _Floats: ...
def shared_places(keys: _Floats, masses: _Floats, cases: _Floats | None, k: float) -> _Floats: ...
def outcome_sums(shares: _Floats, outcomes: _Floats, classes: int) -> _Floats: ...
def floors(
    table: Table, metric: Metric, queries: _Floats, finer: bool, whole: bool, path: str | None
) -> _Floats: ...
def sweep(
    metric: Metric,
    columns: _Floats,
    case_weights: _Floats | None,
    queries: _Ints,
    k: int,
    threads: int,
    path: str | None,
) -> _Floats: ...
def row_hashes(values: _Floats, seed: int) -> NDArray[np.uint64]: ...
def sampling_keys(values: _Floats, seed: int, distinct: bool) -> NDArray[np.uint64]: ...
def pack(
    values: Rows,
    first: int,
    kinds: _Bytes,
    edges: _Floats,
    codes: _Bytes,
    summary: _Bytes,
    bins: _Floats,
    lacking: _Bytes,
) -> None: ...
def influences(
    logits: _Floats,
    offsets: _Floats,
    ridge: float,
    linear: bool,
    threads: int,
    path: str | None,
) -> _Floats: ...
def path_means(
    logits: _Floats,
    offsets: _Floats,
    outcomes: _Floats,
    classes: int,
    scale: float,
    ridges: _Floats,
    linear: bool,
    rough: bool,
    threads: int,
    path: str | None,
) -> _Floats: ...
def balanced_shares(
    table: Table,
    metric: Metric,
    queries: _Floats,
    rows: _Ints,
    columns: _Ints,
    factors: _Floats,
    excess: _Floats,
    logs: _Floats | None,
    influences: _Floats,
    threads: int,
    path: str | None,
) -> _Floats: ...
def coalitions(
    table: Table,
    metric: Metric,
    total: float,
    queries: _Floats,
    exclude: _Ints,
    ks: list[int],
    required: int,
    depths: _Ints,
    players: _Ints,
    slot_of: _Ints,
    ends: _Ints,
    player_of: _Ints,
    scores: _Ints,
    case_parts: _Floats,
    query_parts: _Floats,
    outcomes: _Floats,
    n_classes: int,
    case_weights: _Floats | None,
    influences: _Floats,
    threads: int,
    path: str | None,
) -> tuple[_Floats, _Floats | None]: ...
def cluster(values: Rows, kinds: _Bytes, scales: _Floats) -> _Ints: ...
def paths() -> list[str]: ...

class Sample: ...

class SampleOfCandidates(Sample):
    def __init__(
        self,
        table: Table,
        metrics: Sequence[Metric],
        views: _Ints,
        queries: _Floats,
        near: _Ints,
        rows: _Ints,
        places: _Floats,
        outcomes: _Floats,
        truth: _Floats,
        prior: _Floats,
        weights: _Floats,
        start: _Floats,
        k: int,
        classes: bool,
        mix: float,
        coded: bool,
        smooth: float,
        pull: float,
        lowest: float,
        highest: float,
    ) -> None: ...

class SampleOfPairs(Sample):
    def __init__(
        self,
        pairs: Pairs,
        rows: _Ints,
        own: _Ints,
        places: _Floats,
        outcomes: _Floats,
        truth: _Floats,
        prior: _Floats,
        weights: _Floats,
        start: _Floats,
        k: int,
        classes: bool,
        mix: float,
        smooth: float,
        pull: float,
        lowest: float,
        highest: float,
    ) -> None: ...

class SampleOfTerms(Sample):
    def __init__(
        self,
        excess: NDArray[np.float32],
        rows: _Ints,
        places: _Floats,
        outcomes: _Floats,
        truth: _Floats,
        prior: _Floats,
        weights: _Floats,
        start: _Floats,
        k: int,
        classes: bool,
        mix: float,
        smooth: float,
        pull: float,
        lowest: float,
        highest: float,
    ) -> None: ...

def descend(sample: Sample, logs: _Floats, iterations: int, path: str | None) -> _Floats: ...
def entropy_loss(sample: Sample, logs: _Floats, path: str | None) -> tuple[float, _Floats]: ...

BOOST_BINS: int
MISSING_BIN: int

def boost(
    bins: _Bytes,
    own: _Bytes,
    nominal: _Bytes,
    weights: _Floats,
    truth: _Floats,
    held: _Bytes,
    classes: int,
    rounds: int,
    patience: int,
    patience_together: int,
    leaves: int,
    path_columns: int,
    most_columns: int,
    symmetric: bool,
    rate: float,
    ridge: float,
    nominal_ridge: float,
    least_mass: float,
    faster: float,
    threads: int,
    path: str | None = None,
) -> tuple[_Ints, NDArray[np.uint64], _Floats, _Floats]: ...

class Forest:
    def __init__(
        self,
        nodes: _Ints,
        sets: NDArray[np.uint64],
        values: _Floats,
    ) -> None: ...

def forest_scores(forest: Forest, bins: _Bytes, folds: _Ints, threads: int) -> _Floats: ...
def forest_parts(
    forest: Forest,
    bins: _Bytes,
    reference: _Bytes,
    owners: _Ints,
    features: int,
    folds: _Ints,
    threads: int,
) -> _Floats: ...
def bin_codes(
    rows: _Floats,
    columns: _Ints,
    nominal: _Bytes,
    starts: _Ints,
    edges: _Floats,
    others: int,
) -> _Bytes: ...
def interpolate(
    rows: _Floats,
    columns: _Ints,
    starts: _Ints,
    points: _Floats,
    heights: _Floats,
) -> _Floats: ...
def range_hashes(
    rows: _Floats,
    columns: _Ints,
    nominal: _Bytes,
    middles: _Floats,
    halves: _Floats,
    steps: float,
    farthest: float,
    seed: int,
) -> NDArray[np.uint64]: ...
def exact_sums(
    values: _Floats, factors: _Floats | None, groups: _Ints | None, count: int
) -> _Ints: ...
def exact_values(sums: _Ints) -> _Floats: ...
def place_totals(values: _Floats, low: _Floats, high: _Floats) -> tuple[_Ints, _Ints]: ...
def column_signs(totals: _Ints, counts: _Ints) -> _Ints: ...
def part_hashes(
    values: _Floats, seed: int, low: _Floats, high: _Floats, signs: _Ints
) -> NDArray[np.uint64]: ...
def mixed(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]: ...
