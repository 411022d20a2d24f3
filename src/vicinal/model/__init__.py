"""The Model: one table's schema, cases, residuals and index; it answers every question.

Each kind of question has a file, and `base` what they share:

base          settings, fit, and rows read for a question; neighbors
predicting    predict, intervals, sets, influences
contributing  contributions
informing     information, information_matrix, data_values
changing      counterfactual
judging       conviction, anomalies
drawing       density, synthesize
explaining    explain
living        add, update, remove, refresh; `changelog` and `staleness` keep the account
filling       impute
auditing      audit
caring        reduce, drift
reporting     report, of parts that `report_table`, `report_target` and `report_answers` gather
saving        save; `parts` are what a file holds of a Model, made of `records` and `settings`,
              and `soundness` is asked of them when they come back
"""

from __future__ import annotations

from vicinal.model.caring import Caring
from vicinal.model.drawing import Drawing
from vicinal.model.living import Living
from vicinal.model.reporting import Reporting
from vicinal.model.saving import Saving

__all__ = ["Model"]


class Model(Living, Reporting, Caring, Drawing, Saving):
    """Cases in surprisal space.

    Parameters
    ----------
    p : float, default 1
        Power of the mean that makes a distance of the terms: 1 the arithmetic mean, 0 the
        geometric one, 2 the quadratic one, any other number at least 0.
    n_neighbors : int, default 10
        Cases a prediction is made from, unless a question asks for another number.
    categorical_features, ordinal_features, cyclic_features, kinds, missing_values
        What the columns are, where their types do not say it: see `infer_schema`.
    missing : {"expected", "distinct"} or dict, default "expected"
        How a missing value is compared: by what is expected of the feature, or as a value of its
        own, equal to other missing ones. A dict says so feature by feature.
    feature_weights : dict, optional
        Weight of features in the distance, by name, at least 0; the others have 1.
    weighting : {"entropy", "irw", "mda"}, default "entropy"
        How features are weighed for a target: so that it is least surprising, by their residuals
        alone (the paper's way), or by how much leaving each out hurts.
    influence : {"auto", "centred", "linear", "probability"}, default "auto"
        How neighbours share a prediction under entropy weights; the other weightings have shares
        ∝ 1/distance. "centred" and "probability" are never negative; "linear",
        local regression, may speak against a case. "auto" is centred for classes and linear for
        numbers; which bandwidth and ridge, and whether any, the left-out cases choose.
    max_queries : int, default 1200
        Cases that weights and tuning for a target are learned from, at most. Where most classes
        are plain from the outset, a few of those cases stand for the others.
    max_members : int, default 20
        Members of the average that predicts a target, at most.
    max_rounds : int, default 8
        Rounds of learning the residuals, at most; three or four usually suffice.
    residual_mean : {"absolute", "square"}, default "absolute"
        How errors of numbers make a residual: their mean (the paper's way), or the root of their
        mean square divided by √2. Both are the scale of Laplace errors; with "square" columns
        that are far off now and then count less. `VicinalOutlierDetector` has it so.
    random_state : int, default 0
        Which cases of a large table the residuals are learned from.
    n_jobs : int, optional
        Threads; all available ones by default. No answer depends on it.

    Attributes
    ----------
    schema_ : Schema
        What the columns are.
    residuals_ : dict of str to float
        Expected error in predicting each feature from the others, in the feature's own unit; for
        nominal features the probability not given to the true category. NaN for features that
        tell nothing apart.
    residual_history_ : list of dict
        The residuals of each round, beginning with the spread of each feature by itself.
    residuals_converged_ : bool
        Whether the last round changed next to nothing.
    residual_sample_ : tuple of int
        How many cases were predicted for the residuals, and from how many.
    metric_ : Metric
        What distance means here.
    index_ : ExactIndex
        The cases.
    log_ : ChangeLog
        What was done to the cases, when (UTC), and to which.
    stale_ : Staleness
        How far the cases have moved since residuals and weights were learned.

    Examples
    --------
    >>> import vicinal
    >>> table = {"height": [1.0, 1.1, 3.0, 3.2], "colour": ["red", "red", "blue", None]}
    >>> model = vicinal.Model().fit(table)
    >>> model.neighbors({"height": [3.1], "colour": ["blue"]}, k=2)
    Neighbors of 1 row, k = 2
      row 0: #2 at 1.501, #3 at 1.636
    """
