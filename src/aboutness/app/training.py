"""Training on the documents of an index, or on any text: what is trained, how it is kept, and by which name."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aboutness.app.sources import Sources
from aboutness.core.errors import Diverged, NotFound, UsageError, shown
from aboutness.core.parameters import Parameters
from aboutness.index import disk
from aboutness.index.arrays import Array, Blocks
from aboutness.index.lock import WriterLock
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.index.view import LayerView
from aboutness.text.analyzers import varied
from aboutness.vectors import store
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.documents import DocumentSpace
from aboutness.vectors.kept import space_of, vectors_of
from aboutness.vectors.known import TRAINERS
from aboutness.vectors.trainer import DocumentTrainer, Made, Tell, Trainer, plain
from aboutness.vectors.words import WordVectors

if TYPE_CHECKING:
    from aboutness.app.index import Index

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
CHECKPOINTS = "training"  # the folder of an index in which checkpoints are
BY_SHARDS = "shards"  # the folder there of what a training by shards has reached
BEGUN = f"{BY_SHARDS}/whole{store.SUFFIX}"  # its first file
KINDS = {WordVectors.kind: "word vectors", DocumentSpace.kind: "rows of documents"}

# --- ways of training ---------------------------------------------------------------------------------------


def trainer(kind: str, parameters: Mapping[str, Any]) -> Trainer:
    """Make a way of training from its name and parameters."""
    if not isinstance(kind, str):
        raise UsageError(f"what to train is a name ({', '.join(TRAINERS)}) or such an object, got {shown(kind)}")
    made = TRAINERS[kind]
    names = [declared.name for declared in made.declared()]
    for name in parameters:
        if name not in names:
            raise UsageError(f"{kind} has no parameter {name!r}. It has: {', '.join(names)}")
    return made(**parameters)


def trainer_of_texts(kind: str, options: Mapping[str, str]) -> Trainer:
    """Make a way of training from its name and parameters as texts."""
    return TRAINERS[kind].from_options(options)


def trainers(names: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return the ways of training with their declared parameters: all, or those that are named."""
    return [_described(name, TRAINERS[name]) for name in list(names) or TRAINERS]


def _described(name: str, made: type[Trainer]) -> dict[str, Any]:
    parameters: type[Parameters] = made
    return {
        "name": name,
        "summary": made.summary,
        "source": made.source,
        "parameters": [declared.to_json() for declared in parameters.declared()],
    }


# --- train --------------------------------------------------------------------------------------------------


def train(
    index: Index,
    how: Trainer,
    *,
    name: str | None = None,
    layer: str | None = None,
    fields: Mapping[str, float] | Sequence[str] | None = None,
    threads: int | None = None,
    restart: bool = False,
    tell: Tell | None = None,
) -> Made:
    """Train on the documents of an index and keep the result in it under a name (that of the way of training).

    `fields` chooses text fields; their weights make a difference only where words are counted (lsa). A training
    that diverges has no checkpoint.
    """
    kind = kind_of(how)
    name = free_name(index, name or how.name, kind)
    _add_layers(index, how)
    snapshot = index.snapshot
    view = snapshot.view(layer, fields)
    with _checkpoint(index, name, restart=restart) as checkpoint:
        try:
            trained = how.train(view, threads=threads, checkpoint=checkpoint, tell=tell)
        except Diverged:
            if checkpoint:
                checkpoint.clear()
            raise
        made = trained.with_provenance(**origin(snapshot, view, how))
        save(index, name, kind, made.arrays(), made.provenance, plain(how).get("seed"), snapshot.generation)
        try:
            if checkpoint:
                checkpoint.clear()
            return kept(index.snapshot.trained, name)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"what was trained is in the index, as {name}") from None


def kind_of(how: Trainer) -> str:
    """Return the kind of what a way of training makes."""
    return how.space.kind if isinstance(how, DocumentTrainer) else WordVectors.kind


def origin(snapshot: Snapshot, view: LayerView, how: Trainer) -> dict[str, Any]:
    """Return what is trained on, as it is kept with the result."""
    return {
        "layer": view.layer,
        **_fields(view, how),
        "documents": snapshot.documents,
        "arrivals": snapshot.manifest.arrivals,
        "generation": snapshot.generation,
    }


def _add_layers(index: Index, how: Trainer) -> None:
    """Add the layers that belong to a way of training, where the index has none of these names.

    Options in brackets alone vary the analyzer of the first layer.
    """
    own = index.snapshot.analyzer()
    for layer, analyzer in how.layers.items():
        if layer not in index.snapshot.manifest.layers:
            index.add_layer(layer, varied(own, analyzer) if analyzer.startswith("[") else analyzer)


def _fields(view: LayerView, how: Trainer) -> dict[str, Any]:
    """Return which fields are trained on, and how much each counts, where that matters."""
    weighted = isinstance(how, DocumentTrainer) and how.space.weighted
    return {"fields": list(weights_of(view)), **({"weights": weights_of(view)} if weighted else {})}


def weights_of(view: LayerView) -> dict[str, float]:
    """Return the chosen fields of a view, and how much each counts."""
    return {view.field_names[field]: float(view.weights[field]) for field in view.chosen.tolist()}


def train_on_sources(
    how: Trainer,
    sources: Sequence[str],
    target: str | Path,
    *,
    analyzer: str = "plain",
    format: str | None = None,  # noqa: A002 - its name everywhere
    threads: int | None = None,
    checkpoint: str | Path | None = None,
    restart: bool = False,
    tell: Tell | None = None,
) -> WordVectors:
    """Train word vectors on all fields of documents from anywhere, and write them to a file."""
    if isinstance(how, DocumentTrainer):
        raise UsageError(
            f"{how.name} makes rows of documents, which are kept with these in an index: make one "
            f"(aboutness index SOURCE -o DIR), then run: aboutness train DIR {how.name}"
        )
    store.check_name(target)
    if checkpoint is not None and Path(checkpoint).absolute() == Path(target).absolute():
        raise UsageError(f"the checkpoint must be another file than the result, {target}")
    texts = (text for document in Sources(sources, format).documents() for text in document.fields.values())
    so_far = Checkpoint(checkpoint) if checkpoint is not None else None
    if so_far and restart:
        so_far.clear()
    trained = how.train(texts, analyzer=analyzer, threads=threads, checkpoint=so_far, tell=tell)
    assert isinstance(trained, WordVectors)
    trained.with_provenance(sources=[Path(name).name for name in sources]).save(target)
    if so_far:
        so_far.clear()
    return store.open_saved(target)


@contextlib.contextmanager
def _checkpoint(index: Index, name: str, *, restart: bool) -> Iterator[Checkpoint | None]:
    """Yield the checkpoint of what is to be trained, which is kept from others meanwhile; none in memory."""
    if index.in_memory:
        yield None
        return
    with reached_so_far(index, name) as folder:
        checkpoint = Checkpoint(folder / f"checkpoint{store.SUFFIX}")
        if restart:
            checkpoint.clear()
        yield checkpoint


@contextlib.contextmanager
def reached_so_far(index: Index, name: str) -> Iterator[Path]:
    """Yield the folder of what a training has reached, which is kept from others meanwhile."""
    folder = index.path / CHECKPOINTS / name
    disk.make_durable_folder(folder)
    lock = WriterLock(folder)
    try:
        for part in folder.rglob(".*"):  # of what was never whole: the power was lost, or a kill came
            disk.remove(part)
        yield folder
    finally:
        lock.release()


def has_checkpoint(path: str | Path, name: str, *, by_shards: bool = False) -> bool:
    """Tell whether a training of that name was interrupted."""
    folder = Path(path) / CHECKPOINTS / checked_name(name)
    return (folder / (BEGUN if by_shards else f"checkpoint{store.SUFFIX}")).exists()


# --- what is kept -------------------------------------------------------------------------------------------


def checked_name(name: object) -> str:
    """Return a name under which something can be kept, which may be that of a file; or raise."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise UsageError(
            f"the name of vectors has up to 64 ASCII letters, digits, '.', '-' and '_', got {shown(name)}"
        )
    return name


def free_name(index: Index, name: object, kind: str) -> str:
    """Return a name under which an index can keep something of a kind; raise where another kind has it."""
    chosen = checked_name(name)
    entry = index.snapshot.trained.entries.get(chosen)
    if entry is not None and entry.kind != kind:
        raise UsageError(
            f"{index.path} has {KINDS.get(entry.kind, entry.kind)} with the name {chosen}, and these are "
            f"{KINDS[kind]}: give them another name (--name), or remove the others first "
            f"(aboutness vectors drop {index.path} {chosen})"
        )
    return chosen


def save(
    index: Index,
    name: str,
    kind: str,
    arrays: Mapping[str, Array | Blocks],
    provenance: Mapping[str, Any],
    seed: int | None = None,
    generation: int | None = None,
) -> None:
    """Keep something in an index, in the place of what had the name; raise where that is of another kind."""
    with index.changes() as writer:
        index.refresh()  # others may have written since
        writer.save_artefact(free_name(index, name, kind), kind, arrays, provenance, seed, generation=generation)


def kept(trained: Trained, name: str) -> Made:
    """Return what was trained and has a name: word vectors, or rows of documents."""
    entry = kept_entry(trained, name)
    return space_of(trained, name) if entry.kind == DocumentSpace.kind else vectors_of(trained, name)


def kept_entry(trained: Trained, name: str) -> ArtefactEntry:
    """Return the entry of what was trained, or imported, and has a name."""
    entries = {key: entry for key, entry in trained.entries.items() if entry.kind in KINDS}
    if name not in entries:
        known = ", ".join(entries) or "nothing; see: aboutness trainers"
        raise NotFound(f"{trained.folder} has nothing trained with the name {shown(name)}. It has: {known}")
    return entries[name]


def drop(index: Index, name: str) -> None:
    """Remove what was trained, or imported, from an index."""
    entry = kept_entry(index.snapshot.trained, name)
    with index.changes() as writer:
        writer.drop_artefact(entry.name)
