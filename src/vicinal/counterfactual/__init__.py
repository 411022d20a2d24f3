"""Counterfactuals: the smallest change of a row that makes the model predict something else.

- `find`: the method `Model.counterfactual`.
- `result`: `Counterfactuals`, the result: changes, the nearest case, and what prevents others.
- `arguments`: the user's arguments, checked and encoded; `constraints` on what may change, and
  the `goal`, the wanted prediction.
- `oracle`: predictions for changed rows, and the effort of a change; `observed` values.
- `candidates`: training cases with a wanted outcome; `search`: the sparsest change toward them;
  `relaxation`: the constraint to drop if there is none.

May import `conviction` and below.
"""
