"""
Cleaning a table before modeling
================================

Most of the work on a model is done before it: units mixed up, a zero too many, −999
for unknown, the same row twice, gaps. Rules find the errors that you thought of. A
model of the table finds the others, since it knows what each value should be, given
the rest of its row.

The table lists 800 apartments with their rent. It is simulated, with errors in known
places, so that we can count what is found:
:func:`vicinal.data.simulated.make_apartments`.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import mean_absolute_error

import vicinal
from vicinal.data.simulated import make_apartments

table, errors = make_apartments()
apartments = pd.DataFrame(table)
names = {
    kind: set(apartments["advertisement"].iloc[rows])
    for kind, rows in errors.items()
}
print({kind: len(rows) for kind, rows in errors.items()}, "errors of each kind")
apartments.head()

# %%
# Look at the columns first
# -------------------------
#
# The number of the advertisement says which row it is, not what the apartment is
# like, so cases are named by it. Nobody told the fit that a year of −999 means
# unknown.

order = {"condition": ["poor", "fair", "good", "new"]}
model = vicinal.Model(ordinal_features=order).fit(apartments, id="advertisement")
model.schema_

# %%
# Audit
# -----
#
# ``audit`` looks for duplicates, for wrong values of a target, for unusual rows and
# for useless columns. Every finding comes with its evidence.

audit = model.audit(target="rent")
print(audit)

# %%
# The score orders the findings of one kind; :doc:`/guide/care` says what it
# measures. The number after ± is the error to expect of the suggested value. Only
# the values of the target are compared with predictions here: for another column,
# ask again with that column as the ``target``.
#
# How much of that is right? "label" are values of the target that are likely wrong,
# "surprising" those that may be right.

findings = audit.to_frame()
cells = apartments.drop(columns="advertisement")
names["pair"] = set(apartments["advertisement"][cells.duplicated(keep=False)])
for kind, truth in {
    "label": "rent",
    "surprising": "rent",
    "duplicate": "pair",
}.items():
    listed = set(findings.loc[findings["kind"] == kind, "case"])
    right = len(listed & names[truth])
    print(f"{kind:11} {len(listed):3} listed, {right:3} of them right")

# %%
# Of two equal rows, nothing says which was there first, so a duplicate is either of
# the two. There are 24 pairs.
#
# Clean in rounds
# ---------------
#
# Large errors hide small ones: a rent of 17100 makes all rents look uncertain. So
# remove the worst, fit again, and look again, until nothing is found. Here the rows
# that are likely wrong and the duplicates go:

drop = set(
    findings.loc[findings["kind"].isin(["label", "surprising", "duplicate"]), "case"]
)
round_2 = apartments[~apartments["advertisement"].isin(drop)]
model = vicinal.Model(ordinal_features=order).fit(round_2, id="advertisement")
found = model.anomalies(alpha=0.02)
found

# %%
# Now the areas that were entered in square feet are at the top. ``because of`` names
# the cell, so the row can be mended instead of dropped. Cells that are far from what
# the rest of their row says are set to missing:

cleaned = round_2.set_index("advertisement")
mended = set()
for name, reasons in zip(found.to_frame()["case"], found.features, strict=True):
    feature, nats = reasons[0]
    if nats > 0.3 and feature in ("area", "rent"):
        cleaned.loc[name, feature] = np.nan
        mended.add(name)
damaged = (names["area"] | names["rent"]) & set(round_2["advertisement"])
print(f"{len(mended)} cells set to missing, {len(mended & damaged)} of them damaged")
print(f"{len(damaged - mended)} damaged cells left")
cleaned = cleaned.dropna(subset="rent")

# %%
# In a plot, they stand out from the others:

figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for listed, color, label in (
    (False, "tab:gray", "kept"),
    (True, "tab:orange", "set to missing"),
):
    rows = round_2[round_2["advertisement"].isin(mended) == listed]
    ax.scatter(rows["area"], rows["rent"], s=8, color=color, label=label)
ax.set(xlabel="area", ylabel="rent", xscale="log", yscale="log")
ax.legend(frameon=False)
figure.show()

# %%
# Impute
# ------
#
# Missing values are predicted from the rest of their row, with an interval, and with
# a conviction: how certain this cell is, compared with others of its column. For a
# category, ``classes`` has the set of possible ones in place of an interval.
# ``imputed.table`` is the table with the gaps filled.

model = vicinal.Model(ordinal_features=order).fit(cleaned)
imputed = model.impute(cleaned)
cells = imputed.to_frame()
cells.head()

# %%
# The generator knows the true areas, so we can check the intervals, which should
# contain 90 %:

truth = pd.DataFrame(make_apartments(damaged=False)[0]).set_index("advertisement")
areas = cells[cells["feature"] == "area"]
true = truth.loc[cleaned.index[areas["row"]], "area"].to_numpy()
inside = (areas["lower"].astype(float) <= true) & (
    true <= areas["upper"].astype(float)
)
print(f"{inside.mean():.0%} of {len(areas)} intervals contain the true area")

# %%
# Was it worth it?
# ----------------
#
# The cleaned table is an ordinary dataframe, for any model. Here is scikit-learn's
# gradient boosting, fitted to the table as it came and to the cleaned one, and
# tested on 2000 apartments without errors:

test = pd.DataFrame(make_apartments(2000, damaged=False, random_state=1)[0])
columns = [name for name in cleaned if name != "rent"]


def error(table):
    train = table[columns].astype(
        dict.fromkeys(("district", "condition", "balcony"), "category")
    )
    boosting = HistGradientBoostingRegressor(random_state=0).fit(
        train, table["rent"]
    )
    return mean_absolute_error(
        test["rent"], boosting.predict(test[columns].astype(train.dtypes))
    )


print(f"mean absolute error, table as it came: {error(apartments):.0f}")
print(f"mean absolute error, cleaned table:    {error(imputed.table):.0f}")

# %%
# What this does not say
# ----------------------
#
# - A surprising value may be right, and the most interesting one in the table. Look
#   before you delete; the evidence is there for that.
# - An error that fits its row well, such as a rent that is wrong by 5 %, cannot be
#   found from the table.
# - Clean the training data by these rules, never the test data by their labels.
#
# To go on: :doc:`/guide/care`, :doc:`/guide/columns`.
