"""``vicinal anomalies``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from vicinal.cli import options as cli
from vicinal.cli.output import Output, titled_table
from vicinal.formatting.values import format_count, json_value
from vicinal.views.anomalies import reasons

if TYPE_CHECKING:
    from vicinal.conviction.anomalies import Anomalies


@cli.command("""
vicinal anomalies penguins.csv
vicinal anomalies penguins.vicinal new.csv --alpha 0.01
vicinal anomalies penguins.csv --rate 0.1 -o anomalies.csv
""")
@click.argument("paths", nargs=-1, metavar="MODEL [ROWS]")
@click.option(
    "--threshold",
    type=click.FloatRange(0, min_open=True),
    help="Instead: conviction below which a row is an anomaly, however common that is.",
)
@click.option("--alpha", type=cli.SHARE, help="Instead: maximum p-value of an anomaly.")
@click.option("--rate", type=cli.SHARE, help="Instead: maximum false discovery rate.")
@click.option("--inliers", is_flag=True, help="Also list rows that are too close to others.")
@cli.shown_option
@cli.model_options
@cli.output_options
def anomalies(
    paths: tuple[str, ...],
    threshold: float | None,
    alpha: float | None,
    rate: float | None,
    inliers: bool,
    n_shown: int,
    options: cli.Options,
    output: Output,
) -> None:
    """Find anomalies and the features responsible.

    These have a conviction below 0.7 that is also rare: about 1 % of ordinary rows would be
    listed, or fewer. Without ROWS, each stored case is compared with the others.
    """
    from vicinal.cli.sources import fit_or_load, split_paths

    output.check()
    source, path = split_paths(paths, options, rows=True)
    model, _ = fit_or_load(source, options)
    found = model.anomalies(
        options.read_rows(path, model),
        threshold=threshold,
        alpha=alpha,
        false_discovery_rate=rate,
        inliers=inliers,
    )
    output.deliver(
        lambda: _columns(found),
        lambda: {
            "judged": found.n_judged,
            "clean_share": found.clean_share,
            "anomalies": anomaly_records(found),
        },
        lambda: _text(found, n_shown, output.path, inliers=inliers),
    )


def anomaly_records(found: Anomalies) -> list[dict[str, Any]]:
    """Return one dict per anomaly."""
    names = _names(found)
    return [
        {
            _noun(found): names[at],
            "conviction": float(found.conviction[at]),
            "p_value": float(found.p_value[at]),
            "tail_p_value": float(found.tail_p_value[at]),
            "direction": str(found.direction[at]),
            "features": [{"feature": name, "nats": nats} for name, nats in found.features[at]],
            "nearest_ordinary": [
                json_value(found.case_labels.of(case))
                for case in found.ordinary[at].tolist()
                if case >= 0
            ],
        }
        for at in range(len(found))
    ]


def _columns(found: Anomalies) -> dict[str, list[Any]]:
    """Return one row per anomaly as columns, with lists as text."""
    return {
        _noun(found): _names(found),
        "conviction": found.conviction.tolist(),
        "p_value": found.p_value.tolist(),
        "tail_p_value": found.tail_p_value.tolist(),
        "direction": found.direction.tolist(),
        "features": [", ".join(name for name, _ in one) for one in found.features],
        "nearest_ordinary": [
            ", ".join(found.case_labels.plain(case) for case in one[one >= 0].tolist())
            for one in found.ordinary
        ],
    }


def _names(found: Anomalies) -> list[Any]:
    """Return what the cases are called; rows go by their number."""
    if not found.stored:
        return found.cases.tolist()
    return [json_value(found.case_labels.of(case)) for case in found.cases.tolist()]


def _noun(found: Anomalies) -> str:
    return "case" if found.stored else "row"


def _text(found: Anomalies, n_shown: int, path: str | None, *, inliers: bool) -> str:
    are = "is an anomaly" if len(found) == 1 else "are anomalies"
    title = f"{len(found)} of {format_count(found.n_judged, _noun(found))} {are}; {found.promise}"
    columns: dict[str, Any] = {
        _noun(found): _names(found),
        "conviction": [f"{one:.2f}" for one in found.conviction],
        "p-value": [f"{one:.2g}" for one in found.p_value],
        "tail p": [f"{one:.2g}" for one in found.tail_p_value],
        **({"direction": found.direction.tolist()} if inliers else {}),
        "because of (nats)": [reasons(found, at) for at in range(min(len(found), n_shown))],
    }
    return titled_table(title, columns, n_shown, path)
