"""Seeded 75/25 splits, stratified for classes."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import train_test_split

TEST_SHARE = 0.25


def split(target: np.ndarray, task: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers for training and for testing.

    Every class has a row in training, so that no model is asked for a class it could not
    have known: a class of one row is never tested.

    Examples
    --------
    >>> import numpy as np
    >>> train, test = split(np.array([0, 0, 0, 0, 1, 1, 1, 1, 2]), "classification", 0)
    >>> len(train), len(test), 8 in train
    (7, 2, True)
    """
    rows = np.arange(len(target))
    if task == "regression":
        train, test = train_test_split(rows, test_size=TEST_SHARE, random_state=seed)
        return train, test
    classes, codes, counts = np.unique(target, return_inverse=True, return_counts=True)
    single = counts[codes] < 2
    usable = rows[~single]
    n_classes = len(classes) - int(single.sum())
    # Stratifying needs a test row for every class; tiny tables have too few.
    if np.ceil(TEST_SHARE * len(usable)) < n_classes:
        train, test = _unstratified(codes, seed)
        return train, test
    train, test = train_test_split(
        usable, test_size=TEST_SHARE, random_state=seed, stratify=codes[usable]
    )
    return np.concatenate([train, rows[single]]), test


def at_most(
    most: int | None, train: np.ndarray, target: np.ndarray, task: str, seed: int
) -> np.ndarray:
    """A sample of the training rows, with a row of every class; all of them where they are few.

    Examples
    --------
    >>> import numpy as np
    >>> target = np.array([0] * 99 + [1])
    >>> rows = at_most(10, np.arange(100), target, "classification", 0)
    >>> len(rows), 99 in rows
    (10, True)
    """
    if most is None or len(train) <= most:
        return train
    order = np.random.default_rng(seed).permutation(train)
    if task == "classification":
        _, first = np.unique(target[order], return_index=True)
        order = np.concatenate([order[first], np.delete(order, first)])
    return order[:most]


def _unstratified(codes: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng(seed).permutation(len(codes))
    _, first = np.unique(codes[order], return_index=True)
    rest = np.delete(order, first)
    n_test = min(len(rest), int(np.ceil(TEST_SHARE * len(codes))))
    return np.concatenate([order[first], rest[n_test:]]), rest[:n_test]
