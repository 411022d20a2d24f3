"""The quality of tables: missing values, likely errors, fewer cases, drift.

=============  =================================================================================
imputation     `Imputation`: imputed cells, with intervals and convictions; `filling` learns every
               column from the others, and `screening` says which ones it needs
audit          `Audit`: findings with their evidence
labels         cases whose outcome is likely wrong
duplicates     duplicates and near-duplicates; test rows that training has seen
uninformative  features that say nothing
reduction      `Reduction`: fewer cases, and the loss that comes of it; `condensing` merges the
               most alike cases first
drift          `Drift`: whether, how much and where the data have changed; `permutation` compares
               two samples by shuffling which row is of which
=============  =================================================================================

May import `explain` and below.
"""
