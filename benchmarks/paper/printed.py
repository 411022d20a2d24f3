"""Figures printed in the paper's Tables 1 and 2; those of Table 3 are in `quality.published`."""

from __future__ import annotations

#: Means over 146 tables: accuracy, macro precision, macro recall, Matthews correlation.
CLASSIFICATION = {
    "ours": (0.822278, 0.786554, 0.770464, 0.644526),
    "gradient boosting": (0.819668, 0.774766, 0.764163, 0.628351),
    "k-NN": (0.793017, 0.746573, 0.719889, 0.562876),
    "logistic regression": (0.790799, 0.743946, 0.731404, 0.575105),
    "neural network": (0.797512, 0.732757, 0.736894, 0.584838),
    "random forest": (0.814218, 0.772808, 0.756036, 0.618480),
    "LightGBM": (0.819154, 0.782817, 0.779027, 0.653397),
}

#: Means over 162 tables: R², mean absolute error, mean squared error, Spearman correlation.
REGRESSION = {
    "ours": (0.857244, 0.841702, 10.168815, 0.916272),
    "gradient boosting": (0.864342, 0.851328, 10.459248, 0.925263),
    "k-NN": (0.724857, 1.038063, 12.222883, 0.832777),
    "elastic net": (0.509989, 1.975748, 36.569369, 0.719865),
    "neural network": (0.727337, 1.008824, 11.598598, 0.821594),
    "random forest": (0.855368, 0.827424, 9.640429, 0.917626),
    "LightGBM": (0.818680, 1.069768, 20.453173, 0.913498),
}
