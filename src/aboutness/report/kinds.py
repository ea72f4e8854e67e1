"""The kinds of figures: what each shows, what it is drawn from, and which choices it has."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from aboutness.core.errors import UsageError
from aboutness.core.registry import Registry

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Of: TypeAlias = Literal["results", "tuning", "index"]


@dataclass(frozen=True)
class Kind:
    """One kind of figure."""

    summary: str
    of: Of
    draw: Callable[..., Figure]

    @property
    def choices(self) -> list[str]:
        """Return the names of what can be chosen."""
        every = inspect.signature(self.draw).parameters.values()
        return [one.name for one in every if one.kind is one.KEYWORD_ONLY]

    def checked(self, name: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the choices that were made; raise where this kind has no such choice."""
        made = {key: value for key, value in chosen.items() if value is not None}
        for key in made:
            if key not in self.choices:
                raise UsageError(f"the figure {name} has no {key!r}; it has: {', '.join(self.choices) or 'none'}")
        return made


FIGURES: Registry[Kind] = Registry("figure")


def figure_kind(name: str, summary: str, of: Of) -> Callable[[Callable[..., Figure]], Callable[..., Figure]]:
    """Return what registers a function that draws, under a name."""

    def register(draw: Callable[..., Figure]) -> Callable[..., Figure]:
        FIGURES.register(name, Kind(summary, of, draw))
        return draw

    return register
