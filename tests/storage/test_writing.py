"""The file format: what is written is read again, by us and by others."""

from __future__ import annotations

import os
import stat
import zipfile

import numpy as np
import pytest

from vicinal.exceptions import FileError
from vicinal.storage import open_file, write_file, write_text, writing

ARRAYS = {
    "a/floats": np.array([[1.5, np.nan], [np.inf, -0.0], [2.0, 3.0]]),
    "a/whole": np.arange(-3, 60),
    "words": np.array([2**63 + 1, 0], dtype=np.uint64),
    "bytes": np.frombuffer(b"vicinal", dtype=np.uint8),
    "empty": np.empty((0, 7)),
    "cube": np.arange(24.0).reshape(2, 3, 4),
}
STATE = {"name": "tëst", "numbers": [1, 2.5, None, True], "deep": {"a": {"b": []}}}


def write(path, arrays=None, state=None, kind="Test"):
    write_file(path, kind, "1.0", STATE if state is None else state, arrays or ARRAYS)


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "file.vicinal")
    return tmp_path / "file.vicinal"


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("verify", [False, True])
def test_what_is_written_is_read_again(path, mapped, verify):
    with open_file(path, mapped=mapped, verify=verify) as file:
        assert file.header.state == STATE
        assert (file.header.kind, file.header.version, file.header.protocol) == ("Test", "1.0", 1)
        for name, expected in ARRAYS.items():
            actual = file.array(name, mapped=mapped)
            assert actual.dtype == expected.dtype
            assert actual.shape == expected.shape
            assert actual.tobytes() == expected.tobytes()
            assert actual.flags.writeable == (not mapped or expected.size == 0)


def test_mapped_arrays_outlive_the_file_object_and_its_replacement(path):
    with open_file(path, mapped=True) as file:
        kept = file.array("cube", mapped=True)
    write(path, {"cube": np.zeros(5)})
    np.testing.assert_array_equal(kept, ARRAYS["cube"])


def test_other_programs_read_it_too(path):
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for name, expected in ARRAYS.items():
            with archive.open(f"{name}.npy") as member:
                np.testing.assert_array_equal(np.load(member, allow_pickle=False), expected)


def test_numbers_begin_at_multiples_of_64_bytes(path):
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            name, extra = raw[info.header_offset + 26 : info.header_offset + 30 : 2]
            start = info.header_offset + 30 + name + extra
            assert start % 64 == 0
            assert len(archive.read(info)) == info.file_size


def test_the_same_content_gives_the_same_bytes(path, tmp_path):
    write(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_arrays_in_another_order_of_memory_or_bytes_are_the_same_numbers(tmp_path):
    turned = np.arange(6.0).reshape(2, 3).T
    big = np.arange(4, dtype=">f8")
    write(tmp_path / "f", {"turned": turned, "big": big, "every": np.arange(9)[::2]})
    with open_file(tmp_path / "f") as file:
        np.testing.assert_array_equal(file.array("turned"), turned)
        np.testing.assert_array_equal(file.array("big"), np.arange(4))
        np.testing.assert_array_equal(file.array("every"), [0, 2, 4, 6, 8])


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1j]), [1.0]])
def test_what_is_no_plain_number_is_not_written(tmp_path, array):
    with pytest.raises((FileError, AttributeError)):
        write(tmp_path / "f", {"a": array})
    assert list(tmp_path.iterdir()) == []


# --- replacing files ------------------------------------------------------------------------


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(path, tmp_path, monkeypatch):
    before = path.read_bytes()

    def fails(*_):
        raise OSError("no space left")

    monkeypatch.setattr(writing.os, "fsync", fails)
    with pytest.raises(OSError, match="no space"):
        write(path, {"other": np.ones(3)})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_is_synced_before_it_is_renamed_and_its_folder_after(path, monkeypatch):
    done = []
    sync, replace = os.fsync, writing.Path.replace

    def synced(fd):
        done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        sync(fd)

    def replaced(self, target):
        done.append("rename")
        return replace(self, target)

    monkeypatch.setattr(writing.os, "fsync", synced)
    monkeypatch.setattr(writing.Path, "replace", replaced)
    write(path)
    assert done == ["file", "rename", "folder"]


def test_a_replaced_file_keeps_its_permissions_and_a_link_its_target(path, tmp_path):
    path.chmod(0o600)
    link = tmp_path / "link"
    link.symlink_to(path)
    write(link, {"other": np.ones(3)})
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with open_file(path) as file:
        assert "other" in file


def test_files_that_are_not_there_or_no_files_are_told_apart(tmp_path):
    with pytest.raises(FileNotFoundError), open_file(tmp_path / "nothing"):
        pass
    with pytest.raises(FileError, match="not a regular file"), open_file(tmp_path):
        pass
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a regular file"), open_file(tmp_path / "pipe"):
        pass
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "no folder" / "file")


def test_files_above_a_limit_are_refused(path):
    with pytest.raises(FileError, match="max_bytes is 100"), open_file(path, max_bytes=100):
        pass


def test_errors_name_the_path_that_was_given(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*nowhere'"):
        write_text(tmp_path / "nowhere" / "note.txt", "42")
    with pytest.raises(IsADirectoryError) as found:
        write_text(tmp_path, "42")
    assert ".tmp" not in str(found.value)
