"""The group of commands; each has a file of its own."""

import click

from vicinal import __version__
from vicinal.cli.anomalies import anomalies
from vicinal.cli.audit import audit
from vicinal.cli.certify import certify
from vicinal.cli.completion import completion
from vicinal.cli.contributions import contributions
from vicinal.cli.counterfactual import counterfactual
from vicinal.cli.demo import demo
from vicinal.cli.density import density
from vicinal.cli.drift import drift
from vicinal.cli.explain import explain
from vicinal.cli.explore import explore
from vicinal.cli.fit import fit
from vicinal.cli.impute import impute
from vicinal.cli.info import info
from vicinal.cli.man import man
from vicinal.cli.neighbors import neighbors
from vicinal.cli.predict import predict
from vicinal.cli.reduce import reduce
from vicinal.cli.report import report
from vicinal.cli.serve import serve
from vicinal.cli.synthesize import synthesize


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vicinal")
def vicinal() -> None:
    """Interpretable, instance-based machine learning for tables.

    Wherever a command takes a MODEL, a table can be given instead; it is fitted first. Tables are
    CSV, TSV, JSON lines, Parquet or Arrow files; - is standard input.

    \b
    Examples:
      vicinal demo                                 a tour on a small table of penguins
      vicinal fit data.csv -o data.vicinal         fit a table and save the model
      vicinal predict data.vicinal new.csv -t y    predict a column of new rows
      vicinal audit data.csv -t y                  find likely errors in a table
      vicinal explore data.csv -t y                look at it in the browser
      vicinal COMMAND --help                       describe a command, with examples
    """


_PREDICT = (fit, info, predict, explain, contributions, counterfactual, certify, neighbors)
_TABLE = (anomalies, density, audit, impute, drift, synthesize, reduce)
_LOOK = (report, explore, serve, demo, completion, man)
for one in (*_PREDICT, *_TABLE, *_LOOK):
    vicinal.add_command(one)
