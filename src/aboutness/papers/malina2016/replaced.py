"""What stands here in place of what the paper used, and why."""

from __future__ import annotations

from aboutness.papers.malina2016.modapte import ModApte
from aboutness.papers.malina2016.testing import PAPER
from aboutness.papers.printed import printed
from aboutness.report.study import Replaced


def replaced(corpus: ModApte, *, dim: int, window: int, analyzer: str, groups: int) -> list[Replaced]:
    """Return what was replaced or chosen, with the numbers of this corpus."""
    documents, single = len(corpus.documents), corpus.single
    table = printed(PAPER)
    theirs, share = (
        table["corpus", row, "count"].paper for row in ("documents", "single-label documents, % of all")
    )
    p_values = sum(name.startswith("dunn p") for name, _, _ in table)
    as_single = (single + corpus.without) / corpus.in_split
    return [
        Replaced(
            f"{theirs:,.0f} documents of Reuters-21578, {share:.0f} % of them with a single label",
            f"{documents:,} documents with one of {len(corpus.categories)} categories, {single:,} "
            f"({single / documents:.1%}) with a single label",
            "The paper's copy of the corpus is not at hand; this one is made from the SGML files by the rule of "
            f"the ModApte split. All of the split are {corpus.in_split:,} documents; were the {corpus.without:,} "
            f"without a category counted as having one, {as_single:.1%} would have a single label. That fits the "
            "paper's numbers, so it may have searched them too: an inference.",
        ),
        Replaced(
            "7 umbrella groups of the 90 categories, not printed",
            f"{groups} groups of the same names, in a data file of this package",
            "They follow the paper's examples and the kinds of topics in the corpus's own list. Results of the "
            "second mission depend on them.",
        ),
        Replaced(
            "TF-IDF with idf below the fraction line",
            "idf multiplies",
            "The paper's text means the inverse of a frequency; dividing by it would weigh common words most.",
        ),
        Replaced(
            "BM25 with constants k and b that can be learned, values not given",
            "k1 = 1.2, b = .75, idf that is never negative, cosine of the weighted vectors",
            "The usual values; nothing is tuned on the queries that are measured.",
        ),
        Replaced(
            "Doc2Vec and Paragraph2Vec, on document-word and word-neighbour edges",
            "ketos-doc2vec: skip-gram on just these edges",
            "It is what the paper describes. Without word edges it is PV-DBOW, which is the paper's DeepWalk: so "
            "PV-DBOW is not run a second time under another name.",
        ),
        Replaced(
            "DeepWalk",
            "skip-gram on document-word edges, and true random walks as a further method",
            "The paper names Perozzi et al. 2014, but describes edges, not walks.",
        ),
        Replaced(
            "weights w . d of words, of which vectors is not said",
            "the word's OUT vector, with which d was trained; and a variant that adds ln 5",
            "Negative sampling makes w . d too small by the logarithm of the number of negatives, here 5. The "
            "variant makes up for it.",
        ),
        Replaced(
            "window, epochs, negatives, preprocessing: not given",
            f"dimension {dim} as in the paper, window {window}, 5 negatives, as many epochs as the size of the "
            f"text asks for, analyzer {analyzer}",
            "The usual values of this package, the same for all methods.",
        ),
        Replaced(
            "R: kruskal.test and dunn.test",
            "the same tests in this package, with R's one-sided p times 21",
            f"The {p_values} p-values that the paper prints follow from its z by that formula.",
        ),
    ]
