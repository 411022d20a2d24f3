"""Vicinal: exact nearest cases in surprisal space, for tables of any kind.

>>> import vicinal
>>> table = {"height": [1.0, 1.1, 3.0, 3.2], "color": ["red", "red", "blue", None]}
>>> model = vicinal.Model().fit(table)
>>> model.neighbors({"height": [1.04], "color": ["red"]}, k=2).indices.tolist()
[[0, 1]]

Map, from the top; a layer imports only from those below it (a test holds it to that):

cli, explorer   the command ``vicinal``; questions over HTTP, pages to explore a model
estimators      VicinalClassifier and others; `loading`: whatever was saved; `table_files`
sharded, dask   tables larger than memory: fit part by part; `stores`: shards in files
model           Model: every public method, updates and files
report, plots   a page that people like to read; Display classes; `views`: what results show
quality         missing values, likely errors, fewer cases, drift
explain         what features and cases contribute to a prediction
counterfactual  what would change a prediction
conviction      how surprising cases are: similarity, familiarity, p-values, anomalies
density         how probable rows are, in nats, and rows drawn at random
prediction      any feature from any others; `neighbors`: the nearest cases, `side_by_side`
learning        residuals, and weights and tuning for a target, learned leave-one-out
influence       from neighbors to influences and outcomes; every loss
fitted          what a fit leaves; rows of a question; `stored_cases`, `case_sample`: of cases
index           the metric and exact search (native code); `settings`: parameters of a Model
schema, tables  what the columns are, and tables as matrices; tables of any library
formulas        the mathematics, as pure functions of arrays
storage         files of arrays that may come from anyone; `data`: tables that ship with it
formatting      values as text, and HTML that escapes data; `progress`: bars for long work
validation, typing, exceptions   parameter rules; array types; what can go wrong
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vicinal import dask, sharded
    from vicinal.conviction.anomalies import Anomalies
    from vicinal.conviction.measure import Measure
    from vicinal.conviction.results import Convictions
    from vicinal.counterfactual.result import Counterfactual, Counterfactuals
    from vicinal.density.synthesis import Synthetic
    from vicinal.estimators import (
        VicinalClassifier,
        VicinalDensity,
        VicinalImputer,
        VicinalOutlierDetector,
        VicinalRegressor,
    )
    from vicinal.exceptions import (
        FeatureError,
        FileError,
        IgnoredColumnWarning,
        NotFittedError,
        ParameterError,
        TableError,
        VicinalError,
    )
    from vicinal.explain.contributions import Contributions
    from vicinal.explain.data_values import DataValues
    from vicinal.explain.explanation.result import Explanation, Explanations
    from vicinal.explain.information import Information
    from vicinal.explain.information_matrix import InformationMatrix
    from vicinal.explorer.notebook import Explorer, explore
    from vicinal.loading import load
    from vicinal.model.model import Model
    from vicinal.neighbors import Neighbors
    from vicinal.plots import (
        ContributionDisplay,
        ConvictionDisplay,
        ExplanationDisplay,
        InfluenceDisplay,
        NeighborsDisplay,
    )
    from vicinal.quality.audit import Audit
    from vicinal.quality.drift import Drift
    from vicinal.quality.imputation import Imputation
    from vicinal.quality.reduction import Reduction
    from vicinal.robustness.result import Certificates
    from vicinal.schema.feature import Feature
    from vicinal.schema.kinds import Kind
    from vicinal.schema.schema import Schema

    __version__: str

__all__ = [
    "Anomalies",
    "Audit",
    "Certificates",
    "ContributionDisplay",
    "Contributions",
    "ConvictionDisplay",
    "Convictions",
    "Counterfactual",
    "Counterfactuals",
    "DataValues",
    "Drift",
    "Explanation",
    "ExplanationDisplay",
    "Explanations",
    "Explorer",
    "Feature",
    "FeatureError",
    "FileError",
    "IgnoredColumnWarning",
    "Imputation",
    "InfluenceDisplay",
    "Information",
    "InformationMatrix",
    "Kind",
    "Measure",
    "Model",
    "Neighbors",
    "NeighborsDisplay",
    "NotFittedError",
    "ParameterError",
    "Reduction",
    "Schema",
    "Synthetic",
    "TableError",
    "VicinalClassifier",
    "VicinalDensity",
    "VicinalError",
    "VicinalImputer",
    "VicinalOutlierDetector",
    "VicinalRegressor",
    "__version__",
    "dask",
    "explore",
    "load",
    "sharded",
]

# Where each public name lives. It is imported on first use, so `import vicinal` is immediate.
_HOMES = {
    "Anomalies": "vicinal.conviction.anomalies",
    "Audit": "vicinal.quality.audit",
    "Certificates": "vicinal.robustness.result",
    "ContributionDisplay": "vicinal.plots",
    "Contributions": "vicinal.explain.contributions",
    "ConvictionDisplay": "vicinal.plots",
    "Convictions": "vicinal.conviction.results",
    "Counterfactual": "vicinal.counterfactual.result",
    "Counterfactuals": "vicinal.counterfactual.result",
    "DataValues": "vicinal.explain.data_values",
    "Drift": "vicinal.quality.drift",
    "Explanation": "vicinal.explain.explanation.result",
    "ExplanationDisplay": "vicinal.plots",
    "Explanations": "vicinal.explain.explanation.result",
    "Explorer": "vicinal.explorer.notebook",
    "Feature": "vicinal.schema.feature",
    "FeatureError": "vicinal.exceptions",
    "FileError": "vicinal.exceptions",
    "IgnoredColumnWarning": "vicinal.exceptions",
    "Imputation": "vicinal.quality.imputation",
    "InfluenceDisplay": "vicinal.plots",
    "Information": "vicinal.explain.information",
    "InformationMatrix": "vicinal.explain.information_matrix",
    "Kind": "vicinal.schema.kinds",
    "Measure": "vicinal.conviction.measure",
    "Model": "vicinal.model.model",
    "Neighbors": "vicinal.neighbors",
    "NeighborsDisplay": "vicinal.plots",
    "NotFittedError": "vicinal.exceptions",
    "ParameterError": "vicinal.exceptions",
    "Reduction": "vicinal.quality.reduction",
    "Schema": "vicinal.schema.schema",
    "Synthetic": "vicinal.density.synthesis",
    "TableError": "vicinal.exceptions",
    "VicinalClassifier": "vicinal.estimators",
    "VicinalDensity": "vicinal.estimators",
    "VicinalError": "vicinal.exceptions",
    "VicinalImputer": "vicinal.estimators",
    "VicinalOutlierDetector": "vicinal.estimators",
    "VicinalRegressor": "vicinal.estimators",
    "explore": "vicinal.explorer.notebook",
    "load": "vicinal.loading",
}

# Rooms that are public as a whole.
_ROOMS = ("dask", "sharded")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("vicinal")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"vicinal.{name}")
    else:
        raise AttributeError(f"module 'vicinal' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
