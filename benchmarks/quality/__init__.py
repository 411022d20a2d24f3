"""Quality benchmarks: how good the answers are, on folders of real tables.

=================  =========================================================
``predict``        classification and regression against the usual models
``tabarena``       the same among the published methods of TabArena
``anomaly``        anomaly detection, one-class and unsupervised
``density``        held-out log likelihood of density models
``impute``         holes filled, against scikit-learn's imputers
``audit``          flipped labels found, against cleanlab
``counterfactual``  changes that give another answer, beside DiCE
``summary``        the tables of a results file of ``predict``
=================  =========================================================

Each but the last is a command that reads a folder with an ``INDEX.tsv``
(``datasets``, ``arena``), runs every job in a worker that a time limit can end (``worker``),
appends one line a job to a CSV file it can resume from (``records``) and prints tables
(``summary`` with ``differences``, ``anomaly_summary``, ``care_summary``, ``arena_summary``
with ``elo``, all by ``markdown``)::

    python -m benchmarks.quality.predict --data DIR --task regression --out results.csv

What is compared: ``peers`` (models of other libraries, on columns made by ``prepare`` or
``native_categories``, with classes made equal by ``balanced``), ``detectors`` (anomaly
models), ``imputers``, ``howso_peer`` and ``ours``. How it is measured: ``splits``,
``fitting`` (in a ``trial``) and ``scores``. Figures printed in the paper are in ``published``.
"""
