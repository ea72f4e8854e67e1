"""All rankers of an experiment on one collection under one condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeAlias

from aboutness.app.collection_index import index_of
from aboutness.app.index import Index
from aboutness.app.needed import needs, provide, read_words
from aboutness.app.search import How
from aboutness.core.algebra import Ranker, Rerank, inside
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.asking import JUDGED, Asking, step_of, with_form, without
from aboutness.experiment.collection import Collection
from aboutness.experiment.compare import Comparison, Row, missing_documents, run_of
from aboutness.experiment.declared import Condition, Declared
from aboutness.experiment.grid import settings_of
from aboutness.experiment.hashes import code_version, digest, is_ours, qrels_checksum
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.samples import sampled_scores
from aboutness.experiment.sweep import sweep
from aboutness.experiment.validate import cross_validate
from aboutness.index.trained import Trained
from aboutness.models.model import MATCHES
from aboutness.rank.grammar import ranker as named_ranker
from aboutness.rank.inside import needing, notes_of
from aboutness.vectors.trainer import DocumentTrainer, Trainer
from aboutness.vectors.words import WordVectors

if TYPE_CHECKING:
    from aboutness.app.running import Running

VALUES = "values"  # a folder of a cache, besides the runs: what tuning measures

Rankings: TypeAlias = Mapping[str, "list[tuple[str, float]]"]


@dataclass(frozen=True)
class Opened:
    """A collection, and the queries by which parameters are chosen: it is reported on the others."""

    whole: Collection
    chosen_by: tuple[str, ...]

    @cached_property
    def checksum(self) -> str:
        """Return a hash of the documents."""
        return self.whole.checksum

    @cached_property
    def reported(self) -> Collection:
        """Return the collection that is reported on."""
        return without(self.whole, self.chosen_by) if self.chosen_by else self.whole


class UnderCondition:
    """All rankers of an experiment on one collection under one condition."""

    def __init__(self, running: Running, opened: Opened, condition: Condition) -> None:
        self.running = running
        self.experiment = running.experiment
        self.opened = opened
        self.condition = condition
        self.reported = with_form(opened.reported, condition.queries)
        self.step = step_of(condition.match)
        self.title = ", ".join(filter(None, [self.reported.name, str(condition)]))

    def comparison(self) -> Comparison:
        """Return the comparison, each run made or taken from those that are kept."""
        rows, abouts = [], []
        for one in self.experiment.rankers:
            row, about = self._row(one)
            rows.append(row)
            abouts.append(about)
            self.running.done += 1
        self.running.data[self.reported.name]["documents"] = abouts[0]["documents"]
        if self.experiment.samples is not None:
            self._sample()
        return Comparison(
            collection=self.reported.name,
            documents=abouts[0]["documents"],
            analyzer=abouts[0]["analyzer"],
            measures=self.experiment.measures,
            rows=tuple(rows),
            unknown=abouts[0]["unknown"],
            note="; ".join(dict.fromkeys(note for about in abouts for note in about["notes"])) or None,
            setting=str(self.condition),
            qrels=self.reported.qrels,
            texts={query.id: query.text for query in self.reported.judged_queries},
            unjudged=self.reported.unjudged,
            unasked=self.reported.unasked,
            chosen_by=len(self.reported.chosen_by),
        )

    def _row(self, declared: Declared) -> tuple[Row, dict[str, Any]]:
        what, ranker = f"{self.title}: {declared.shown}", self._expression(declared.ranker)
        self.running.told(what)
        kept, depends_on = self._kept(declared), self._depends_on(declared)
        found = kept.get(depends_on) if kept else None
        run: Rankings
        if found is not None:
            run, about = found
        else:
            index = self._index()
            start = perf_counter()
            run, about = self._new(declared, index)
            if kept:
                kept.put(depends_on, run, about)
                again = kept.get(depends_on)
                run = again.run if again else run  # from its file, which leaves room in memory
        evaluation = evaluate(self.reported.qrels, run, self.experiment.measures)
        if found is None:
            self.running.times.append(perf_counter() - start)
        named = declared.shown if declared.shown != str(ranker) else ""
        return Row(ranker, run, evaluation, about["seconds"], found is not None, named, about["chosen"]), about

    def _new(self, declared: Declared, index: Index) -> tuple[Rankings, dict[str, Any]]:
        """Return the run of a ranker, and what is said of it."""
        start = perf_counter()
        run, chosen = self._made(declared, index)
        seconds = perf_counter() - start
        snapshot = index.snapshot
        notes = [f"{declared.shown}: chosen by {self.experiment.tune.by}: {chosen}"] if chosen else []
        if self.running.note and any(map(read_words, self._every([declared]))):
            notes.append(self.running.note)
        return run, {
            "ranker": declared.shown,
            "seconds": seconds,
            "chosen": chosen,
            "documents": snapshot.documents,
            "analyzer": snapshot.analyzer().name,
            "unknown": missing_documents(snapshot, self.reported),
            "notes": [*notes, *notes_of([self._expression(declared.ranker)], snapshot)],
        }

    def _made(self, declared: Declared, index: Index) -> tuple[Rankings, str]:
        """Return the rankings of one ranker and, where it is tuned, the setting that was chosen."""
        what, depth, running = f"{self.title}: {declared.shown}", self._depth(index), self.running

        def progress(name: str, done: int, total: int) -> None:  # noqa: ARG001 - as rankings tell it
            running.told(what, 0.0 if declared.grid else done / total)

        if not declared.grid:
            ranker = self._expression(declared.ranker)
            asking = Asking(index.snapshot, self.reported, self.step)
            found = run_of(
                ranker, running.bind(ranker, index.snapshot), asking, depth=depth, threads=running.threads,
                progress=progress,
            )  # fmt: skip
            return found, ""
        tune, whole = self.experiment.tune, with_form(self.opened.whole, self.condition.queries)
        given = How(declared.ranker, fields=self.condition.fields).expression
        options: dict[str, Any] = {
            "seed": self.experiment.seed, "depth": depth, "match": self.step, "candidates": self._first,
            "threads": running.threads, "progress": progress,
            "cache": kept.folder / VALUES if (kept := self._kept(declared)) else None,
        }  # fmt: skip
        arguments = (index.snapshot, whole, given, declared.grid, tune.by)
        if self.opened.chosen_by:
            swept = sweep(*arguments, split=self.opened.chosen_by, **options)
            return swept.run, str(swept.best)
        validated = cross_validate(*arguments, folds=tune.folds, **options)
        return validated.run, validated.chosen

    def _depth(self, index: Index) -> int:
        return self.experiment.depth or max(1, index.snapshot.size)

    # --- what is ranked, and what that depends on --------------------------------------------------------------

    def _expression(self, ranker: Ranker) -> Ranker:
        match = "all" if self.step == JUDGED else self.condition.match
        return How(ranker, 1, match, fields=self.condition.fields).expression

    @cached_property
    def _first(self) -> Ranker | None:
        """Return the ranker that finds what is ranked, if there is one."""
        whole = self._expression(self.experiment.rankers[0].ranker)
        telescoped = self.condition.match not in (*MATCHES, JUDGED)
        return whole.first if telescoped and isinstance(whole, Rerank) else None

    def _every(self, declared: Sequence[Declared]) -> list[Ranker]:
        """Return all rankers that are bound, those of grids included."""
        found = []
        for one in declared:
            found.append(self._expression(one.ranker))
            if one.grid:
                given = How(one.ranker, fields=self.condition.fields).expression
                found += settings_of(given, one.grid, self._first)
        return found

    def _trained(self, declared: Sequence[Declared]) -> dict[str, Any]:
        """Return what is trained for some rankers, and on what: the first ranker that needs it says that."""
        first: dict[str, Any] = {}
        for ranker in self._every(self.experiment.rankers):
            for part in needing(ranker):
                on = [str(getattr(part, name, None)) for name in ("layer", "fields")]
                for name, way in part.needs(Trained()):
                    where = on if isinstance(way, DocumentTrainer) else []
                    first.setdefault(name, [str(way), *where, self.running.trained_by(way)])
        return {name: first[name] for name in needs(self._every(declared))}

    def _is_ours(self, declared: Sequence[Declared]) -> bool:
        """Tell whether all that rankers are made of, and all that is trained for them, is of this package."""
        rankers, given = self._every(declared), self.running.vectors
        ways = [*needs(rankers).values(), *([given] if isinstance(given, Trainer) else [])]
        return is_ours([*ways, *(part for ranker in rankers for part in inside(ranker))])

    def _kept(self, declared: Declared) -> KeptRuns | None:
        """Return the runs that are kept; none where a ranker is of code from elsewhere, which may change."""
        return self.running.kept if self._is_ours([declared]) else None

    def _depends_on(self, declared: Declared) -> dict[str, Any]:
        """Return all that a run depends on, in plain values."""
        experiment, tune = self.experiment, self.experiment.tune
        asked = self.reported
        by_words = any(map(read_words, self._every([declared])))
        return {
            "code": code_version(),
            "documents": self._documents,
            "analyzer": experiment.analyzer,
            "vectors": self.running.vectors_checksum if by_words else None,
            "trained": self._trained([declared]),
            "queries": [[query.id, query.text] for query in asked.judged_queries],
            "qrels": qrels_checksum(self.opened.whole.qrels),
            "ranker": str(self._expression(declared.ranker)),
            "match": [self.step, asked.by_document, digest(sorted(asked.hidden))],
            "depth": experiment.depth,
            "tuned": [declared.grid, tune.by, tune.folds, self.opened.chosen_by, experiment.seed]
            if declared.grid
            else None,
        }

    @property
    def _documents(self) -> list[Any]:
        only = self.opened.whole.only
        return [self.opened.checksum, None if only is None else digest(sorted(only))]

    # --- the index ---------------------------------------------------------------------------------------------

    def _index(self) -> Index:
        """Return an index of the documents with all that the rankers need."""
        running, samples = self.running, self.experiment.samples
        first = [] if samples is None else [named_ranker(samples.first)]
        rankers = [*self._every(self.experiment.rankers), *first]

        def prepare(index: Index) -> None:
            there = index.snapshot.trained.of_kind(WordVectors.kind)  # from a time before it was interrupted
            vectors = None if there else running.vectors
            running.note, _ = provide(index, rankers, vectors, running.training, by=running.by)

        depends_on = {
            "code": [code_version(), "" if self._is_ours(self.experiment.rankers) else running.token],
            "documents": self._documents,
            "analyzer": self.experiment.analyzer,
            "vectors": running.vectors_checksum,
            "trained": self._trained(self.experiment.rankers),
            "first": list(map(str, first)),
        }
        make = partial(
            index_of,
            self.opened.whole,
            analyzer=self.experiment.analyzer,
            by=running.by,
            progress=running.indexing,
        )
        return running.indexes.get(digest(depends_on), make, prepare)

    def _sample(self) -> None:
        samples = self.experiment.samples
        assert samples is not None
        rankers = [How(one.ranker, fields=self.condition.fields).expression for one in self.experiment.rankers]
        found = sampled_scores(
            self._index().snapshot, self.reported, rankers, random=samples.random, first=samples.first,
            seed=self.experiment.seed,
        )  # fmt: skip
        self.running.samples.append(replace(found, collection=self.title))
