"""How far one model is from the others, score by score, with standard errors.

A difference is taken on each data set, after averaging its splits; its standard error is over
data sets. Positive is always better for the model in focus. Two scores closer than ``TIE`` are
a tie.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.quality.markdown import table

TIE = 5e-4


def differences(scores: pd.DataFrame, focus: str, lower_is_better: Collection[str]) -> str:
    """By model and score: mean difference, standard error and wins, ties and losses.

    The p-value is that of the first score.

    Parameters
    ----------
    scores
        Indexed by dataset and model, a column for each score.
    focus
        The model to compare.
    lower_is_better
        Scores that are errors.
    """
    wide = {score: scores[score].unstack("model").dropna() for score in scores}
    first, *_ = wide.values()
    lines = []
    for peer in first.columns.drop(focus):
        cells = [
            _cell(gap(values, focus, peer, lower=score in lower_is_better))
            for score, values in wide.items()
        ]
        plain = gap(first, focus, peer, lower=next(iter(wide)) in lower_is_better)
        p = float(stats.wilcoxon(plain).pvalue) if np.any(plain != 0) else 1.0
        lines.append([peer, *cells, f"{p:.2g}"])
    return table([f"{focus} minus", *wide, "Wilcoxon p"], lines)


def gap(values: pd.DataFrame, focus: str, peer: str, *, lower: bool) -> np.ndarray:
    """By data set, how much better the focus is than the peer."""
    plain = (values[focus] - values[peer]).to_numpy()
    return -plain if lower else plain


def standard_error(gaps: np.ndarray) -> float:
    """Standard error of the mean; NaN of a single value.

    Examples
    --------
    >>> import numpy as np
    >>> standard_error(np.array([0.0, 2.0]))
    1.0
    """
    if len(gaps) < 2:
        return float("nan")
    return float(np.std(gaps, ddof=1) / np.sqrt(len(gaps)))


def mean_ranks(scores: pd.DataFrame, lower_is_better: Collection[str]) -> str:
    """Mean rank of each model by every score; 1 is best, equals share a rank."""
    by_score = {
        score: scores[score]
        .unstack("model")
        .round(6)
        .rank(axis=1, ascending=score in lower_is_better)
        .mean()
        for score in scores
    }
    ranks = pd.DataFrame(by_score)
    order = ranks.mean(axis=1).sort_values().index
    lines = [[model, *(f"{rank:.2f}" for rank in ranks.loc[model])] for model in order]
    return table(["mean rank", *scores], lines)


def _cell(gaps: np.ndarray) -> str:
    wins, losses = int((gaps > TIE).sum()), int((gaps < -TIE).sum())
    ties = len(gaps) - wins - losses
    error = standard_error(gaps)
    return f"{np.mean(gaps):+.4f} ± {error:.4f} ({wins}–{ties}–{losses})"
