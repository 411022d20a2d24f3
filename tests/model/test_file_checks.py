"""What a file says about derived columns is taken only if it is consistent."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest

import vicinal
from tests.derived.tables import frame
from vicinal import FileError, Model
from vicinal.model.files import model_parts
from vicinal.prediction.predictor import learn
from vicinal.storage import write_file

ROWS = {name: values for name, values in frame(4, seed=5).items() if name != "y"}


def many_groups(n=300):
    """A table of which ranks, means, sums and trees with groups are derived."""
    table = frame(n)
    rng = np.random.default_rng(8)
    codes = rng.integers(0, 75, size=n)
    table["place"] = np.array([f"p{code}" for code in codes], dtype=object)
    return {**table, "y": table["y"] + np.sin(codes)}


@pytest.fixture(scope="module")
def parts():
    """State and arrays of a model whose derived columns are kept whole."""
    model = Model(max_queries=300, max_members=6).fit(many_groups())
    predictor = learn(
        model._ready(), "y", model.schema_.columns(["a", "b", "group", "noise", "place"])
    )
    assert predictor.derived is not None
    empty = {name for name, at in predictor.derived.groups.items() if not len(at)}
    assert empty == {"estimators"}  # which files cannot hold
    return model_parts(model)


def derived_in(state):
    [target] = state["targets"]
    return target["derived"]


def places_in(packed, path=()):
    """Paths of all arrays and numbers of packed derived columns."""
    if isinstance(packed, dict) and "array" in packed:
        yield path, packed["array"]
    elif isinstance(packed, dict | list):
        items = packed.items() if isinstance(packed, dict) else enumerate(packed)
        for key, one in items:
            yield from places_in(one, (*path, key))
    else:
        yield path, None


def at(packed, path):
    for key in path:
        packed = packed[key]
    return packed


def write(tmp_path, state, arrays):
    write_file(tmp_path / "m", "Model", "0", state, arrays)
    return tmp_path / "m"


@pytest.fixture(autouse=True)
def _damage_without_a_word():
    with np.errstate(all="ignore"):
        yield


def refused(tmp_path, state, arrays):
    path = write(tmp_path, state, arrays)
    for options in ({}, {"mmap": True}):
        with pytest.raises(FileError, match="cannot be loaded"):
            vicinal.load(path, **options)


def put(where, value, array):
    changed = array.copy()
    changed[where] = value
    return changed


#: Where an array is, and what no derived columns have there.
WRONG = [
    (("columns",), lambda a: a + 99),
    (("columns",), lambda a: a - 9),
    (("columns",), lambda a: a[:-1]),
    (("columns",), lambda a: a[::-1]),
    (("columns",), lambda a: a[:, None]),
    (("columns",), lambda a: a.astype(float)),
    (("typical",), lambda a: a[:-1]),
    (("ignored",), lambda a: np.array([99])),
    (("ignored",), lambda a: np.array([-99])),
    (("shares",), lambda a: a[:-1]),
    (("shares",), lambda a: a[:, :-1]),
    (("shares",), lambda a: a * np.nan),
    (("shares",), lambda a: a - 5),
    (("folds", "columns"), lambda a: a + 99),
    (("folds", "nominal"), lambda a: a[:-1]),
    (("folds", "middles"), lambda a: a[:-1]),
    (("folds", "halves"), lambda a: a[:-1]),
    (("ranks", 0, "points"), lambda a: a[:-1]),
    (("ranks", 0, "shares"), lambda a: a[:-1]),
    (("ranks", 0, "shares"), lambda a: a * np.inf),
    (("means", 0, "means"), lambda a: a[:-1]),
    (("means", 0, "means"), lambda a: a[0]),
    (("means", 0, "means"), lambda a: a * np.inf),
    (("means", 0, "overall"), lambda a: a[:-1]),
    (("means", 0, "overall"), lambda a: a * np.nan),
    (("additive", 0, "bins", "columns"), lambda a: a[::-1]),
    (("additive", 0, "bins", "nominal"), lambda a: a[:-1]),
    (("additive", 0, "bins", "starts"), lambda a: a + 1),
    (("additive", 0, "bins", "starts"), lambda a: a[:-1]),
    (("additive", 0, "bins", "starts"), partial(put, 1, -7)),
    (("additive", 0, "bins", "edges"), lambda a: a[:-1]),
    (("additive", 0, "tables"), lambda a: a[:, :, :-1]),
    (("additive", 0, "tables"), lambda a: a[:-1]),
    (("additive", 0, "tables"), lambda a: a * np.inf),
    (("additive", 0, "slopes"), lambda a: a[:, :-1]),
    (("additive", 0, "slopes"), lambda a: a * np.nan),
    (("additive", 0, "centers"), lambda a: a[:-1]),
    (("additive", 0, "scales"), lambda a: a[:-1]),
    (("trees", 0, "bins", "columns"), lambda a: a[:-1]),
    (("trees", 0, "bins", "columns"), lambda a: a[::-1]),
    (("trees", 0, "bins", "nominal"), lambda a: a[:-1]),
    (("trees", 0, "bins", "groups", 0, "bins"), lambda a: a[:-1]),
    (("trees", 0, "bins", "groups", 0, "bins"), lambda a: a[:, :0]),
    (("trees", 0, "bins", "groups", 0, "bins"), lambda a: a[0]),
    (("trees", 0, "bins", "groups", 0, "bins"), lambda a: a + np.uint8(64)),
    (("trees", 0, "nodes"), lambda a: a[:-1]),
    (("trees", 0, "nodes"), lambda a: a[0]),
    (("trees", 0, "nodes"), partial(put, (0, 0, 0, 0), 64 * 99 + 1)),
    (("trees", 0, "nodes"), partial(put, (0, 0, 0, 1), 1)),
    (("trees", 0, "nodes"), partial(put, (0, 0, 0, 0), 2)),
    (("trees", 0, "sets"), lambda a: a[..., :-1]),
    (("trees", 0, "sets"), lambda a: a.astype(np.int64)),
    (("trees", 0, "leaves"), lambda a: a[:, :-1]),
    (("trees", 0, "leaves"), lambda a: a * np.nan),
    (("trees", 0, "reference"), lambda a: a[:-1]),
    (("trees", 0, "reference"), lambda a: a + np.uint8(64)),
]


def test_parts_that_are_as_they_were_are_taken(tmp_path, parts):
    loaded = vicinal.load(write(tmp_path, *parts))
    assert np.isfinite(loaded.predict(ROWS | {"place": ["p1", "p2", None, "new"]}, "y")).all()


@pytest.mark.parametrize(("path", "change"), WRONG)
def test_arrays_that_no_derived_columns_have_are_refused(tmp_path, parts, path, change):
    state, arrays = parts
    # Arrays that are shared are written once, so the changed one gets a name of its own.
    state = copy.deepcopy(state)
    slot = at(derived_in(state), path)
    damaged = np.ascontiguousarray(change(arrays[slot["array"]]))
    slot["array"] = "learned/damaged"
    refused(tmp_path, state, {**arrays, "learned/damaged": damaged})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("folds", "count"), 0),
        (("folds", "count"), 7),
        (("folds", "count"), 10**9),
        (("folds", "count"), 8.0),
        (("folds", "seed"), "x"),
        (("ranks", 0, "column"), 99),
        (("ranks", 0, "column"), -1),
        (("means", 0, "column"), 99),
        (("ranks",), []),
        (("trees",), None),
        (("additive",), [{}]),
        (("folds",), None),
    ],
)
def test_values_that_no_derived_columns_have_are_refused(tmp_path, parts, path, value):
    state, arrays = parts
    state = copy.deepcopy(state)
    at(derived_in(state), path[:-1])[path[-1]] = value
    refused(tmp_path, state, arrays)


def test_a_file_without_the_derived_columns_that_its_metrics_use_is_refused(tmp_path, parts):
    state, arrays = parts
    for change in (lambda one: one.update(derived=None), lambda one: one.pop("derived")):
        changed = copy.deepcopy(state)
        change(changed["targets"][0])
        refused(tmp_path, changed, arrays)


def test_a_target_or_a_context_of_derived_columns_is_refused(tmp_path, parts):
    state, arrays = parts
    for place in (0, 1):
        changed = copy.deepcopy(state)
        changed["targets"][0]["columns"][place] = 7
        if place == 0:
            changed["targets"][0]["tuning"]["ensemble"]["target"] = 7
        refused(tmp_path, changed, arrays)


DAMAGES = [
    lambda a: a[:0],
    lambda a: a[..., :-1],
    lambda a: a.ravel(),
    lambda a: a[None],
    lambda a: -a,
    lambda a: a * 0,
    lambda a: a[::-1],
    lambda a: a * np.nan if a.dtype.kind == "f" else a + np.array(1, dtype=a.dtype),
    lambda a: a * np.inf if a.dtype.kind == "f" else a * 0 + np.iinfo(a.dtype).max,
    lambda a: a * 1e300,
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("damage", range(len(DAMAGES)))
def test_derived_columns_with_any_damage_are_refused_or_answer(tmp_path, parts, damage):
    state, arrays = parts
    for path, name in places_in(derived_in(state)):
        changed = copy.deepcopy(state)
        more = {}
        if name is None:
            at(derived_in(changed), path[:-1])[path[-1]] = [None, -1, 1e308, "x", [], {}, 9][
                damage % 7
            ]
        else:
            at(derived_in(changed), path)["array"] = "learned/damaged"
            more["learned/damaged"] = np.ascontiguousarray(DAMAGES[damage](arrays[name]))
        try:
            loaded = vicinal.load(write(tmp_path, changed, arrays | more))
        except FileError:
            continue
        rows = ROWS | {"place": ["p1", "p2", None, "new"]}
        try:
            loaded.predict(rows, "y")
            loaded.contributions({name: cells[:1] for name, cells in rows.items()}, "y")
            loaded.add(rows | {"y": np.zeros(4)})
            loaded.predict(None, "y")
        except vicinal.VicinalError:
            pass


# --- labels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("member", "change"),
    [
        ("labels/numbers", lambda numbers: numbers + 1),
        ("labels/numbers", lambda numbers: numbers[::-1].copy()),
        ("labels/numbers", lambda numbers: numbers[1:]),
        ("labels/numbers", lambda numbers: numbers.astype(np.float64)),
        ("labels/names", lambda names: bytes_of('["a", "a", "c"]')),
        ("labels/names", lambda names: bytes_of('["a", [], "c"]')),
        ("labels/names", lambda names: bytes_of('{"a": 1}')),
        ("labels/names", lambda names: bytes_of('["a", ')),
        ("labels/names", lambda names: names.astype(np.int64)),
    ],
)
def test_labels_that_are_not_of_the_cases_are_refused(tmp_path, member, change):
    model = Model(max_rounds=1).fit({"id": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]}, id="id")
    state, arrays = model_parts(model)
    write_file(tmp_path / "m", "Model", "0", state, {**arrays, member: change(arrays[member])})
    with pytest.raises(FileError):
        vicinal.load(tmp_path / "m")


@pytest.mark.parametrize("column", [3, ["id"]])
def test_the_column_of_labels_is_a_name(tmp_path, column):
    model = Model(max_rounds=1).fit({"id": ["a", "b", "c"], "x": [1.0, 2.0, 4.0]}, id="id")
    state, arrays = model_parts(model)
    write_file(tmp_path / "m", "Model", "0", {**state, "labels": {"column": column}}, arrays)
    with pytest.raises(FileError):
        vicinal.load(tmp_path / "m")


def bytes_of(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)
