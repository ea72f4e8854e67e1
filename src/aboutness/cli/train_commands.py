"""Commands that train on the documents of an index, or on any text, and list what can be trained."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from aboutness.cli.cluster_options import MadeShardsOption, RayOption
from aboutness.cli.fitting import wrapped
from aboutness.cli.help import Command
from aboutness.cli.options import FolderArgument, JsonOption
from aboutness.cli.progress import training_progress
from aboutness.cli.render import ends_well, show_json, show_lines, show_table
from aboutness.core.errors import UsageError

NameOption = Annotated[str | None, typer.Option("--name", help="The name under which the index keeps them.")]
LayerOption = Annotated[str | None, typer.Option("--layer", help="Which layer's terms. [default: the first]")]
FieldsOption = Annotated[
    list[str] | None, typer.Option("--field", help="Only this text field (repeatable). [default: all]")
]
ThreadsOption = Annotated[
    int | None, typer.Option("--threads", help="Threads; with 1 the same seed gives the same bytes. [all cores]")
]
SourceFormatOption = Annotated[
    str | None, typer.Option("--format", help="The sources' format; guessed if not given.")
]
RestartOption = Annotated[
    bool, typer.Option("--restart", help="Forget what an interrupted training had reached, and start anew.")
]
RoundsOption = Annotated[
    int | None,
    typer.Option("--rounds", help="How often in an epoch shards' words become one. [up to 4, by the text]"),
]

GOING_ON = "there is a checkpoint of an interrupted training: going on from it (--restart starts anew)"
FREE = {"allow_extra_args": True, "ignore_unknown_options": True}  # the options that a way of training declares


def register(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command("train", cls=Command, context_settings=FREE)(ends_well(train))
    app.command("trainers", cls=Command)(ends_well(trainers))


def register_among_vectors(group: typer.Typer) -> None:
    """Add the command that trains without an index to those on word vectors."""
    group.command("train", cls=Command, context_settings=FREE)(ends_well(train_file))


def train(
    context: typer.Context,
    folder: FolderArgument,
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="What to train: default (for the ranker default), word2vec, lsa and others. See: aboutness "
            "trainers.",
        ),
    ],
    name: NameOption = None,
    layer: LayerOption = None,
    fields: FieldsOption = None,
    threads: ThreadsOption = None,
    restart: RestartOption = False,
    ray: RayOption = None,
    shards: MadeShardsOption = None,
    rounds: RoundsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train on the documents of an index, and keep the result in it.

    Further options are those that KIND declares, such as --dim 100 --epochs 10 --architecture cbow --seed 7; see
    them with: aboutness trainers KIND. An interrupted training goes on when the command is run again; lsa and lda
    start anew. By shards (word2vec, pv, epv), each is trained by one thread: what comes out depends on the seed,
    the shards and the rounds, not on the machines.
    """
    from aboutness.app.by_shards import ByShards
    from aboutness.app.index import Index
    from aboutness.app.training import has_checkpoint

    options, names = _options([str(folder), kind, *context.args])
    if len(names) != 2:
        raise UsageError(f"say which index and what to train, DIR KIND; got {' '.join(names) or 'neither'}")
    folder, kind = Path(names[0]), names[1]
    how = _trainer(kind, options)
    by = None
    if any(option is not None for option in (ray, shards, rounds)):
        by = ByShards(shards, rounds or 0, ray)
        if threads is not None:
            raise UsageError(f"by shards, each is trained by one thread: leave out --threads {threads}")
    index = Index.open(folder)

    def kept() -> bool:
        return has_checkpoint(folder, name or how.name, by_shards=by is not None)

    if kept() and not restart:
        typer.echo(GOING_ON, err=True)
    start = time.perf_counter()
    with _resumable(kept), training_progress(f"training {how.name}") as tell:
        made = index.train(
            how, name=name, layer=layer, fields=fields, threads=threads, restart=restart, progress=tell, by=by
        )
    show_made(made, f"in {folder} as {name or how.name}", time.perf_counter() - start, as_json=as_json)


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
    """Train word vectors on any text, without an index.

    Further options are those that KIND declares, such as --dim 100 --epochs 10; see: aboutness trainers.
    """
    from aboutness.app.training import train_on_sources

    options, names = _options([*sources, *context.args])
    if not names:
        raise UsageError("name at least one source of text: files, folders, 'stdlib', or 'irds:NAME'")
    how = _trainer(kind, options)

    def kept() -> bool:
        return checkpoint is not None and checkpoint.exists()

    if kept() and not restart:
        typer.echo(GOING_ON, err=True)
    start = time.perf_counter()
    with _resumable(kept), training_progress(f"training {how.name}") as tell:
        made = train_on_sources(
            how, names, output, analyzer=analyzer, format=format, threads=threads, checkpoint=checkpoint,
            restart=restart, tell=tell,
        )  # fmt: skip
    show_made(made, f"in {output}", time.perf_counter() - start, as_json=as_json)


def trainers(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Only these, such as word2vec. [default: all]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List what can be trained with its options, all or some."""
    from aboutness.app.training import trainers as known

    rows = known(names or ())
    if as_json:
        show_json(rows)
        return
    for number, one in enumerate(rows):
        if number:
            typer.echo()
        show_lines(wrapped(f"{one['name']}: {one['summary']} ({one['source']})"))
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


def _trainer(kind: str, arguments: Sequence[str]) -> Any:  # noqa: ANN401 - a Trainer
    from aboutness.app.training import trainer_of_texts

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
def _resumable(kept: Callable[[], bool]) -> Iterator[None]:
    """Say at an interrupt that what was trained is not lost, where it is not."""
    try:
        yield
    except KeyboardInterrupt:
        if kept():
            typer.echo("what has been trained is kept; run the command again to go on", err=True)
        raise


def show_made(made: Any, place: str, seconds: float, *, as_json: bool) -> None:  # noqa: ANN401 - WordVectors or DocumentSpace
    """Print what was trained, imported or processed, and where it is now."""
    if as_json:
        if hasattr(made, "spaces"):
            facts = {"words": len(made), "dim": made.dim, "spaces": list(made.spaces)}
        else:
            facts = {"documents": len(made), "dim": made.dim, "words": len(made.words)}
        show_json({**facts, "seconds": round(seconds, 3), "provenance": dict(made.provenance)})
        return
    typer.echo(f"{in_words(made)} {place}, {seconds:.1f} s")
    for key in ("duplicates", "undecodable", "left_out", "only_in_one"):
        if made.provenance.get(key):
            typer.echo(f"{key.replace('_', ' ')}: {made.provenance[key]:,} words", err=True)


def in_words(made: Any) -> str:  # noqa: ANN401 - WordVectors or DocumentSpace
    """Return what was trained or imported in a few words."""
    if not hasattr(made, "spaces"):
        return f"{len(made):,} documents x {made.dim}, {len(made.words):,} words"
    spaces = " and ".join(space.upper() for space in made.spaces)
    return f"{len(made):,} words x {made.dim} ({spaces})"
