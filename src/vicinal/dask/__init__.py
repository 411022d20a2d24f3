"""Classification and regression of Dask dataframes and arrays, as `xgboost.dask` does it.

- `classifier`, `regressor`: the estimators, which are those of one machine but for where rows are
- `predictor`: what the two have in common
- `fitting`: fit the partitions of a collection into a store
- `collections`: the partitions of dataframes and arrays, and predictions that are made when needed
- `scoring`: predict a partition on a worker, with a store that it opens once

Needs the extra ``dask``. Imports `estimators`, `sharded`, `loading` and below.
"""

from vicinal.dask.classifier import DaskVicinalClassifier
from vicinal.dask.regressor import DaskVicinalRegressor

__all__ = ["DaskVicinalClassifier", "DaskVicinalRegressor"]
