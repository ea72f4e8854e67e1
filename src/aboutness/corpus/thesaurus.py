"""Thesauri: what the concepts of a controlled vocabulary are called.

SKOS in Turtle (.ttl), N-Triples (.nt) or RDF/XML (.rdf, .skos), tables with `<address>`, a tab and the label in
each line (.tsv, as Annif has them), and JSON objects with the prefLabel of each concept (as vec4ir has them). Each
may be packed (.gz).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from aboutness.core.errors import BadInput, BadRecord, shown
from aboutness.core.record import Origin
from aboutness.core.rejects import OnBad, stop
from aboutness.corpus.files import BOM, lines, suffix, utf8, whole
from aboutness.corpus.turtle import literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SKOS = "http://www.w3.org/2004/02/skos/core#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XML = "http://www.w3.org/XML/1998/namespace"
PREFERRED = SKOS + "prefLabel"
LISTED = re.compile(r"<([^<>\s]+)>\t([^\t]+)(?:\t.*)?")
LANGUAGE = "en"
SKOS_SUFFIXES = (".ttl", ".nt", ".rdf", ".skos")
DEEPEST = 1_000  # elements within one another


def read_thesaurus(path: str | Path, *, language: str = LANGUAGE, on_bad: OnBad = stop) -> dict[str, str]:
    """Return the preferred label of each concept, by the concept's address, in the order of the file.

    In SKOS that is the label in `language` or in a part of it (en-GB), else one without a language. A file in
    which no concept has one is BadInput.
    """
    kind = suffix(path)
    if kind in (".ttl", ".nt"):
        found = _chosen(_in_turtle(path), language)
    elif kind in (".rdf", ".skos", ".xml"):
        found = _chosen(_in_xml(path), language)
    elif kind == ".json":
        found = _in_json(path)
    else:
        found = dict(_in_table(path, on_bad))
    if not found:
        raise BadInput(f"{path}: no concept in it has a preferred label in the language {shown(language)}")
    return found


def _chosen(labels: Iterable[tuple[str, str, str]], language: str) -> dict[str, str]:
    """Return of the labels of each concept (concept, text, language) the one that is wanted most."""
    wanted = language.lower()
    best: dict[str, tuple[int, str]] = {}
    for concept, text, tag in labels:
        rank = 3 if tag == wanted else 2 if tag.startswith(f"{wanted}-") else 1 if not tag else 0
        label = " ".join(text.split())
        if rank and label and rank > best.get(concept, (0, ""))[0]:
            best[concept] = (rank, label)
    return {concept: label for concept, (_, label) in best.items()}


def _in_turtle(path: str | Path) -> Iterator[tuple[str, str, str]]:
    try:
        for one in literals(utf8(whole(path, is_record=False).removeprefix(BOM))):
            if one.predicate == PREFERRED:
                yield one.subject, one.text, one.language
    except BadInput as error:
        problem = str(error)
        raise BadInput(problem if problem.startswith(str(path)) else f"{path}:{problem}") from None


def _in_xml(path: str | Path) -> list[tuple[str, str, str]]:
    """Read RDF/XML: labels stand in the elements of their concepts. Files that declare entities are refused."""
    from xml.parsers import expat

    found: list[tuple[str, str, str]] = []
    concepts: list[str] = []  # of each open element
    text: list[str] = []
    tags: list[str] = []
    parser = expat.ParserCreate(namespace_separator="")

    def refused(*_: Any) -> None:  # noqa: ANN401 - as expat calls it
        raise BadInput(f"{path}:{parser.CurrentLineNumber}: declares entities, which are not read")

    def opened(name: str, attributes: dict[str, str]) -> None:
        if len(concepts) == DEEPEST:
            raise BadInput(f"{path}:{parser.CurrentLineNumber}: more than {DEEPEST:,} elements within one another")
        about = attributes.get(f"{RDF}about", "")
        concepts.append(about or (concepts[-1] if concepts else ""))
        tags.append(attributes.get(f"{XML}lang", tags[-1] if tags else ""))
        if name == PREFERRED:
            text.clear()

    def closed(name: str) -> None:
        concept, tag = concepts.pop(), tags.pop()
        if name == PREFERRED and concept:
            found.append((concept, "".join(text), tag.lower()))

    parser.EntityDeclHandler = refused
    parser.StartElementHandler = opened
    parser.EndElementHandler = closed
    parser.CharacterDataHandler = text.append
    try:
        parser.Parse(whole(path, is_record=False), True)
    except expat.ExpatError as error:
        raise BadInput(f"{path}:{error.lineno}: not XML ({expat.ErrorString(error.code)})") from None
    return found


def _in_json(path: str | Path) -> dict[str, str]:
    try:
        plain = json.loads(utf8(whole(path).removeprefix(BOM)))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not JSON ({error})") from None
    if not isinstance(plain, dict):
        raise BadInput(f"{path}: must be an object with a concept for each key")
    found: dict[str, str] = {}
    for concept, said in plain.items():
        labels = said.get("prefLabel") if isinstance(said, dict) else None
        label = next((one for one in labels if isinstance(one, str)), "") if isinstance(labels, list) else labels
        if isinstance(label, str) and label.strip():
            found[concept] = " ".join(label.split())
    return found


def _in_table(path: str | Path, on_bad: OnBad) -> Iterator[tuple[str, str]]:
    for number, line in lines(path):
        if line.isspace():
            continue
        try:
            match = LISTED.fullmatch(utf8(line).strip("\r\n"))
            if match is None or not match[2].strip():
                raise BadInput("the line must hold <address>, a tab and the label of the concept")
        except BadInput as error:
            on_bad(BadRecord(str(error), origin=Origin(str(path), number), raw=line.rstrip(b"\r\n")))
        else:
            yield match[1], " ".join(match[2].split())
