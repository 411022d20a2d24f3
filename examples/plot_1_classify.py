"""
Classify, and say why
=====================

Which species is a bird, how sure is that, and which birds of the table speak for it?

Strings and gaps stay as they are: there is nothing to scale, to impute or to encode.
"""

import numpy as np

import vicinal
from vicinal.data import load_penguins

penguins = load_penguins()
n = len(penguins["species"])
asked = np.random.default_rng(0).permutation(n) < n // 4


def rows(chosen):
    return {
        name: [value for value, taken in zip(values, chosen, strict=True) if taken]
        for name, values in penguins.items()
    }


model = vicinal.Model().fit(rows(~asked))
print(model.schema_)

# %%
# A quarter of the birds was held back. The column asked for does not count, though it is there.

test = rows(asked)
said = model.predict(test, target="species")
print(f"{np.mean(said == np.array(test['species'])):.1%} of {asked.sum()} birds right")

# %%
# Label sets hold the true species in 95 % of birds. With several members a set says that the bird
# could be any of them; without any, that no species is sure enough.

sets = model.predict_set(test, target="species", alpha=0.05)
sizes, counts = np.unique(sets.sum(axis=1), return_counts=True)
print({f"{size} species": int(count) for size, count in zip(sizes, counts, strict=True)})

# %%
# The answer about one bird, with the cases and the features behind it. The influences of the cases
# sum to 1 and reproduce the probability; the contributions add up to it, beginning with what is
# expected of a bird of which nothing is known.

surest = model.predict_proba(test, target="species").max(axis=1)
doubtful = int(np.argmin(surest))
bird = {name: [values[doubtful]] for name, values in test.items()}
why = model.explain(bird, target="species")[0]
print(why)

# %%
figure = vicinal.ExplanationDisplay.from_explanation(why).figure_
