"""What the paper used and what stands in its place here, said from what was really read."""

from __future__ import annotations

from statistics import fmean

from aboutness.papers.galke2017.embeddings import GLV, NAMES, W2V
from aboutness.papers.galke2017.runs import D2V, Runs
from aboutness.papers.galke2017.sets import LONG, SHORT, STAND_INS, DataSet
from aboutness.papers.galke2017.tables import PAPER
from aboutness.papers.paper import Work
from aboutness.papers.printed import printed
from aboutness.report.study import Replaced

THEIRS = {
    "scifact": ("NTCIR2", f"English abstracts; topics with a title ({SHORT}) and a description ({LONG})"),
    "yso_econ": ("Economics", "publications with title and full text; concepts of the STW as queries"),
    "reuters21578_apte90": ("Reuters", "stories drawn from RCV1; descriptions of topics as queries"),
}
WHY = {
    "scifact": (
        "NTCIR-2 is licensed; it is read as it is handed out (--on). Here a query is a claim, a whole "
        f"sentence, so that it is set beside the {LONG}. No true match: see the relevant documents of a query."
    ),
    "yso_econ": (
        "The Economics data are not published. Here library titles are annotated with those concepts of "
        "another thesaurus (YSO) that the STW has, too; of frequent concepts not all documents are known. No "
        "full texts."
    ),
    "reuters21578_apte90": (
        "RCV1 is licensed; it is read as it is handed out (--on). Stories here are of 1987, and a query is the "
        "name of a category, often of a commodity that its stories name."
    ),
}
ABOUT = {W2V: "cased words and phrases of GoogleNews", GLV: "cased words of Common Crawl"}
SMALLER = {
    W2V: (
        "The whole file does not come with this package. These are its frequent lower-case words, at length 1: "
        "many queries have words without a vector, or none with one."
    ),
    GLV: (
        "The whole file does not come with this package. These are lower-case words of Wikipedia and Gigaword, "
        "a smaller corpus."
    ),
}


def replaced(work: Work, runs: Runs) -> list[Replaced]:
    """Return what was replaced in a study."""
    sets = [] if work.on else [_data(runs, one, data) for one, data in zip(STAND_INS, runs.sets, strict=True)]
    vectors = [] if work.embeddings else [_vectors(one.key, str(one)) for one in runs.embeddings]
    return [
        *sets,
        *vectors,
        Replaced(
            f"Doc2Vec trained on Wikipedia, {_known('embeddings', D2V, 'words')} words",
            "PV-DBOW, 300 dimensions, trained on the field of the collection that is searched",
            "The authors' model is not to be had. Ours has seen the documents, theirs had not.",
        ),
        Replaced(
            "Average precision as its formula is printed, or as the released code has it",
            "Both, and trec_eval's; claims are decided by the released code's",
            "The printed formula is the mean of the precisions at all ranks; the released code divides by the "
            "number of relevant documents that were retrieved.",
        ),
        Replaced(
            "Words without a vector left out, which was better than random vectors or up-training",
            "Left out; random vectors stand in a table of their own",
            "Up-training was not tried: the paper says of it no more than how many epochs it had at most.",
        ),
        Replaced(
            "Texts in lower case, cased embeddings",
            "A word is looked up as it stands, in lower case",
            "So the paper's words are cut; what other cases of a word would add is in the table of words "
            "without a vector.",
        ),
    ]


def _known(table: str, row: str, column: str) -> str:
    return f"{printed(PAPER)[table, row, column].paper or 0:,.0f}"


def _data(runs: Runs, one: DataSet, data: DataSet) -> Replaced:
    name, about = THEIRS[one.source]
    documents, queries = (_known("data sets", name, column) for column in ("documents", "queries"))
    paper = f"{name}: {documents} documents, {queries} queries"
    comparison = runs.comparisons[data.settings[0]]
    relevant = fmean(sum(grade > 0 for grade in grades.values()) for grades in comparison.qrels.values())
    here = (
        f"{data.name}: {comparison.documents:,} documents ({', '.join(data.fields)}), {comparison.queries:,} "
        f"queries with {relevant:.1f} relevant documents each"
    )
    return Replaced(f"{paper}; {about}", here, WHY[one.source])


def _vectors(key: str, here: str) -> Replaced:
    words, dim = (_known("embeddings", key, column) for column in ("words", "dimensions"))
    return Replaced(f"{NAMES[key]}: {words} {ABOUT[key]}, {dim} dimensions", here, SMALLER[key])
