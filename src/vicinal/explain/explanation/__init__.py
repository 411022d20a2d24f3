"""Everything behind one prediction, as a result that can be read, printed and saved.

- `explain`: the method `Model.explain`, which puts an explanation together.
- `result`: `Explanation` and `Explanations`; `parts`: the cases, features and convictions in them.
- `text`, `html`: as text for a terminal, and as HTML for a notebook; `amounts`: contributions and
  errors in words.
- `changes`: counterfactuals added to explanations.
"""
