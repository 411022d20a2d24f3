"""A report on a table as one HTML file: plain results in, text out.

parts       the plain results that a report is made of
scales      from values to places in a chart
charts      histograms, bars, lines, points and shaded grids, as SVG
overview    the section on what the table holds
prediction  how well the target is predicted, and whether its uncertainty is honest
importance  which features matter, and how
findings    anomalies, and likely errors in the data
examples    predictions explained down to their cases
whatif      cases whose features can be changed on the page
style       how the page looks: light, dark, on a phone, in print
script      the few lines that let a reader change a case
page        the whole, with a policy that lets nothing else load or run
"""
