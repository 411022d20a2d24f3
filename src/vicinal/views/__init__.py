"""What each result shows, in a terminal and in a notebook.

===============  ================================================================================
neighbors        rows beside their nearest cases; differing values are marked
beside           that table, for any result with `Comparisons`
influences       the training cases behind predictions
contributions    contributions of features beside the features' values
data_values      the training cases that cause most of the errors
convictions      the most surprising rows
anomalies        anomalies, the features responsible, and ordinary cases beside them
audit            findings by kind
drift            changes by feature
information      information of features about a target, and about each other
imputation       imputed cells with their uncertainty
synthesis        synthetic rows with the closest training case
reduction        the cases that represent most others
counterfactuals  the row and what to change
certificates     how far rows can change, and what is known to change predictions
===============  ================================================================================

A view reads a plain result by its attributes and returns a `Sheet`, which `formatting` turns into
text and HTML. So results can show themselves: this layer is below all of them. It imports
`formatting` only.
"""
