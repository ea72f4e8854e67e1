"""A web page that shows why documents have their scores: their words marked, side by side, and all numbers.

The page is one file that loads nothing. It can be read without its script, which adds the choice of ranker, the
threshold over similarities (mitra2016, fig. 3) and what a word's mark comes from.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from aboutness.models.ranking import Explanation, Part, short_names
from aboutness.report.marks import Explained, Mark, Marked, Reason, marked, threshold
from aboutness.report.markup import as_data, as_text, asset
from aboutness.report.paragraphs import paragraphs

MOST_ROWS = 200  # of a table of parts
LONG = 5000  # marked words of a text that is laid out only where it is looked at
STEP = 0.001  # of the threshold

MINUS = "\u2212"


@dataclass(frozen=True)
class _Ranker:
    """What the documents of a page have in common for one ranker."""

    name: str
    strongest: float  # the greatest share of a word
    threshold: tuple[float, float, float] | None  # and the least and greatest that can be chosen

    def strength(self, mark: Mark) -> float:
        """Return how strongly a word is marked, from -1 to 1."""
        if not math.isfinite(mark.share):
            return math.copysign(1.0, mark.share)
        return mark.share / self.strongest if self.strongest else 0.0


def page(query: str, documents: Sequence[Explained]) -> str:
    """Return the page for some documents, each with reasons by the same rankers."""
    marks = [marked(document, query) for document in documents]
    names = [reason.ranker for reason in documents[0].reasons] if documents else []
    rankers = [_ranker(name, number, marks) for number, name in enumerate(names)]
    return asset("explained.html").format(
        query=as_text(query),
        style=asset("page.css") + asset("explained.css"),
        script=asset("explained.js"),
        options="".join(f'<option value="{i}">{as_text(one.name)}</option>' for i, one in enumerate(rankers)),
        step=STEP,
        cards="\n".join(
            _card(number, document, one, rankers)
            for number, (document, one) in enumerate(zip(documents, marks, strict=True))
        ),
        data=_data(documents, marks, rankers),
    )


def _ranker(name: str, number: int, marks: Sequence[Marked]) -> _Ranker:
    shares = [abs(mark.share) for one in marks for mark in one.marks[number] if math.isfinite(mark.share)]
    found = threshold(marks, number)
    if found is not None:  # all three are places where the slider can stand
        low, high = math.floor(found[1] / STEP) * STEP, math.ceil(found[2] / STEP) * STEP
        found = (round(found[0], 3), round(low, 3), round(high, 3))
    return _Ranker(name, max(shares, default=0.0), found)


# --- a document -----------------------------------------------------------------------------------------------


def _card(number: int, document: Explained, found: Marked, rankers: Sequence[_Ranker]) -> str:
    title, *others = _fields(document)
    heading = " ".join(_paragraphs(document, found, title, rankers)) if title else as_text(document.id)
    below = f'<p class="id">{as_text(document.id)}</p>\n' if title else ""
    texts = "\n".join(
        (f"<h3>{as_text(name)}</h3>\n" if len(others) > 1 else "")
        + "\n".join(f"<p>{one}</p>" for one in _paragraphs(document, found, name, rankers))
        for name in others
    )
    scores = "".join(
        f'<tr data-r="{place}"><th scope="row">{as_text(reason.ranker)}</th>'
        f"<td>{shown_number(reason.explanation.score)}</td></tr>"
        for place, reason in enumerate(document.reasons)
    )
    reasons = "\n".join(_reason(place, reason) for place, reason in enumerate(document.reasons))
    long = " long" if sum(found.counts) > LONG else ""
    return f"""<article aria-labelledby="title-{number}">
<h2 id="title-{number}" dir="auto" lang="">{heading}</h2>
{below}<table class="scores"><caption>score</caption><tbody>{scores}</tbody></table>
<p class="count"></p>
<div class="text{long}" dir="auto" lang="" tabindex="0" role="group"
 aria-label="text; arrow keys go from word to word">
{texts}
</div>
{reasons}
</article>"""


def _fields(document: Explained) -> list[str]:
    """Return the name of the title field, or nothing in its place, and those of the others that hold text."""
    names = [name for name, text in document.fields.items() if text.strip()]
    title = "title" if "title" in names else ""
    return [title, *(name for name in names if name != "title")]


def _paragraphs(document: Explained, found: Marked, field: str, rankers: Sequence[_Ranker]) -> Iterator[str]:
    """Yield the text with its words marked as they are at first: by what they add, with the first ranker."""
    looks = [
        _look(mark, ranker.strength(mark))
        for ranker, marks in zip(rankers[:1], found.marks[:1], strict=True)
        for mark in marks
    ]
    for pieces in paragraphs(document.fields[field], found.words[field]):
        yield "".join(
            as_text(text) if kind is None else f'<span {looks[kind]} data-k="{kind}">{as_text(text)}</span>'
            for text, kind in pieces
        )


def _look(mark: Mark, strength: float) -> str:
    sign = " pos" if strength > 0 else " neg" if strength < 0 else ""
    own = " own" if mark.own else ""
    style = f' style="--s:{abs(strength):.3f}"' if strength else ""
    return f'class="w{sign}{own}"{style}'


# --- the parts of a score -------------------------------------------------------------------------------------


def _reason(place: int, reason: Reason) -> str:
    why = reason.explanation
    parts = sorted(why.parts, key=lambda part: -abs(part.value))
    details = _detail_names(parts)
    mixed, short = any(part.by for part in parts), short_names(part.by for part in parts)
    columns = 1 + mixed + len(details)  # besides the first
    largest = max((abs(part.value) for part in parts if math.isfinite(part.value)), default=0.0)
    head = "".join(f'<th scope="col">{as_text(_label(name))}</th>' for name in details)
    rows = "\n".join(_row(part, largest, details, short[part.by] if mixed else None) for part in parts[:MOST_ROWS])
    if rest := parts[MOST_ROWS:]:
        total = shown_number(Explanation(0, tuple(rest)).total)
        rows += f'\n<tr><th scope="row">{len(rest):,} more</th><td colspan="{columns}">{total}</td></tr>'
    by = '<th scope="col">by</th>' if mixed else ""
    formula = f'<p class="formula">score = {as_text(why.formula)}</p>' if why.formula else ""
    name = as_text(reason.ranker)
    return f"""<section class="why" data-r="{place}">
<h3>{name}</h3>
{formula}
<div class="scroll" tabindex="0" role="group" aria-label="parts of the score, {name}">
<table class="parts">
<thead><tr><th scope="col">part</th><th scope="col">adds</th>{by}{head}</tr></thead>
<tbody>
{rows}
</tbody>
</table></div>
<p class="sum">sum of the parts <b>{shown_number(why.total)}</b>, score <b>{shown_number(why.score)}</b></p>
</section>"""


def _row(part: Part, largest: float, details: Sequence[str], by: str | None) -> str:
    size = abs(part.value) / largest if largest and math.isfinite(part.value) else float(part.value != 0)
    sign = "pos" if part.value > 0 else "neg"
    bar = f'<span class="bar {sign}" style="--s:{size:.3f}"></span>'
    cells = "".join(f"<td>{_detail(part, name)}</td>" for name in details)
    who = "" if by is None else f'<td class="by" title="{as_text(part.by)}">{as_text(by)}</td>'
    return (
        f'<tr><th scope="row"><bdi>{as_text(part.name)}</bdi></th>'
        f"<td>{shown_number(part.value)}{bar}</td>{who}{cells}</tr>"
    )


def _detail_names(parts: Sequence[Part]) -> list[str]:
    return list(dict.fromkeys(name for part in parts for name in part.details))


def _label(name: str) -> str:
    return name.replace("_", " ")


def _detail(part: Part, name: str) -> str:
    return shown_number(part.details[name]) if name in part.details else ""


def shown_number(value: float) -> str:
    """Return a number as people read it."""
    if not math.isfinite(value):
        return "nan" if math.isnan(value) else "∞" if value > 0 else f"{MINUS}∞"
    whole = float(value).is_integer()
    text = f"{value + 0.0:,.0f}" if whole else f"{value:,.4f}" if abs(value) >= 0.001 else f"{value:.2g}"
    return text.replace("-", MINUS)


# --- what the script reads ------------------------------------------------------------------------------------


def _data(documents: Sequence[Explained], marks: Sequence[Marked], rankers: Sequence[_Ranker]) -> str:
    """Return what the script reads, as JSON that can stand within a page."""
    plain = {
        "rankers": [{"threshold": ranker.threshold} for ranker in rankers],
        "documents": [
            [
                _plain_reason(reason, ranker, of_reason)
                for reason, ranker, of_reason in zip(document.reasons, rankers, found.marks, strict=True)
            ]
            for document, found in zip(documents, marks, strict=True)
        ],
    }
    return as_data(plain)


def _plain_reason(reason: Reason, ranker: _Ranker, marks: Sequence[Mark]) -> dict[str, Any]:
    """Return the marks, by kind, and the parts of a score that they come from."""
    used = {place: number for number, place in enumerate(dict.fromkeys(p for mark in marks for p in mark.parts))}
    parts = [reason.explanation.parts[place] for place in used]
    details = _detail_names(parts)
    return {
        "details": [_label(name) for name in details],
        "parts": [
            [part.name, part.by, shown_number(part.value), *(_detail(part, name) for name in details)]
            for part in parts
        ],
        "marks": [
            [
                round(ranker.strength(mark), 3),
                None if mark.similarity is None else round(mark.similarity, 6),
                int(mark.own),
                shown_number(mark.share),
                [used[place] for place in mark.parts],
            ]
            for mark in marks
        ],
    }
