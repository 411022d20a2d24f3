"""The mathematics as pure functions: arrays in, arrays out, no state.

- `lk`: the Łukaszyk–Karmowski distance, the expected distance of two Laplace variables from
  each other, in closed form.
- `surprisal`: the term of every kind of feature: how surprising, in nats, the difference of
  two values is.
- `combine`: weighted power means, which make one distance out of the terms.
- `familiarity`: what one case's distance contribution changes in the distribution of them all.

Values become gaps, gaps become terms (`laplace_term`, `nominal_term`), terms become a distance
(`power_mean`). The native kernels compute the same things faster and are tested against these.

Functions broadcast like numpy's own. Anything may import this package; it imports numpy only.
"""

from vicinal.formulas.combine import key_to_distance, power_key, power_mean
from vicinal.formulas.familiarity import familiarity_divergence, most_divergent_share
from vicinal.formulas.lk import lk_distance
from vicinal.formulas.surprisal import (
    SAME,
    cyclic_gap,
    laplace_term,
    nominal_contrast,
    nominal_term,
)

__all__ = [
    "SAME",
    "cyclic_gap",
    "familiarity_divergence",
    "key_to_distance",
    "laplace_term",
    "lk_distance",
    "most_divergent_share",
    "nominal_contrast",
    "nominal_term",
    "power_key",
    "power_mean",
]
