"""Values on disk are read in large pieces where many rows are needed, and row by row elsewhere."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from vicinal.index import mapped
from vicinal.index.mapped import prepare_search, rows_at
from vicinal.storage import is_mapped

pytestmark = pytest.mark.skipif(
    not hasattr(mmap, "MADV_WILLNEED"), reason="this system takes no advice about maps"
)


class Noting(mmap.mmap):
    """A map that notes which parts are said to be needed."""

    def madvise(self, advice, start, length):
        assert advice == mmap.MADV_WILLNEED
        self.parts.append((start, length))
        super().madvise(advice, start, length)


@pytest.fixture
def on_disk(tmp_path):
    """A megabyte of values, and the map that they are in."""
    values = np.arange(1 << 17, dtype=np.float64).reshape(-1, 8)
    path = tmp_path / "values"
    path.write_bytes(b"x" * 64 + values.tobytes())
    with path.open("rb") as file:
        found = Noting(file.fileno(), 0, access=mmap.ACCESS_READ)
    found.parts = []
    yield np.frombuffer(found, np.float64, offset=64).reshape(-1, 8), found
    assert np.array_equal(np.frombuffer(found, np.float64, offset=64), values.ravel())


def test_many_rows_are_read_in_pieces_that_cover_them(on_disk):
    values, found = on_disk
    assert is_mapped(values)
    assert not is_mapped(values.copy())
    rows = np.arange(1000, 9000, 50)
    np.testing.assert_array_equal(rows_at(values, rows), values[rows])
    starts, lengths = np.array(found.parts).T
    assert starts[0] <= 64 + 1000 * 64
    assert (starts + lengths)[-1] >= 64 + 8951 * 64
    assert ((starts + lengths)[:-1] == starts[1:]).all()
    # Linux takes no more of what it is told at a time, if disks have no larger requests.
    assert lengths.max() <= 128 << 10
    assert not (starts % mmap.PAGESIZE).any()


def test_few_rows_are_not(on_disk, monkeypatch):
    values, found = on_disk
    rows_at(values, np.array([0, 16000]))
    prepare_search(values[:0], 3)
    monkeypatch.setattr(mapped, "_LOOKED_AT", 4)
    prepare_search(values, 3)
    assert not found.parts
    prepare_search(values, 30)
    assert found.parts
