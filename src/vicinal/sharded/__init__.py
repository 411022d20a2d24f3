"""Tables larger than memory: fitted part by part, stored in shards, asked like any other.

- `fitting`: fit a table in parts, and write a store
- `sources`: files and dataframes, read in blocks
- `spool`: the columns of all blocks, on disk
- `compacting`: make room in a store that has changed

>>> import tempfile, vicinal
>>> parts = [{"height": [1.0, 1.1, 1.3]}, {"height": [1.2, 1.4]}]
>>> with tempfile.TemporaryDirectory() as folder:
...     model = vicinal.sharded.fit(parts, store=f"{folder}/heights.vicinal.d")
...     again = vicinal.load(f"{folder}/heights.vicinal.d")
>>> again
Model(p=1.0) of 5 cases, 1 feature
"""

from vicinal.sharded.compacting import compact
from vicinal.sharded.fitting import fit

__all__ = ["compact", "fit"]
