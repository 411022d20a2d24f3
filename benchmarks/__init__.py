"""Benchmarks of speed and of quality, apart. Run from the top of the checkout.

Not part of the installed package; ``benchmarks/README.md`` lists the commands.
"""
