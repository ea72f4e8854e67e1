"""The order of the study: every model on every data set, the tables, the claims."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from aboutness.papers.galke2017.claims import claims
from aboutness.papers.galke2017.elsewhere import run_elsewhere
from aboutness.papers.galke2017.embeddings import embeddings
from aboutness.papers.galke2017.evidence import Evidence
from aboutness.papers.galke2017.figures import figures
from aboutness.papers.galke2017.matching import matching_sheet
from aboutness.papers.galke2017.replacing import replaced
from aboutness.papers.galke2017.runs import (
    ANALYZER,
    CONVENTIONS,
    D2V,
    ELSEWHERE,
    IWCS,
    PAPERS,
    QUERY_TOO,
    RANDOM,
    RELEASED,
    SHARED,
    TFIDF,
    WITHOUT_TOP,
    Method,
    Runs,
    all_runs,
)
from aboutness.papers.galke2017.sets import data_sets
from aboutness.papers.galke2017.tables import (
    aggregates_sheet,
    conventions_sheet,
    data_sheets,
    how_far,
    paper_aggregates_sheet,
    results_sheets,
    same_rows,
    times_sheet,
    variants_sheet,
)
from aboutness.papers.galke2017.testing import fisher_tests, tests_sheet
from aboutness.papers.galke2017.words import known_queries, known_queries_sheet, unknown_words_sheet
from aboutness.papers.paper import PAPERS as KNOWN
from aboutness.papers.paper import Paper, Work
from aboutness.papers.wording import tally
from aboutness.report.study import Claim, Item, Part, Study


@dataclass(frozen=True)
class Galke2017(Paper):
    """Galke, Saleh and Scherp 2017. `k` is how many documents a ranking has, and how many IWCS-WMD re-ranks.

    `stories` are drawn from RCV1, where that is named.
    """

    name: ClassVar[str] = "galke2017"
    takes: ClassVar[tuple[str, ...]] = ("embeddings",)
    reference: ClassVar[str] = (
        "Lukas Galke, Ahmed Saleh, Ansgar Scherp: Evaluating the Impact of Word Embeddings on Similarity "
        "Scoring in Practical Information Retrieval. INFORMATIK 2017."
    )

    k: int = 20
    stories: int = 100_000

    def study(self, work: Work) -> Study:
        """Do the paper's experiments; return its tables, figures and claims with what was found."""
        with TemporaryDirectory() as folder:
            return self._study(work, Path(folder))

    def _study(self, work: Work, folder: Path) -> Study:
        sets, vectors = data_sets(work, self.stories, folder), embeddings(work)
        runs = all_runs(work, sets, vectors, self.k, folder)
        run_elsewhere(work, runs)
        work.step("galke2017: tests and tables")
        tested = fisher_tests(runs, work.seed)
        known = {one: known_queries(runs, one) for one in runs.settings}
        found = claims(Evidence(runs, tested, known))
        drawings = figures(runs)
        parts = [
            Part("The data", [_protocol(runs), *data_sheets(runs), matching_sheet(work, runs)]),
            Part("Tables 1 to 3", results_sheets(runs, PAPERS)),
            Part("All data sets together", [aggregates_sheet(runs, PAPERS), drawings[0], *_own_tables()]),
            Part("Is it more than chance", [tests_sheet(tested), *drawings[1:]]),
            Part("Words without a vector", [unknown_words_sheet(runs), known_queries_sheet(runs, known)]),
            Part("Other forms of the models", _variants(runs)),
            Part("How long it takes", [times_sheet(runs)]),
            Part("The same rankings by other conventions", _conventions(runs)),
        ]
        made = work.made({"paper": self.name, **asdict(self), "embeddings": [str(one) for one in vectors]})
        summary = _summary(runs, found)
        return Study(self.name, self.reference, summary, found, replaced(work, runs), parts, made)


def _summary(runs: Runs, found: list[Claim]) -> str:
    return (
        f"TF-IDF, four models on word vectors and Doc2Vec ranked {len(runs.settings)} settings of "
        f"{len(runs.sets)} data sets with {len(runs.embeddings)} embeddings. Mean MAP is "
        f"{runs.average(runs.of(TFIDF)):.3f} for TF-IDF and {runs.average(runs.of(IWCS)):.3f} for IWCS. "
        f"{tally(found)}"
    )


def _protocol(runs: Runs) -> str:
    return (
        f"Texts are cut into words by the analyzer {ANALYZER}: lower case, words of two letters or more, no "
        "English stop words, no stems. Documents that have any word of the query are ranked; the first "
        f"{runs.k} count. Nothing is tuned, and no judgement is used but to measure. Words without a vector are "
        "left out; a query without any known word finds nothing and counts 0. The embeddings: "
        f"{'; '.join(map(str, runs.embeddings))}."
    )


def _own_tables() -> list[Item]:
    told = [
        f"{first} and {second} have the same six numbers for the {one} field in the table of {table}"
        for table, one, first, second in same_rows()
    ]
    said = f"In the paper {'; '.join(told)}: one of the two rows may be a slip." if told else ""
    return [paper_aggregates_sheet(), *([said] if said else [])]


def _variants(runs: Runs) -> list[Item]:
    released = (
        "The paper weighs the documents' words alone by idf. The code that its authors released makes the "
        "query by the same weights, and adds 1 to idf."
    )
    top = "Less the mean and the first principal directions, one for each 100 dimensions: "
    top += f"{', '.join(f'{one.top} of {one.name}' for one in runs.embeddings)}. The paper does not say how many."
    shared = f"Both embeddings with just the {runs.shared:,} words that they share."
    elsewhere = (
        "Trained on the other data sets, and documents and queries by inference: the nearest to the authors' "
        "model, which was trained on Wikipedia, that can be had here."
    )
    sheets: list[Item] = [
        variants_sheet(runs, "IDF in the query", (QUERY_TOO, RELEASED), released),
        variants_sheet(runs, "All-but-the-top", (WITHOUT_TOP,), top),
        variants_sheet(
            runs, "Random vectors for unknown words", (RANDOM,), "Each unknown word has one of its own."
        ),
    ]
    if runs.shared:
        sheets.append(variants_sheet(runs, "Shared words", (SHARED,), shared))
    if runs.there(Method(D2V, "", ELSEWHERE)):
        sheets.append(variants_sheet(runs, "Doc2Vec that has not seen the documents", (ELSEWHERE,), elsewhere))
    return sheets


def _conventions(runs: Runs) -> list[Item]:
    sheet = conventions_sheet(runs)
    far = how_far(sheet)
    said = (
        "Rankings are measured in three ways: by galke2017 (average precision is the mean over the relevant "
        "documents that were retrieved, NDCG with the paper's discount), by galke2017-printed (average "
        "precision is the mean of the precisions at all ranks), and as trec_eval does. MRR is the same in all."
    )
    told = []
    if far:
        distances = ", ".join(f"{mean:.3f} for {convention}" for convention, mean in far.items())
        told.append(
            f"The ratio is nearest to that of the paper's tables by {min(far, key=lambda one: far[one])}: in the "
            f"mean over the data sets it is {distances} away."
        )
    others = [
        one for convention in CONVENTIONS if convention != PAPERS for one in results_sheets(runs, convention)
    ]
    return [said, sheet, *told, *others, *(aggregates_sheet(runs, one) for one in CONVENTIONS if one != PAPERS)]


KNOWN.register("galke2017", Galke2017)
