"""Files that are cut off, damaged, too large, of another version, or made to do harm."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest

from tests.storage.test_writing import ARRAYS, STATE, write
from vicinal.exceptions import FileError
from vicinal.storage import header, open_file
from vicinal.storage.npy import npy_prefix

SMALL = {"a": np.arange(3.0), "b": np.arange(4)}


def read_all(path, **options):
    with open_file(path, verify=True, **options) as file:
        return file.header.state, {name: file.array(name, mapped=True) for name in file._members}


def refused(path, message="cannot be loaded"):
    for mapped in (False, True):
        with pytest.raises(FileError, match=message) as caught:
            read_all(path, mapped=mapped)
        assert str(path) in str(caught.value)


@pytest.fixture
def path(tmp_path):
    write(tmp_path / "file", SMALL)
    return tmp_path / "file"


def made_by_hand(path, members, **changes):
    """A zip with any members and names, written by Python's own zipfile."""
    with zipfile.ZipFile(path, "w", changes.pop("method", zipfile.ZIP_STORED)) as archive:
        for name, raw in members:
            archive.writestr(name, raw)
    return path


def members_of(path):
    with zipfile.ZipFile(path) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def with_header(path, change):
    """The same file with another header, whose checksum is right."""
    members = dict(members_of(path))
    given = json.loads(members["header.json"])
    changed = change(given)
    members["header.json"] = json.dumps(given if changed is None else changed).encode()
    return made_by_hand(path, members.items())


def test_a_file_written_by_another_zip_program_is_read(path):
    with_header(path, lambda given: None)
    with open_file(path) as file:
        np.testing.assert_array_equal(file.array("a"), SMALL["a"])


def test_a_file_cut_off_anywhere_is_refused(path):
    raw = path.read_bytes()
    for end in range(0, len(raw), 7):
        path.write_bytes(raw[:end])
        refused(path)


def test_bytes_that_change_anywhere_are_found_or_do_not_matter(path):
    raw = path.read_bytes()
    expected = read_all(path)
    for place in range(len(raw)):
        changed = bytearray(raw)
        changed[place] ^= 1 + 37 * place % 255
        path.write_bytes(changed)
        try:
            state, arrays = read_all(path)
        except FileError:
            continue
        # Dates, versions of zip and padding are nothing that we read.
        assert state == expected[0]
        assert {name: array.tobytes() for name, array in arrays.items()} == {
            name: array.tobytes() for name, array in expected[1].items()
        }


def test_bytes_before_or_behind_are_refused(path):
    raw = path.read_bytes()
    for changed in (raw + b"\0", b"\0" + raw, raw + raw, b"", b"PK", b"text\n" * 100):
        path.write_bytes(changed)
        refused(path)


@pytest.mark.parametrize("protocol", [0, -1, 2, 10**30, "1", None, 1.0, True, [1]])
def test_other_versions_are_refused(path, protocol):
    with_header(path, lambda given: given.update(protocol=protocol))
    refused(path, "protocol")


def test_a_later_version_says_what_to_do(path):
    with_header(path, lambda given: given.update(protocol=2))
    refused(path, "protocol 2, but this version reads up to 1; install a newer Vicinal")


@pytest.mark.parametrize(
    "change",
    [
        lambda given: [given],
        lambda given: given.pop("format") and None,
        lambda given: given.update(format="other"),
        lambda given: given.update(kind=3),
        lambda given: given.update(state=[]),
        lambda given: given.update(members=[]),
        lambda given: given["members"].pop("a") and None,
        lambda given: given["members"].update(c=given["members"]["a"]),
        lambda given: given["members"]["a"].update(dtype="|O"),
        lambda given: given["members"]["a"].update(dtype="<f4"),
        lambda given: given["members"]["a"].update(dtype=["<f8"]),
        lambda given: given["members"]["a"].update(shape=[4]),
        lambda given: given["members"]["a"].update(shape=[-3]),
        lambda given: given["members"]["a"].update(shape=[3.0]),
        lambda given: given["members"]["a"].update(shape=[True, 3]),
        lambda given: given["members"]["a"].update(shape=3),
        lambda given: given["members"]["a"].update(shape=[]),
        lambda given: given["members"]["a"].update(shape=[1] * 40 + [3]),
        lambda given: given["members"]["a"].update(shape=[10**15]),
        lambda given: given["members"]["a"].update(shape=[0, 10**40]),
        lambda given: given["members"]["a"].update(shape=[1 << 32, 1 << 32]),
        lambda given: given["members"]["a"].update(sha256="0" * 64),
        lambda given: given["members"]["a"].update(sha256=None),
        lambda given: given["members"]["a"].pop("sha256") and None,
        lambda given: given["members"]["a"].update(more=1),
    ],
)
def test_headers_that_say_what_is_not_so_are_refused(path, change):
    with_header(path, change)
    refused(path)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[" * 200_000,
        b'{"format": "vicinal", "protocol": NaN}',
        b'{"format": "vicinal", "format": "vicinal"}',
        b'{"format": "vicinal", "protocol": ' + b"9" * 10_000 + b"}",
        b"\xff\xfe\x00",
        b'"\\ud800"',
    ],
)
def test_headers_that_are_no_json_of_ours_are_refused(path, raw):
    made_by_hand(path, [("header.json", raw)])
    refused(path)


def test_a_header_above_its_limit_is_not_even_read(path, monkeypatch):
    monkeypatch.setattr("vicinal.storage.reading.MOST_TEXT", 50)
    refused(path, "at most 50 are read")
    monkeypatch.setattr(header, "MOST_TEXT", 50)
    with pytest.raises(FileError, match="would have"):
        write(path, SMALL)


@pytest.mark.parametrize(
    "name",
    ["../a.npy", "/a.npy", "a/../../b.npy", "a\\b", "A.npy", "a//b", "ä.npy", "a\0b", "x" * 300],
)
def test_names_that_lead_elsewhere_are_refused(path, name):
    made_by_hand(path, [*members_of(path), (name, b"")])
    refused(path)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_members_that_are_there_twice_are_refused(path):
    members = members_of(path)
    made_by_hand(path, [*members, members[0]])
    refused(path, "twice")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_compressed_members_are_refused_however_little_they_hold(path, method):
    made_by_hand(path, [("header.json", b"0" * (1 << 22))], method=method)
    assert path.stat().st_size < 1 << 16
    refused(path, "compressed")


def test_pickled_objects_are_refused_unread(path):
    out = io.BytesIO()
    np.save(out, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    members = dict(members_of(path)) | {"a.npy": out.getvalue()}
    made_by_hand(path, members.items())
    refused(path, "not the array that the header describes")


def test_a_npy_header_that_differs_from_ours_is_refused(path):
    members = dict(members_of(path))
    prefix = npy_prefix("<f8", (3,))
    for other in (npy_prefix("<f8", (3, 1)), npy_prefix("<i8", (3,)), prefix.replace(b"F", b"T")):
        made_by_hand(path, (members | {"a.npy": other + SMALL["a"].tobytes()}).items())
        refused(path, "not the array")


def test_members_that_overlap_are_refused(path):
    # Both entries of the directory point at the first member.
    raw = bytearray(path.read_bytes())
    entries = [i for i in range(len(raw)) if raw[i : i + 4] == b"PK\1\2"]
    raw[entries[1] + 46] = raw[entries[0] + 46]
    raw[entries[1] + 42 : entries[1] + 46] = raw[entries[0] + 42 : entries[0] + 46]
    path.write_bytes(raw)
    refused(path)


def test_a_directory_that_claims_too_many_members_is_refused_at_once(path):
    raw = bytearray(path.read_bytes())
    end = struct.Struct("<4s4H2LH")
    fields = list(end.unpack(raw[-22:]))
    fields[3] = fields[4] = 65_000
    path.write_bytes(raw[:-22] + end.pack(*fields))
    refused(path)


def test_checksums_of_mapped_arrays_are_checked_when_asked(tmp_path):
    write(tmp_path / "f", ARRAYS, STATE)
    raw = bytearray((tmp_path / "f").read_bytes())
    place = raw.index(ARRAYS["cube"].tobytes())
    raw[place] ^= 1
    (tmp_path / "f").write_bytes(raw)
    with open_file(tmp_path / "f", mapped=True, verify=False) as file:
        assert file.array("cube", mapped=True)[0, 0, 0] != 0
    for options in ({"mapped": True, "verify": True}, {"mapped": False}):
        with (
            pytest.raises(FileError, match="'cube' is damaged: the checksum"),
            open_file(tmp_path / "f", **options) as file,
        ):
            file.array("cube", mapped=True)


def test_the_checksum_of_the_header_is_checked(path):
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"kind": "Test"', b'"kind": "Best"'))
    assert zlib.crc32(b"Test") != zlib.crc32(b"Best")
    refused(path, "header is damaged: the checksum does not match")
