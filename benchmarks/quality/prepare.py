"""Tables made fit for models that want numbers without gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler


def numbers_or_table(table: pd.DataFrame) -> np.ndarray | pd.DataFrame:
    """A float array where every column is a number, otherwise the table itself.

    Done before the clock starts: a conversion is no part of a model.
    """
    if not word_columns(table):
        return table.to_numpy(dtype=np.float64)
    return table


def word_columns(table: pd.DataFrame) -> list[str]:
    """The columns that are no numbers: strings, and whatever is declared a category."""
    return [name for name in table if not _is_number(table[name])]


def preparation(table: pd.DataFrame, *, gaps: bool, scale: bool) -> list[Any]:
    """Pipeline steps that a model needs on this table; none for the plainest one.

    Parameters
    ----------
    table
        All rows, so that a gap seen only in testing is met too; nothing is learned here.
    gaps
        The model takes missing values. Otherwise medians and most frequent values are put.
    scale
        The model compares sizes: standardize, and one column for each category.
    """
    words = word_columns(table)
    steps: list[Any] = []
    if words:
        steps.append(_words_to_numbers(table, words, gaps=gaps, scale=scale))
    elif not gaps and table.isna().to_numpy().any():
        steps.append(SimpleImputer(strategy="median", keep_empty_features=True))
    if scale:
        steps.append(StandardScaler())
    return steps


def _words_to_numbers(
    table: pd.DataFrame, words: Sequence[str], *, gaps: bool, scale: bool
) -> object:
    numbers = [name for name in table if name not in set(words)]
    if scale:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    else:
        encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    if gaps:
        return make_column_transformer(("passthrough", numbers), (encoder, list(words)))
    frequent = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    median = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_column_transformer(
        (median, numbers), (make_pipeline(frequent, encoder), list(words))
    )


def _is_number(column: pd.Series) -> bool:
    return bool(pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column))
