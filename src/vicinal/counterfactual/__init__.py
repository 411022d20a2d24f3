"""What would have to change in a row for the model to predict something else.

- `find`: the question.
- `result`: `Counterfactuals`, the plain result: changes, the case behind them, what is in the way.
- `arguments`: what the user asks for, checked and encoded; `constraints` on what may change, and
  the `goal`, the prediction that is wanted.
- `find`: the question.
- `oracle`: the model as the search asks it, and the effort of a change.
- `candidates`: real cases with a wanted outcome; `search`: the sparsest change towards them;
  `relaxation`: the constraint to give up where there is none.

May import `conviction` and below.
"""
