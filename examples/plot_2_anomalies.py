"""
Find anomalies
==============

Conviction is the expected surprisal of a row ÷ its observed surprisal: 1 is ordinary, and 0.5
means that the row is twice as far from other cases as expected. There are no labels and no tuning.
"""

import vicinal
from vicinal.data import load_penguins

penguins = load_penguins()
model = vicinal.Model().fit(penguins)

# %%
# First the table itself: each bird is compared with the others. The result names the features
# responsible, with the surprisal in nats that each of them adds, and the nearest ordinary birds.

print(model.anomalies(alpha=0.01))

# %%
# New rows are evaluated as if each of them alone were added. The first is an ordinary Gentoo;
# the second has the weight and the flippers of a Gentoo, but the bill of an Adelie; the third
# contains a typing error.

birds = {
    "species": ["Gentoo", "Gentoo", "Adelie"],
    "bill_length_mm": [47.2, 38.9, 38.9],
    "bill_depth_mm": [14.9, 18.1, 18.1],
    "flipper_length_mm": [217, 217, 187],
    "body_mass_g": [5100, 5100, 36000],
}
print(model.conviction(birds))
print(model.anomalies(birds))

# %%
# Their convictions among those of all birds:

names = ["a Gentoo", "a mixture", "a typing error"]
figure = vicinal.ConvictionDisplay.from_model(model, birds, labels=names).figure_

# %%
# Which value is wrong? Each value is predicted from the others of its row, and its error is
# compared with the errors of the neighbors. A conviction near 0 means that the value does not
# agree with the rest of the row.

for name, convictions in model.residual_conviction(birds).items():
    print(f"{name:18}" + "".join(f"{value:8.2f}" for value in convictions))
