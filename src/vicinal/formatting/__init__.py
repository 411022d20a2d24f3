"""Text for people: values as short text, and elements of HTML that escape whatever is data.

- `values`: single values as text and in JSON; percentages and signed numbers.
- `html`: elements of HTML and SVG; the one place where data is escaped and shortened for a page.
"""
