"""Any table as a matrix of numbers, and what the numbers mean.

A table of any library is read into columns (`read_table`); a schema says what kind each one is
(`infer_schema`); with both, the table becomes a matrix of float64 with NaN for missing
(`encode`), and a matrix becomes values again (`decode`)::

    table ──tables, frames, arrays──▶ Table of Columns ──infer──▶ Schema
                                            │                       │
                                            └──────── encode ◀──────┤
                                                        │           │
                                                      matrix ──▶ decode ──▶ dict of lists

- `kinds`, `feature`, `schema`, `display`, `tagged`: the kinds; one feature; all; shown; in JSON.
- `values`, `times`: single values, their types and when two are the same; dates as seconds.
- `columns`, `arrays`, `frames`, `tables`, `retype`: one column; columns from Python and numpy,
  from dataframes; whole tables; columns read as something else.
- `declared`, `infer`: what the user says about features; the schema of a table.
- `matching`, `renew`, `categories`, `ranks`: a new table beside an old schema; the schema of what
  is there now; codes; ranks.
- `encode`, `decode`, `output`, `shown`, `refill`: the matrix, there and back; results as
  dataframes; values as short text and in JSON; tables with cells replaced.

Imports `exceptions`, numpy and narwhals; no dataframe library. `index` and above import it.
"""

from vicinal.features.decode import decode
from vicinal.features.display import value_text
from vicinal.features.encode import encode
from vicinal.features.infer import infer_schema
from vicinal.features.kinds import Kind
from vicinal.features.matching import grow_schema, table_names
from vicinal.features.output import build_frame
from vicinal.features.refill import refill
from vicinal.features.renew import renew_schema
from vicinal.features.schema import Feature, Schema
from vicinal.features.tables import Table, read_table

__all__ = [
    "Feature",
    "Kind",
    "Schema",
    "Table",
    "build_frame",
    "decode",
    "encode",
    "grow_schema",
    "infer_schema",
    "read_table",
    "refill",
    "renew_schema",
    "table_names",
    "value_text",
]
