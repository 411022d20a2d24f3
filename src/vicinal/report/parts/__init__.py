"""The plain results that a page is made of: numbers and short texts, none of them escaped.

table         features, anomalies and data quality
performance   scores of held-out cases, and calibration
explanations  importance of features, example predictions, what-ifs
report        all of it
"""
