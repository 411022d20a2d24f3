"""What comes back, as types: the bodies of answers. Tests hold every answer to them.

parts       what all answers are made of, and problems
tables      models, columns, pages of the table, the map
overview    the quality of predictions
rows        predictions, explanations, neighbors, convictions, counterfactuals
quality     density, missing values, drift, audits, groups; changes
"""
