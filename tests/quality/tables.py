"""Small tables to ask about."""

import numpy as np
import pandas as pd

#: Tables at the limits of what can be asked.
ODD = {
    "one row": {"x": [1.0], "c": ["a"]},
    "ties and missing values": {"x": [1.0, 1.0, None, 2.0, 2.0], "c": ["a", None, "a", "b", "a"]},
    "nothing known": {"x": [1.0, 2.0, 3.0], "none": [None, None, None]},
    "constant": {"x": [3.0] * 4, "y": [1.0, 2.0, 3.0, 4.0]},
    "huge and tiny": {"x": [1e100, -1e100, 3e99, 2e99], "y": [1e-100, 2e-100, 0.0, 5e-101]},
    "names": {"x": ["a", "b", "c", "d"], "y": [1.0, 2.0, 3.0, 4.0]},
}


def labeled_table(n=120, seed=0):
    """Three numbers, the first two of which say what the label is."""
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(2, n))
    return pd.DataFrame(
        {"x": x, "y": y, "noise": rng.normal(size=n), "kind": np.where(x + y > 0, "up", "down")}
    )
