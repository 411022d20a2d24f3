"""The Model: one table's schema, cases, residuals and index; it answers every question.

model          `Model`: every public method, each a call into the room of its question
state          its parameters, what was fitted, and the attributes that a fit adds
questions      methods made of functions in rooms: signature and docstring stand once
locking        questions at the same time, changes alone
updates        add, update, remove; `changelog` and `staleness` keep the account
files          a Model in a file: `packing` turns what was learned into arrays and back,
               `settings_json` its parameters, `file_checks` whether what comes back can be
store          a Model whose cases are in shards, in a folder
"""
