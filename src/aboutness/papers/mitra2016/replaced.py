"""What the paper used that cannot be had, what stands in its place here, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aboutness.papers.mitra2016.query_text import TrainingQueries
from aboutness.papers.mitra2016.rankings import BODY_TEXT, LSA_ROW, PUBLISHED, QUERIES
from aboutness.papers.mitra2016.stand_ins import BODY, EXPLICIT, FIRST_STAGE, IMPLICIT, StandIn
from aboutness.papers.mitra2016.tables import in_text
from aboutness.report.study import Replaced
from aboutness.vectors.word2vec import Word2Vec


def replaced(
    every: Sequence[StandIn], way: Word2Vec, share: float, queries: TrainingQueries | None
) -> Iterator[Replaced]:
    """Yield what was replaced."""
    sizes = [one.facts for one in every]
    judged, clicked = (in_text(f"{kind} judgements", "queries") for kind in (EXPLICIT, IMPLICIT))
    lengths = " and ".join(f"{of['words of a query']:.1f}" for of in sizes)
    yield Replaced(
        f"Two test sets from Bing's logs: {judged:,.0f} queries judged on five grades, and {clicked:,.0f} queries "
        "with clicks.",
        "; ".join(
            f"{one.name} for the {one.kind} judgements: {of['documents']:,} documents, "
            f"{of['test queries']:,} test queries"
            for one, of in zip(every, sizes, strict=True)
        )
        + ".",
        "The logs are not published. A collection with several grades stands in for the judged set, one with a "
        f"single grade for the clicks. They are smaller, of one domain each; their queries have {lengths} words "
        f"in the mean. {prepared(every)}".strip(),
    )
    yield Replaced(
        f"Word vectors trained on {in_text(BODY_TEXT, 'sentences'):,.0f} sentences of web pages; with which "
        "window, how many negatives and how often the text is read is not said.",
        f"CBOW with as many dimensions, trained on each collection's own text with a window of {way.window} and "
        f"{way.negatives} negatives: " + "; ".join(map(_trained, every)) + ".",
        "The sentences are not published. There is less text here by a factor of thousands, so that these vectors "
        "know far less, most of all of rare words.",
    )
    yield Replaced(
        f"Word vectors trained on {in_text(QUERIES, 'queries'):,.0f} queries.",
        _query_vectors(every, queries),
        "The queries are not published. With a file of queries (--queries) or the published IN and OUT vectors "
        "(--embedding) these rows are tested.",
    )
    yield Replaced(
        "Candidates: what Bing returned, about "
        f"{in_text(f'{EXPLICIT} judgements', 'documents') / judged:.0f} documents for a query of the judged set.",
        "; ".join(f"{one.name}: {one.telescoping}" for one in every) + ".",
        f"Bing's lists are not published. As the paper's first stage, {FIRST_STAGE} is a strong ranker, and not "
        "BM25 alone. Where half of the judged documents or more are judged irrelevant, these are the candidates.",
    )
    yield Replaced(
        f"Parameters chosen on {in_text('tuning', 'queries'):,.0f} further queries with clicks.",
        f"Parameters of each collection chosen on {share:.0%} of its own queries; the others are tested.",
        "There are no further queries. No test query has a say in what is chosen here. The recipe of "
        f"{FIRST_STAGE}, which finds candidates, was chosen before on seven collections, all queries of nfcorpus "
        "and scifact among them.",
    )
    yield Replaced(
        "A test of significance that is not named.",
        "Fisher's randomisation test, paired and two-sided, not corrected for the number of tests.",
        "It assumes nothing about how the values are distributed.",
    )
    yield Replaced(
        f"LSA trained on {in_text(LSA_ROW, 'documents'):,.0f} web pages; in which form it scores is not said.",
        "LSA of each collection in its textbook form (cosine in the dimensions of U S, Deerwester et al. 1990), "
        "and besides in the form that this package takes unless said.",
        "The pages are not published, and the form makes a large difference.",
    )
    yield Replaced(
        "Words and passages chosen by hand, from Wikipedia (tables 1 and 2, figure 3).",
        "Words and passages of the collections, chosen by counts and judgements, and never by what is tested.",
        "Vectors trained here do not know the paper's words well; and what is chosen by a rule can be repeated "
        "for many words.",
    )


def prepared(every: Sequence[StandIn]) -> str:
    """Return in words which texts come prepared: without stop words, which the others have."""
    return " ".join(
        f"The documents of {one.name} come without stop words{' and in lower case' * one.lower_case}."
        for one in every
        if one.without_stop_words
    )


def _trained(one: StandIn) -> str:
    made = one.index.vectors(BODY).provenance
    return f"{one.name} {made['tokens']:,} words, read {made['epochs']} times"


def _query_vectors(every: Sequence[StandIn], queries: TrainingQueries | None) -> str:
    """Return what stands in for the vectors that were trained on queries."""
    said = []
    if queries is not None:
        said.append(
            f"{len(queries.texts):,} queries of a file; {queries.dropped:,} of its lines are test queries and "
            "were not trained on."
        )
    if PUBLISHED in every[0].sources:
        said.append("The word vectors that were given.")
    return " ".join(said) or "None: these rows cannot be tested here."
