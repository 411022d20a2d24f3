"""Vicinal: exact nearest cases in surprisal space, for tables of any kind.

>>> import vicinal
>>> table = {"height": [1.0, 1.1, 3.0, 3.2], "colour": ["red", "red", "blue", None]}
>>> model = vicinal.Model().fit(table)
>>> model.neighbors({"height": [1.04], "colour": ["red"]}, k=2).indices.tolist()
[[0, 1]]

Map, from the top; a layer imports only from those below it (a test holds it to that):

cli         the command ``vicinal``
loading     load: whatever was saved
estimators  VicinalClassifier and others: the Model as scikit-learn wants it
model       Model: schema, cases, residuals and index; answers every question
analysis    residuals, learned leave-one-out
care        holes filled, doubtful cases, fewer cases, change
conviction  how surprising cases are: similarity and familiarity, p-values, anomalies
density     how probable rows are, in nats, and rows drawn at random
explain     what features and cases contribute to an answer, and what would change it
report      a page that people like to read
plots       Display classes in scikit-learn's manner
index       the metric, exact search (native code), Neighbors
arguments   what a user hands to the Model, checked
features    from any table to a Schema and a matrix of numbers
formulas    the mathematics, as pure functions of arrays
storage     files of arrays that may come from anyone
exceptions  what can go wrong
data        the small tables that ship with the package
progress    a bar for long fits
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vicinal.care import Audit, Drift, Imputation, Reduction
    from vicinal.conviction import Anomalies, Convictions, Measure
    from vicinal.density import Synthetic
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
        NotFittedError,
        ParameterError,
        TableError,
        VicinalError,
    )
    from vicinal.explain import (
        Contributions,
        Counterfactual,
        Counterfactuals,
        DataValues,
        Explanation,
        Explanations,
        Information,
        InformationMatrix,
    )
    from vicinal.features import Feature, Kind, Schema
    from vicinal.index import Neighbors
    from vicinal.loading import load
    from vicinal.model import Model
    from vicinal.plots import (
        ContributionDisplay,
        ConvictionDisplay,
        ExplanationDisplay,
        InfluenceDisplay,
        NeighborsDisplay,
    )

    __version__: str

__all__ = [
    "Anomalies",
    "Audit",
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
    "Feature",
    "FeatureError",
    "FileError",
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
    "load",
]

# Where each public name lives. It is imported on first use, so `import vicinal` is immediate.
_HOMES = {
    "Anomalies": "vicinal.conviction",
    "Audit": "vicinal.care",
    "ContributionDisplay": "vicinal.plots",
    "Contributions": "vicinal.explain",
    "ConvictionDisplay": "vicinal.plots",
    "Convictions": "vicinal.conviction",
    "Counterfactual": "vicinal.explain",
    "Counterfactuals": "vicinal.explain",
    "DataValues": "vicinal.explain",
    "Drift": "vicinal.care",
    "Explanation": "vicinal.explain",
    "ExplanationDisplay": "vicinal.plots",
    "Explanations": "vicinal.explain",
    "Feature": "vicinal.features",
    "FeatureError": "vicinal.exceptions",
    "FileError": "vicinal.exceptions",
    "Imputation": "vicinal.care",
    "InfluenceDisplay": "vicinal.plots",
    "Information": "vicinal.explain",
    "InformationMatrix": "vicinal.explain",
    "Kind": "vicinal.features",
    "Measure": "vicinal.conviction",
    "Model": "vicinal.model",
    "Neighbors": "vicinal.index",
    "NeighborsDisplay": "vicinal.plots",
    "NotFittedError": "vicinal.exceptions",
    "ParameterError": "vicinal.exceptions",
    "Reduction": "vicinal.care",
    "Schema": "vicinal.features",
    "Synthetic": "vicinal.density",
    "TableError": "vicinal.exceptions",
    "VicinalClassifier": "vicinal.estimators",
    "VicinalDensity": "vicinal.estimators",
    "VicinalError": "vicinal.exceptions",
    "VicinalImputer": "vicinal.estimators",
    "VicinalOutlierDetector": "vicinal.estimators",
    "VicinalRegressor": "vicinal.estimators",
    "load": "vicinal.loading",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("vicinal")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'vicinal' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
