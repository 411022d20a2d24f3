"""A table whose names and values would do harm if the page took them for anything but text."""

import numpy as np

SCRIPT = "<script>window.harmed = 1</script>"
IMAGE = "<img src=x onerror='window.harmed = 1'>"
DRAWING = "\"'><svg onload='window.harmed = 1'></svg>"
RIGHT_TO_LEFT = "\u202e\u2066abc \u05e9\u05dc\u05d5\u05dd"
CONTROL = "nul\x00 escape\x1b[31m"
LONG = "long " + 10_000 * "x"
TEMPLATE = "${harm()}{{harm()}}{@html x}"


def hostile(n=60):
    """Numbers and categories, with all of these as names of columns and as values."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    classes = [SCRIPT, IMAGE, RIGHT_TO_LEFT]
    return {
        "kind": [classes[int(np.clip(np.round(value + 1), 0, 2))] for value in x],
        SCRIPT: (x + 0.3 * rng.normal(size=n)).tolist(),
        IMAGE: [DRAWING if value > 0 else CONTROL for value in x],
        RIGHT_TO_LEFT: rng.normal(size=n).tolist(),
        LONG: [LONG if at % 2 else TEMPLATE for at in range(n)],
        CONTROL: (x + rng.normal(size=n)).tolist(),
    }
