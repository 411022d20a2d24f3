"""A shard in a file is the shard that was written; anything else is an error that names it."""

from __future__ import annotations

import numpy as np
import pytest

from vicinal.exceptions import FileError
from vicinal.index.shard import Shard
from vicinal.storage import is_mapped, write_file
from vicinal.stores.shard_files import open_shard, write_shard


@pytest.fixture
def written(tmp_path):
    values = np.random.default_rng(0).normal(size=(300, 2))
    values[::7, 1] = np.nan
    shard = Shard.of(np.arange(300) * 3, values, np.zeros(2, dtype=np.uint8), np.ones(300))
    return shard, write_shard(tmp_path / "one.vicinal", shard)


@pytest.mark.parametrize("mapped", [True, False])
def test_a_shard_is_the_one_that_was_written(written, mapped):
    shard, file = written
    again = open_shard(file, mapped=mapped)
    np.testing.assert_array_equal(again.numbers, shard.numbers)
    np.testing.assert_array_equal(again.weights, shard.weights)
    for column in range(2):
        np.testing.assert_array_equal(again.column(column), shard.column(column))


def test_whatever_there_is_for_each_case_stays_on_disk(written):
    _, file = written
    shard = open_shard(file)
    storage = shard.index.storage
    for array in (storage._values, storage._row_of, storage.cases, storage._weights):
        assert is_mapped(array)
    assert is_mapped(shard.to_arrays()["numbers"])


def test_shards_of_earlier_versions_say_nothing_about_rows(written):
    shard, file = written
    arrays = shard.to_arrays()
    del arrays["cases"]
    write_file(file.path, "Shard", "0.1", {}, arrays)
    again = open_shard(file._replace(digest=None))
    np.testing.assert_array_equal(again.index.storage.cases, shard.index.storage.cases)
    arrays["cases"] = np.roll(shard.index.storage.cases, 1)
    write_file(file.path, "Shard", "0.1", {}, arrays)
    with pytest.raises(FileError, match=r"one\.vicinal.*a row belongs to another case"):
        open_shard(file._replace(digest=None))


@pytest.mark.parametrize("name", ["row_of", "cases", "numbers", "weights"])
def test_what_there_is_for_each_case_is_checked_when_it_is_opened(written, name):
    shard, file = written
    raw = bytearray(file.path.read_bytes())
    at = raw.find(f"{name}.npy".encode())
    at = raw.find(shard.to_arrays()[name].tobytes(), at)
    raw[at + 8] ^= 1
    file.path.write_bytes(raw)
    with pytest.raises(FileError, match=rf"one\.vicinal.*'{name}' is damaged"):
        open_shard(file)


def test_a_truncated_shard_is_an_error_that_names_it(written):
    _, file = written
    file.path.write_bytes(file.path.read_bytes()[:-100])
    with pytest.raises(FileError, match=r"one\.vicinal cannot be loaded"):
        open_shard(file)


def test_a_missing_shard_is_an_error_that_names_it(written):
    _, file = written
    file.path.unlink()
    with pytest.raises(FileError, match=r"one\.vicinal is missing"):
        open_shard(file)


def test_an_altered_shard_is_an_error_that_names_it(written):
    shard, file = written
    raw = bytearray(file.path.read_bytes())
    at = raw.find(shard.index.to_arrays()["values"].tobytes()[:64])
    raw[at] ^= 1
    file.path.write_bytes(raw)
    with pytest.raises(FileError, match=r"one\.vicinal.*'values' is damaged"):
        open_shard(file, verify=True)


def test_another_shard_in_its_place_is_an_error(written, tmp_path):
    shard, file = written
    write_shard(file.path, Shard.of(shard.numbers + 1, np.ones((300, 2)), shard.index.kinds))
    with pytest.raises(FileError, match="not the shard that the manifest names"):
        open_shard(file)


def test_a_file_of_another_kind_is_an_error(written):
    _, file = written
    write_file(file.path, "Model", "1", {}, {})
    with pytest.raises(FileError, match="it is no shard"):
        open_shard(file._replace(digest=None))
