"""A paper done again as one web page that loads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from aboutness._version import __version__
from aboutness.report import facts
from aboutness.report.figures.inline import inline_svg
from aboutness.report.figures.sheet import NEEDED, is_there
from aboutness.report.markup import allowed, as_text, asset
from aboutness.report.numbers import MINUS, NOTHING
from aboutness.report.study import Cell, Drawing, Item, Part, Passage, Sheet, Study, Value, Verdict

SIGNS = {
    Verdict.HOLDS: ("holds", "\u2713"),
    Verdict.FAILS: ("fails", "\u2717"),
    Verdict.UNTESTED: ("untested", NOTHING),
}


def study_page(study: Study, checked: str = "") -> str:
    """Return the page of a study; `checked` says how its numbers compare with those that are expected."""
    style = asset("page.css") + asset("report.css") + asset("study.css")
    script = asset("report.js")
    titles = ["What it claims", "What was replaced", *(part.title for part in study.parts)]
    return asset("report.html").format(
        script_hash=allowed(script),
        style_hash=allowed(style),
        version=as_text(__version__),
        name=as_text(f"{study.name} done again"),
        style=style,
        script=script,
        summary=f"{as_text(study.reference)}</p>\n<p>{as_text(study.summary)}",
        contents="".join(
            f'<li><a href="#s{number}">{as_text(title)}</a></li>' for number, title in enumerate(titles)
        )
        + '<li><a href="#made">How it was made</a></li>',
        sections="\n".join([_claims(study), _replaced(study), *_parts(study)]),
        made=_made(study, checked),
        data="[]",
    )


def _section(number: int, title: str, content: str) -> str:
    head = f'<h2 id="s{number}-title">{as_text(title)}</h2>'
    return f'<section id="s{number}" aria-labelledby="s{number}-title">\n{head}\n{content}\n</section>'


def _claims(study: Study) -> str:
    counts = {verdict: sum(one.verdict is verdict for one in study.claims) for verdict in Verdict}
    tally = "".join(
        f'<li class="verdict {SIGNS[verdict][0]}">{SIGNS[verdict][1]} {count} '
        f"{as_text(_plural(verdict) if count != 1 else verdict)}</li>"
        for verdict, count in counts.items()
    )
    rows = "\n".join(
        f'<tr><th scope="row">{as_text(one.says)}<span class="sd below">{as_text(one.where)}</span></th>'
        f'<td class="verdict {SIGNS[one.verdict][0]}">{SIGNS[one.verdict][1]} {as_text(one.verdict)}</td>'
        f'<td data-label="what was found">{as_text(one.found)}</td></tr>'
        for one in study.claims
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in ("the paper claims", "here", "what was found"))
    return _section(0, "What it claims", f'<ul class="tally">{tally}</ul>\n{_table("claims", head, rows)}')


def _plural(verdict: Verdict) -> str:
    return str(verdict).replace("holds", "hold").replace("does", "do")


def _replaced(study: Study) -> str:
    if not study.replaced:
        return _section(1, "What was replaced", "<p>Nothing.</p>")
    rows = "\n".join(
        f'<tr><th scope="row">{as_text(one.paper)}</th>'
        f'<td data-label="here">{as_text(one.here)}</td><td data-label="why">{as_text(one.why)}</td></tr>'
        for one in study.replaced
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in ("in the paper", "here", "why"))
    return _section(1, "What was replaced", _table("replaced", head, rows))


def _parts(study: Study) -> Iterator[str]:
    for number, part in enumerate(study.parts):
        yield _section(number + 2, part.title, "\n".join(_items(part, f"s{number + 2}")))


def _items(part: Part, name: str) -> Iterator[str]:
    """Yield what a section holds; figures that follow one another stand side by side."""
    place = 0
    for drawn, some in groupby(part.items, key=lambda item: isinstance(item, Drawing)):
        items: list[Item] = list(some)
        if drawn:
            yield _figures([item for item in items if isinstance(item, Drawing)], f"{name}-f{place}")
        else:
            yield from (_item(item) for item in items if not isinstance(item, Drawing))
        place += len(items)


def _item(item: str | Sheet | Passage) -> str:
    if isinstance(item, str):
        return f"<p>{as_text(item)}</p>"
    return _sheet(item) if isinstance(item, Sheet) else _passage(item)


def _figures(drawings: Sequence[Drawing], name: str) -> str:
    if not is_there():
        said = "".join(f"<li>{as_text(one.caption)}</li>" for one in drawings)
        return f'<p class="soft">There are no figures here: {as_text(NEEDED)}</p>\n<ul class="notes">{said}</ul>'
    shown = "\n".join(
        f'<figure class="{"wide" if one.wide else "half"}"><div class="sheet" tabindex="0" role="group" '
        f'aria-label="figure">{inline_svg(one.draw(), f"{name}-{number}", one.caption)}</div>'
        f"<figcaption>{as_text(one.caption)}</figcaption></figure>"
        for number, one in enumerate(drawings)
    )
    return f'<div class="figures">\n{shown}\n</div>'


def _sheet(sheet: Sheet) -> str:
    numbers = {column for _, column, _ in sheet.values}
    head = f'<th scope="col">{as_text(sheet.corner)}</th>' + "".join(
        f'<th scope="col"{" class=n" if column in numbers else ""}>{as_text(column)}</th>'
        for column in sheet.columns
    )
    rows = "\n".join(
        f'<tr><th scope="row"><bdi>{as_text(row)}</bdi></th>'
        + "".join(_cell(one, sheet.digits) for one in cells)
        + "</tr>"
        for row, cells in sheet.rows.items()
    )
    said = f'<p class="soft">{as_text(sheet.caption)}</p>\n' if sheet.caption else ""
    return f"<h3>{as_text(sheet.name)}</h3>\n{said}{_table('sortable', head, rows)}"


def _table(kind: str, head: str, rows: str) -> str:
    return (
        f'<div class="scroll" tabindex="0" role="group" aria-label="table"><table class="{kind}">\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _cell(cell: Cell, digits: int) -> str:
    if isinstance(cell, str):
        return f'<td class="words">{as_text(cell)}</td>'
    here = "" if cell.here is None else f' data-v="{cell.here!r}"'
    best = " best" if cell.best else ""
    paper = paper_text(cell, digits)
    below = f'<span class="sd below">{as_text(paper)}</span>' if paper else ""
    return f'<td class="n{best}"{here}>{as_text(here_text(cell, digits))}{below}</td>'


def here_text(cell: Value, digits: int) -> str:
    """Return our number as it is shown: with its mark and deviation, or what stands in its place."""
    if cell.here is None:
        return cell.said or NOTHING
    deviation = "" if cell.deviation is None else f" ({told(cell.deviation, digits)})"
    return f"{cell.shown or told(cell.here, digits)}{cell.mark}{deviation}{f' {cell.said}' if cell.said else ''}"


def paper_text(cell: Value, digits: int) -> str:
    """Return the paper's number as it is printed, and how ours differs; empty where the paper has none."""
    if cell.paper is None:
        return f"paper: {cell.paper_said}" if cell.paper_said else ""
    own = digits if cell.paper_digits is None else cell.paper_digits
    own_deviation = own if cell.paper_deviation_digits is None else cell.paper_deviation_digits
    deviation = "" if cell.paper_deviation is None else f" ({told(cell.paper_deviation, own_deviation)})"
    difference = "" if cell.difference is None else f", {_signed(cell.difference, digits)}"
    return f"paper {told(cell.paper, own)}{cell.paper_mark}{deviation}{difference}"


def told(value: float, digits: int) -> str:
    """Return a number without the zero before its point.

    >>> told(0.5, 3), told(-1.25, 1)[1:], told(12895, 0)
    ('.500', '1.2', '12,895')
    """
    text = f"{abs(value):,.{digits}f}"
    text = text[1:] if text.startswith("0.") else text
    return f"{MINUS}{text}" if value < 0 and any(one in "123456789" for one in text) else text


def _signed(difference: float, digits: int) -> str:
    """Return a difference with its sign; one that these digits do not show has none."""
    text = told(abs(difference), digits)
    if not any(one in "123456789" for one in text):
        return text
    return f"{'+' if difference > 0 else MINUS}{text}"


def _passage(passage: Passage) -> str:
    words = "".join(
        f'<mark class="{as_text(kind)}">{as_text(text)}</mark>' if kind else as_text(text)
        for text, kind in passage.pieces
    )
    said = f'<p class="soft">{as_text(passage.caption)}</p>' if passage.caption else ""
    return f'<h3>{as_text(passage.title)}</h3>\n{said}<blockquote dir="auto"><p>{words}</p></blockquote>'


def _made(study: Study, checked: str) -> str:
    lists = [
        ("Data", [(name, "; ".join(parts)) for name, parts in facts.known_data(study.made).items()]),
        ("Run", facts.run_facts(study.made, study.earlier)),
    ]
    command = study.made.command or f"aboutness reproduce {study.name}"
    said = f"<p>{as_text(checked)}</p>\n" if checked else ""
    listed = "\n".join(
        f'<h3>{title}</h3>\n<dl class="facts">'
        + "".join(f"<dt>{as_text(name)}</dt><dd>{as_text(value)}</dd>" for name, value in some)
        + "</dl>"
        for title, some in lists
        if some
    )
    return f"{said}<p>The command that makes it again:</p>\n<pre><code>{as_text(command)}</code></pre>\n{listed}"
