"""Prediction of any feature from any others.

==============  =========================================================================
Prediction = Σ influence × outcome, exactly. May import `learning` and below.
"""
