"""What all figures share: a sheet to draw on, looks that differ without colour, names that fit, and files.

matplotlib is asked only through objects. Its settings are ours while something is drawn or written, whatever a
user has set, and are as before when that is done.
"""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, wraps
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeAlias

from aboutness.core.errors import UsageError, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

P = ParamSpec("P")
Share: TypeAlias = tuple[bool, bool | Literal["row"]]  # whether panels share their scales, x and y

ENDINGS = ("svg", "pdf", "png")
NEEDED = "figures need matplotlib; run: pip install 'aboutness[figures]'"
INK, SOFT, PALE = "#000000", "#6e6e6e", "#d9d9d9"
BLUE, ORANGE = "#0072B2", "#D55E00"
LEGEND_WIDTH = 38  # characters
DPI = 200  # of a PNG, and of points that are too many for lines
MOST_RANKERS = 12  # lines that can be told apart

# Okabe and Ito's colours, which colour-blind readers can tell apart; but for yellow, which is too pale for a line.
COLOURS = (INK, ORANGE, BLUE, "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "h", "p", "*")
HATCHES = (
    "",
    "////",
    "\\\\\\\\",
    "xx",
    "----",
    "||||",
    "++",
    "///---",
    "\\\\\\---",
    "xx---",
    "///|||",
    "xx|||",
)  # of lines alone: small files

SETTINGS: dict[str, Any] = {
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.h_pad": 0.07,
    "figure.constrained_layout.w_pad": 0.05,
    "figure.dpi": 100,
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "legend.handlelength": 3.2,
    "pdf.fonttype": 42,  # whole fonts, which publishers want
    "svg.fonttype": "path",
    "svg.hashsalt": "aboutness",
    "text.parse_math": False,  # a dollar in a name is a dollar
}
NO_DATES: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
_LOCK = RLock()


@dataclass(frozen=True)
class Look:
    """How one of several things is drawn: it differs from the others also in black and white."""

    colour: str
    dash: Any
    marker: str
    hatch: str


def look(number: int) -> Look:
    """Return the look of the number-th thing; the first twelve differ in their markers."""
    return Look(
        COLOURS[number % len(COLOURS)],
        DASHES[number % len(DASHES)],
        MARKERS[number % len(MARKERS)],
        HATCHES[number % len(HATCHES)],
    )


@contextmanager
def house_style() -> Iterator[None]:
    """Let matplotlib draw in one way while the block runs."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise UsageError(NEEDED) from None
    with _LOCK, mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(SETTINGS)  # type: ignore[arg-type]
        yield


def is_there() -> bool:
    """Tell whether figures can be drawn."""
    return find_spec("matplotlib") is not None


def drawn(function: Callable[P, Figure]) -> Callable[P, Figure]:
    """Let a function that draws a figure do so in the house style."""

    @wraps(function)
    def in_style(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with house_style():
            return function(*args, **kwargs)

    return in_style


def panels(
    count: int, *, columns: int, width: float, height: float, extra: float = 0.0, share: Share = (False, False)
) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels in rows, each so large in inches, and `extra` of height besides."""
    from matplotlib.figure import Figure

    columns = max(1, min(columns, count))
    rows = -(-count // columns)
    figure = Figure(figsize=(width * columns, height * rows + extra), layout="constrained")
    made: NDArray[Any] = figure.subplots(rows, columns, squeeze=False, sharex=share[0], sharey=share[1])
    axes: list[Axes] = made.ravel().tolist()
    for unused in axes[count:]:
        unused.set_visible(False)
    for axis in axes[:count]:
        axis.tick_params(labelbottom=True)  # also where panels share their scale
    return figure, axes[:count]


def panel_width(count: int) -> float:
    """Return how wide each of some small panels is, in inches; up to three stand in a row."""
    return {1: 4.8, 2: 3.6}.get(count, 2.7)


def legend_below(figure: Figure, axis: Axes, names: Sequence[str], markerscale: float = 1.0) -> None:
    """List the names below all panels, in as many columns as there is room for."""
    handles, _ = axis.get_legend_handles_labels()
    told = [fitting(name, LEGEND_WIDTH) for name in names]
    figure.legend(handles, told, loc="outside lower center", ncols=_columns(names), markerscale=markerscale)


def _columns(names: Sequence[str]) -> int:
    longest = max((min(len(name), LEGEND_WIDTH) for name in names), default=0)
    return 3 if longest <= 16 else 2 if longest <= LEGEND_WIDTH else 1


def legend_height(names: Sequence[str]) -> float:
    """Return how many inches the list of names takes."""
    columns = _columns(names)
    lines = [len(fitting(name, LEGEND_WIDTH).split("\n")) for name in names]
    rows = -(-len(names) // columns)
    return 0.25 + 0.17 * sum(max(lines[row::rows], default=1) for row in range(rows))


def fitting(name: str, width: int, lines: int = 3) -> str:
    """Return a name in lines of at most so many characters, and cut where there are more lines than may be.

    >>> fitting("bm25 % 100 >> desm-in-out", 14)
    'bm25 % 100 >>\\ndesm-in-out'
    """
    told = textwrap.wrap(printable(name), width, break_on_hyphens=False) or ["(no name)"]
    if len(told) > lines:
        told = [*told[: lines - 1], f"{told[lines - 1][: width - 1]}…"]
    return "\n".join(told)


def printable(text: str) -> str:
    """Return a text in one line without what the figures' font cannot show."""
    known = _characters()
    return "".join(one if ord(one) in known else "\ufffd" for one in re.sub(r"[\s\0-\x1f]+", " ", text).strip())


@cache
def _characters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def check_names(names: Sequence[str], what: str = "rankers", most: int = MOST_RANKERS) -> None:
    """Raise where there is nothing to draw, or more than can be told apart."""
    if not 1 <= len(names) <= most:
        raise UsageError(f"a figure shows 1 to {most} {what}, got {len(names)}; choose some")


def ending_of(target: str | Path) -> str:
    """Return the form that the name of a file asks for."""
    ending = Path(target).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        raise UsageError(
            f"a figure's file ends in .{', .'.join(ENDINGS[:-1])} or .{ENDINGS[-1]}, got {shown(str(target))}"
        )
    return ending


def as_bytes(figure: Figure, ending: str) -> bytes:
    """Return a figure as an SVG, PDF or PNG file: the same bytes every time, with all that it needs inside."""
    content = io.BytesIO()
    with house_style():
        figure.savefig(content, format=ending, dpi=DPI, metadata=NO_DATES[ending])
    return content.getvalue()
