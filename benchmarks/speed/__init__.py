"""Speed benchmarks on frozen, seeded tables.

=============  =====================================================================
``workloads``  the tables and the queries
``peers``      every engine behind one face, ours among them
``workers``    a process for each family of engines
``timing``     interleaved rounds, batches that fit a time budget
``goals``      what must hold, with PASS or FAIL
``stages``     what a fit spends its time on
``memory``     what a process holds, and held at most
``report``     plain-text tables, JSON, the machine's description
``query``      ``python -m benchmarks.speed.query``: time per query
``conviction`` ``python -m benchmarks.speed.conviction``: scoring stored cases
``howso``      ``python -m benchmarks.speed.howso``: fit and predict beside Howso Engine
``update``     ``python -m benchmarks.speed.update``: adding, updating, removing one case
``files``      ``python -m benchmarks.speed.files``: saving, loading, mapping
``answers``    ``python -m benchmarks.speed.answers``: every question at many sizes
``explorer``   ``python -m benchmarks.speed.explorer``: every interaction with the explorer;
               ``first_explanation`` stands beside explainerdashboard
``fit``        ``python -m benchmarks.speed.fit``: fit time, growth, memory
=============  =====================================================================
"""
