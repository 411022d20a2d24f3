"""Text for people: values, tables and elements of HTML.

- `values`: single values as text and in JSON; percentages and signed numbers; one truncation.
- `text_table`: tables as plain text, aligned for a terminal.
- `html`: elements of HTML and SVG; the one place where data is escaped for a page.
"""
