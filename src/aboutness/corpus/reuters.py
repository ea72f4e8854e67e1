"""Reuters-21578, Distribution 1.0, as David D. Lewis distributes it: one SGML file or the folder of them.

The id is NEWID. Fields: `title`, where there is one, and `text`: the BODY with line ends joined and the
closing "Reuter" taken off; in stories without BODY (UNPROC, BRIEF) what else stands in TEXT, without leading
asterisks and the filler "Blah blah blah.", so that most BRIEF stories have a title only.

Metadata: `topics`, `places`, `people`, `orgs`, `exchanges`, `companies` (lists, left out where empty),
`date`, `lewissplit`, `cgisplit`, and the attribute TOPICS (YES, NO or BYPASS) as `has_topics`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from aboutness.core.errors import BadInput, BadRecord
from aboutness.core.record import Document, Origin, Value
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import lies_within, opening, suffix
from aboutness.corpus.reader import Reader
from aboutness.corpus.sgml import Element, elements, inner, plain, without

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = "reut2-*.sgm*"
CATEGORIES = ("topics", "places", "people", "orgs", "exchanges", "companies")
ATTRIBUTES = {"LEWISSPLIT": "lewissplit", "CGISPLIT": "cgisplit", "TOPICS": "has_topics"}
ATTRIBUTE = re.compile(r'\b(\w+)\s*=\s*"([^"]*)"')
SIGNATURE = re.compile(r"(?:(?:\A| )reuter(?: ?\.{2,})?(?:\^M)?)+\Z", re.IGNORECASE)
DATE = re.compile(r"\d{1,2}-[A-Z]{3}-\d{4} \d\d:\d\d:\d\d(?:\.\d+)?")
FILLER = re.compile(r"\bblah blah blah\.?", re.IGNORECASE)


def read_reuters(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the stories of one file, or of all `reut2-*.sgm` files of a folder."""
    for file in _files(Path(path)):
        for element in elements(file, "REUTERS", on_bad):
            origin = Origin(str(file), element.line)
            attributes = dict(ATTRIBUTE.findall(element.attributes))
            if attributes.get("NEWID"):
                metadata = _metadata(element, attributes)
                yield Document(attributes["NEWID"], _fields(element.inside), metadata, origin)
            else:
                on_bad(BadRecord("<REUTERS> without a NEWID", origin=origin, raw=element.inside))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.glob(FILES) if lies_within(file, path))
    if not found:
        raise BadInput(f"{path}: no {FILES} in this folder")
    return found


def _metadata(element: Element, attributes: dict[str, str]) -> dict[str, Value]:
    metadata: dict[str, Value] = {}
    for name in CATEGORIES:
        values = [plain(value) for group in inner(element.inside, name)[:1] for value in inner(group, "D")]
        if values:
            metadata[name] = values
    date = " ".join(map(plain, inner(element.inside, "DATE")[:1]))
    if date:
        exact = DATE.match(date)  # some are followed by stray characters
        metadata["date"] = exact[0] if exact else date
    metadata |= {name: attributes[key] for key, name in ATTRIBUTES.items() if key in attributes}
    return metadata


def _fields(inside: str) -> dict[str, str]:
    story = " ".join(inner(inside, "TEXT")[:1])
    title = " ".join(map(plain, inner(story, "TITLE")[:1]))
    bodies = inner(story, "BODY")
    if bodies:
        text = plain(bodies[0])
    else:
        for tag in ("TITLE", "AUTHOR", "DATELINE"):
            story = without(story, tag)
        text = FILLER.sub(" ", plain(story)).strip().lstrip("*").strip()
    text = SIGNATURE.sub("", text)
    return {"title": title, "text": text} if title else {"text": text}


def _recognises(source: str) -> bool:
    path = Path(source)
    if path.is_dir():
        return any(path.glob(FILES))
    return path.is_file() and suffix(path) in {".sgm", ".sgml"} and b"<REUTERS" in opening(path)


READER = Reader(
    name="reuters",
    about="Reuters-21578 as distributed, in SGML",
    sources="folders with reut2-*.sgm files, and .sgm files that start with <REUTERS>",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_reuters(source, on_bad=on_bad),
)
