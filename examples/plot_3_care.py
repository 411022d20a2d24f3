"""
Fill the holes, doubt the labels
================================

Eleven birds have no sex, two have no measurements at all. And what if some labels are wrong?
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import vicinal
from vicinal.data import load_penguins

penguins = pd.DataFrame(load_penguins())
model = vicinal.Model().fit(penguins)

# %%
# Every hole is filled from the other cells of its row, with an interval or a set of categories,
# and with a conviction: the error usual for that column ÷ the error to expect of this cell. Birds
# of which hardly anything is known have lower ones. The table comes back as the dataframe it was.

filled = model.impute(penguins)
print(f"{penguins.isna().sum().sum()} holes before, {filled.table.isna().sum().sum()} after")
filled.to_frame().head(8)

# %%
# Now fifteen species are written down wrongly, and the audit is asked which labels look wrong. It
# leaves each bird out, predicts it from the others, and weighs what they say against its label.

rng = np.random.default_rng(0)
wrong = np.sort(rng.choice(len(penguins), size=15, replace=False))
spoilt = penguins.copy()
for place in wrong:
    others = sorted(set(penguins["species"]) - {penguins["species"][place]})
    spoilt.loc[place, "species"] = rng.choice(others)

audit = vicinal.Model().fit(spoilt).audit(target="species")
found = audit.to_frame()
doubted = found[found["kind"] == "label"]
print(f"{len(doubted)} labels doubted, {doubted['case'].isin(wrong).sum()} of them spoilt")
doubted.head()

# %%
# The score of a label is the surprisal of the species written down, less that of the likeliest
# other one. Scores of the spoilt labels stand apart:

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ranked = sorted(audit.scores, key=audit.scores.get, reverse=True)[:60]
colours = np.where(np.isin(ranked, wrong), "tab:orange", "tab:gray")
ax.bar(np.arange(60), [audit.scores[case] for case in ranked], color=colours)
ax.axhline(0, color="black", linewidth=0.8)
ax.set(xlabel="birds, most doubtful first (orange: spoilt)", ylabel="score, nats")
figure.show()
