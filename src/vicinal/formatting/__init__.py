"""Text for people: values, tables and elements of HTML.

- `values`: single values as text and in JSON; percentages and signed numbers; one truncation.
- `durations`: seconds in a unit that fits.
- `text_table`: tables as plain text, aligned for a terminal.
- `sheet`: what a result shows, as sentences and tables of values, bars and marked differences;
  `sheet_text` for a terminal, `sheet_html` for a notebook in the style of `notebook_style`.
- `theme`: the colors and fonts of pages, reports and notebooks.
- `html`: elements of HTML and SVG; the one place where data is escaped for a page.
"""
