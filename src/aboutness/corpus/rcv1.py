"""Reuters Corpus Volume 1 as NIST hands it out: zip files of one day each, or the XML files that are in them.

The id of a story is its `itemid`. Fields: `title` (the headline, where there is no title) and `text`, its
paragraphs. Metadata: `topics`, `countries` and `industries` (codes, left out where there are none), and `date`.

A folder with the descriptions of the topic codes is a test collection (galke2017): a description is a query, and
the stories with its code are relevant. Descriptions are in `topic_codes.txt` (also inside `codes.zip`), a code and
its description in a line, or in Lewis's `rcv1.topics.hier.orig`.
"""

from __future__ import annotations

import re
import struct
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document, Origin, Query, Value
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import LONGEST, files_below, refuse_bomb, utf8_or_latin1, whole
from aboutness.corpus.qrels import Judgement
from aboutness.corpus.reader import Reader
from aboutness.corpus.sgml import first

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Callable, Iterator

DAY = re.compile(r"\d{8}\.zip", re.IGNORECASE)
STORY = re.compile(r"\d+news(?:ml)?\.xml(?:\.gz)?", re.IGNORECASE)
NEWSITEM = re.compile(r"<newsitem\b([^<>]*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""\b(itemid|date)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
CODES = re.compile(
    r"""<codes\s+class\s*=\s*["']bip:(\w+):[\d.]+["'][^<>]*>|(</codes\s*>)|<code\s+code\s*=\s*["']([^"'<>]+)["']""",
    re.IGNORECASE,
)
CATEGORIES = ("topics", "countries", "industries")
DESCRIPTIONS = re.compile(r"(?:.*/)?(?:topic[_-]?codes.*\.txt|rcv1\.topics\.hier\.orig.*)", re.IGNORECASE)
IN_TREE = re.compile(r"parent:\s*\S+\s+child:\s*(\S+)\s+child-description:\s*(.+)")
IN_LIST = re.compile(r"(\w+)(?:\t+|\s{2,})(\S.*)")
LOOKED_AT = 2_000  # files of a folder, to tell whether it is such a collection


class Packed(NamedTuple):
    """A file as it lies in a folder, or in a zip file."""

    name: str  # where it is: the file, or the zip file and the name inside
    read: Callable[[], bytes]


def read_rcv1(path: str | Path, *, on_bad: OnBad = stop) -> Iterator[Document]:
    """Read the stories of a folder, of one zip file, or of one XML file."""
    for file in _files(Path(path), STORY, on_bad):
        try:
            text = utf8_or_latin1(file.read())
        except (BadInput, NotFound) as error:
            on_bad(BadRecord(str(error).removeprefix(f"{file.name}: "), origin=Origin(file.name)))
            continue
        story = _story(text, Origin(file.name))
        if story is None:
            on_bad(BadRecord("no <newsitem> with an itemid", origin=Origin(file.name), raw=text))
        else:
            yield story


def read_topic_codes(path: str | Path, *, on_bad: OnBad = stop) -> dict[str, str]:
    """Return the description of each topic code that a folder, or a file, tells; lines with ; in front do not."""
    found: dict[str, str] = {}
    for file in _files(Path(path), DESCRIPTIONS, on_bad):
        for number, line in enumerate(utf8_or_latin1(file.read()).splitlines(), 1):
            if not line.strip() or line.lstrip().startswith(";"):
                continue
            match = IN_TREE.match(line.strip()) or IN_LIST.fullmatch(line.strip())
            if match and match[2].strip():
                found.setdefault(match[1], " ".join(match[2].split()))
            elif not IN_TREE.match(line) and "child:" not in line:  # the root has no description
                problem = "the line must hold a topic code, a tab and its description"
                on_bad(BadRecord(problem, origin=Origin(file.name, number), raw=line))
    if not found:
        raise NotFound(
            f"{path}: no descriptions of the topic codes in this folder, which are the queries: add "
            "topic_codes.txt, with a code, a tab and its description in each line"
        )
    return found


def questions(folder: str) -> tuple[Iterator[Query], Iterator[Judgement]]:
    """Return the queries and the judgements of a folder: descriptions of codes, and the stories that have them."""
    described = read_topic_codes(folder)
    judged = [
        Judgement(code, story.id, 1)
        for story in read_rcv1(folder)
        for code in _codes_of(story)
        if code in described
    ]
    used = {one.query for one in judged}
    queries = (Query(code, text) for code, text in described.items() if code in used)
    return queries, iter(judged)


def _codes_of(story: Document) -> list[str]:
    topics = story.metadata.get("topics", [])
    return list(dict.fromkeys(map(str, topics))) if isinstance(topics, list) else []


def _story(text: str, origin: Origin) -> Document | None:
    opened = NEWSITEM.search(text)
    attributes = {name.lower(): value for name, value in ATTRIBUTE.findall(opened[1])} if opened else {}
    if not attributes.get("itemid"):
        return None
    metadata: dict[str, Value] = {name: codes for name, codes in _codes(text).items() if codes}
    if attributes.get("date"):
        metadata["date"] = attributes["date"]
    title = first(text, "title") or first(text, "headline")
    fields = {"title": title, "text": first(text, "text")}
    return Document(attributes["itemid"], {name: one for name, one in fields.items() if one}, metadata, origin)


def _codes(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in CATEGORIES}
    kind = ""
    for match in CODES.finditer(text):
        if match[1] or match[2]:
            kind = (match[1] or "").lower()
        elif kind in found:
            found[kind].append(match[3])
    return found


def _files(path: Path, names: re.Pattern[str], on_bad: OnBad) -> Iterator[Packed]:
    """Yield the files with such names: of a folder and of the zip files in it, or the one file that `path` is."""
    for file in files_below(path) if path.is_dir() else [path]:
        if file.suffix.lower() == ".zip":
            yield from _members(file, names, on_bad)
        elif names.fullmatch(file.name) or file == path:
            yield Packed(str(file), partial(whole, file))


def _members(file: Path, names: re.Pattern[str], on_bad: OnBad) -> Iterator[Packed]:
    import zipfile

    try:
        with zipfile.ZipFile(file) as archive:
            refuse_bomb(file, file.stat().st_size, sum(info.file_size for info in archive.infolist()))
            for info in archive.infolist():
                if names.fullmatch(info.filename) or names.fullmatch(Path(info.filename).name):
                    where = f"{file}/{info.filename}"
                    yield Packed(where, partial(_unpacked, archive, info, where))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        on_bad(BadRecord(f"damaged or truncated zip file ({error})", origin=Origin(str(file))))
    except FileNotFoundError:
        raise NotFound(f"{file}: no such file") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror or error})") from None


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> bytes:
    """Return a file of a zip file, of which no more is unpacked than a record may have."""
    try:
        with archive.open(info) as file:
            content = file.read(LONGEST + 1)
    except Exception as error:  # of whichever of four ways of packing, which raise whatever they run into
        raise BadInput(f"{where}: cannot be unpacked ({error})") from None
    if len(content) > LONGEST:
        raise BadInput(f"{where}: longer than {LONGEST:,} bytes")
    return content


def _recognises(source: str) -> bool:
    path = Path(source)
    files = islice(files_below(path), LOOKED_AT) if path.is_dir() else [path]
    return any(DAY.fullmatch(file.name) or STORY.fullmatch(file.name) for file in files if file.is_file())


READER = Reader(
    name="rcv1",
    about="Reuters Corpus Volume 1, in zip files by day or unpacked",
    sources="folders with files such as 19960820.zip or 2286newsML.xml, and such files",
    recognises=_recognises,
    read=lambda source, _keys, on_bad: read_rcv1(source, on_bad=on_bad),
)
