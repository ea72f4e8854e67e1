"""What the paper says, and whether it holds here: each by a rule, on every stand-in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from aboutness.experiment.samples import RANDOM
from aboutness.papers.mitra2016.evidence import Told
from aboutness.papers.mitra2016.features import Sampled
from aboutness.papers.mitra2016.passages import CHECKS, NEAR, REPLACED, STUFFED, Perturbed
from aboutness.papers.mitra2016.rankings import (
    BM25_ROW,
    BODY_TEXT,
    LSA_ROW,
    PUBLISHED,
    QUERIES,
    Measured,
    row_of,
)
from aboutness.papers.mitra2016.stand_ins import CUTS, DEEPEST, EXPLICIT, IMPLICIT
from aboutness.papers.mitra2016.tables import NAME
from aboutness.papers.mitra2016.words import ALIKE, Neighbourhoods
from aboutness.papers.mitra2016.words import NEAR as TOGETHER
from aboutness.papers.printed import printed
from aboutness.papers.wording import verdict
from aboutness.report.numbers import LEVEL
from aboutness.report.study import Claim, Verdict

RULE = (
    "A claim about two rankers holds where the mean of the one it favours is higher and p < .05 (Fisher's "
    "randomisation test, paired, two-sided; NDCG@10 for rankings) on every stand-in; else it does not hold. Two "
    "rules were made stricter after a first run: the best ranker must be better than the next with p < .05, too, "
    "and figure 3 is held against what lengths alone tell."
)
DUAL = ("DESM (IN-IN)", "DESM (IN-OUT)")  # names in figures
TERMS = "BM25"
NEIGHBOURS = {
    ("in-out", "in-in", TOGETHER): (
        "IN-OUT neighbours of a word are topical: they stand together with it more often than IN-IN neighbours.",
        "Normalised mutual information within the window",
    ),
    ("in-in", "in-out", ALIKE): (
        "IN-IN neighbours of a word are typical: they stand in more similar company than IN-OUT neighbours.",
        "Cosine of what words stand together with",
    ),
}
ABOUT = {
    "judgements": "IN-OUT tells a text that is relevant for a query from another with its rarest word as often.",
    "titles": "IN-OUT tells a text about a word, which is in its title, from one that only mentions it as often.",
}
PASSAGES = {
    (REPLACED, STUFFED): "DESM resists keyword stuffing: a passage about a word with the word taken out scores "
    "higher than one about something else with the word put in.",
    (NEAR, STUFFED): "DESM takes a passage about a near neighbour, which lacks the word, for relevant: above one "
    "that is stuffed with the word.",
}


def p_text(p_value: float) -> str:
    """Return a p-value as it is printed."""
    return "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}".replace("0.", ".")


def compared(every: Sequence[Measured], better: str, worse: str, *, telescoped: bool) -> tuple[bool, str]:
    """Return whether one row is better than another on every stand-in, and the numbers in words."""
    holds, said = [], []
    for one in every:
        found = one.against(better, worse, DEEPEST, telescoped=telescoped)
        holds.append(found.difference > 0 and found.p_value < LEVEL)
        means = [one.mean(row, DEEPEST, telescoped=telescoped) for row in (better, worse)]
        said.append(
            f"{one.stand_in.name}: {means[0]:.1f} against {means[1]:.1f} ({p_text(found.p_value)}; "
            f"{_papers(one, better, worse, telescoped=telescoped)})"
        )
    return all(holds), f"NDCG@10 of {better} against {worse}, {'; '.join(said)}."


def _papers(one: Measured, better: str, worse: str, *, telescoped: bool) -> str:
    """Return the paper's own two numbers, with the marks that it gives them."""
    column = f"{one.stand_in.kind} NDCG@{CUTS[-1]}"
    rows = (row.replace(PUBLISHED, f"trained on {QUERIES}") for row in (better, worse))
    found = [printed(NAME)["3" if telescoped else "4", row, column] for row in rows]
    return "paper " + " against ".join(f"{value.paper:.2f}{value.paper_mark}" for value in found)


def source_of(every: Sequence[Measured]) -> str:
    """Return what the vectors that claims are tested with are trained on: queries, where there are some."""
    return next(one for one in (QUERIES, PUBLISHED, BODY_TEXT) if one in every[0].stand_in.sources)


def ranking_claims(every: Sequence[Measured]) -> Iterator[Claim]:
    """Yield the claims about tables 3 and 4."""
    source = source_of(every)
    in_in, in_out = (row_of(space, source) for space in ("in-in", "in-out"))
    mixed = row_of("in-out", source, mixed=True)
    pairs = (
        ("DESM IN-OUT re-ranks the first documents of a strong ranker better than BM25.", "abstract; table 3",
         in_out, BM25_ROW, True),
        ("DESM IN-OUT re-ranks them better than LSA.", "section 4; table 3", in_out, LSA_ROW, True),
        ("IN-OUT is better than IN-IN in the telescoping setting.", "section 4; table 3", in_out, in_in, True),
        ("Over all documents DESM IN-OUT alone is prone to false positives: it is worse than BM25.",
         "abstract; table 4", BM25_ROW, in_out, False),
        ("Over all documents DESM IN-IN alone is worse than BM25, too.", "section 4; table 4",
         BM25_ROW, in_in, False),
        ("Over all documents IN-OUT suffers more than IN-IN.", "table 4", in_in, in_out, False),
        ("Over all documents LSA is worse than BM25.", "table 4", BM25_ROW, LSA_ROW, False),
        ("The mixture of BM25 and DESM IN-OUT solves it: over all documents it is better than BM25.",
         "abstract; table 4", mixed, BM25_ROW, False),
    )  # fmt: skip
    for says, where, better, worse, telescoped in pairs:
        holds, found = compared(every, better, worse, telescoped=telescoped)
        yield Claim(says, where, verdict(holds=holds), found)
    yield _best(every, mixed)
    yield _lsa(every)
    yield _alone(every)
    yield _queries(every)


def _best(every: Sequence[Measured], mixed: str) -> Claim:
    holds, said = [], []
    for one in every:
        means = {row: one.mean(row, DEEPEST, telescoped=False) for row in one.everything}
        rival = max((row for row in means if row != mixed), key=means.__getitem__)
        tested = one.against(mixed, rival, DEEPEST, telescoped=False)
        holds.append(tested.difference > 0 and tested.p_value < LEVEL)
        said.append(
            f"{one.stand_in.name}: {means[mixed]:.2f}, the best other is {rival} with {means[rival]:.2f} "
            f"({p_text(tested.p_value)})"
        )
    return Claim(
        "Over all documents the mixture with IN-OUT is the best of all rankers.", "section 4; table 4",
        verdict(holds=all(holds)), f"NDCG@10 of {mixed}, {'; '.join(said)}.",
    )  # fmt: skip


def _lsa(every: Sequence[Measured]) -> Claim:
    holds, said = [], []
    for one in every:
        found = one.against(LSA_ROW, BM25_ROW, DEEPEST, telescoped=True)
        wanted = 1 if one.stand_in.kind == IMPLICIT else -1
        holds.append(wanted * found.difference > 0 and found.p_value < LEVEL)
        said.append(
            f"{one.stand_in.name} ({one.stand_in.kind}): {100 * found.difference:+.1f} ({p_text(found.p_value)})"
        )
    return Claim(
        f"In the telescoping setting LSA gains over BM25 by {IMPLICIT} judgements and loses by {EXPLICIT} ones.",
        "section 4; table 3", verdict(holds=all(holds)), f"Difference in NDCG@10, {'; '.join(said)}.",
    )  # fmt: skip


def _alone(every: Sequence[Measured]) -> Claim:
    said = [
        f"{one.stand_in.name}: {one.alpha(row, telescoped=True):.2f} for {row.removeprefix('BM25 + ')}"
        for one in every
        for row in one.mixed
    ]
    holds = all(one.alpha(row, telescoped=True) == 1 for one in every for row in one.mixed)
    return Claim(
        "Tuned in the telescoping setting, the mixture becomes DESM alone (alpha 1).", "section 4",
        verdict(holds=holds),
        f"The best alpha for the training queries, {'; '.join(said)}. It holds where all are 1.",
    )  # fmt: skip


def _queries(every: Sequence[Measured]) -> Claim:
    says, where = "Vectors trained on queries are better than those trained on body text.", "section 4; table 3"
    source = source_of(every)
    if source == BODY_TEXT:
        found = "There is no file of queries here and no pair of published vectors: give one."
        return Claim(says, where, Verdict.UNTESTED, found)
    holds, found = compared(every, row_of("in-out", source), row_of("in-out", BODY_TEXT), telescoped=True)
    return Claim(says, where, verdict(holds=holds), found)


def word_claims(found: Neighbourhoods) -> Iterator[Claim]:
    """Yield the claims about table 1."""
    for (better, worse, kind), (says, measure) in NEIGHBOURS.items():
        tested = found.against(better, worse, kind)
        means = [f"{pair.upper()} {found.means[pair][kind].mean():.3f}" for pair in (better, worse)]
        yield Claim(
            says, "section 2.2; table 1", verdict(holds=tested.difference > 0 and tested.p_value < LEVEL),
            f"{measure}, mean over {found.words:,} words and their {found.neighbours} nearest: "
            f"{', '.join(means)} ({p_text(tested.p_value)}).",
        )  # fmt: skip


def no_words() -> list[Claim]:
    """Return the claims about table 1 where no word is frequent enough."""
    why = "No word is frequent enough to be trained well."
    return [Claim(says, "section 2.2; table 1", Verdict.UNTESTED, why) for says, _ in NEIGHBOURS.values()]


def passage_claims(found: Perturbed) -> Iterator[Claim]:
    """Yield the claims about table 2."""
    for (higher, lower), says in PASSAGES.items():
        check = next(one for one in CHECKS if (one.higher, one.lower) == (higher, lower))
        said, holds = [], []
        for column in ("IN-OUT", "IN-IN", TERMS):
            tested, count = found.tested(column, check), found.holds(column, check)
            said.append(f"{column} in {count} ({p_text(tested.p_value)})")
            if column != TERMS:
                holds.append(2 * count > len(found.triples) and tested.p_value < LEVEL)
        yield Claim(
            says, "section 2.2; table 2", verdict(holds=all(holds)),
            f"Of {len(found.triples)} triples of words so: {', '.join(said)}; sign test.",
        )  # fmt: skip


def no_passages() -> list[Claim]:
    """Return the claims about table 2 where there are no passages."""
    return [
        Claim(says, "section 2.2; table 2", Verdict.UNTESTED, "No passages are found.")
        for says in PASSAGES.values()
    ]


def evidence_claim(found: Mapping[str, Told], way: str, without: Sequence[str] = ()) -> Claim:
    """Return the claim about figure 3, where a text is about a word by judgements, or by titles.

    BM25 has nothing but the lengths to tell such texts apart by: IN-OUT must do better than chance and than that.
    `without` are the stand-ins that have no such texts.
    """
    says, where = ABOUT[way], "section 2.2; figure 3"
    if not found:
        return Claim(says, where, Verdict.UNTESTED, "There are no such texts.")
    said, holds = [], []
    for stand_in, told in found.items():
        tests = told.tested(DUAL[1]), told.tested(DUAL[1], TERMS)
        holds.append(all(test.difference > 0 and test.p_value < LEVEL for test in tests))
        share, by_length = (100 * fmean(told.shares[name]) for name in (DUAL[1], TERMS))
        said.append(
            f"{stand_in}: {share:.1f} % of {told.pairs:,} pairs (chance is 50 %, {p_text(tests[0].p_value)}; "
            f"BM25, which can only tell their lengths apart, has {by_length:.1f} %, {p_text(tests[1].p_value)})"
        )
    lacking = "".join(f" {name} has no such texts." for name in without)
    shown = (
        f"The text that is about it comes first, {'; '.join(said)}. It holds where IN-OUT is above chance and "
        f"above BM25.{lacking}"
    )
    return Claim(says, where, verdict(holds=all(holds)), shown)


def separation_claims(every: Sequence[Sampled]) -> Iterator[Claim]:
    """Yield the claims about figures 4 and 5."""
    yield _separated(
        every, "IN-OUT separates relevant from irrelevant candidates better than BM25 and IN-IN.",
        DUAL[1], (TERMS, DUAL[0]), random=False,
    )  # fmt: skip
    yield _separated(
        every, "BM25 separates random documents from relevant ones better than DESM.", TERMS, DUAL, random=True
    )
    zeros = {one.stand_in.name: [one.zero(name, RANDOM) for name in (TERMS, *DUAL)] for one in every}
    yield Claim(
        "Most random documents have a BM25 score of 0, where DESM gives a range of scores.", "figure 5",
        verdict(holds=all(of[0] > 0.5 and max(of[1:]) < 0.5 for of in zeros.values())),
        "Share of random documents with the score 0, "
        + "; ".join(
            f"{name}: BM25 {of[0]:.0%}, IN-IN {of[1]:.0%}, IN-OUT {of[2]:.0%}" for name, of in zeros.items()
        )
        + f". It holds where most have it with BM25 and few with DESM. {_stop_words(every)}",
    )  # fmt: skip


def _stop_words(every: Sequence[Sampled]) -> str:
    """Return in words what the share of zeros depends on: most texts share a stop word with a query, if any."""
    counts = "; ".join(
        f"{one.name}: {one.stop_words:.1f}{', for its texts come without them' * one.without_stop_words}"
        for one in (sampled.stand_in for sampled in every)
    )
    return f"It depends on stop words, which rankers keep; different ones in a document, {counts}."


def _separated(every: Sequence[Sampled], says: str, best: str, rivals: Sequence[str], *, random: bool) -> Claim:
    """Return the claim that one ranker separates relevant documents from others better than its rivals do."""
    holds, said = [], []
    for one in every:
        other = RANDOM if random else one.irrelevant
        if not one.has(other):
            found = f"{one.stand_in.name} has no query with relevant candidates and others: {one.shown[other]}."
            return Claim(says, "section 4; figure 4", Verdict.UNTESTED, found)
        means = [f"{name} {one.mean_area(name, other):.3f}" for name in (best, *rivals)]
        tests = [one.against(best, rival, other) for rival in rivals]
        holds.append(all(test.difference > 0 and test.p_value < LEVEL for test in tests))
        p_values = ", ".join(p_text(test.p_value) for test in tests)
        said.append(f"{one.stand_in.name}: {', '.join(means)} ({p_values})")
    found = f"Area under the ROC curve, {'; '.join(said)}."
    return Claim(says, "section 4; figure 4", verdict(holds=all(holds)), found)
