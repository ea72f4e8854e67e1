"""Keeping in an index the lists in which approximate rankers look, with the recall that was measured."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from aboutness.app.naming import with_vectors_named
from aboutness.core.algebra import Ranker, inside
from aboutness.core.errors import DamagedIndex, NotFound, UsageError
from aboutness.index.manifest import ArtefactEntry
from aboutness.index.snapshot import Snapshot
from aboutness.index.trained import Trained
from aboutness.models.lists import KIND, SEED, SHARE, outdated
from aboutness.models.model import Model
from aboutness.rank.approximate import Approximate
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker as named_ranker

if TYPE_CHECKING:
    from aboutness.app.index import Index


def approximate_in(rankers: Iterable[str | Ranker]) -> list[Approximate]:
    """Return the approximate rankers in some rankers, once for each ranker that they are made of."""
    found = (one for ranker in rankers for one in inside(named_ranker(ranker)) if isinstance(one, Approximate))
    return list(dict.fromkeys(Approximate(one.rankers) for one in found))


def kept_approximate(trained: Trained) -> list[Approximate]:
    """Return the approximate rankers whose lists are kept."""
    return [_kept(entry) for entry in trained.of_kind(KIND).values()]


def _kept(entry: ArtefactEntry) -> Approximate:
    return Approximate.of(named_ranker(entry.parameters["ranker"]))


def lists_of(trained: Trained, models: Iterable[Model] | None) -> dict[str, str]:
    """Return the names of lists that are kept, of all or of some models, and of which rankers they are."""
    wanted = None if models is None else set(map(str, models))
    entries = trained.of_kind(KIND).items()
    return {
        name: str(_kept(entry))
        for name, entry in entries
        if wanted is None or entry.parameters["ranker"] in wanted
    }


def keep_lists(index: Index, rankers: Sequence[Approximate], gone: Sequence[str] = ()) -> list[str]:
    """Keep the lists of rankers, one after the other, and drop others, in one commit; return those of which.

    Where there are too few documents to make lists, there is nothing to keep.
    """
    if not rankers and not gone:
        return []
    snapshot = index.snapshot
    done: list[str] = []
    with index.writing() as writer:
        for name in gone:
            writer.drop_artefact(name)
        for ranker in rankers:
            inner = ranker.rankers[0]
            named = with_vectors_named(inner, snapshot) if isinstance(inner, Model) else inner
            kept = ranker.kept(bind(inner, snapshot), named)
            if kept is None:
                continue
            made, arrays = kept
            writer.save_artefact(f"lists {named}", KIND, arrays, made, SEED, generation=snapshot.generation)
            done.append(str(ranker))
    return done


def bring_lists_up_to_date(index: Index) -> None:
    """Make anew lists that are kept, where many documents have come or gone; drop those that cannot be made."""
    snapshot = index.snapshot
    late: list[Approximate] = []
    gone: list[str] = []
    for name, entry in snapshot.trained.of_kind(KIND).items():
        ranker = _kept(entry)
        try:
            _check_vectors(ranker.rankers[0], snapshot)
            if outdated(snapshot.view(), entry) * SHARE >= max(snapshot.documents, 1):
                late.append(ranker)
        except (NotFound, UsageError):  # its vectors or its layer are gone
            gone.append(name)
        except DamagedIndex:  # others are not to wait for them
            continue
    keep_lists(index, late, gone)


def _check_vectors(ranker: Ranker, snapshot: Snapshot) -> None:
    """Raise where an index lacks what a model on vectors needs."""
    if isinstance(ranker, Model):
        with_vectors_named(ranker, snapshot).view(snapshot)
