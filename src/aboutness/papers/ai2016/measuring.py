"""The protocol on one collection: index, train, find candidates, choose lambda by folds; what is done is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Event, Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

from aboutness.app.collection_index import index_of
from aboutness.app.experimenting import user_cache
from aboutness.app.index import Index
from aboutness.app.kept_indexes import KeptIndexes
from aboutness.app.running import INDEXES
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.collection import Collection, data_of
from aboutness.experiment.hashes import code_version, digest, qrels_checksum
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.validate import Validation, cross_validate
from aboutness.papers.ai2016.cases import AP, MEASURES, Case, Measured, in_forms
from aboutness.papers.ai2016.ladder import QL, Rung, grid_rungs, rungs
from aboutness.papers.ai2016.norms import by_length
from aboutness.papers.paper import Work
from aboutness.text.analyzers import analyzer
from aboutness.vectors.documents import KIND
from aboutness.vectors.paragraphs import ParagraphSpace
from aboutness.vectors.trainer import Progress

if TYPE_CHECKING:
    from aboutness.papers.ai2016.protocol import Ai2016

ANALYZER = "krovetz"
KEPT_FORM = 1  # of what is said of a kept run: another number makes all of them anew


class GivenUp(Exception):
    """Something else went wrong, or was interrupted: this collection need not go on."""


@dataclass
class OnCollection:
    """All models on one collection."""

    sizes: Ai2016
    work: Work
    whole: Collection
    told: Callable[[str, float], None]  # what is done, and how many models of this collection are
    stop: Event = field(default_factory=Event)
    gate: Lock = field(default_factory=Lock)  # of the folder of indexes: they come and go one at a time
    done: int = 0

    @cached_property
    def rungs(self) -> list[Rung]:
        """Return all models; with the grids, those of the grids too, each training once."""
        seed = self.work.seed
        found = rungs(self.sizes, seed)
        if self.work.full:
            found += [rung for *_, rung in grid_rungs(self.sizes, seed)]
        return found

    def cases(self) -> list[Case]:
        """Return the collection with all models, once for each form of its queries."""
        forms = in_forms(self.whole)
        found = []
        try:
            for form, asked in forms:
                every = {rung.name: self._measured(rung, asked) for rung in self.rungs}
                about = every[QL][1]["facts"]
                found.append(Case(asked, form, about, {name: one for name, (one, _) in every.items()}))
        except BaseException:
            self._indexes.release()  # the same again goes on with them
            raise
        with self.gate:
            self._indexes.remove()
        self.work.used[self.whole.name] = {
            **data_of(self.whole, self._checksum), "documents": found[0].facts["documents"]
        }  # fmt: skip
        return found

    # --- one model -------------------------------------------------------------------------------------------

    def _measured(self, rung: Rung, asked: Collection) -> tuple[Measured, dict[str, Any]]:
        self._tell(rung.name)
        depends_on = self._depends_on(rung, asked)
        there = self._kept.get(depends_on) if self._kept else None
        self.work.count("runs", int(there is not None), 1)
        run: Mapping[str, list[tuple[str, float]]]
        if there is not None:
            run, about = there
        else:
            seconds = self._train(rung)
            validation = self._validated(rung, asked)
            run, about = validation.run, self._about(rung, asked, validation, seconds)
            if self._kept:
                self._kept.put(depends_on, run, about)
        self.done += 1
        chosen = dict(zip(about["values"], about["chosen"], strict=True))
        return Measured(
            evaluate(asked.qrels, run, MEASURES),
            dict(zip(about["values"], about["means"], strict=True)),
            {value: count for value, count in chosen.items() if count},
            about["seconds"],
            tuple(about["norms"]),
            about["correlation"],
        ), about

    def _validated(self, rung: Rung, asked: Collection) -> Validation:
        sizes = self.sizes
        return cross_validate(
            self._index.snapshot, asked, rung.ranker(sizes.mu), rung.grid, AP, measures=MEASURES,
            folds=sizes.folds, seed=self.work.seed, depth=sizes.depth, candidates=self._candidates, threads=1,
            progress=lambda *_: self._tell(rung.name),
        )  # fmt: skip

    @property
    def _candidates(self) -> str:
        return f"ql[mu={self.sizes.mu:g}] % {self.sizes.candidates}"

    def _train(self, rung: Rung) -> float | None:
        """Train what a model needs, unless it is there; return how many seconds that took, if it was done now."""
        if rung.way is None or rung.kept_as in self._index.snapshot.trained.of_kind(KIND):
            return None
        start = perf_counter()

        def tell(progress: Progress) -> None:
            self._tell(rung.name, progress.done / progress.total if progress.total else 0.0)

        self._index.train(rung.way, name=rung.kept_as, threads=1, progress=tell)
        return perf_counter() - start

    def _about(
        self, rung: Rung, asked: Collection, validation: Validation, seconds: float | None
    ) -> dict[str, Any]:
        """Return in plain values what a report needs besides the run."""
        (parameter,) = rung.grid
        values = [one.parameters[parameter] for one in validation.settings]
        folds = [fold.setting.parameters[parameter] for fold in validation.folds]
        norms: tuple[float, ...] = ()
        correlation = None
        space = self._index.trained(rung.kept_as) if rung.way else None
        if isinstance(space, ParagraphSpace):
            norms, correlation = by_length(space, self._index.view())
        return {
            "values": values,
            "means": [one.mean[AP] for one in validation.settings],
            "chosen": [folds.count(value) for value in values],
            "seconds": seconds,
            "norms": list(norms),
            "correlation": correlation,
            "facts": self._facts(asked),
        }

    def _facts(self, asked: Collection) -> dict[str, Any]:
        view = self._index.view()
        terms = analyzer(ANALYZER).terms
        return {
            "documents": len(self._index),
            "tokens": int(view.lengths.sum()),
            "query_words": {query.id: len(terms(query.text)) for query in asked.judged_queries},
        }

    # --- what is kept ----------------------------------------------------------------------------------------

    def _depends_on(self, rung: Rung, asked: Collection) -> dict[str, Any]:
        return {
            "form": KEPT_FORM,
            "code": code_version(),
            "documents": self._checksum,
            "analyzer": ANALYZER,
            "ranker": str(rung.ranker(self.sizes.mu)),
            "trained": str(rung.way),
            "candidates": self._candidates,
            "grid": {name: list(values) for name, values in rung.grid.items()},
            "folds": [self.sizes.folds, self.work.seed],
            "depth": self.sizes.depth,
            "queries": [[query.id, query.text] for query in asked.judged_queries],
            "qrels": qrels_checksum(asked.qrels),
        }

    @cached_property
    def _kept(self) -> KeptRuns | None:
        return KeptRuns(self._folder) if self._folder else None

    @cached_property
    def _folder(self) -> Path | None:
        cache = self.work.cache
        return (user_cache() if cache else None) if isinstance(cache, bool) else Path(cache)

    @cached_property
    def _checksum(self) -> str:
        return self.whole.checksum

    @cached_property
    def _indexes(self) -> KeptIndexes:
        return KeptIndexes(self._folder / INDEXES if self._folder else None)

    @cached_property
    def _index(self) -> Index:
        key = digest({"ai2016": code_version(), "documents": self._checksum, "analyzer": ANALYZER})
        self._tell("index")
        with self.gate:
            return self._indexes.get(key, partial(index_of, self.whole, analyzer=ANALYZER), lambda _: None)

    def _tell(self, what: str, part: float = 0.0) -> None:
        """Tell how far this collection is; raise where the study is given up."""
        if self.stop.is_set():
            raise GivenUp
        self.told(f"{self.whole.name}: {what}", self.done + part)
