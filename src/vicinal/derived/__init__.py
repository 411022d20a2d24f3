"""Columns that are derived from others to predict one target.

A number may matter by its rank, a category by the outcomes it had, and all features together by a
score: cases with the same score are good neighbors. Derived columns are appended to the encoded
columns of an index in which neighbors are searched. Users never meet them as features.

- `columns`: `DerivedColumns`, everything that is derived for one target
- `learn`: learn them from the cases
- `stored_columns`: the cases with them, as new rows see these and as left-out cases do
- `folds`: which fold a row is in, by its content; `hash_counts`: which contents are known
- `ranks`: numbers by their ranks
- `category_means`: categories by the outcomes of other cases that have them
- `category_groups`: categories in groups with similar outcomes, which trees split
- `bins`: columns cut into bins; `cuts`: where numbers are cut
- `additive`: scores that are sums over the features, linear or by bins; `logistic`: for classes
- `trees`: scores of small boosted trees; `mean_trees`: the mean of several kinds
- `estimators`: scores of a user's own scikit-learn estimators
- `learn_estimators`: fit these
- `estimator_input`: the tables that they receive
- `attribution`: what each feature adds to a score of which only the values are known

What is learned from outcomes is learned in several runs, each without one or two folds, and a
stored case gets what was learned without its own: no case contributes to its own derived values.
"""
