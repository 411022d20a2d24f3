"""Tables in files: read whole or block by block, written whole or not at all.

- `formats`: which format a file is in; `compression`: gzip, bzip2 and xz; `reading`: files to
  `blocks`, rows as they came; `delimited`: CSV and TSV.
- `cells`: text as values, and values as text; `writing`: tables to files.
"""
