"""Files that contain data, not code: a JSON header and numeric arrays in one zip file.

==========  ====================================================================================
npy         arrays as ``.npy`` members: the bytes before the numbers, and the supported dtypes
directory   the members of an untrusted zip file and their positions
header      ``header.json``: format, protocol, kind, members with their SHA-256, state
writing     `write_file`, `write_text`: to a temporary file, synced, renamed
reading     `open_file`: `StoredFile`, whose members are checked before they are read or mapped;
            `read_ahead`: what is mapped, in large pieces
spool       `Spool`: arrays put aside for a while, in a temporary file if there are many
==========  ====================================================================================

Members are uncompressed and their data starts at multiples of 64 bytes, so they can be
memory-mapped; any zip program and ``numpy.load`` can read them. Nothing is ever unpickled. Before
memory is allocated, its size is checked against the size of the file, so reading a file needs only
a small multiple of its size. The packages above interpret the arrays.

Imports `exceptions` and numpy only.
"""

from vicinal.storage.header import PROTOCOL, Header, parse_json
from vicinal.storage.reading import StoredFile, is_mapped, open_file, read_ahead
from vicinal.storage.spool import Spool
from vicinal.storage.writing import write_file, write_text

__all__ = [
    "PROTOCOL",
    "Header",
    "Spool",
    "StoredFile",
    "is_mapped",
    "open_file",
    "parse_json",
    "read_ahead",
    "write_file",
    "write_text",
]
