"""The kinds of values that a declared parameter may have: what is allowed, how it is read and shown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Protocol

from aboutness.core.errors import UsageError, shown

NAME = re.compile(r"[^\s\[\],=+*](?:[^\[\],=+*]*[^\s\[\],=+*])?")  # what an expression can hold


class Kind(Protocol):
    """What values a parameter takes; `check` returns the value as it is kept, or raises `ValueError`."""

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        ...

    def check(self, value: object) -> Any:  # noqa: ANN401 - of this kind
        """Return the value as it is kept."""
        ...

    def read(self, text: str) -> Any:  # noqa: ANN401
        """Return the value that a text stands for."""
        ...

    def show(self, value: Any) -> str:  # noqa: ANN401
        """Return the text that `read` takes."""
        ...


@dataclass(frozen=True)
class Number:
    """A finite number between two bounds, which are themselves allowed unless said."""

    least: float
    most: float = math.inf
    open: bool = False  # `least` itself is not allowed

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        low = f"above {self.least:g}" if self.open else f"at least {self.least:g}"
        return f"a number {low}" + (f" and at most {self.most:g}" if self.most < math.inf else "")

    def check(self, value: object) -> float:
        """Return the number, as a float."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ValueError(value)
        number = float(value)
        low = number > self.least if self.open else number >= self.least
        if not (low and number <= self.most and math.isfinite(number)):
            raise ValueError(value)
        return number

    def read(self, text: str) -> float:
        """Return the number that a text stands for."""
        return self.check(float(text))

    def show(self, value: float) -> str:
        """Return the shortest text of the number."""
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value).replace("e+", "e")


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds, which are themselves allowed."""

    least: int
    most: int

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        return f"a whole number from {self.least} to {self.most}"

    def check(self, value: object) -> int:
        """Return the number; one such as 5.0 is whole, too."""
        if isinstance(value, bool) or not isinstance(value, Real):
            raise ValueError(value)
        whole = int(float(value)) if not isinstance(value, Integral) else int(value)
        if whole != value or not self.least <= whole <= self.most:
            raise ValueError(value)
        return whole

    def read(self, text: str) -> int:
        """Return the number that a text stands for."""
        return self.check(int(text))

    def show(self, value: int) -> str:
        """Return the text of the number."""
        return str(value)


@dataclass(frozen=True)
class OptionalNumber(Number):
    """A number, or none."""

    def check(self, value: object) -> float | None:  # type: ignore[override]
        """Return the number, as a float, or None."""
        return None if value is None else super().check(value)

    def show(self, value: float | None) -> str:
        """Return the shortest text of the number."""
        return "" if value is None else super().show(value)


@dataclass(frozen=True)
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        return f"one of {', '.join(self.words)}"

    def check(self, value: object) -> str:
        """Return the word."""
        if not isinstance(value, str) or value not in self.words:
            raise ValueError(value)
        return value

    def read(self, text: str) -> str:
        """Return the word."""
        return self.check(text)

    def show(self, value: str) -> str:
        """Return the word."""
        return value


@dataclass(frozen=True)
class OptionalName:
    """The name of something in the index, or none."""

    of: str

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        return f"the name of {self.of}"

    def check(self, value: object) -> str | None:
        """Return the name."""
        if value is not None and not (isinstance(value, str) and NAME.fullmatch(value)):
            raise ValueError(value)
        return value

    def read(self, text: str) -> str | None:
        """Return the name."""
        return self.check(text)

    def show(self, value: str | None) -> str:
        """Return the name."""
        return value or ""


@dataclass(frozen=True)
class FieldWeights:
    """Text fields and how much each counts: `3*title+text`, a list of names, or a mapping; or none.

    A field without a weight has None: it counts as the index says.
    """

    @property
    def allowed(self) -> str:
        """Return in words what is allowed."""
        return "fields, with weights from 1e-9 to 1e9 where they have some, such as title or 3*title+text"

    def check(self, value: object) -> tuple[tuple[str, float | None], ...] | None:
        """Return the fields and weights as pairs."""
        if value is None:
            return None
        if isinstance(value, str):
            return self.read(value)
        if isinstance(value, Mapping):
            pairs = list(value.items())
        elif isinstance(value, Sequence):
            pairs = [(part, None) if isinstance(part, str) else tuple(part) for part in value]
        else:
            raise ValueError(value)
        weights: dict[str, float | None] = {}
        for name, weight in pairs:
            if not NAME.fullmatch(name) or name in weights:
                raise ValueError(value)
            weights[name] = OptionalNumber(1e-9, 1e9).check(weight)
        if not weights:
            raise ValueError(value)
        return tuple(weights.items())

    def read(self, text: str) -> tuple[tuple[str, float | None], ...] | None:
        """Return the fields that a text stands for."""
        pairs = []
        for part in text.split("+"):
            weight, star, name = part.rpartition("*")
            pairs.append((name.strip(), float(weight) if star else None))
        return self.check(pairs)

    def show(self, value: tuple[tuple[str, float | None], ...] | None) -> str:
        """Return the text that `read` takes."""
        number = Number(0)
        return "+".join(
            name if weight is None else f"{number.show(weight)}*{name}" for name, weight in value or ()
        )


def checked(kind: Kind, name: str, value: object) -> Any:  # noqa: ANN401 - of the kind
    """Return a value as its kind keeps it, or raise an error that names the parameter."""
    try:
        return kind.check(value)
    except (ValueError, TypeError, OverflowError):
        raise UsageError(f"{name} must be {kind.allowed}, got {shown(value)}") from None
