"""Columns of words in the form in which boosting libraries take them natively.

The categories are those of the training rows. A new category in the test rows becomes a
missing value for ``CategoryDtype``; CatBoost knows what to do with an unseen word itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin

MISSING = "(missing)"


class CategoryDtype(TransformerMixin, BaseEstimator):
    """Words as pandas' ``category`` dtype; numbers stay numbers.

    The categories are the numbers 0, 1 and so on, which every library accepts.

    Parameters
    ----------
    words
        The columns of words.
    most
        The largest number of categories the model takes; a column with more of them is
        given as codes in alphabetical order. None is no limit.
    """

    def __init__(self, words: Sequence[str], most: int | None = None) -> None:
        self.words = words
        self.most = most

    def fit(self, X: pd.DataFrame, y: object = None) -> CategoryDtype:
        self.categories_ = {
            name: pd.Index(sorted(X[name].dropna().unique(), key=str), dtype=object)
            for name in self.words
        }
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: self._column(X[name]) for name in self.words})

    def _column(self, column: pd.Series) -> pd.Series:
        known = self.categories_[column.name]
        codes = known.get_indexer(column.astype(object))
        if 0 < len(known) <= (self.most or np.inf):
            values = pd.Categorical.from_codes(codes, categories=np.arange(len(known)))
        else:
            values = np.where(codes < 0, np.nan, codes)
        return pd.Series(values, index=column.index)


class Strings(TransformerMixin, BaseEstimator):
    """Words as strings, a missing one as a word of its own, as CatBoost wants them.

    Parameters
    ----------
    words
        The columns of words.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    def fit(self, X: pd.DataFrame, y: object = None) -> Strings:
        self.n_features_in_ = X.shape[1]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        return X.assign(**{name: _strings(X[name]) for name in self.words})


def _strings(column: pd.Series) -> pd.Series:
    return column.astype(object).map(str).where(column.notna(), MISSING).astype(object)
