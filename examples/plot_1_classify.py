"""
Classify and explain
====================

Which species is a bird, how certain is the prediction, and which training cases support it?

Strings and missing values stay as they are: there is nothing to scale, to impute or to encode.
"""

import numpy as np

import vicinal
from vicinal.data import load_penguins

penguins = load_penguins()
n = len(penguins["species"])
held_out = np.random.default_rng(0).permutation(n) < n // 4


def select(mask):
    return {
        name: [value for value, chosen in zip(values, mask, strict=True) if chosen]
        for name, values in penguins.items()
    }


train, test = select(~held_out), select(held_out)
model = vicinal.Model().fit(train)
print(model.schema_)

# %%
# A quarter of the birds is held out. The model ignores the column of the target, although the test
# rows contain it.

predicted = model.predict(test, target="species")
accuracy = np.mean(predicted == np.array(test["species"]))
print(f"accuracy {accuracy:.1%} on {held_out.sum()} held-out birds")

# %%
# Prediction sets contain the true species for 95 % of the birds of each species. A set of several
# species means that the bird could be any of them.

sets = model.predict_set(test, target="species", alpha=0.05)
sizes, counts = np.unique(sets.sum(axis=1), return_counts=True)
print({f"{size} species": int(count) for size, count in zip(sizes, counts, strict=True)})

# %%
# The least certain prediction, with the training cases and the features behind it. The
# influences of the cases sum to 1 and reproduce the probability; the contributions of the
# features add up to it, starting from the baseline, the share of the species among all birds.

confidence = model.predict_proba(test, target="species").max(axis=1)
least_certain = int(np.argmin(confidence))
bird = {name: [values[least_certain]] for name, values in test.items()}
explanation = model.explain(bird, target="species")[0]
print(explanation)

# %%
figure = vicinal.ExplanationDisplay.from_explanation(explanation).figure_
