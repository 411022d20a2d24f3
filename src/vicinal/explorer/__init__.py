"""Questions over HTTP, and what the pages of the explorer show (extra ``serve``).

limits        how much one request may ask for, and how many may be answered at a time
requests      what may be asked, as types; `answers`: what comes back
values        values of a table from JSON, and as JSON
subjects      the rows that a question is about: new ones, stored cases, changed cases
served        `ServedModel`: a model under a name; `state`: its cases between two changes
tasks         what takes long, computed once in the background; `priority`: questions go first
table         the cases as columns: order, filters, pages; `filters`, `computed`: their columns
layout        where each case is on the map
views         one file for each view: from a request to an answer
questions     the list of all questions, by name
changes       add, update and remove cases, saved before they are answered
notebook      `explore`: a service in a thread of this process; `widget`: a case in a notebook
http          FastAPI: routes, problems, limits, tokens, documents; uvicorn

The command line and `Model.explore` start it. FastAPI is imported by `http` alone, which only
`notebook` imports in turn.
"""
