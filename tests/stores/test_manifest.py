"""A manifest names the files of a store, and is safe to read whatever it holds."""

from __future__ import annotations

import json

import pytest

from vicinal.exceptions import FileError
from vicinal.stores.manifest import NAME, Manifest, belongs, new_name

ONE = Manifest("0.1", ("model-0a.vicinal", "d1"), (("shards/shard-0b.vicinal", "d2"),))


def test_a_manifest_is_the_one_that_was_written(tmp_path):
    whole = Manifest(*vars(ONE).values())
    whole = Manifest(ONE.version, ONE.model, ONE.shards, ("pilot-1.vicinal", "d3"))
    for manifest in (ONE, whole):
        manifest.write(tmp_path)
        assert Manifest.read(tmp_path) == manifest


def test_files_that_no_longer_belong_to_a_store_are_deleted_and_no_others(tmp_path):
    (tmp_path / "shards").mkdir()
    kept = ["model-0a.vicinal", "shards/shard-0b.vicinal", "notes.txt", "mine.vicinal"]
    for name in [*kept, "model-0c.vicinal", "shards/shard-0d.vicinal"]:
        (tmp_path / name).touch()
    ONE.write(tmp_path)
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert left == {*kept, NAME}


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"protocol": 99},
        {"protocol": True},
        {"shards": None},
        {"model": ["../model-0a.vicinal", "d"]},
        {"model": ["/etc/passwd", "d"]},
        {"model": "model-0a.vicinal"},
        {"shards": [["shards/../../x-0a.vicinal", "d"]]},
        {"version": 3},
    ],
)
def test_other_manifests_are_refused(tmp_path, change):
    ONE.write(tmp_path)
    given = json.loads((tmp_path / NAME).read_text())
    (tmp_path / NAME).write_text(json.dumps({**given, **change}))
    with pytest.raises(FileError, match=f"{NAME} cannot be loaded"):
        Manifest.read(tmp_path)


def test_a_folder_without_a_manifest_is_no_store(tmp_path):
    with pytest.raises(FileError, match="expected a store"):
        Manifest.read(tmp_path)


def test_new_names_differ_and_belong_to_a_store():
    names = {new_name("shard") for _ in range(20)}
    assert len(names) == 20
    assert all(belongs(name) for name in names)
    assert not belongs("report.pdf")
