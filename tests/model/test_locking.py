"""Many readers or one writer; copies that change on their own."""

from __future__ import annotations

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from vicinal import Model
from vicinal.model.locking import ReadWriteLock

N, CHANGES = 60, 60


def table(n=N, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return {"x": x, "y": 2 * x + rng.normal(size=n) / 9, "z": rng.integers(0, 3, n).astype(str)}


@pytest.fixture
def model():
    made = Model(max_rounds=1, max_queries=40, max_members=2).fit(table())
    made.predict({"x": [0.0], "z": ["1"]}, "y")
    return made


def row(at):
    """What the change of this number adds: far from all other rows."""
    return {"x": [100.0 + at], "y": [at], "z": ["far"]}


def test_readers_share_and_a_writer_is_alone():
    lock, inside, order = ReadWriteLock(), threading.Event(), []

    def write():
        inside.set()
        with lock.writing():
            order.append("written")

    with lock.reading(), lock.reading():
        writer = threading.Thread(target=write)
        writer.start()
        inside.wait()
        with lock.reading():  # again, though a change is waiting
            order.append("read")
    writer.join(10)
    assert order == ["read", "written"]
    with lock.writing(), lock.reading():
        order.append("own")


def test_a_copy_of_a_lock_is_a_new_lock():
    lock = ReadWriteLock()
    with lock.writing():
        for other in (copy.copy(lock), copy.deepcopy(lock), pickle.loads(pickle.dumps(lock))):
            with ThreadPoolExecutor(1) as pool:
                assert pool.submit(lambda one=other: one.reading().__enter__()).result(10) is None


def test_questions_see_all_of_a_change_or_nothing(model):
    """Rows come and go in pairs of equal ones, so the far row has two nearest or none."""
    stop, torn, asked = threading.Event(), [], [0] * 3

    def read(which):
        while not stop.is_set():
            found = model.neighbors({"x": [100.0], "y": [0.0], "z": ["far"]}, k=2)
            near = int((found.distances[0] == 1.5).sum())
            value = model.predict({"x": [0.0], "z": ["1"]}, "y")
            whole = len(model.conviction(familiarity=False))
            if near not in (0, 2) or not np.isfinite(value).all() or (whole - N) % 2:
                torn.append((near, value, whole))
            asked[which] += 1

    readers = [threading.Thread(target=read, args=(which,)) for which in range(3)]
    for one in readers:
        one.start()
    try:
        for at in range(CHANGES):
            numbers = model.add({name: values * 2 for name, values in row(0).items()})
            if at % 3 == 0:
                model.update(numbers, {name: values * 2 for name, values in row(0).items()})
            model.remove(numbers)
        model.refresh()
    finally:
        stop.set()
        for one in readers:
            one.join(60)
    assert not torn
    assert min(asked) > 0
    assert len(model) == N


def test_writers_of_many_threads_lose_nothing(model):
    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(lambda at: int(model.add(row(at))[0]), range(CHANGES)))
    assert sorted(numbers) == list(range(N, N + CHANGES))
    values = model.index_.rows(numbers)
    column = model.schema_.column("x")
    assert sorted(values[:, column]) == [100.0 + at for at in range(CHANGES)]
    assert len(model.log_) == 1 + CHANGES


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies_change_on_their_own(model, copied):
    rows, before = table(9, seed=4), model.predict(table(9, seed=4), "y")
    distances = model.neighbors(rows).distances
    other = copied(model)
    assert other.targets_ == model.targets_
    other.remove(np.arange(0, N, 2))
    other.add(row(1))
    other.update(1, row(2))
    np.testing.assert_array_equal(model.predict(rows, "y"), before)
    np.testing.assert_array_equal(model.neighbors(rows).distances, distances)
    assert (len(model), len(other)) == (N, N // 2 + 1)
    assert (len(model.log_), len(other.log_)) == (1, 4)
    changed = other.neighbors(rows).distances
    model.remove(np.arange(1, N, 2))
    np.testing.assert_array_equal(other.neighbors(rows).distances, changed)


def test_a_copy_equals_what_it_was_copied_from(model):
    rows = table(9, seed=4)
    other = copy.copy(model)
    np.testing.assert_array_equal(other.predict(rows, "y"), model.predict(rows, "y"))
    more = [one.add(table(5, seed=5)) for one in (model, other)]
    np.testing.assert_array_equal(*more)
    np.testing.assert_array_equal(other.predict(rows, "y"), model.predict(rows, "y"))
    assert copy.copy(Model(p=2.0)).p == 2.0


def test_no_one_has_more_neighbors_than_there_are_cases(model):
    found = model.neighbors(table(2), k=10**9)
    assert found.indices.shape == (2, N)
