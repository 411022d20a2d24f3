"""Fit a table: schema, residuals and index."""

from __future__ import annotations

from typing import Any

import numpy as np

from vicinal.exceptions import ParameterError, did_you_mean
from vicinal.fitted import Fitted
from vicinal.index.exact import ExactIndex
from vicinal.index.kinds import CYCLIC, NOMINAL, NUMERIC
from vicinal.index.memory import return_memory
from vicinal.index.metric import TermSettings
from vicinal.learning.reference import Reference
from vicinal.learning.residuals import Residuals, learn_from, learn_residuals
from vicinal.schema.copies import with_notes
from vicinal.schema.encode import encode
from vicinal.schema.infer import infer_schema
from vicinal.schema.kinds import Kind
from vicinal.schema.limits import check_spans
from vicinal.schema.ranges import check_bounds
from vicinal.schema.refit import refit_schema
from vicinal.schema.schema import Schema
from vicinal.schema.weights import feature_weights
from vicinal.settings import Settings
from vicinal.tables.case_labels import NO_LABELS, CaseLabels
from vicinal.tables.table import Table
from vicinal.typing import Floats
from vicinal.validation import CHOICES

_KIND_CODES = {
    Kind.CONTINUOUS: NUMERIC,
    Kind.ORDINAL: NUMERIC,
    Kind.CYCLIC: CYCLIC,
    Kind.NOMINAL: NOMINAL,
}


def fit_table(
    table: Table, settings: Settings, weights: Floats | None, labels: CaseLabels = NO_LABELS
) -> Fitted:
    """Infer the types of the columns, learn their residuals, and index the cases."""
    schema = table_schema(table, settings, weights)
    values = encode(table, schema)
    check_spans(values, schema)
    check_bounds(values, schema, settings.bounds)
    schema = with_notes(schema, values)
    terms, learned = _learn(values, schema, settings, weights)
    index = ExactIndex(values, terms.kinds, weights, scales=learned.metric.residuals)
    return_memory(index)
    return _fitted(schema, terms, learned, index, settings, labels, table.library)


def fit_values(
    schema: Schema,
    values: Floats,
    settings: Settings,
    reference: Reference,
    *,
    library: str | None = None,
) -> tuple[Fitted, Residuals]:
    """Learn the residuals of an encoded table, which may be on disk; its index is yet to come.

    They are learned from some of its cases, the reference.
    """
    schema = with_notes(schema, values)
    terms = _terms(schema, settings)
    learned = learn_from(reference, terms, **_options(settings))
    none = ExactIndex(np.empty((0, len(schema))), terms.kinds)
    return _fitted(schema, terms, learned, none, settings, NO_LABELS, library), learned


def refit(fitted: Fitted) -> Fitted:
    """Relearn everything from the current cases, which keep their numbers and weights."""
    if not len(fitted.index):
        raise ParameterError("There are no cases left to learn from; add some first.")
    if len(fitted.index) > fitted.index.at_once:
        raise ParameterError(
            f"A refresh reads all {len(fitted.index)} cases at once, which is too many; fit the "
            "table anew with vicinal.sharded.fit."
        )
    rows = fitted.rows(None)
    assert rows.exclude is not None
    weights = fitted.index.weights_of(rows.exclude)
    schema, values = refit_schema(rows.values, fitted.schema, weights)
    schema = with_notes(schema, values)
    terms, learned = _learn(values, schema, fitted.settings, weights)
    index = fitted.index.gathered().rebuilt(values, scales=learned.metric.residuals)
    return _fitted(schema, terms, learned, index, fitted.settings, fitted.labels, fitted.library)


def _learn(
    values: Floats, schema: Schema, settings: Settings, weights: Floats | None
) -> tuple[TermSettings, Residuals]:
    terms = _terms(schema, settings)
    return terms, residuals_of(values, terms, settings, weights)


def residuals_of(
    values: Floats, terms: TermSettings, settings: Settings, weights: Floats | None
) -> Residuals:
    """Learn the residuals of encoded cases, as the settings say."""
    seed, options = settings.random_state, _options(settings)
    return learn_residuals(values, terms, case_weights=weights, random_state=seed, **options)


def _terms(schema: Schema, settings: Settings) -> TermSettings:
    return TermSettings(
        kinds=np.array([_KIND_CODES[f.kind] for f in schema.storage], dtype=np.uint8),
        periods=np.array([f.period or 0.0 for f in schema.storage]),
        weights=feature_weights(settings.feature_weights, schema),
        p=settings.p,
        distinct=np.array([f.missing == "distinct" for f in schema.storage]),
    )


def _options(settings: Settings) -> dict[str, Any]:
    """Return the options of `learn_from`."""
    return {
        "k": settings.n_neighbors,
        "max_rounds": settings.max_rounds,
        "mean": settings.residual_mean,
        "threads": settings.n_jobs,
    }


def _fitted(
    schema: Schema,
    terms: TermSettings,
    learned: Residuals,
    index: ExactIndex,
    settings: Settings,
    labels: CaseLabels,
    library: str | None,
) -> Fitted:
    return Fitted(
        schema,
        learned.metric,
        terms,
        index,
        settings,
        residuals=learned.values,
        residual_history=learned.history,
        residuals_converged=learned.converged,
        residual_sample=(learned.n_queries, learned.n_reference),
        labels=labels.copy(),
        library=library,
    )


def table_schema(table: Table, settings: Settings, weights: Floats | None) -> Schema:
    """Infer the types of the columns, as the settings say."""
    schema = infer_schema(
        table,
        categorical_features=settings.categorical_features,
        ordinal_features=settings.ordinal_features,
        cyclic_features=settings.cyclic_features,
        kinds=settings.kinds,
        classes=settings.classes,
        missing_values=settings.missing_values,
        ignore=settings.ignore,
        weights=weights,
    )
    missing: Any = settings.missing
    if isinstance(missing, str):
        missing = dict.fromkeys(schema.names, missing)
    for name, treatment in dict(missing).items():
        if treatment not in CHOICES["missing"]:
            raise ParameterError(
                f"missing={treatment!r}; expected 'expected' or 'distinct'."
                + did_you_mean(treatment, CHOICES["missing"])
            )
        if schema[name].missing != treatment:
            schema = schema.replace(name, missing=treatment)
    return schema
