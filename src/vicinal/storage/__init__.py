"""Files that hold data, not code: a header in JSON and arrays of numbers, in one zip.

==========  ====================================================================================
npy         arrays as ``.npy`` members: the bytes before the numbers, and which dtypes there are
directory   what a zip holds and where, read without trusting it
header      ``header.json``: format, protocol, kind, members with their SHA-256, state
writing     `write_file`, `write_text`: to a temporary file, synced, renamed
reading     `open_file`: `StoredFile`, whose members are checked before they are read or mapped
==========  ====================================================================================

Members are stored uncompressed, their numbers begin at multiples of 64 bytes, so that they can be
memory-mapped; any zip program and ``numpy.load`` read them too. Nothing is ever unpickled. Before
anything is allocated its size is checked against the file's own, so that a file can make a reader
use a small multiple of its size and no more. What the numbers mean is the business of those above.

Imports `exceptions` and numpy only.
"""

from vicinal.storage.header import PROTOCOL, Header, parse_json
from vicinal.storage.reading import StoredFile, open_file
from vicinal.storage.writing import write_file, write_text

__all__ = [
    "PROTOCOL",
    "Header",
    "StoredFile",
    "open_file",
    "parse_json",
    "write_file",
    "write_text",
]
