"""A news archive with fields and filters: titles count more, and only some stories are looked at.

Stories have a title, a text and metadata: topics, places, and the month, which is worked out from the date while
they are read. Without an argument there are a few invented ones; Reuters-21578 is read as it is handed out (SGML).

    python examples/news_archive.py
    python examples/news_archive.py path/to/reuters21578 "oil prices"
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime

import aboutness as ab

INVENTED = [
    ("1", "Oil prices rise", "Crude gained a dollar as tankers waited.", "crude", "usa", "26-FEB-1987"),
    ("2", "Harbour strike ends", "Ships with oil leave again, and prices fell.", "ship", "brazil", "2-MAR-1987"),
    ("3", "Coffee talks fail", "Producers met about export quotas.", "coffee", "brazil", "5-MAR-1987"),
    ("4", "Bank cuts its rate", "The dollar fell. Oil took no notice.", "interest", "uk", "11-MAR-1987"),
    ("5", "Wells reopened", "Prices of crude oil made old wells pay again.", "crude", "usa", "7-APR-1987"),
]  # fmt: skip


def invented() -> Iterator[ab.Document]:
    """Yield the invented stories in the form in which Reuters' are read."""
    for name, title, text, topic, place, date in INVENTED:
        metadata = {"topics": [topic], "places": [place], "date": date}
        yield ab.Document(name, {"title": title, "text": text}, metadata)


def dated(stories: Iterable[ab.Document]) -> Iterator[ab.Document]:
    """Yield stories with their month as a number, such as 198703, by which they can be filtered."""
    for story in stories:
        if "date" not in story.metadata:
            sys.exit(f"news_archive: the story {story.id} has no date; give a folder with Reuters-21578 in SGML")
        day = datetime.strptime(str(story.metadata["date"]).split()[0], "%d-%b-%Y")
        yield replace(story, metadata={**story.metadata, "month": day.year * 100 + day.month})


question = sys.argv[2] if len(sys.argv) > 2 else "oil prices"
try:
    stories = dated(ab.read(sys.argv[1]) if len(sys.argv) > 1 else invented())
    index = ab.Index.build(stories, weights={"title": 3})
except ab.AboutnessError as error:  # such as a folder that is not there
    sys.exit(f"news_archive: {error}")


def show(what: str, hits: Iterable[ab.Hit]) -> None:
    """Print the titles of hits, with month and places."""
    print(f"\n{what}")
    for hit in hits:
        of = hit.document.metadata
        print(f"  {hit.score:6.3f}  {hit.title} ({of['month']}, {', '.join(of.get('places', ['-']))})")


show(f"{question}, titles three times", index.search(question, k=3, ranker="bm25"))
show("in titles only", index.search(question, k=3, ranker="bm25", fields="title"))
show("since March", index.search(question, k=3, ranker="bm25", where="month>=198703"))
show(
    "from the USA, on crude oil", index.search(question, k=3, ranker="bm25", where=["places=usa", "topics=crude"])
)

best = index.search(question, k=1, ranker="bm25")[0]
show(f"more like {best.title!r}", index.search(like=best.id, k=2, ranker="bm25"))
counts = Counter(story.metadata["month"] for story in index)
print("\nstories by month:", ", ".join(f"{month}: {count:,}" for month, count in sorted(counts.items())))
