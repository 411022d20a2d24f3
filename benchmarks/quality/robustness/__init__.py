"""How robust are predictions: by proof, against attacks, under noise, and far from the data.

=================  ==================================================================
``certificates``   rows certified and attacked: no attack may succeed within a radius
``noise``          accuracy under eight disturbances of a table, beside peers
``abstention``     accuracy against coverage of the same predictions
``budgets``        accuracy under attacks of equal budget, beside peers
``foreign``        rows from elsewhere, told apart by conviction and by peers
``thresholds``     the share of anomalies in a table, estimated and true
=================  ==================================================================

Each is a part of ``python -m benchmarks.quality.robustness`` (``__main__``) with a function
``run(options)`` that goes on from its file in ``--out`` and prints Markdown tables. The tables are
in ``samples``, what is done to them in ``disturbances``, rows from elsewhere in ``elsewhere``,
attacks in ``certificate_attacks`` and ``evasion``, and means, standard errors and ranks in
``comparison``.
"""
