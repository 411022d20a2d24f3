"""
Find what is unusual
====================

Conviction is the surprisal expected of a row ÷ the surprisal observed: 1 is ordinary, 0.5 is twice
as far from the other cases as these lead to expect. Nothing is labelled, nothing is tuned.
"""

import vicinal
from vicinal.data import load_penguins

penguins = load_penguins()
model = vicinal.Model().fit(penguins)

# %%
# The table itself, each bird judged without itself. The features responsible are named with the
# nats that each adds, and the nearest ordinary birds stand beside it.

print(model.anomalies(alpha=0.01))

# %%
# New rows are judged as if each alone were added. The first is an ordinary Gentoo; the second is
# as heavy as a Gentoo and has its flippers, but an Adelie's bill; the third has a typing error.

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
# Where they are among the convictions of all birds:

names = ["a Gentoo", "a mixture", "a typing error"]
figure = vicinal.ConvictionDisplay.from_model(model, birds, labels=names).figure_

# %%
# And which value is off? Each is predicted from the others of its row, and its error compared with
# those of the neighbours: near 0, it is not what the rest of the row leads to expect.

for name, convictions in model.residual_conviction(birds).items():
    print(f"{name:18}" + "".join(f"{value:8.2f}" for value in convictions))
