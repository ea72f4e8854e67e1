"""Turtle, and N-Triples, which is a part of it: as much as is needed to read who is called what.

Statements whose object is a literal are given; those about blank nodes, and lists, are passed over.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from aboutness.core.errors import BadInput, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = re.compile(
    r"""(?P<blank>\s+|\#[^\n]*)
    |(?P<iri><[^<>"{}|^`\s]*>)
    |(?P<text>\"{3}(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{3}|'{3}(?:[^'\\]++|\\.|'{1,2}(?!'))*+'{3}
        |"(?:[^"\\\n]++|\\.)*+"|'(?:[^'\\\n]++|\\.)*+')
    |(?P<at>@[A-Za-z]+(?:-[A-Za-z0-9]+)*)
    |(?P<type>\^\^)
    |(?P<number>[+-]?(?:\d+\.\d+|\.\d+|\d+)(?:[eE][+-]?\d+)?(?![\w:]))
    |(?P<mark>[;,.\[\]()])
    |(?P<name>(?:[\w-](?:[\w.-]{0,200}[\w-])?)?:(?:(?:[\w:%-]++|\\.)(?:\.*+(?:[\w:%-]++|\\.))*+)?)
    |(?P<word>[A-Za-z]+)""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}
ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
OPENED, CLOSED = "[(", "])"


class Literal(NamedTuple):
    """A statement whose object is a text: of what, by which property, the text, and its language, if any."""

    subject: str
    predicate: str
    text: str
    language: str


class Token(NamedTuple):
    """A piece of a file, what kind of piece it is, and where it starts."""

    kind: str
    text: str
    at: int


def literals(content: str) -> Iterator[Literal]:
    """Yield the statements of a file whose object is a literal, or raise BadInput that names the line."""
    return _Reading(content).statements()


class _Reading:
    def __init__(self, content: str) -> None:
        self.content = content
        self.tokens = self._tokens()
        self.next = next(self.tokens)
        self.prefixes: dict[str, str] = {}
        self.base = ""

    def statements(self) -> Iterator[Literal]:
        while self.next.kind != "end":
            word = self.next.text.lower()
            if word in ("@prefix", "prefix", "@base", "base"):
                self._directive(word)
            else:
                subject = self._thing()
                if not (subject is None and self.next.text == "."):  # [...] alone is a whole statement
                    yield from self._about(subject)
                self._mark(".")

    def _about(self, subject: str | None) -> Iterator[Literal]:
        """Yield what is said of a subject, as far as the objects are literals."""
        while True:
            while self.next.text == ";" and self.next.kind == "mark":
                self._take()
            if self.next.text == "." and self.next.kind == "mark":
                return
            predicate = self._thing()
            while True:
                if self.next.kind == "text":
                    text, language = self._literal()
                    if subject and predicate:
                        yield Literal(subject, predicate, text, language)
                else:
                    self._thing()
                if not (self.next.kind == "mark" and self.next.text == ","):
                    break
                self._take()
            if not (self.next.kind == "mark" and self.next.text == ";"):
                return

    def _directive(self, word: str) -> None:
        self._take()
        if word.endswith("prefix"):
            name = self._take("name").text.removesuffix(":")
            self.prefixes[name] = self._iri(self._take("iri").text)
        else:
            self.base = self._iri(self._take("iri").text)
        if word.startswith("@"):
            self._mark(".")

    def _thing(self) -> str | None:
        """Return an IRI that comes next; None for what has no name or is a number."""
        token = self._take()
        if token.kind == "iri":
            return self._iri(token.text)
        if token.kind == "name":
            prefix, _, local = token.text.partition(":")
            if prefix == "_":
                return None
            if prefix not in self.prefixes:
                raise self._wrong(token, f"the prefix {shown(prefix)} is not declared")
            return self.prefixes[prefix] + ESCAPE.sub(r"\3", local)
        if token.kind == "mark" and token.text in OPENED:
            self._pass_over(token)
            return None
        if token.kind in ("word", "number"):
            return None if token.text != "a" else "a"
        if token.kind == "text":  # where a literal cannot stand
            raise self._wrong(token, "a text stands where a name is needed")
        raise self._wrong(token, f"{shown(token.text)} stands where a name is needed")

    def _pass_over(self, opened: Token) -> None:
        depth = 1
        while depth:
            token = self._take()
            if token.kind == "end":
                raise self._wrong(opened, f"{opened.text} is never closed")
            if token.kind == "mark":
                depth += (token.text in OPENED) - (token.text in CLOSED)

    def _literal(self) -> tuple[str, str]:
        raw = self._take().text
        width = 3 if raw[:3] in ('"""', "'" * 3) and len(raw) >= 6 else 1
        text = ESCAPE.sub(_character, raw[width:-width])
        if self.next.kind == "at":
            return text, self._take().text[1:].lower()
        if self.next.kind == "type":
            self._take()
            self._thing()
        return text, ""

    def _iri(self, token: str) -> str:
        address = ESCAPE.sub(_character, token[1:-1])
        if ABSOLUTE.match(address) or not self.base:
            return address
        try:
            return urljoin(self.base, address) + ("#" if address.endswith("#") else "")  # which urljoin drops
        except ValueError:
            raise self._wrong(self.next, f"{shown(address)} is no address within {shown(self.base)}") from None

    def _mark(self, wanted: str) -> None:
        token = self._take()
        if token.kind != "mark" or token.text != wanted:
            raise self._wrong(
                token, f"{shown(wanted)} is needed, got {shown(token.text or 'the end of the file')}"
            )

    def _take(self, kind: str = "") -> Token:
        token = self.next
        if kind and token.kind != kind:
            raise self._wrong(token, f"{shown(token.text)} stands where a prefix or an address is needed")
        if token.kind != "end":
            self.next = next(self.tokens)
        return token

    def _tokens(self) -> Iterator[Token]:
        at = 0
        while at < len(self.content):
            match = TOKEN.match(self.content, at)
            if match is None:
                raise self._wrong(Token("", "", at), f"cannot be read from {shown(self.content[at : at + 20])} on")
            if match.lastgroup != "blank":
                yield Token(str(match.lastgroup), match[0], at)
            at = match.end()
        yield Token("end", "", at)

    def _wrong(self, token: Token, problem: str) -> BadInput:
        return BadInput(f"{self.content.count(chr(10), 0, token.at) + 1}: {problem}")


def _character(match: re.Match[str]) -> str:
    if match[3] is not None:
        return SHORT.get(match[3], match[3])
    number = int(match[1] or match[2], 16)
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
