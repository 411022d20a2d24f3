"""A report on a table as one HTML file: plain results in, text out.

parts      the plain results that a report is made of
markup     elements of HTML and SVG; whatever is not markup already is escaped
scales     from values to places in a chart
charts     histograms, bars, lines, points and shaded grids, as SVG
holdings   the section on what the table holds
answers    how well the target is predicted, and whether the model is as sure as it says
reasons    which features matter, and how
doubts     anomalies, and likely errors in the data
examples   answers explained down to their cases
whatif     cases whose features can be changed on the page
style      how the page looks: light, dark, on a phone, in print
script     the few lines that let a reader change a case
page       the whole, with a policy that lets nothing else load or run

It knows no Model: `vicinal.model.reporting` gathers the parts. May import `features`.
"""

from vicinal.report.page import report_page
from vicinal.report.parts import (
    Anomaly,
    Axis,
    Calibration,
    Confusion,
    Distribution,
    Doubts,
    Effect,
    Example,
    FeatureSummary,
    Importance,
    NearCase,
    Pairs,
    Prediction,
    Report,
    Score,
    WhatIf,
)

__all__ = [
    "Anomaly",
    "Axis",
    "Calibration",
    "Confusion",
    "Distribution",
    "Doubts",
    "Effect",
    "Example",
    "FeatureSummary",
    "Importance",
    "NearCase",
    "Pairs",
    "Prediction",
    "Report",
    "Score",
    "WhatIf",
    "report_page",
]
