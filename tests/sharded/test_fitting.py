"""A store is fitted and asked with the results of one machine, to the last bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import vicinal
from tests.mixed_table import OPTIONS, mixed_table
from vicinal.exceptions import FeatureError, IgnoredColumnWarning, ParameterError, TableError
from vicinal.stores.processes import ProcessShards

SETTINGS = {**OPTIONS, "max_queries": 60, "max_members": 3, "n_jobs": 1}
TABLE = pd.DataFrame(mixed_table(700, seed=3))
ROWS = pd.DataFrame(mixed_table(12, seed=4))


def parts(table, size=97):
    return [table[start : start + size] for start in range(0, len(table), size)]


@pytest.fixture(scope="module")
def whole():
    return vicinal.Model(**SETTINGS).fit(TABLE)


@pytest.fixture(scope="module", params=[1, 3, 8])
def sharded(request, tmp_path_factory):
    store = tmp_path_factory.mktemp("store") / "mixed.vicinal.d"
    rows = -(-len(TABLE) // request.param)
    settings = vicinal.Model(**SETTINGS)
    model = vicinal.sharded.fit(parts(TABLE), store=store, settings=settings, shard_rows=rows)
    assert len(model.index_.shards) == request.param
    return model


def test_what_is_learned_is_the_same(whole, sharded):
    assert sharded.schema_ == whole.schema_
    assert repr(sharded.residuals_) == repr(whole.residuals_)
    assert repr(sharded.residual_history_) == repr(whole.residual_history_)
    assert sharded.residual_sample_ == whole.residual_sample_
    assert len(sharded) == len(whole)
    assert repr(sharded) == repr(whole)
    np.testing.assert_array_equal(sharded.index_.edges(), whole.index_.edges())


def page_of(model):
    with tempfile.TemporaryDirectory() as folder:
        model.report(f"{folder}/report.html", max_cases=20)
        return Path(folder, "report.html").read_text("utf-8")


QUESTIONS = {
    "predict": lambda m: m.predict(ROWS, "income"),
    "predict_proba": lambda m: m.predict_proba(ROWS, "colour"),
    "predict_interval": lambda m: m.predict_interval(ROWS, "weight"),
    "predict_set": lambda m: m.predict_set(ROWS, "colour"),
    "influences": lambda m: m.influences(ROWS, "income").to_frame(),
    "neighbors": lambda m: m.neighbors(ROWS, k=4).to_frame(),
    "explain": lambda m: str(m.explain(ROWS[:2], "colour", counterfactuals=True)),
    "contributions": lambda m: m.contributions(ROWS[:2], "income").to_frame(),
    "conviction": lambda m: m.conviction(ROWS).to_frame(),
    "anomalies": lambda m: str(m.anomalies(ROWS)),
    "density": lambda m: m.density(ROWS),
    "impute": lambda m: m.impute(ROWS).table,
    "drift": lambda m: str(m.drift(ROWS)),
    "audit": lambda m: str(m.audit("colour", max_cases=60)),
    "counterfactual": lambda m: str(m.counterfactual(ROWS[:1], "colour", "red")),
    "certify": lambda m: str(m.certify(ROWS[:1], "colour")),
    "information": lambda m: str(m.information("colour")),
    "report": page_of,
    "synthesize": lambda m: str(m.synthesize(3, random_state=1)),
}


#: Of one and of eight shards, too; of the others three are enough, because they take long.
OF_ALL = ("predict", "predict_proba", "neighbors")
ASKED = [(3, name) for name in sorted(QUESTIONS)] + [(n, name) for n in (1, 8) for name in OF_ALL]


@pytest.mark.parametrize(("sharded", "question"), ASKED, indirect=["sharded"], scope="module")
def test_every_answer_is_the_same(whole, sharded, question):
    actual, expected = (QUESTIONS[question](one) for one in (sharded, whole))
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(actual, expected, check_exact=True)
    elif isinstance(expected, np.ndarray):
        np.testing.assert_array_equal(actual, expected)
    else:
        assert repr(actual) == repr(expected)


def test_parquet_files_and_weights_give_the_same(tmp_path):
    table = TABLE.assign(n=np.arange(len(TABLE)) % 3 + 1.0)
    (tmp_path / "rows").mkdir()
    for number, part in enumerate(parts(table, 250)):
        part.to_parquet(tmp_path / "rows" / f"{number}.parquet", index=False)
    model = vicinal.sharded.fit(
        tmp_path / "rows" / "*.parquet",
        store=tmp_path / "weighted.vicinal.d",
        settings=vicinal.Model(**SETTINGS),
        sample_weight="n",
        shard_rows=300,
    )
    whole = vicinal.Model(**SETTINGS).fit(TABLE, sample_weight=table["n"])
    assert model.residuals_ == whole.residuals_
    for one, other in zip(
        *(m.predict_interval(ROWS, "weight") for m in (model, whole)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_processes_give_the_same_also_if_one_is_killed_while_it_learns(
    whole, tmp_path, monkeypatch
):
    model = vicinal.sharded.fit(
        parts(TABLE),
        store=tmp_path / "mixed.vicinal.d",
        settings=vicinal.Model(**SETTINGS),
        shard_rows=300,
        on=2,
    )
    pool, run, calls = model.index_.shards.engine, ProcessShards.run, []

    def killing(self, job, tasks):
        calls.append(job)
        if len(calls) == 9:
            os.kill(next(one.pid for one in pool.workers if one.pid), signal.SIGKILL)
        return run(self, job, tasks)

    monkeypatch.setattr(ProcessShards, "run", killing)
    try:
        np.testing.assert_array_equal(
            model.predict_proba(ROWS, "colour"), whole.predict_proba(ROWS, "colour")
        )
    finally:
        pool.close()
    assert len(calls) > 9


def test_cases_go_by_the_labels_of_an_id_column(tmp_path):
    table = TABLE[:120].assign(person=[f"P-{n}" for n in range(120)])
    options = {"id": "person"}
    store = tmp_path / "a.vicinal.d"
    settings = vicinal.Model(**SETTINGS)
    model = vicinal.sharded.fit(parts(table), store=store, settings=settings, **options)
    whole = vicinal.Model(**SETTINGS).fit(table, **options)
    for one in (model, whole):
        one.remove(["P-7"])
        one.add(table[:1].assign(person="P-new"))
    model.save(store)
    vicinal.sharded.compact(store)
    again = vicinal.load(store)
    frames = [one.neighbors(case=["P-3", "P-new"], k=3).to_frame() for one in (again, whole)]
    pd.testing.assert_frame_equal(*frames, check_exact=True)
    assert "person" not in again.schema_.names


# --- what can go wrong ---------------------------------------------------------------------------


def test_ignored_columns_are_told(tmp_path):
    table = pd.DataFrame({"id": np.arange(50), "x": np.arange(50) / 7})
    with pytest.warns(IgnoredColumnWarning, match="'id'"):
        model = vicinal.sharded.fit([table], store=tmp_path / "a.vicinal.d")
    assert [one.name for one in model.schema_.ignored] == ["id"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"shard_rows": 0}, ParameterError, "shard_rows=0"),
        ({"sample_weight": "wait"}, FeatureError, "no column 'wait'.*Did you mean 'weight'"),
        ({"on": "dusk"}, ParameterError, "on='dusk'"),
        ({"source": []}, TableError, "no rows"),
        ({"id": "colour"}, TableError, "The label of row 0 is missing"),
        ({"id": "name"}, FeatureError, "id='name' is not a column"),
        (
            {"settings": vicinal.Model(bounds={"weight": (0, 60)})},
            TableError,
            "outside its bounds",
        ),
        ({"settings": vicinal.Model(p=-1)}, ParameterError, "p=-1"),
    ],
)
def test_wrong_arguments_leave_no_store(tmp_path, options, error, message):
    store = tmp_path / "a.vicinal.d"
    given = {"source": parts(TABLE[:50]), "store": store, **options}
    with pytest.raises(error, match=message):
        vicinal.sharded.fit(given.pop("source"), **given)
    assert not store.exists()


def test_too_many_labels_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("vicinal.sharded.fitting.MOST_LABELS", 40)
    with pytest.raises(ParameterError, match=r"would name 50 cases.*at most 40"):
        vicinal.sharded.fit([TABLE[:50]], store=tmp_path / "a.vicinal.d", id="income")


def test_other_folders_and_files_are_not_written_to(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ParameterError, match="has other files"):
        vicinal.sharded.fit(parts(TABLE[:50]), store=tmp_path)
    with pytest.raises(ParameterError, match="is a file"):
        vicinal.sharded.fit(parts(TABLE[:50]), store=tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_failed_fit_leaves_the_old_store(tmp_path):
    store = tmp_path / "a.vicinal.d"
    vicinal.sharded.fit([TABLE[:50]], store=store, settings=vicinal.Model(**SETTINGS))

    def failing():
        yield TABLE[:50]
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        vicinal.sharded.fit(failing(), store=store, settings=vicinal.Model(**SETTINGS))
    assert len(vicinal.load(store)) == 50


KILLED = """
import os, signal, sys
import numpy as np
import vicinal
from vicinal.stores import build

write, count = build.write_shard, 0

def killing(path, shard):
    global count
    count += 1
    if count == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return write(path, shard)

build.write_shard = killing
table = {"x": np.arange(200.0), "y": np.arange(200.0) ** 2}
vicinal.sharded.fit([table], store=sys.argv[1], shard_rows=50)
"""


FULL = """
import resource, signal, sys
import numpy as np
import vicinal

# No file may grow beyond this, as on a disk that is full.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
table = {"x": np.arange(3000.0), "y": np.arange(3000.0) ** 2}
try:
    vicinal.sharded.fit([table], store=sys.argv[1])
except OSError as error:
    print("full:", error.errno)
"""


@pytest.mark.parametrize("before", [False, True])
def test_a_full_disk_leaves_the_old_store_or_none(tmp_path, before):
    store = tmp_path / "a.vicinal.d"
    if before:
        vicinal.sharded.fit([{"x": np.arange(30.0)}], store=store)
    ended = subprocess.run(
        [sys.executable, "-c", FULL, str(store)], check=True, stdout=subprocess.PIPE
    )
    assert ended.stdout.startswith(b"full:")
    assert store.exists() == before
    if before:
        assert len(vicinal.load(store, verify=True)) == 30


@pytest.mark.parametrize("before", [False, True])
def test_a_fit_that_is_killed_leaves_the_old_store_or_none(tmp_path, before):
    store = tmp_path / "a.vicinal.d"
    if before:
        vicinal.sharded.fit([{"x": np.arange(30.0)}], store=store)
    ended = subprocess.run([sys.executable, "-c", KILLED, str(store)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert (store / "manifest.json").exists() == before
    if before:
        assert len(vicinal.load(store)) == 30
    again = vicinal.sharded.fit([{"x": np.arange(40.0)}], store=store)
    assert len(again) == len(vicinal.load(store)) == 40
    assert len(list((store / "shards").iterdir())) == 1
