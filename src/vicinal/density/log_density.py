"""The log density of rows: how probable they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.density import sampled
from vicinal.density.mixture import mixture_of
from vicinal.fitted import Fitted
from vicinal.validation import check_parameter


def density(
    fitted: Fitted, rows: Any = None, *, baseline: str = "auto", return_error: bool = False
) -> Any:
    """Compute the log density of rows, in nats.

    Parameters
    ----------
    rows : table, optional
        Rows to evaluate. Columns may be absent and values missing: the result is the marginal
        density of the values given. By default the training cases. A stored case is left out of
        its own density.
    baseline : {"auto", "all"}, default "auto"
        Which cases to add up kernels over. With ``"auto"``, in tables of more than 50,000 cases
        these are the nearest cases of each row and a sample of the others.
    return_error : bool, default False
        Whether to return standard errors, too. They are 0 unless cases were sampled.

    Returns
    -------
    ndarray of shape (m,)
        Log densities per unit of every continuous and cyclic feature, including the
        probabilities of ordinal and nominal features. Constant features are ignored.
    ndarray of shape (m,)
        Their standard errors, if `return_error`.

    Examples
    --------
    >>> import vicinal
    >>> model = vicinal.Model().fit({"height": [1.0, 1.1, 1.3], "color": ["a", "a", "b"]})
    >>> near, far = model.density({"height": [1.1, 9.0], "color": ["a", "a"]})
    >>> bool(near > far)
    True
    """
    check_parameter("baseline", baseline)
    asked = fitted.rows(rows)
    active = fitted.metric_of(asked.columns).active
    if baseline == "auto" and len(fitted.index) > sampled.MOST_CASES:
        mixture = sampled.sampled_mixture_of(fitted)
        found, errors = mixture.log_density(asked.values, active, asked.exclude)
    else:
        found = mixture_of(fitted).log_density(asked.values, active, asked.exclude)
        errors = np.zeros(len(found))
    return (found, errors) if return_error else found
