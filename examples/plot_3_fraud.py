"""
Which transactions are odd, and why?
====================================

A bank sees thousands of card payments a day, and can look at a handful. Few of them
are fraudulent, and next month's fraud is not like last month's, so a classifier that
learns old fraud finds old fraud. The other way is to learn what is ordinary, list
what is not, and say why, so that the person who looks at it can decide within
seconds.

The payments are simulated: :func:`vicinal.data.simulated.make_transactions` says by
which rules, and which payments are fraudulent. No single column gives them away.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.preprocessing import StandardScaler

import vicinal
from vicinal.data.simulated import make_transactions


def payments(seed):
    table, is_fraud = make_transactions(random_state=seed)
    table = pd.DataFrame(table)
    table["log_amount"] = np.log10(table.pop("amount")).round(2)
    table["log_km"] = np.log10(1 + table.pop("km_from_home")).round(2)
    return table, is_fraud


table, is_fraud = payments(seed=0)
table.head()

# %%
# Amounts and distances range over several powers of ten: from 2 to 20 is as strange
# as from 200 to 2000. So we take logarithms. Vicinal needs no scaling, but which
# differences count as equal is for you to say.
#
# Learn from the past
# -------------------
#
# The first 2000 payments are of last month; complaints have come in, and known fraud
# has been removed. The other 1000 are new. The hour is on a circle, on which 23:50
# is near 0:10.

past, new = table[:2000][~is_fraud[:2000]], table[2000:]
model = vicinal.Model(cyclic_features={"hour": 24}).fit(past)
model.schema_

# %%
# Today's list
# ------------
#
# ``alpha=0.01`` lists about 1 % of *ordinary* payments, whatever their distribution.
# That is the number of false alarms that the bank agrees to look at.

found = model.anomalies(new, alpha=0.01)
found

# %%
# Each line names the columns responsible: the surprisal in nats that each of them
# adds. The list is in the order of conviction, which also depends on how far apart
# the payments around a row are, so the largest of these numbers need not come
# first. Columns that do not fit on the page are in ``found.to_frame()``. New rows
# are numbered by their place, so ``iloc`` looks them up. Here is the first, beside
# the most similar ordinary payment:

pd.concat([new.iloc[found.cases[:1]], past.iloc[found.ordinary[0][:1]]])

# %%
# How good is the list?
# ---------------------
#
# We know the truth here, so we can count. An isolation forest and a local outlier
# factor of scikit-learn, fitted to the same payments with dummy columns for
# categories and equal scales, are asked for as many payments. One month has about
# ten fraudulent payments, so we look at five months.


def peer_scores(past, new):
    dummies = pd.get_dummies(pd.concat([past, new])).astype(float)
    scaled = StandardScaler().fit(dummies[: len(past)]).transform(dummies)
    peers = {
        "isolation forest": IsolationForest(n_estimators=300, random_state=0),
        "local outlier factor": LocalOutlierFactor(novelty=True),
    }
    for name, peer in peers.items():
        peer.fit(scaled[: len(past)])
        yield name, -peer.score_samples(scaled[len(past) :])


rows = []
for seed in range(5):
    table, is_fraud = payments(seed)
    past, new, truth = table[:2000][~is_fraud[:2000]], table[2000:], is_fraud[2000:]
    convictions = (
        vicinal.Model(cyclic_features={"hour": 24}).fit(past).conviction(new)
    )
    listed = convictions.p_value <= 0.01
    row = {
        "fraud": truth.sum(),
        "listed": listed.sum(),
        "found": truth[listed].sum(),
    }
    for name, score in peer_scores(past, new):
        row[f"found by {name}"] = truth[np.argsort(-score)[: listed.sum()]].sum()
    row["average precision"] = average_precision_score(
        truth, -convictions.similarity
    )
    for name, score in peer_scores(past, new):
        row[f"of {name}"] = average_precision_score(truth, score)
    rows.append(row)
months = pd.DataFrame(rows).astype(float)
months.loc["mean"] = months.mean()
months.T.round(2)

# %%
# The convictions of the last of these months, fraudulent payments in orange:

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ranked = np.argsort(convictions.similarity)[:60]
colors = np.where(truth[ranked], "tab:orange", "tab:gray")
ax.bar(np.arange(60), convictions.similarity[ranked], color=colors)
ax.set(xlabel="payments, the most surprising first", ylabel="conviction")
figure.show()

# %%
# If the past was not checked
# ---------------------------
#
# Fraud that is still among the training payments makes similar fraud look
# ordinary. For the rows of one table that nobody has checked,
# :class:`vicinal.VicinalOutlierDetector` compares each row with the whole table,
# too. It finds more than conviction does, but fewer than a list from a clean past.
# We rank by its scores; its ``predict`` estimates how many rows are outliers,
# which may be more than you can look at, unless you give the share as
# ``contamination``:

table, is_fraud = payments(seed=0)
model = vicinal.Model(cyclic_features={"hour": 24}).fit(table)
detector = vicinal.VicinalOutlierDetector(cyclic_features={"hour": 24}).fit(table)
scores = {
    "conviction": -model.conviction().similarity,
    "VicinalOutlierDetector": -detector.training_scores_,
    **dict(peer_scores(table, table)),
}
for name, score in scores.items():
    found = is_fraud[np.argsort(-score)[:30]].sum()
    print(f"{name:23} {found:2} of the first 30 are fraud, of 30 in all")

# %%
# In this table the local outlier factor is ahead; the benchmark below compares
# detectors on 28 tables.
#
# What this does not say
# ----------------------
#
# Odd is not fraudulent: a first journey abroad is odd, too. And fraud that imitates
# the customer well is not odd. If you have labels of past fraud, also fit a
# classifier; ``decision=`` and ``class_weight=`` make it find rare classes
# (:doc:`/guide/why`).
#
# To go on: :doc:`/guide/unusual`, with rates of false discoveries, and the
# :doc:`benchmark </benchmarks/anomaly>` beside other detectors.
