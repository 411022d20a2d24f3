"""Tables of any library, read into columns of plain values, and written back.

- `column`, `values`, `times`: one column; single values and when two are the same; dates as
  seconds. `counting`: how often each value occurs.
- `arrays`, `frames`, `table`: columns from Python and numpy, columns from dataframes, tables.
  `asked_names`: the names of columns as text, whatever a table calls them.
- `rows`, `reading_labels`, `case_labels`: rows on their own; labels of rows, and of cases.
- `casts`, `iso_text`: a column read as something else: labels as numbers, text as dates.
- `to_frame`, `typed_columns`, `write_cells`: results as dataframes, with the types of their
  values; tables with some cells replaced.

dataframe, array, dict or list of rows → `read_table` → Table of Columns. Dataframe libraries are
reached through narwhals and never imported when a table is read. May import `formatting` and
below.
"""
