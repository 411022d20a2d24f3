"""
Is this patient unlike those we know?
=====================================

A classifier answers for every row, also for one that resembles nothing it has seen.
In medicine that is dangerous: a record from another scanner, a unit mixed up, a
disease that was not in the training data. So there are two questions to ask before
you read a prediction. Is this patient like those the model knows? And is the answer
clear for such patients?

The data are the Wisconsin breast cancer data, which ship with scikit-learn:
measurements of cell nuclei in 569 biopsies, and the diagnosis. We use the ten mean
values.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vicinal

data = load_breast_cancer(as_frame=True)
X = data.data[[name for name in data.data if name.startswith("mean")]]
y = data.target.map({0: "malignant", 1: "benign"})
X_train, X_test, y_train, y_test = train_test_split(
    X, y, test_size=0.3, random_state=0, stratify=y
)

# %%
# The estimators follow scikit-learn, so the beginning reads as usual. There is
# nothing to scale.

classifier = vicinal.VicinalClassifier().fit(X_train, y_train)
linear = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)
print(f"Vicinal             accuracy {classifier.score(X_test, y_test):.3f}")
print(f"logistic regression accuracy {linear.score(X_test, y_test):.3f}")

# %%
# Three records
# -------------
#
# The first is a patient of the test set. In the second record, the area was entered
# in another unit. In the third, two values changed places: both are common, but not
# with the others of this patient.

patient = X_test.iloc[[4]]
wrong_unit = patient.assign(**{"mean area": patient["mean area"] / 100})
swapped = patient.assign(
    **{
        "mean radius": patient["mean texture"],
        "mean texture": patient["mean radius"],
    }
)
records = pd.concat([patient, wrong_unit, swapped], ignore_index=True)
names = ["patient", "wrong unit", "swapped"]
pd.DataFrame(
    {
        "Vicinal": classifier.predict_proba(records)[:, 0],
        "logistic regression": linear.predict_proba(records)[:, 0],
    },
    index=names,
).round(3)

# %%
# These are probabilities of "benign", the first of ``classes_``. Neither model
# hesitates over the wrong unit; it makes both of them more certain.
#
# Is it like those we know?
# -------------------------
#
# *Conviction* compares the distances from a record to its nearest cases with the
# distances of those cases to theirs: 1 is ordinary, 0.25 means four times as far
# as expected. ``p`` is the share of training cases that are at least as
# surprising. It needs no diagnosis, so the model is fitted to the measurements
# alone. (A classifier has a model, too, as ``classifier.model_``, but that knows
# the diagnosis as a column.)
#
# The column ``familiarity`` answers a second question, how much the record would
# change the distribution of all distances (:doc:`/theory/familiarity`). It is low
# for strange records as well; to decide, use ``p``.

model = vicinal.Model().fit(X_train)
model.conviction(records)

# %%
# Which measurements are responsible? The numbers in brackets say how much
# surprisal each adds, in nats. ``tail p`` estimates the same share
# as ``p`` from a curve, so it can be smaller than one in all training cases.

model.anomalies(records, alpha=0.01)

# %%
# The records among all training cases:

figure = vicinal.ConvictionDisplay.from_model(model, records, labels=names).figure_

# %%
# How often is that a false alarm?
# --------------------------------
#
# Of ordinary new patients, at most a share ``alpha`` should have p ≤ ``alpha``,
# whatever the distribution. The 171 patients of the test set are such patients:

p = model.conviction(X_test).p_value
for alpha in (0.01, 0.05, 0.1):
    print(f"p ≤ {alpha:4}: {np.mean(p <= alpha):6.1%} of the test patients")

# %%
# Is the answer clear?
# --------------------
#
# A patient may be quite ordinary, and still between the two diagnoses. Most errors
# are of that kind:

predicted = classifier.predict(X_test)
wrong = predicted != y_test
print(
    f"{wrong.sum()} errors, {np.sum(p[wrong] <= 0.05)} of them on unusual patients"
)

# %%
# Prediction sets tell these apart: they contain the true diagnosis for 95 % of the
# patients of either diagnosis. A set of both means: do not decide by these
# measurements.

sets = classifier.predict_set(X_test, alpha=0.05)
truth = np.searchsorted(classifier.classes_, y_test)
for code, name in enumerate(classifier.classes_):
    print(f"{name:9}: {sets[truth == code, code].mean():.1%} of the sets contain it")
both = sets.sum(axis=1) > 1
print(f"both diagnoses for {both.sum()} of {len(both)} patients")
print(
    f"errors among them {wrong[both].sum()}, among the others {wrong[~both].sum()}"
)

# %%
# A rule for practice
# -------------------
#
# So a careful program answers in three ways:


def answer(record):
    if model.conviction(record).p_value[0] <= 0.01:
        because = model.anomalies(record, alpha=0.01).features[0][0][0]
        return f"unlike the patients we know: check {because!r} first"
    if classifier.predict_set(record, alpha=0.05).sum() > 1:
        return "between the diagnoses: examine further"
    return classifier.predict(record)[0]


for name, row in zip(names, range(3), strict=True):
    print(f"{name:11} {answer(records.iloc[[row]])}")
print(f"{'unclear':11} {answer(X_test[both].iloc[[0]])}")

# %%
# A low p says that a record is rare, not that it is wrong; a rare patient is rare,
# too. And an unknown disease that looks like a known one in all ten measurements
# cannot be noticed from them.
#
# To go on: :doc:`/guide/unusual`, :doc:`/theory/similarity`,
# :doc:`/theory/conformal`.
