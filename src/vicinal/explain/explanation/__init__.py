"""Everything behind one prediction, as a plain result that can be read, printed and saved.

- `explain`: the question.
- `result`: `Explanation` and `Explanations`; `parts`: the cases, features and convictions in them.
- `text`, `html`, `style`: as text for a terminal, and as HTML for a notebook.
- `changes`: counterfactuals added to explanations.
"""
