"""The group of commands, each of which has a file of its own or shares one with its like."""

import click

from vicinal import __version__
from vicinal.cli.asking import counterfactual, explain
from vicinal.cli.caring import anomalies, audit, drift, impute
from vicinal.cli.fitting import fit, info
from vicinal.cli.options import Command, say
from vicinal.cli.predicting import predict
from vicinal.cli.report import report


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="vicinal")
def vicinal() -> None:
    """Exact nearest cases in surprisal space.

    \b
    Examples:
      vicinal demo                                     a tour on a small table of penguins
      vicinal fit data.csv -o data.vicinal             a model of a table, in a file
      vicinal predict data.vicinal new.csv -t y        a column of new rows
      vicinal audit data.csv -t y                      what looks wrong in a table
      vicinal COMMAND --help                           more examples
    """


@vicinal.command(cls=Command)
@click.option("--case", default=200, show_default=True, help="Row of the table to ask about.")
@click.option("-k", "--neighbors", "k", default=3, show_default=True, help="How many cases.")
@click.option(
    "--plots", metavar="FOLDER", type=click.Path(file_okay=False), help="Write plots there too."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def demo(case: int, k: int, plots: str | None, as_json: bool) -> None:
    """Fit a small table, show what makes its cases near, and explain an answer.

    Shows the schema inferred from the table, the residuals settling round by round, the nearest
    cases of one case with the surprisal of every feature; then the species of the case, with the
    cases and features behind the answer, an anomaly with its reason, and what would change the
    answer.

    \b
    Examples:
      vicinal demo
      vicinal demo --case 3 -k 8
      vicinal demo --plots pictures
    """
    from vicinal.cli.demo import demo_report
    from vicinal.data import load_penguins

    report = demo_report(
        load_penguins(),
        case=case,
        k=k,
        title="Penguins of Antarctica",
        target="species",
        fixed=("sex", "year"),
        plots=plots,
    )
    told = {"case": case, "neighbors": k, "report": report.splitlines()}
    say(as_json, told, lambda: report)


for one in (fit, info, predict, explain, counterfactual, anomalies, audit, impute, drift, report):
    vicinal.add_command(one)
