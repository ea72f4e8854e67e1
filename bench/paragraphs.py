"""`python -m bench.paragraphs [--quick] [--parts PART …]`: training paragraph vectors, against gensim's Doc2Vec.

Both sides get the same tokens and settings and take turns; the best of the rounds counts, and only ratios within
one run mean anything. Quality is measured on vectors of several seeds. Results go to
bench/results/paragraphs.{json,md}.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from aboutness import Index, collection, ranker
from aboutness.evaluate.evaluation import evaluate
from aboutness.experiment.compare import compare_on
from aboutness.text.analyzers import analyzer
from aboutness.vectors.paragraphs import MOST_EPOCHS, STEPS
from aboutness.vectors.pv import EPV, PV, ParagraphTrainer
from aboutness.vectors.training_text import TrainingText
from aboutness.vectors.words import OUT
from bench.report import circumstances, deviation, keep, kept, made_by, met, table, tell
from bench.vectors import data, timed, unit

NAME = "paragraphs"
PARTS = ("speed", "words", "ranking")
OURS, THEIRS, SHRUNK = "aboutness", "gensim", "gensim, shrunk windows"
DBOW, JOINT = "PV-DBOW", "joint"
THEIR_SIDES: dict[str, dict[str, dict[str, Any]]] = {
    DBOW: {THEIRS: {}},
    JOINT: {
        THEIRS: {"dbow_words": 1, "shrink_windows": False},
        SHRUNK: {"dbow_words": 1, "shrink_windows": True},
    },
}
SPEED_TEXT, SPEED_ANALYZER = "scifact", "plain"
COLLECTIONS, ANALYZER = ("cranfield", "scifact", "nfcorpus_preprocessed"), "english"
DIMS, THREADS = (100, 300), (1, 2)
DIM, EPOCHS, INFERENCE_EPOCHS = 100, (20, 40), 50  # of quality; gensim's inference
NEGATIVES, MIN_COUNT, WINDOW = 5, 2, 5
HELD_OUT, AGAINST = 0.1, 5  # share of tokens, random words for each
RANKED, RANKED_ALIKE = "nDCG@10", "nDCG@10, queries read as often"
BARS = {(DBOW, 100): (5.0, 7.0), (DBOW, 300): (3.0, 4.0), (JOINT, 100): (4.0, 5.0), (JOINT, 300): (2.5, 3.5)}
SAME_CHANCE = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
SPEED = (
    f"Tokens read a second, {SPEED_TEXT} ({{documents:,}} documents, {{tokens:,}} tokens, analyzer "
    f"{SPEED_ANALYZER}), one epoch, {NEGATIVES} negatives, min_count {MIN_COUNT}, no word left out by chance. "
    "Only training is timed: vocabularies and matrices are made before. In turns, best of {rounds} rounds.\n\n"
    f"{DBOW}: `PV` against `Doc2Vec(dm=0)`. Ours draws 2 negatives for each of 8 successive words, which "
    f"all these share and which count as {NEGATIVES} for each; gensim draws {NEGATIVES} for each word. {JOINT}: "
    f"`EPV` with all its switches on against `Doc2Vec(dm=0, dbow_words=1)`, window {WINDOW}. Ours reads "
    f"whole windows (ai2016 eq. 9), {2 * WINDOW} neighbours of a word besides its document, and draws "
    "negatives for all of them together; gensim draws them for each. Side gensim has whole windows, too "
    "(`shrink_windows=False`): the same pairs. By default it shrinks them by chance, to "
    f"{WINDOW + 1} neighbours on the average. The objectives are not the same: in ours the vector of a word that "
    "a document predicts is the one that predicts its neighbours, gensim has two."
)
QUALITY = (
    f"{DBOW}, dim {DIM}, {NEGATIVES} negatives, min_count {MIN_COUNT}, analyzer {ANALYZER}, two threads, "
    "{seeds} seeds. "
    f"Held-out words: {HELD_OUT:.0%} of each document's tokens are left out of training; AUC of the product w . d "
    f"for these and their document against {AGAINST} random words each (by count^.75): over all pairs, and among "
    "those of one document. Ranking: all documents by the cosine with the query's inferred vector; ours is "
    f"`doc2vec` as it is, which reads a short query {MOST_EPOCHS} times; gensim infers with {INFERENCE_EPOCHS} "
    "epochs, and in rows that say so with as many as ours. The comparison was planned with 20 epochs; 40 were "
    "added when the results of 20 had been seen, since `pv` reads such small texts up to 40 times unless told "
    "otherwise. Compare the better of a side's two rows as well: gensim may be past its best after 40. Met: the "
    "mean is not below "
    f"gensim's by more than gensim's deviation from seed to seed. What {JOINT} is good for is shown in "
    "[ladder.md](ladder.md): gensim has another objective."
)


def documents_of(text: TrainingText) -> list[list[str]]:
    """Return each document as its terms in their order."""
    terms = text.terms()
    found = text.texts(np.arange(len(text.counts), dtype=np.int32))
    ends = found.ends.tolist()
    words = [terms[number] for number in found.words.tolist()]
    return [words[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def ours(kind: str, dim: int, epochs: int, seed: int) -> ParagraphTrainer:
    """Return how we train."""
    same: dict[str, Any] = {"dim": dim, "epochs": epochs, "seed": seed, "negatives": NEGATIVES,
                            "min_count": MIN_COUNT, "window": WINDOW}  # fmt: skip
    return PV(**same) if kind == DBOW else EPV(**same)


class Gensim:
    """gensim's Doc2Vec over lists of words."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        from gensim.models.doc2vec import TaggedDocument

        self.documents = [TaggedDocument(words, [number]) for number, words in enumerate(documents)]

    def prepared(self, dim: int, epochs: int, threads: int, seed: int, **how: Any) -> Any:
        """Return a model that has its vocabulary."""
        from gensim.models import Doc2Vec

        model = Doc2Vec(
            dm=0, vector_size=dim, negative=NEGATIVES, hs=0, sample=0, min_count=MIN_COUNT, window=WINDOW,
            epochs=epochs, workers=threads, seed=seed, **how,
        )  # fmt: skip
        model.build_vocab(self.documents)
        return model

    def train(self, model: Any) -> Any:
        """Train a model, and return it."""
        model.train(self.documents, total_examples=len(self.documents), epochs=model.epochs)
        return model


# --- speed --------------------------------------------------------------------------------------------------


def speed(text: TrainingText, rounds: int) -> list[dict[str, Any]]:
    """Measure tokens a second."""
    gensim = Gensim(documents_of(text))
    rows = []
    for kind, sides in THEIR_SIDES.items():
        ours(kind, 8, 1, 1).train(text, threads=1)  # compiled
        for dim in DIMS:
            for threads in THREADS:
                best = dict.fromkeys((OURS, *sides), np.inf)
                for _ in range(rounds):
                    training = ours(kind, dim, 1, 1).training(text, threads)
                    work: dict[str, Callable[[], Any]] = {OURS: partial(training.run, None, lambda _: None)}
                    for side, how in sides.items():
                        work[side] = partial(gensim.train, gensim.prepared(dim, 1, threads, 1, **how))
                    for side, run in work.items():
                        best[side] = min(best[side], timed(run)[0])
                found = {side: text.tokens / seconds for side, seconds in best.items()}
                rows.append({"kind": kind, "dim": dim, "threads": threads, "tokens_per_second": found})
                ratios = {side: round(found[OURS] / found[side], 2) for side in sides}
                tell(f"{kind} {dim}, {threads} threads: {found[OURS]:,.0f} tokens/s, times {ratios}")
    return rows


# --- quality ------------------------------------------------------------------------------------------------


class HeldOut:
    """Documents without some of their tokens, and these, beside words that are drawn by chance."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        chance = np.random.default_rng(1)
        self.documents: list[list[str]] = []
        self.of: list[int] = []
        self.words: list[str] = []
        for number, words in enumerate(documents):
            left_out = set(chance.permutation(len(words))[: round(HELD_OUT * len(words))].tolist())
            self.documents.append([word for at, word in enumerate(words) if at not in left_out])
            self.of += [number] * len(left_out)
            self.words += [words[at] for at in sorted(left_out)]
        self.text = TrainingText.of_texts(self.documents, analyzer(ANALYZER))
        terms, counts = list(self.text.terms()), self.text.counts
        weights = np.where(counts >= MIN_COUNT, counts, 0) ** 0.75
        drawn = chance.choice(len(terms), (len(self.of), AGAINST), p=weights / weights.sum())
        self.others = [terms[number] for number in drawn.ravel().tolist()]

    def aucs(self, rows: np.ndarray, outward: np.ndarray, number_of: Callable[[list[str]], np.ndarray]) -> Any:
        """Return how well products tell the words of documents from others."""
        words, others, of = number_of(self.words), number_of(self.others).reshape(-1, AGAINST), np.array(self.of)
        known = words >= 0
        words, others, of = words[known], others[known], of[known]
        assert (others >= 0).all()
        true = np.einsum("ij,ij->i", rows[of], outward[words])
        false = np.stack([np.einsum("ij,ij->i", rows[of], outward[column]) for column in others.T], axis=1)
        beaten = (true[:, None] > false) + 0.5 * (true[:, None] == false)
        return {"held-out AUC": auc(true, false.ravel()), "held-out AUC in a document": float(beaten.mean())}

    def ours(self, epochs: int, seed: int) -> dict[str, float]:
        space = ours(DBOW, DIM, epochs, seed).train(self.text, threads=2)
        found: dict[str, float] = self.aucs(space.rows, space.words.space(OUT), space.words.numbers)
        return found

    def theirs(self, epochs: int, seed: int) -> dict[str, float]:
        gensim = Gensim(self.documents)
        model = gensim.train(gensim.prepared(DIM, epochs, 2, seed))
        numbers = model.wv.key_to_index
        found: dict[str, float] = self.aucs(
            model.dv.vectors, model.syn1neg, lambda words: np.array([numbers.get(word, -1) for word in words])
        )
        return found


def auc(true: np.ndarray, false: np.ndarray) -> float:
    """Return how often one of the first is above one of the others; half where they are the same."""
    false = np.sort(false)
    below = np.searchsorted(false, true) + np.searchsorted(false, true, "right")
    return float(below.mean() / 2 / len(false))


class Ranked:
    """A test collection whose documents are ranked by the cosine with the query's inferred vector."""

    def __init__(self, name: str) -> None:
        self.test = collection(str(data(name)))
        self.index = Index.build(self.test.documents(), analyzer=ANALYZER)
        self.gensim = Gensim(documents_of(TrainingText.of_view(self.index.view())))

    def ours(self, epochs: int, seed: int) -> dict[str, float]:
        self.index.train(ours(DBOW, DIM, epochs, seed), name="trained", threads=2)
        one = ranker("doc2vec[vectors=trained]")
        found = compare_on(self.index.snapshot, self.test, [one], ["nDCG@10"], match="all").rows[0].evaluation.mean
        return dict.fromkeys((RANKED, RANKED_ALIKE), found["nDCG@10"])

    def theirs(self, epochs: int, seed: int) -> dict[str, float]:
        model = self.gensim.train(self.gensim.prepared(DIM, epochs, 2, seed))
        documents, ids = unit(model.dv.vectors), list(self.index.snapshot.ids())
        runs: dict[str, dict[str, list[tuple[str, float]]]] = {RANKED: {}, RANKED_ALIKE: {}}
        for query in self.test.judged_queries:
            terms = self.index.view().analyzer.terms(query.text)
            words = [word for word in terms if word in model.wv.key_to_index]
            if not words:
                continue
            as_ours = max(epochs, min(MOST_EPOCHS, STEPS // len(words)))
            for what, often in ((RANKED, INFERENCE_EPOCHS), (RANKED_ALIKE, as_ours)):
                scores = documents @ unit(model.infer_vector(words, epochs=often)[None])[0]
                best = np.argsort(-scores, kind="stable")[:10].tolist()
                runs[what][query.id] = [(ids[number], float(scores[number])) for number in best]
        return {what: evaluate(self.test.qrels, run, ["nDCG@10"]).mean["nDCG@10"] for what, run in runs.items()}


def quality(name: str, task: HeldOut | Ranked, seeds: int) -> list[dict[str, Any]]:
    """Train both sides with several seeds; return each measure's values."""
    rows = []
    for epochs in EPOCHS:
        found: dict[str, dict[str, list[float]]] = {}
        for seed in range(1, seeds + 1):
            for side, measure in ((OURS, task.ours), (THEIRS, task.theirs)):
                for what, value in measure(epochs, seed).items():
                    found.setdefault(what, {}).setdefault(side, []).append(value)
            shown = {what: {side: round(of[-1], 4) for side, of in sides.items()} for what, sides in found.items()}
            tell(f"{name} {epochs} epochs, seed {seed}: {shown}")
        rows += [{"collection": name, "epochs": epochs, "measure": what, **sides} for what, sides in found.items()]
    return rows


# --- the report -------------------------------------------------------------------------------------------------


def report(results: dict[str, Any]) -> str:
    """Return the results as Markdown."""
    lines = ["# Paragraph vectors", "", made_by("bench.paragraphs", results)]
    if results.get("speed"):
        lines += ["", "## Speed", "", SPEED.format(**results), "", *_speed_lines(results["speed"])]
    rows = [*results.get("words", []), *results.get("ranking", [])]
    if rows:
        lines += ["", "## Quality", "", QUALITY.format(**results), "", *_quality_lines(rows)]
    return "\n".join([*lines, ""])


def _speed_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        found = row["tokens_per_second"]
        for side in THEIR_SIDES[row["kind"]]:
            ratio, (bar, stretch) = found[OURS] / found[side], BARS[row["kind"], row["dim"]]
            verdicts = [f"≥ {bar:g} {met(ratio >= bar)}", f"≥ {stretch:g} {met(ratio >= stretch)}"]
            lines.append(
                [row["kind"], row["dim"], row["threads"], f"{found[OURS]:,.0f}", side, f"{found[side]:,.0f}",
                 f"{ratio:.2f}", *(verdicts if side == THEIRS else ["", ""])]
            )  # fmt: skip
    head = ["", "dim", "threads", "aboutness, tokens/s", "peer", "its tokens/s", "ratio", "bar", "stretch"]
    return table(head, lines)


def _quality_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        cells = [f"{statistics.mean(row[side]):.4f} ± {deviation(row[side]):.4f}" for side in (OURS, THEIRS)]
        gap = statistics.mean(row[OURS]) - statistics.mean(row[THEIRS])
        verdicts = [met(gap >= -deviation(row[THEIRS])), met(gap > 0)]
        lines.append([row["collection"], row["epochs"], row["measure"], *cells, f"{gap:+.4f}", *verdicts])
    head = ["collection", "epochs", "measure", OURS, THEIRS, "difference", "bar: not below", "stretch: above"]
    return table(head, lines)


def measured(parts: Sequence[str], rounds: int, seeds: int, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Measure some parts; yield what the report needs of them as soon as it is there."""
    for part in parts:
        if part == "speed":
            test = collection(str(data(SPEED_TEXT)))
            text = TrainingText.of_view(Index.build(test.documents(), analyzer=SPEED_ANALYZER).view())
            about = {"documents": text.documents, "tokens": text.tokens, "rounds": rounds}
            yield {**about, part: speed(text, rounds)}
            continue
        rows: list[dict[str, Any]] = []
        for name in names:
            ranked = Ranked(name)
            task = ranked if part == "ranking" else HeldOut([one.words for one in ranked.gensim.documents])
            rows += quality(name, task, seeds)
            yield {"seeds": seeds, part: rows}


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.paragraphs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round, one seed, cranfield; nothing is stored")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="the others stay as they were")
    options = parser.parse_args()
    if not SAME_CHANCE.items() <= os.environ.items():  # these are read when Python and numpy start
        command = [sys.executable, "-m", "bench.paragraphs", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, **SAME_CHANCE})
    results: dict[str, Any] = {} if options.quick else kept(NAME)
    dates = results.get("measured", {})
    rounds, seeds = (1, 1) if options.quick else (options.rounds, options.seeds)
    names = COLLECTIONS[:1] if options.quick else COLLECTIONS
    results |= circumstances("gensim", "numba", "numpy")
    for found in measured(options.parts, rounds, seeds, names):
        results |= found
        dates |= {part: results["date"] for part in PARTS if part in found}
        results["measured"] = dates
        if not options.quick:  # a run takes long: what is done is kept
            keep(NAME, results, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
