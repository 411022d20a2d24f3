"""What the columns of a table are, and the table as a matrix of numbers.

- `kinds`, `feature`, `schema`: the four kinds; one feature; all of them, in storage order.
- `infer`, `declarations`: the schema of a table; what the user says about its columns.
- `roles`, `codes`, `sentinels`, `name_words`: columns that are identifiers or free text; integers
  that are labels; values that mean missing; what names show about these.
- `encode`, `decode`: a table as float64 with NaN for missing, and a matrix as values again.
- `align`, `refit`: a new table matched to a fitted schema; the schema of what is stored now.
- `categories`, `ranks`: codes of categories; ranks of ordinal values.
- `domain`: the values that a feature can have: observed range, natural bounds, step.
- `copies`, `spelling`, `written`: constants, copies and near copies of other columns; categories
  that are written in two ways; numbers and dates written as text.
- `limits`, `weights`: the range that encoded values may have; weights of features by name.
- `ranges`: ranges, values and bounds that a user gives, checked and encoded.
- `display`, `json_values`: a schema as text and HTML; its values in JSON.

Table → `infer_schema` → Schema; Table and Schema → `encode` → matrix → `decode`. May import
`tables`, `formatting` and below.
"""
