"""Stories in the form of Reuters-21578, made by chance: each topic has words of its own, each group some too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

GROUPS = {
    "economy": ("trade", "interest"),
    "bulk": ("wheat", "coffee"),
    "acq": ("acq",),
    "earn": ("earn",),
    "currency": ("money-fx", "dlr"),
    "metal": ("gold", "copper"),
    "fuel": ("crude", "nat-gas"),
}
COMMON, OF_GROUP, OF_TOPIC = 60, 12, 12  # words
LONG = 40  # words in a story
FRAME = """<REUTERS TOPICS="{has}" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="{id}" NEWID="{id}">
<DATE>26-FEB-1987 15:01:01.79</DATE>
<TOPICS>{topics}</TOPICS>
<PLACES></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<TEXT>
<TITLE>{title}</TITLE>
<BODY>{body}
 REUTER
</BODY></TEXT>
</REUTERS>
"""


def words(kind: str, count: int) -> list[str]:
    """Return words that nothing else has."""
    return [f"{kind.replace('-', '')}{chr(97 + one // 26)}{chr(97 + one % 26)}x" for one in range(count)]


class Stories:
    """Writes stories, one after another."""

    def __init__(self, seed: int = 1) -> None:
        self.chance = np.random.default_rng(seed)
        self.texts: list[str] = []
        self.topics: list[tuple[str, ...]] = []

    def add(self, *topics: str, split: str = "TRAIN", has: str = "YES") -> str:
        """Add a story with some topics; return its id."""
        group_of = {topic: group for group, some in GROUPS.items() for topic in some}
        pools = [words("common", COMMON)]
        pools += [words(f"group{group_of[one]}", OF_GROUP) for one in topics if one in group_of]
        pools += [words(f"topic{one}", OF_TOPIC) for one in topics if one in group_of]
        drawn = [str(self.chance.choice(pools[one])) for one in self.chance.integers(len(pools), size=LONG)]
        number = str(len(self.texts) + 1)
        listed = "".join(f"<D>{one}</D>" for one in topics)
        self.texts.append(
            FRAME.format(
                id=number, split=split, has=has, topics=listed, title=" ".join(drawn[:5]), body=" ".join(drawn[5:])
            )
        )
        self.topics.append(topics)
        return number

    def write(self, folder: Path) -> Path:
        """Write all stories to a folder, as the corpus is distributed."""
        folder.mkdir(parents=True)
        head = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'
        (folder / "reut2-000.sgm").write_text(head + "".join(self.texts), "latin-1")
        return folder


def small_corpus(folder: Path, each: int = 14, seed: int = 1) -> Stories:
    """Write a corpus with stories of every topic, some with two topics or none, and some out of the split."""
    made = Stories(seed)
    for place in range(each):
        split = "TEST" if place % 4 == 0 else "TRAIN"
        for topics in GROUPS.values():
            for topic in topics:
                made.add(topic, split=split)
    made.add("wheat", "gold")
    made.add(split="TEST")
    made.add("wheat", split="NOT-USED")
    made.add("wheat", has="NO")
    made.add("platinum")  # a topic of one part only
    made.write(folder)
    return made
