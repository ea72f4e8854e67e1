"""Commands that draw figures and write reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json, show_table
from aboutness.cli.search_commands import RankerOption, chosen_rankers
from aboutness.core.errors import UsageError

KINDS = """\
From a folder of results (experiment -o): pr, pr-zoom, f1-box, f1-histogram, wins, significance. From a folder of
tune --train: alpha. From an index: map; and with a test collection besides: query-pca, features, scores."""

FigureOption = Annotated[Path, typer.Option("-o", "--output", help="The file to draw: .svg, .pdf or .png.")]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups", help="A file with a label (or query), a tab and its group in each line, or malina2016."
    ),
]
ByOption = Annotated[
    str | None,
    typer.Option(
        "--by", help="What was trained on documents, by name, or a ranker with vectors (wcs, desm-in-out)."
    ),
]
LabelOption = Annotated[str | None, typer.Option("--label", help="The metadata that say a document's label.")]
MethodOption = Annotated[str | None, typer.Option("--method", help="pca or tsne. [default: pca]")]
MostOption = Annotated[
    int | None, typer.Option("--most", help="How many documents, drawn by the seed. [default: 3000]")
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="Draws documents, and starts t-SNE. [default: 1]")]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {"report": report, "map": map_, "figures": figures}
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))
    app.command("figure", cls=Command, help=f"Draw a figure to a file.\n\n{KINDS}")(ends_well(figure))


def report(
    folder: Annotated[Path, typer.Argument(metavar="RESULTS", help="A folder of results (experiment -o).")],
    output: Annotated[
        list[Path],
        typer.Option("-o", "--output", help="The file to write: .html, .tex, .md, .csv or .json (repeatable)."),
    ],
) -> None:
    """Write a report on results: a page that loads nothing, LaTeX, Markdown, or a table for programs.

    Each says what the data were, what was tested and why, and how all was made.
    """
    from aboutness.app.reporting import write_report

    with working("testing, drawing and writing"):
        written = write_report(folder, *output)
    for path in written:
        typer.echo(str(path))


def figure(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to draw.")],
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="A folder of results or of a tuning, or an index.")
    ],
    output: FigureOption,
    collection: Annotated[
        str | None,
        typer.Argument(
            metavar="COLLECTION", help="With an index: the test collection, for queries and judgements."
        ),
    ] = None,
    on: Annotated[
        str | None, typer.Option("--on", help="With several comparisons: which one, by its collection or title.")
    ] = None,
    ranker: RankerOption = None,
    measure: Annotated[str | None, typer.Option("--measure", help="The measure. [default: the first]")] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="The ranker that wins are counted against. [default: the first]"),
    ] = None,
    parameter: Annotated[
        str | None, typer.Option("--parameter", help="The parameter of a sweep. [default: the first]")
    ] = None,
    groups: GroupsOption = None,
    by: ByOption = None,
    label: LabelOption = None,
    method: MethodOption = None,
    most: MostOption = None,
    random: Annotated[
        int | None, typer.Option("--random", help="How many random documents for each query. [default: 100]")
    ] = None,
    seed: SeedOption = None,
) -> None:
    """Draw a figure to a file."""
    if collection is not None and on is not None:
        raise UsageError("--on chooses a comparison of results, and COLLECTION goes with an index: give one")
    chosen: dict[str, Any] = {
        "rankers": chosen_rankers(ranker) if ranker else None, "measure": measure, "baseline": baseline,
        "parameter": parameter, "by": by, "label": label, "method": method, "most": most, "random": random,
        "seed": seed,
    }  # fmt: skip
    _draw(kind, source, output, on=collection if on is None else on, groups=groups, **chosen)


def map_(
    folder: FolderArgument,
    output: FigureOption,
    by: ByOption = None,
    label: LabelOption = None,
    groups: GroupsOption = None,
    method: MethodOption = None,
    most: MostOption = None,
    seed: SeedOption = None,
) -> None:
    """Draw the documents of an index in the plane, by their vectors; those of a label look alike.

    The vectors are those of a training on documents, or centroids of word vectors.
    """
    _draw("map", folder, output, by=by, label=label, groups=groups, method=method, most=most, seed=seed)


def figures(as_json: JsonOption = False) -> None:
    """List the kinds of figures, what each is drawn from, and its choices."""
    from aboutness.app.picturing import known_figures

    rows = known_figures()
    if as_json:
        show_json(rows)
    else:
        show_table(rows)


def _draw(kind: str, source: Path, output: Path, **choices: Any) -> None:  # noqa: ANN401 - those of the kind
    from aboutness.app.picturing import figure as draw

    with working("drawing"):
        written = draw(kind, source, output, **choices)
    typer.echo(str(written))
