"""Declared parameters: each is written once, with its default, what is allowed, symbol and help.

A record of parameters is a frozen dataclass; it is checked when made, and has a text that makes it again:
`bm25[k1=1.7,b=0.95]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, ClassVar, Self

from aboutness.core.errors import UsageError, shown
from aboutness.core.kinds import Kind, checked

DECLARED = "declared"


@dataclass(frozen=True)
class Parameter:
    """One declared parameter."""

    name: str
    default: Any
    kind: Kind
    help: str
    symbol: str

    def to_json(self) -> dict[str, Any]:
        """Return the parameter in plain values."""
        default = self.default if isinstance(self.default, (str, int, float)) else None
        return {
            "name": self.name,
            "default": default,
            "allowed": self.kind.allowed,
            "symbol": self.symbol or None,
            "help": self.help,
        }


def parameter(default: Any, kind: Kind, help: str, *, symbol: str = "") -> Any:  # noqa: A002, ANN401 - a dataclass field
    """Declare a parameter of a `Parameters` class."""
    return field(default=default, metadata={DECLARED: (kind, help, symbol)})


@dataclass(frozen=True)
class Parameters:
    """Base of frozen dataclasses whose fields are declared parameters."""

    name: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for declared in self.declared():
            value = checked(declared.kind, f"{self.name}: {declared.name}", getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    @classmethod
    def declared(cls) -> tuple[Parameter, ...]:
        """Return the declared parameters."""
        return _declared(cls)  # type: ignore[arg-type]  # a class is hashable

    @classmethod
    def options(cls, options: Mapping[str, str]) -> dict[str, Any]:
        """Return the values of parameters that are given as texts."""
        declared = {one.name: one for one in cls.declared()}
        values = {}
        for name, text in options.items():
            if name not in declared:
                raise UsageError(f"{cls.name} has no parameter {name!r}. It has: {', '.join(declared) or 'none'}")
            kind = declared[name].kind
            try:
                values[name] = kind.read(text.strip())
            except (ValueError, TypeError):
                raise UsageError(f"{cls.name}: {name} must be {kind.allowed}, got {shown(text.strip())}") from None
        return values

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Self:
        """Make the record from texts."""
        return cls(**cls.options(options))

    def changed(self) -> dict[str, str]:
        """Return the parameters that are not as they are by default, as texts."""
        return {
            one.name: one.kind.show(getattr(self, one.name))
            for one in self.declared()
            if getattr(self, one.name) != one.default
        }

    def __str__(self) -> str:
        changed = [f"{name}={value}" for name, value in self.changed().items()]
        return f"{self.name}[{','.join(changed)}]" if changed else self.name


@cache
def _declared(cls: type[Parameters]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(one.name, one.default, *one.metadata[DECLARED])
        for one in fields(cls)
        if DECLARED in one.metadata
    )
