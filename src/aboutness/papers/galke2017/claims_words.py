"""Claims on short and long texts, on the two embeddings, and on words without a vector."""

from __future__ import annotations

from collections.abc import Callable

from aboutness.papers.galke2017.embeddings import GLV, W2V
from aboutness.papers.galke2017.evidence import ALIKE, Evidence, claim, names
from aboutness.papers.galke2017.runs import BY_WORDS, IWCS, RANDOM, TFIDF, WCS, WITHOUT_TOP
from aboutness.papers.galke2017.tables import PAPER
from aboutness.papers.printed import printed
from aboutness.report.study import Claim


def titles(evidence: Evidence) -> Claim:
    """Decide whether titles are searched better than longer fields."""
    runs = evidence.runs
    says = "Titles are searched better than abstracts or full texts, by all models but Doc2Vec."
    short_ones, longer = evidence.both_fields
    if not short_ones:
        return claim(says, "section 5", None, "No data set has titles and longer fields here.")
    means = {
        model: (runs.average(runs.of(model), short_ones), runs.average(runs.of(model), longer))
        for model in (TFIDF, *BY_WORDS)
    }
    told = "; ".join(f"{model} {short:.3f} and {long:.3f}" for model, (short, long) in means.items())
    found = f"Titles and longer fields of {names(short_ones)}: {told}."
    rule = "each of these models has a higher mean of MAP on titles"
    return claim(says, "section 5", all(short > long for short, long in means.values()), found, rule)


def short_texts(evidence: Evidence) -> Claim:
    """Decide whether IWCS is stronger on titles, compared with TF-IDF."""
    runs = evidence.runs
    says = "Embedding-based models are of advantage on short texts: against TF-IDF, IWCS is stronger on titles."
    short_ones, longer = evidence.both_fields
    if not short_ones:
        return claim(says, "section 6", None, "No data set has titles and longer fields here.")
    short, long = (
        runs.average(runs.of(IWCS), some) / (runs.average(runs.of(TFIDF), some) or 1)
        for some in (short_ones, longer)
    )
    found = (
        f"IWCS has {100 * short:.0f} % of TF-IDF's MAP on titles and {100 * long:.0f} % on longer fields of "
        f"{names(short_ones)}."
    )
    return claim(says, "section 6", short > long, found, "the share is larger on titles")


def word2vec(variant: str, says: str) -> Callable[[Evidence], Claim]:
    """Return what decides whether Word2Vec is preferable to GloVe."""

    def make(evidence: Evidence) -> Claim:
        runs = evidence.runs
        words = {one.key: one.words for one in runs.embeddings}
        if not {W2V, GLV} <= words.keys() or (variant and not runs.shared):
            return claim(says, "section 6", None, "There are no two such embeddings here.")
        ours, other = (runs.average(runs.of(IWCS, variant, key)) for key in (W2V, GLV))
        dims = {one.key: one.dim for one in runs.embeddings}
        theirs = [printed(PAPER)["embeddings", key, "dimensions"].paper for key in (W2V, GLV)]
        vocabulary = (
            f"Both have the same {runs.shared:,} words"
            if variant
            else f"Word2Vec has {words[W2V]:,} words here and GloVe {words[GLV]:,}"
        )
        found = (
            f"IWCS has {ours:.3f} with Word2Vec and {other:.3f} with GloVe in the mean of all settings. "
            f"{vocabulary}; of {dims[W2V]} and {dims[GLV]} dimensions (in the paper {theirs[0]:.0f} and "
            f"{theirs[1]:.0f})."
        )
        if dims[W2V] != dims[GLV]:
            found += " What differs in size, too, cannot tell which of the two is preferable."
            return claim(says, "section 6", None, found)
        return claim(says, "section 6", ours > other, found, "higher mean of MAP with Word2Vec")

    return make


def without_top(evidence: Evidence) -> Claim:
    """Decide whether all-but-the-top does not help."""
    runs = evidence.runs
    after = [method for model in BY_WORDS for method in runs.of(model, WITHOUT_TOP)]
    ours, other = runs.average(after), runs.average(one._replace(variant="") for one in after)
    found = f"The mean MAP of all models on embeddings is {ours:.3f} with it and {other:.3f} without."
    says = "All-but-the-top post-processing of the embeddings does not improve the results."
    return claim(says, "section 4", ours <= other + ALIKE, found, f"at most {ALIKE:g} more in the mean")


def unknown_words(evidence: Evidence) -> Claim:
    """Decide whether unknown words are better left out."""
    runs = evidence.runs
    random = [method for model in (WCS, IWCS) for method in runs.of(model, RANDOM)]
    ours, other = runs.average(one._replace(variant="") for one in random), runs.average(random)
    each = "; ".join(
        f"{one.name} {runs.average(runs.of(IWCS, '', one.key)):.3f} and "
        f"{runs.average(runs.of(IWCS, RANDOM, one.key)):.3f}"
        for one in runs.embeddings
    )
    found = (
        f"Mean MAP of WCS and IWCS is {ours:.3f} without such words and {other:.3f} with random vectors for "
        f"them (IWCS with {each}): a random vector finds the same word again. Up-training was not tried."
    )
    says = "Words without a vector are better left out than given random vectors."
    return claim(says, "section 4", ours >= other, found, "at least as high a mean of MAP")
