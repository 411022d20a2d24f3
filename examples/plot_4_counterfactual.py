"""
Find what would change a prediction
===================================

A counterfactual is the smallest change to a row that leads to another prediction. It is based on a
real case, and never violates a constraint.
"""

import matplotlib.pyplot as plt
import numpy as np

import vicinal
from vicinal.data import load_penguins

penguins = load_penguins()
model = vicinal.Model().fit(penguins)
bird = {
    "island": "Dream",
    "bill_length_mm": 40.2,
    "bill_depth_mm": 18.5,
    "flipper_length_mm": 190,
    "body_mass_g": 3700,
    "sex": "female",
}
print(model.predict({name: [value] for name, value in bird.items()}, target="species")[0])

# %%
# What would have to change for the model to predict a Chinstrap?

found = model.counterfactual(bird, target="species", wanted="Chinstrap", immutable=["sex"])
print(found)

# %%
# The probability of each species along that change:

name, (before, after) = next(iter(found[0].changes.items()))
steps = np.linspace(before - 2, after + 4, 40)
path = {key: [value] * len(steps) for key, value in bird.items()} | {name: steps}
probabilities = model.predict_proba(path, target="species")

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
for species, line in zip(model.schema_["species"].categories, probabilities.T, strict=True):
    ax.plot(steps, line, label=species)
ax.axvline(before, color="gray", linewidth=0.8)
ax.axvline(after, color="gray", linewidth=0.8, linestyle="--")
ax.set(xlabel=f"{name} (original: {before}; changed: {after})", ylabel="probability", ylim=(0, 1))
ax.legend(frameon=False)
figure.show()

# %%
# If no change satisfies the constraints, the message names the constraint that prevents it:

found = model.counterfactual(
    bird,
    target="species",
    wanted="Gentoo",
    immutable=["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"],
)
print(found.message)
