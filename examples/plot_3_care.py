"""
Impute missing values and find label errors
===========================================

The sex of eleven birds is missing, and two birds have no measurements at all. And what if some
labels are wrong?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import vicinal
from vicinal.data import load_penguins

penguins = pd.DataFrame(load_penguins())
model = vicinal.Model().fit(penguins)

# %%
# Every missing value is predicted from the other values of its row, with an interval or a set of
# categories, and with a conviction: the usual error of that column ÷ the expected error of this
# cell. It is lower for birds about which hardly anything is known. The table comes back as the
# dataframe that it was.

imputed = model.impute(penguins)
before, after = penguins.isna().sum().sum(), imputed.table.isna().sum().sum()
print(f"{before} missing values before, {after} after")
imputed.to_frame().head(8)

# %%
# Now change the species of fifteen birds to a wrong one, and let the audit find the label
# errors. It leaves each bird out, predicts its species from the others, and compares the
# prediction with the label. Kind "label" lists labels that are likely wrong, of which at most
# 5 % are expected to be right; kind "surprising" lists others that may well be right.

rng = np.random.default_rng(0)
wrong = np.sort(rng.choice(len(penguins), size=15, replace=False))
corrupted = penguins.copy()
for row in wrong:
    others = sorted(set(penguins["species"]) - {penguins["species"][row]})
    corrupted.loc[row, "species"] = rng.choice(others)

audit = vicinal.Model().fit(corrupted).audit(target="species")
findings = audit.to_frame()
for kind in ("label", "surprising"):
    listed = findings[findings["kind"] == kind]
    print(f"{kind}: {len(listed)} listed, {listed['case'].isin(wrong).sum()} of them wrong")
findings.head()

# %%
# The score of a label is the surprisal of the recorded species minus the surprisal of the most
# probable other species. The wrong labels clearly have the highest scores:

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ranked = sorted(audit.scores, key=audit.scores.get, reverse=True)[:60]
colors = np.where(np.isin(ranked, wrong), "tab:orange", "tab:gray")
ax.bar(np.arange(60), [audit.scores[case] for case in ranked], color=colors)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="birds, highest score first (orange: wrong label)", ylabel="score (nats)")
figure.show()
