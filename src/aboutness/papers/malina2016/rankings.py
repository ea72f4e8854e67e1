"""The index with all that is trained, and where the relevant documents stand in the rankings of each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from aboutness.app.collection_index import index_of
from aboutness.app.index import Index
from aboutness.app.kept_indexes import KeptIndexes
from aboutness.app.running import INDEXES
from aboutness.evaluate.judgements import checked
from aboutness.evaluate.places import Places, places
from aboutness.experiment.asking import Asking
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import run_of
from aboutness.experiment.hashes import code_version, digest
from aboutness.papers.malina2016.methods import Method
from aboutness.papers.paper import Work
from aboutness.rank.bound import bind
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.vectors.trainer import Trainer


def trained_index(work: Work, on: Collection, analyzer: str, trainings: Mapping[str, Trainer]) -> Index:
    """Return an index of all documents, queries too, with all trainings, each by one thread.

    It is kept where runs are kept: the same again finds it there, and a training that was interrupted goes on.
    """
    depends_on = {
        "code": code_version(),
        "documents": [on.checksum, digest(sorted(on.only or ()))],
        "analyzer": analyzer,
        "trained": {name: str(way) for name, way in trainings.items()},
    }

    def train(index: Index) -> None:
        work.count("trainings", sum(name in index.snapshot.trained.entries for name in trainings), len(trainings))
        for name, way in trainings.items():
            if name not in index.snapshot.trained.entries:
                index.train(way, name=name, threads=1, progress=partial(work.trained, name))

    kept = KeptIndexes(work.kept / INDEXES if work.kept else None)
    try:
        return kept.get(digest(depends_on), partial(index_of, on, analyzer=analyzer), train)
    finally:
        kept.release()


def ranked(work: Work, index: Index, on: Collection, methods: Sequence[Method]) -> dict[str, Places]:
    """Return for each method where the judged documents stand, when each document is ranked for each query."""
    snapshot = index.snapshot
    asking, judged = Asking(snapshot, on, "all"), checked(on.qrels)
    found: dict[str, Places] = {}
    for number, one in enumerate(methods):
        work.step(f"ranking by {one.name} ({number + 1} of {len(methods)})", number / len(methods))
        ranker = named_ranker(one.ranker)
        run = run_of(ranker, bind(ranker, snapshot), asking, depth=snapshot.size, threads=work.threads)
        found[one.name] = places(judged, run)
    return found
