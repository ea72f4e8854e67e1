"""Commands that import word vectors, process them, and look into them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.help import Command, Commands
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import working
from aboutness.cli.render import ends_well, show_json, show_table
from aboutness.cli.train_commands import FieldsOption, LayerOption, NameOption, register_among_vectors, show_made
from aboutness.core.errors import UsageError
from aboutness.core.one_line import one_line

PlaceArgument = Annotated[Path, typer.Argument(metavar="DIR|FILE", help="An index, or a file of vectors.")]
VectorsOption = Annotated[
    str | None, typer.Option("--vectors", help="Which vectors of the index, where it has several: their name.")
]
CaseOption = Annotated[
    str, typer.Option("--case", help="How words are found: exact, or any (then lower-cased, then capitalised).")
]
StepsOption = Annotated[
    list[str] | None,
    typer.Option("--process", help="unit, centred, all-but-the-top or all-but-the-top=N (repeatable, in order)."),
]
FormatOption = Annotated[
    str | None, typer.Option("--format", help="The file's format; found out if not given. See: vectors formats.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="A second file with the OUT vectors of the same words.")
]
VocabOption = Annotated[
    Path | None, typer.Option("--vocab", help="The vocabulary of a matrix (.npy), one word a line.")
]


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    commands: dict[str, Callable[..., None]] = {"neighbours": neighbours, "oov": oov}
    for name, command in commands.items():
        app.command(name, cls=Command)(ends_well(command))
    group = typer.Typer(
        name="vectors", cls=Commands, help="Vectors: import, export, train on any text, process, test."
    )
    register_among_vectors(group)
    commands = {
        "import": import_,
        "export": export,
        "process": process,
        "drop": drop,
        "test": test,
        "formats": formats,
    }
    for name, command in commands.items():
        group.command(name, cls=Command)(ends_well(command))
    app.add_typer(group)


def import_(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="Published word vectors. See: vectors formats.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to: an index, or a file to make (.safetensors).")
    ],
    out: OutOption = None,
    vocab: VocabOption = None,
    format: FormatOption = None,  # noqa: A002 - the word users know
    name: NameOption = None,
    only_index_words: Annotated[
        bool, typer.Option("--only-index-words", help="Leave out words that no document of the index has.")
    ] = False,
    layer: LayerOption = None,
    case: CaseOption = "exact",
    steps: StepsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import word vectors into an index, or convert them into a file that opens at once."""
    from aboutness.app.index import Index
    from aboutness.app.vectors import IMPORTED, import_into, import_to_file, is_index, misfit

    start = time.perf_counter()
    with working("importing"):
        note = None
        if is_index(output):
            index = Index.open(output)
            made = import_into(
                index, path, name=name, out=out, vocab=vocab, format=format, layer=layer, case=case,
                only_index_words=only_index_words, steps=steps or (),
            )  # fmt: skip
            place = f"in {output} as {name or IMPORTED}"
            note = misfit(index, made)
        else:
            if name or only_index_words or layer or case != "exact":
                raise UsageError(f"--name, --layer, --case and --only-index-words are for an index, not {output}")
            made = import_to_file(path, output, out=out, vocab=vocab, format=format, steps=steps or ())
            place = f"in {output}"
    if note is not None:
        typer.echo(note, err=True)
    show_made(made, place, time.perf_counter() - start, as_json=as_json)


def export(
    place: PlaceArgument,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The file to make: .vec, .bin, .txt (GloVe's), .npy or .safetensors."),
    ],
    vectors: VectorsOption = None,
    space: Annotated[
        str | None, typer.Option("--space", help="in or out. [default: in; both where the format holds both]")
    ] = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="The vectors of the index's documents, by their ids.")
    ] = False,
    ranker: Annotated[
        str | None,
        typer.Option(
            "-r", "--ranker", help="Whose vectors of documents, such as iwcs or lsa; --vectors names a training."
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word users know
        str | None,
        typer.Option("--format", help="The format, where the name does not say it. See: vectors formats."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Write word vectors, or the vectors of documents, to a file that other tools read."""
    from aboutness.app.exporting import export_vectors

    start = time.perf_counter()
    with working("exporting"):
        made = export_vectors(
            place, output, name=vectors, documents=documents, ranker=ranker, space=space, format=format,
            overwrite=overwrite,
        )  # fmt: skip
    if as_json:
        show_json({**made.to_json(), "seconds": round(time.perf_counter() - start, 3)})
        return
    spaces = " and ".join(one.upper() for one in made.spaces)
    which = f"by {made.made_by}" if made.made_by else f"({spaces})"
    files = " and ".join(map(str, made.files))
    typer.echo(f"{made.count:,} {made.of} x {made.dim} {which} written to {files}, as {made.format}")
    if made.empty and made.made_by:
        have = "has" if made.empty == 1 else "have"
        typer.echo(f"{made.empty:,} of them {have} no known word, and zeros for a vector", err=True)
    if made.left_out:
        typer.echo(f"left out, for {made.format} has no place for them: {made.left_out}", err=True)


def process(
    place: PlaceArgument,
    steps: Annotated[
        list[str], typer.Argument(metavar="STEP", help="unit, centred, all-but-the-top or all-but-the-top=N.")
    ],
    vectors: VectorsOption = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="Another name in the index, or another file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Process vectors: to unit length, centred, without their main directions. In place, unless with -o."""
    from aboutness.app.index import Index
    from aboutness.app.vectors import import_to_file, is_index, process_in

    start = time.perf_counter()
    with working("processing"):
        if is_index(place):
            made = process_in(Index.open(place), steps, vectors, output)
            shown = f"in {place}" + (f" as {output}" if output else "")
        elif vectors is not None:
            raise UsageError(f"--vectors is for an index; {place} is a file")
        else:
            made = import_to_file(place, output or place, steps=steps)
            shown = f"in {output or place}"
    show_made(made, shown, time.perf_counter() - start, as_json=as_json)


def drop(
    folder: FolderArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name. See: aboutness info.")],
) -> None:
    """Remove what was trained or imported from an index: word vectors, or rows of documents."""
    from aboutness.app.index import Index

    Index.open(folder).drop(name)
    typer.echo(f"Removed {name} from {folder}")


def test(
    place: PlaceArgument,
    tests: Annotated[
        list[Path], typer.Argument(metavar="TEST", help="Files of word pairs with scores, or of analogies.")
    ],
    vectors: VectorsOption = None,
    case: CaseOption = "any",
    most: Annotated[
        int | None, typer.Option("--most", help="Only among the first so many words, in analogies.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Test vectors on word similarity (Spearman's rank correlation) and analogies (3CosAdd)."""
    from aboutness.app.vectors import open_vectors

    with working("testing"):
        opened = open_vectors(place, vectors)
        results = [opened.test(path, case=case, most=most) for path in tests]
    if as_json:
        show_json([row for rows in results for row in rows])
        return
    shown = False
    for kind in ("spearman", "accuracy"):
        rows = [row for of_test in results for row in of_test if kind in row]
        if rows:
            if shown:
                typer.echo()
            show_table(
                [
                    {k: "-" if v is None else one_line(v) if isinstance(v, str) else v for k, v in row.items()}
                    for row in rows
                ]
            )
            shown = True


def formats(as_json: JsonOption = False) -> None:
    """List the formats of vectors that can be read, and what can be done to them."""
    from aboutness.app.vectors import formats as known
    from aboutness.app.vectors import steps

    if as_json:
        show_json({"formats": known(), "steps": steps()})
        return
    show_table(known())
    typer.echo()
    show_table([{"step": step["name"], "summary": step["summary"]} for step in steps()])


def neighbours(
    place: PlaceArgument,
    words: Annotated[
        list[str], typer.Argument(metavar="WORDS", help="A word, or a sum: 'king - man + woman' (repeatable).")
    ],
    k: Annotated[int, typer.Option("-k", help="How many neighbours.")] = 10,
    vectors: VectorsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the nearest words: IN-IN and OUT-OUT, what could stand in its place; IN-OUT, what stands beside it."""
    from aboutness.app.vectors import neighbours_of_each

    with working("looking for neighbours"):
        found = neighbours_of_each(place, words, k, name=vectors)
    if as_json:
        show_json(
            [
                {"words": asked, "neighbours": {pair: [vars_of(one) for one in near] for pair, near in of.items()}}
                for asked, of in found.items()
            ]
        )
        return
    for number, (asked, of) in enumerate(found.items()):
        typer.echo(("\n" if number else "") + one_line(asked))
        longest = max((len(near) for near in of.values()), default=0)
        show_table(
            [
                {pair: _neighbour(near[row]) if row < len(near) else "" for pair, near in of.items()}
                for row in range(longest)
            ]
        )
        if not longest:
            typer.echo("no neighbours: its vector is 0, or the words cancel each other out")


def oov(
    folder: FolderArgument,
    vectors: Annotated[
        str | None, typer.Option("--vectors", help="Vectors of the index by name, or a file of vectors.")
    ] = None,
    queries: Annotated[
        list[Path] | None, typer.Option("--queries", help="A file with queries (repeatable).")
    ] = None,
    layer: LayerOption = None,
    fields: FieldsOption = None,
    case: CaseOption = "exact",
    as_json: JsonOption = False,
) -> None:
    """Show how much of each field, and of queries, is out of vocabulary: has no vector."""
    from aboutness.app.vectors import oov_report

    with working("counting"):
        report = oov_report(folder, vectors, queries=queries or (), layer=layer, fields=fields, case=case)
    if as_json:
        show_json([row.to_json() for row in report])
        return
    show_table(
        [
            {
                "text": one_line(row.name),
                "tokens": row.tokens,
                "without vector": f"{row.token_ratio:.1%}",
                "types": row.types,
                "of types": f"{row.type_ratio:.1%}",
                "most frequent of them": one_line(" ".join(row.examples), 60),
            }
            for row in report
        ]
    )
    hint = oov_hint(report)
    if hint:
        typer.echo(hint, err=True)


def oov_hint(report: Sequence[Any]) -> str:
    """Return what to do where stems have been looked up among words, or else nothing."""
    worst = max((row.type_ratio for row in report), default=0.0)
    stemmed = next((row.stemmer for row in report if row.stemmer), "")
    if worst < 0.3 or not stemmed:
        return ""
    return (
        f"the terms of this layer are stems ({stemmed}), which published vectors do not have; add a layer of "
        "words (aboutness layer DIR words plain), and use --layer words"
    )


def vars_of(neighbour: Any) -> dict[str, Any]:  # noqa: ANN401 - vectors.neighbours is not imported here
    """Return a neighbour as plain values."""
    return {"word": neighbour.word, "score": neighbour.score}


def _neighbour(neighbour: Any) -> str:  # noqa: ANN401
    return f"{neighbour.score:.3f} {one_line(neighbour.word, 30)}"
