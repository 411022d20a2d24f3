"""The quality of tables: missing values, likely errors, fewer cases, drift.

=============  =================================================================================
impute         missing values: `imputation` is the result, `filler` learns every column from the
               others at a given `effort`, and `screening` selects the ones it needs
audit          likely errors: an `Audit` of `findings`, each with its evidence
labels         cases whose outcome is likely wrong or surprising: `label_classes`, `label_numbers`;
               `label_margins` and `label_noise` distinguish wrong classes from random ones
duplicates     duplicates and near-duplicates; test rows that repeat a training case
giveaways      features that give the target away
uninformative  uninformative features
useless        features that do not improve predictions given the others
reduce         fewer cases: `reduction` is the result, `condensing` merges the most similar cases
               first, and `reduction_cost` measures the loss on held-out cases
drift          `Drift`: whether, how much and where the data has changed; `two_samples` compares
               old and new rows by tests of `permutation`, `changes` says what is different
=============  =================================================================================

Each analysis is a function of `Fitted`. May import `explain` and below.
"""
