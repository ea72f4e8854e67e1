"""The study in its order: corpus, training, rankings, what is measured and tested, and what comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from tempfile import TemporaryDirectory
from typing import ClassVar

from aboutness.core.errors import UsageError
from aboutness.experiment.collection import data_of
from aboutness.experiment.labels import read_groups
from aboutness.papers.malina2016 import parts
from aboutness.papers.malina2016.claims import first_claims
from aboutness.papers.malina2016.evidence import Evidence, means
from aboutness.papers.malina2016.group_claims import group_claims
from aboutness.papers.malina2016.measured import Measured
from aboutness.papers.malina2016.methods import SEVEN, names
from aboutness.papers.malina2016.modapte import NAME, modapte, write_folder
from aboutness.papers.malina2016.replaced import replaced
from aboutness.papers.malina2016.run import Run, Sizes, on_other_queries, run_of
from aboutness.papers.malina2016.shapes import SAMPLES, shape_of
from aboutness.papers.malina2016.testing import PAPER, Tests, agreement, all_tests, dunn_cells
from aboutness.papers.paper import PAPERS, Paper, Work
from aboutness.papers.wording import tally
from aboutness.report.study import Claim, Study

CORPUS = "reuters21578_sgml"


@dataclass(frozen=True)
class Malina2016(Paper):
    """Documents as queries on Reuters-21578: sparse, dense and hybrid vectors compared by cosine."""

    name: ClassVar[str] = PAPER
    reference: ClassVar[str] = "Josh Malina: Evaluating retrieval performance of search algorithms, 2016"

    queries: int = 1000
    dim: int = 100
    window: int = 5
    epochs: int = 0  # as many as the size of the text asks for
    analyzer: str = "english"
    map_documents: int = 3000
    samples: int = SAMPLES  # by which modes are counted

    def study(self, work: Work) -> Study:
        """Do the experiments; return tables, figures and claims with what was found."""
        source = _source(work)
        groups = read_groups(PAPER)
        work.step("reading Reuters-21578")
        corpus = modapte(source)
        sizes = Sizes(self.queries, self.dim, self.window, self.epochs, self.analyzer, work.seed)
        with TemporaryDirectory(prefix="aboutness-") as folder:
            place = str(write_folder(corpus, folder))
            run = run_of(work, corpus, place, groups, sizes)
            fresh = on_other_queries(work, corpus, place, groups, sizes, run)
            checksum = run.on.checksum
            others: dict[str, Measured] = {
                name: run_of(work, corpus, place, groups, one).measured
                for name, one in (other_settings(sizes) if work.full else {}).items()
            }
        documents = len(run.on.only or ())
        work.used[NAME] = data_of(run.on, checksum) | {"source": source, "documents": documents}
        work.step("testing")
        found, seed = run.measured, work.seed
        tests = all_tests(found, seed)
        shapes = {
            name: shape_of(found.same_label.f1[name], seed=seed, samples=self.samples) for name in names(SEVEN)
        }
        evidence = Evidence(found, fresh, tests, shapes, seed)
        claims = [*first_claims(evidence), *group_claims(evidence)]
        every = [
            parts.rules_part(),
            parts.corpus_part(corpus, run, groups, most=self.map_documents, seed=seed),
            parts.first_part(found, shapes, seed),
            parts.second_part(found),
            parts.tests_part(tests),
            parts.paired_part(found, tests, seed),
            parts.ensembles_part(found, fresh, seed),
            *([parts.settings_part({"as above": found, **others}, seed)] if others else []),
            parts.p_values_part(tests),
        ]
        instead = replaced(
            corpus, dim=self.dim, window=self.window, analyzer=self.analyzer, groups=len(set(groups.values()))
        )
        said = _summary(run, tests, claims)
        made = work.made(asdict(self) | {"epochs": self.epochs or "as many as the text asks for"})
        return Study(PAPER, self.reference, said, claims, instead, every, made)


def other_settings(sizes: Sizes) -> dict[str, Sizes]:
    """Return other queries with another start of the training, twice, and other ways of making words."""
    return {
        "other queries, other start": replace(sizes, seed=sizes.seed + 1),
        "others again": replace(sizes, seed=sizes.seed + 2),
        "no stems": replace(sizes, analyzer="galke2017"),
        "no stems, stop words kept": replace(sizes, analyzer="plain"),
    }


def _source(work: Work) -> str:
    """Return the folder with the SGML files."""
    if len(work.on) > 1:
        raise UsageError(f"{PAPER} is done on one collection, Reuters-21578 in SGML, got {len(work.on)}")
    return work.on[0] if work.on else work.collection(CORPUS)


def _summary(run: Run, tests: Mapping[str, Tests], claims: Sequence[Claim]) -> str:
    counts = [agreement(dunn_cells(one)) for one in parts.with_table(tests)]
    return (
        f"{len(run.on.hidden):,} documents of Reuters-21578 ask, {run.found:,} others are ranked by seven "
        f"methods. Mean max F1, same label: {means(run.measured.same_label.f1, names(SEVEN))}. The sign of Dunn's "
        f"z is the paper's in {sum(one.sign for one in counts)} of {sum(one.pairs for one in counts)} pairs, the "
        f"decision in {sum(one.decision for one in counts)}. {tally(claims)}"
    )


PAPERS.register(PAPER, Malina2016)
