"""The index: exact nearest cases under a metric.

=============  ==================================================================================
metric         what a distance is: kinds, residuals, weights, p, and how missing values compare
support        a feature's distribution in a few points, for expectations over missing values
bins           where the 15 bins of a feature begin
storage        the cases as they lie in memory, with their packed codes; adding and removing
saved          what a file says about them, checked
exact          `ExactIndex`: search and terms over that
neighbors      the plain result of a search, with case numbers, distances and terms
pairs          the excess terms of some cases against others, worked out once and kept
leave_one_out  every feature of a case predicted from its other features, in one native pass
descent        the loss of feature weights on left-out cases, and its descent
hashes         hashes of cases by what they hold, whatever the unit of a column
sampling       cases chosen by these hashes, so that neither order nor unit decides
offsets        how far neighbors lie from their query, in which direction
shares         shares of neighbors that balance around the query
coalitions     what coalitions of columns predict, in one native pass
protocol       what any index must offer, wherever its cases are
threads        how many of them to use
_native        the kernels (C++, folder ``native/``); nothing outside this package touches them
=============  ==================================================================================

Data flows one way: encoded values → codes → byte bounds → the few rows evaluated exactly →
``(distance, case number)`` pairs. May import `features`, `formulas`, `exceptions`.
"""
