"""A report on a table as one HTML file: gather → sections → page.

page                ``write_report``: the whole, with a policy that lets nothing else load or run
gather              ``gather_report``: everything that the page shows, by its parts
gather_table        features, anomalies and data quality
held_out            cases that are held out and predicted, which the parts below are about
gather_performance  scores beside baselines, the confusion matrix
gather_ranking      how well classes are ranked, and what other decisions would change
ranking             ROC, precision, recall and gains of ranked cases
gather_calibration  whether probabilities and intervals are calibrated
gather_importance   contributions, information and partial dependence
gather_examples     predictions explained down to the training cases
gather_what_ifs     predictions for changed cases
grids, value_texts  values that features are set to; values as text
parts               the plain results that all of these give
sections            from parts to markup
charts, scales      histograms, bars, lines and points as SVG, and their axes
style, script       how the page looks; the few lines that let a reader change a case

Above `explain` and `quality`, below `model`. Sections and charts know only the plain results.
"""
