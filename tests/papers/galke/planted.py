"""Generated collections in the forms in which the paper's are handed out, and two small embeddings."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

TOPICS = {
    "money": ["bank", "loan", "credit", "interest", "currency", "deposit", "debt", "finance", "lender", "dollar"],
    "energy": ["oil", "gas", "fuel", "barrel", "pipeline", "crude", "refinery", "petrol", "drilling", "kerosene"],
    "grain": ["wheat", "corn", "barley", "harvest", "farm", "crop", "seed", "tonnes", "soybean", "maize"],
    "health": [
        "drug",
        "patient",
        "doctor",
        "hospital",
        "therapy",
        "clinic",
        "disease",
        "vaccine",
        "nurse",
        "surgery",
    ],
}
COMMON = ["report", "year", "company", "market", "government", "week", "plan", "country", "people", "official"]
WITHOUT_VECTOR = {"dollar", "maize"}  # in the second embedding


def text(chance: np.random.Generator, topic: str, words: int) -> str:
    own = chance.choice(TOPICS[topic], words - words // 3)
    return " ".join([*own, *chance.choice(COMMON, words // 3)])


def ntcir(folder: Path, documents: int = 60, seed: int = 1) -> Path:
    """Write documents with titles and abstracts, and topics with a short and a long form."""
    chance = np.random.default_rng(seed)
    for name in ("e-docs", "topics", "rels"):
        (folder / name).mkdir(parents=True)
    names = list(TOPICS)
    records, judged = [], []
    for number in range(documents):
        topic = names[number % len(names)]
        title, abstract = text(chance, topic, 4), text(chance, topic, 20)
        records.append(
            f"<REC><ACCN>gakkai-e-{number:010}</ACCN><TITE TYPE='alpha'>{title}</TITE>"
            f"<ABSE TYPE='alpha'><ABSE.P>{abstract}</ABSE.P></ABSE></REC>\n"
        )
        judged.append(f"{101 + number % len(names):04}\tA\tgakkai-e-{number:010}\t1\n")
    (folder / "e-docs" / "ntc2-e1g").write_text("".join(records))
    (folder / "rels" / "rel2_ntc2-e2_0101-0149").write_text("".join(judged))
    asked = [
        f"<TOPIC q={101 + place:04}><TITLE>{' '.join(words[:1])}</TITLE>"
        f"<DESCRIPTION>documents on {' '.join(words[:4])} of a {COMMON[2]}</DESCRIPTION></TOPIC>\n"
        for place, words in enumerate(TOPICS.values())
    ]
    (folder / "topics" / "topic-e0101-0149").write_text("".join(asked))
    return folder


def rcv1(folder: Path, documents: int = 40, seed: int = 2) -> Path:
    """Write stories in a zip file, and the descriptions of their codes."""
    chance = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    names = list(TOPICS)
    with zipfile.ZipFile(folder / "19960820.zip", "w") as day:
        for number in range(documents):
            topic = names[number % len(names)]
            day.writestr(
                f"{2286 + number}newsML.xml",
                f'<newsitem itemid="{2286 + number}"><title>{text(chance, topic, 5)}</title>'
                f"<text><p>{text(chance, topic, 24)}</p></text><metadata><codes class='bip:topics:1.0'>"
                f"<code code='{topic[0].upper()}11'/></codes></metadata></newsitem>",
            )
    described = (f"{name[0].upper()}11\t{' '.join(words[1:3])}\n" for name, words in TOPICS.items())
    (folder / "topic_codes.txt").write_text("".join(described))
    return folder


def embedding(path: Path, *, dim: int = 12, without: set[str] | None = None, seed: int = 3) -> Path:
    """Write vectors in which the words of a topic are near each other."""
    chance = np.random.default_rng(seed)
    lines = []
    for words in (*TOPICS.values(), COMMON):
        centre = chance.normal(size=dim)
        for word in words:
            if word not in (without or ()):
                vector = centre + 0.4 * chance.normal(size=dim)
                lines.append(f"{word} {' '.join(f'{one:.5f}' for one in vector)}\n")
    path.write_text(f"{len(lines)} {dim}\n" + "".join(lines))
    return path
