"""Looking at figures without eyes: where texts stand, and whether they leave each other alone."""

from __future__ import annotations

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from aboutness.report.figures.sheet import house_style

NAMES = [
    "bm25", "ql", "bm25[k1=1.7,b=0.95] % 1000 >> desm-in-out[similarity=dot]", "minmax(bm25) + 0.3*minmax(ql)",
    "lsa", "x" * 200, "wcs", "a $dollar$ name", "\u05e2\u05d1\u05e8\u05d9\u05ea", "two\nlines", "", "iwcs-wmd",
]  # fmt: skip


def texts_of(figure: Figure) -> list[Text]:
    """Return the texts that can be seen."""
    found = [one for one in figure.findobj(Text) if one.get_visible() and one.get_text().strip()]
    scales = [scale for axis in figure.axes for scale in (axis.xaxis, axis.yaxis)]
    ticks = {id(one) for scale in scales for tick in scale.get_major_ticks() for one in (tick.label1, tick.label2)}
    drawn = {id(one) for scale in scales for tick in scale._update_ticks() for one in (tick.label1, tick.label2)}
    seen = [one for one in found if id(one) not in ticks or id(one) in drawn]
    return [one for one in seen if one.axes is None or one.axes.get_visible()]


def words(figure: Figure) -> str:
    return "\n".join(one.get_text() for one in texts_of(figure))


def check_texts(figure: Figure) -> None:
    """Check that all texts lie within the figure, and none on another."""
    with house_style():
        canvas = FigureCanvasAgg(figure)
        renderer = canvas.get_renderer()
        figure.draw_without_rendering()
        boxes = [(one.get_text(), one.get_window_extent(renderer)) for one in texts_of(figure)]
    width, height = figure.bbox.width, figure.bbox.height
    for text, box in boxes:
        assert box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1, (text, box)
    for (a, one), (b, other) in combinations(boxes, 2):
        shared = min(one.x1, other.x1) - max(one.x0, other.x0), min(one.y1, other.y1) - max(one.y0, other.y0)
        assert shared[0] <= 1.5 or shared[1] <= 1.5, (a, b, shared)
