"""ai2016, done again: the order of the study."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from itertools import islice
from threading import Event, Lock
from typing import ClassVar

from aboutness.app.index import Index
from aboutness.core.errors import UsageError
from aboutness.core.threads import checked_threads
from aboutness.papers.ai2016.cases import GOV2, ROBUST, Case, all_opened, opened, papers_own
from aboutness.papers.ai2016.compared import Compared
from aboutness.papers.ai2016.measuring import ANALYZER, OnCollection
from aboutness.papers.ai2016.norms import Growth, growth
from aboutness.papers.paper import PAPERS, Paper, Work
from aboutness.report.study import Study
from aboutness.text.analyzers import analyzer

MOST_GROWN = 5_000  # documents whose vectors are looked at as they grow
GALAGO_MU, GOV2_ETA = 1500.0, 0.2
TENTHS = tuple(number / 10 for number in range(10))


@dataclass(frozen=True)
class Ai2016(Paper):
    """Language models on topics and on paragraph vectors, which re-rank what query likelihood finds.

    Fields are the paper's sizes or, where it prints none (mu, lambdas, epochs, iterations, growth), ours. `epochs`
    0 is what the trainers declare: more for small collections. Above `sample` documents, the others are inferred.
    """

    name: ClassVar[str] = "ai2016"
    reference: ClassVar[str] = (
        "Qingyao Ai, Liu Yang, Jiafeng Guo, W. Bruce Croft: Improving Language Estimation with the Paragraph "
        "Vector Model for Ad-hoc Retrieval. SIGIR 2016"
    )

    collections: tuple[str, ...] = ("cranfield", "cisi", "cacm", "vaswani_npl", "nfcorpus_preprocessed", "scifact")
    dim: int = 300
    topics: int = 300
    iterations: int = 400
    epochs: int = 0
    sample: int = 500_000
    candidates: int = 2_000
    depth: int = 1_000
    folds: int = 5
    lambdas: tuple[float, ...] = TENTHS
    mu: float = 300.0
    mus: tuple[float, ...] = (100.0, 300.0, 500.0, 1000.0, 1500.0, 2500.0)
    gamma: float = 10.0
    eta: float = 0.1
    gammas: tuple[float, ...] = (1.0, 10.0, 100.0)
    etas: tuple[float, ...] = TENTHS[1:]
    growth: tuple[int, ...] = (5, 10, 20, 40, 80)
    permutations: int = 100_000

    def on(self, papers_own: str) -> Ai2016:
        """Return the sizes for a collection: the paper's own for its two.

        Robust04 is trained on as a whole, and GOV2 has another eta. mu is then what Galago has unless told.
        """
        if papers_own == ROBUST:
            return replace(self, mu=GALAGO_MU, sample=0)
        return replace(self, mu=GALAGO_MU, eta=GOV2_ETA) if papers_own == GOV2 else self

    def study(self, work: Work) -> Study:
        """Do the paper's experiments; return its tables, figures and claims with what was found."""
        from aboutness.papers.ai2016.writing import written

        analyzer(ANALYZER).terms("installed")  # or say now what is to be installed
        if find_spec("tomotopy") is None:
            raise UsageError("ai2016 compares with topics (lda-lm); run: pip install 'aboutness[krovetz,topics]'")
        compared = Compared(self._cases(work), self.permutations, work.seed)
        grown = self._growth(work)
        work.step("tests and tables")
        return written(self, work, compared, grown)

    def _cases(self, work: Work) -> list[Case]:
        """Return all collections with all models, as many collections at a time as there are threads."""
        every = all_opened(work, work.on or self.collections)
        stop, gate, lock, done = Event(), Lock(), Lock(), dict.fromkeys((one.name for one in every), 0.0)

        def measured(number: int) -> list[Case]:
            whole = every[number]

            def told(what: str, models: float) -> None:
                with lock:
                    done[whole.name] = models / (len(on.rungs) or 1)
                    work.step(what, sum(done.values()) / len(every))

            on = OnCollection(self.on(papers_own(whole.source)), work, whole, told, stop, gate)
            return on.cases()

        threads = min(checked_threads(work.threads), len(every))
        with ThreadPoolExecutor(threads) as pool:  # each model is trained by one thread: the same every time
            try:  # those that come last are the largest: they begin
                running = {number: pool.submit(measured, number) for number in reversed(range(len(every)))}
                for one in wait(running.values(), return_when=FIRST_EXCEPTION).done:
                    one.result()  # or raise what went wrong
                return [case for number in range(len(every)) for case in running[number].result()]
            finally:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)

    def _growth(self, work: Work) -> Growth:
        whole = opened(work, (work.on or self.collections)[0])
        work.step(f"{whole.name}: lengths of vectors")
        index = Index.build(islice(whole.documents(), MOST_GROWN), analyzer=ANALYZER)
        return growth(self, work.seed, whole.name, index.view())

    @property
    def parameters(self) -> dict[str, object]:
        """Return all sizes as a report tells them."""
        return asdict(self) | {"epochs": self.epochs or "as many as the text needs"}


PAPERS.register("ai2016", Ai2016)
