"""Commands that train word vectors, import them, and look into them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.render import ends_well, one_line, show_json, show_table, training_progress, working
from aboutness.core.errors import UsageError

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the index.")]
PlaceArgument = Annotated[Path, typer.Argument(metavar="DIR|FILE", help="An index, or a file of vectors.")]
VectorsOption = Annotated[
    str | None, typer.Option("--vectors", help="Which vectors of the index, where it has several: their name.")
]
NameOption = Annotated[str | None, typer.Option("--name", help="The name under which the index keeps them.")]
LayerOption = Annotated[str | None, typer.Option("--layer", help="Which layer's terms. [default: the first]")]
FieldsOption = Annotated[
    list[str] | None, typer.Option("--field", help="Only this text field (repeatable). [default: all]")
]
CaseOption = Annotated[
    str, typer.Option("--case", help="How words are found: exact, or any (then lower-cased, then capitalised).")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", help="Threads; with 1 the same seed gives the same bytes. [all cores]")
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
SourceFormatOption = Annotated[
    str | None, typer.Option("--format", help="The sources' format; guessed if not given.")
]
RestartOption = Annotated[
    bool, typer.Option("--restart", help="Forget what an interrupted training had reached, and start anew.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]

GOING_ON = "there is a checkpoint of an interrupted training: going on from it (--restart starts anew)"
FREE = {"allow_extra_args": True, "ignore_unknown_options": True}  # the options that a way of training declares


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("train", context_settings=FREE)(ends_well(train))
    commands: dict[str, Callable[..., None]] = {"trainers": trainers, "neighbours": neighbours, "oov": oov}
    for name, command in commands.items():
        app.command(name)(ends_well(command))
    group = typer.Typer(name="vectors", help="Word vectors: import, train on any text, process, test.")
    group.command("train", context_settings=FREE)(ends_well(train_file))
    commands = {"import": import_, "process": process, "drop": drop, "test": test, "formats": formats}
    for name, command in commands.items():
        group.command(name)(ends_well(command))
    app.add_typer(group)


def train(
    context: typer.Context,
    folder: FolderArgument,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="What to train: word2vec. See: aboutness trainers.")],
    name: NameOption = None,
    layer: LayerOption = None,
    fields: FieldsOption = None,
    threads: ThreadsOption = None,
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train on the documents of an index, and keep the result in it.

    Further options are those that KIND declares, such as --dim 100 --epochs 10 --architecture cbow --seed 7; see
    them with: aboutness trainers. An interrupted training goes on when the command is run again.
    """
    from aboutness.app.index import Index
    from aboutness.app.vectors import has_checkpoint

    options, names = _options([str(folder), kind, *context.args])
    if len(names) != 2:
        raise UsageError(f"say which index and what to train, DIR KIND; got {' '.join(names) or 'neither'}")
    folder, kind = Path(names[0]), names[1]
    how = _trainer(kind, options)
    index = Index.open(folder)
    if has_checkpoint(folder, name or how.name) and not restart:
        typer.echo(GOING_ON, err=True)
    start = time.perf_counter()
    with _resumable(), training_progress(f"training {how.name}") as tell:
        made = index.train(
            how, name=name, layer=layer, fields=fields, threads=threads, restart=restart, progress=tell
        )
    _report(made, f"in {folder} as {name or how.name}", time.perf_counter() - start, as_json=as_json)


def train_file(
    context: typer.Context,
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE", help="Files, folders, 'stdlib', or 'irds:NAME': any text.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to make (.safetensors).")],
    kind: Annotated[str, typer.Option("--kind", help="What to train. See: aboutness trainers.")] = "word2vec",
    analyzer: Annotated[
        str, typer.Option("--analyzer", "-a", help="How text becomes words. See: aboutness analyzers.")
    ] = "plain",
    format: SourceFormatOption = None,  # noqa: A002 - the word users know
    threads: ThreadsOption = None,
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="A file (.safetensors) to go on from when interrupted.")
    ] = None,
    restart: RestartOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train on any text, without an index.

    Further options are those that KIND declares, such as --dim 100 --epochs 10; see: aboutness trainers.
    """
    from aboutness.app.vectors import train_on_sources

    options, names = _options([*sources, *context.args])
    if not names:
        raise UsageError("name at least one source of text: files, folders, 'stdlib', or 'irds:NAME'")
    how = _trainer(kind, options)
    if checkpoint is not None and checkpoint.exists() and not restart:
        typer.echo(GOING_ON, err=True)
    start = time.perf_counter()
    with _resumable(kept=checkpoint is not None), training_progress(f"training {how.name}") as tell:
        made = train_on_sources(
            how, names, output, analyzer=analyzer, format=format, threads=threads, checkpoint=checkpoint,
            restart=restart, tell=tell,
        )  # fmt: skip
    _report(made, f"in {output}", time.perf_counter() - start, as_json=as_json)


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
    _report(made, place, time.perf_counter() - start, as_json=as_json)


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
    _report(made, shown, time.perf_counter() - start, as_json=as_json)


def drop(
    folder: FolderArgument,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The vectors' name. See: aboutness info.")],
) -> None:
    """Remove vectors from an index."""
    from aboutness.app.index import Index

    Index.open(folder).drop_vectors(name)
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


def trainers(as_json: JsonOption = False) -> None:
    """List what can be trained, with all options."""
    from aboutness.app.vectors import trainers as known

    if as_json:
        show_json(known())
        return
    for number, one in enumerate(known()):
        typer.echo(("\n" if number else "") + f"{one['name']}: {one['summary']} ({one['source']})")
        show_table(
            [
                {
                    "option": "--" + parameter["name"].replace("_", "-"),
                    "default": str(parameter["default"]),
                    "allowed": parameter["allowed"],
                    "what it is": parameter["help"],
                }
                for parameter in one["parameters"]
            ]
        )


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


def _trainer(kind: str, arguments: Sequence[str]) -> Any:  # noqa: ANN401 - a Trainer
    from aboutness.app.vectors import trainer_of_texts

    return trainer_of_texts(kind, _pairs(arguments))


def _pairs(arguments: Sequence[str]) -> dict[str, str]:
    """Return the options --name value or --name=value that a command does not know itself."""
    pairs: dict[str, str] = {}
    waiting = list(arguments)
    while waiting:
        option = waiting.pop(0)
        name, equals, value = option.partition("=")
        if not name.startswith("--") or len(name) < 3:
            raise UsageError(f"unexpected {option!r}; options are written --name VALUE. See: aboutness trainers")
        if not equals:
            if not waiting:
                raise UsageError(f"{name} needs a value. See: aboutness trainers")
            value = waiting.pop(0)
        pairs[name[2:].replace("-", "_")] = value
    return pairs


def _options(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell options that a command does not know itself from names, between which they may stand."""
    everything = list(arguments)
    options: list[str] = []
    names: list[str] = []
    while everything:
        one = everything.pop(0)
        if one.startswith("--"):
            options.append(one)
            if "=" not in one and everything:
                options.append(everything.pop(0))
        elif one.startswith("-"):
            raise UsageError(f"unexpected {one!r}; options are written --name VALUE. See: aboutness trainers")
        else:
            names.append(one)
    return options, names


@contextmanager
def _resumable(*, kept: bool = True) -> Iterator[None]:
    """Say at an interrupt that what was trained is not lost."""
    try:
        yield
    except KeyboardInterrupt:
        if kept:
            typer.echo("what has been trained is kept; run the command again to go on", err=True)
        raise


def _report(made: Any, place: str, seconds: float, *, as_json: bool) -> None:  # noqa: ANN401 - WordVectors
    facts = {"words": len(made), "dim": made.dim, "spaces": list(made.spaces), "seconds": round(seconds, 3)}
    if as_json:
        show_json({**facts, "provenance": dict(made.provenance)})
        return
    spaces = " and ".join(space.upper() for space in made.spaces)
    typer.echo(f"{len(made):,} words x {made.dim} ({spaces}) {place}, {seconds:.1f} s")
    for key in ("duplicates", "undecodable", "left_out", "only_in_one"):
        if made.provenance.get(key):
            typer.echo(f"{key.replace('_', ' ')}: {made.provenance[key]:,} words", err=True)
