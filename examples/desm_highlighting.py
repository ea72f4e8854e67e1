"""Mark the words of documents that are evidence for a query in the dual embedding space (Mitra et al. 2016).

IN-OUT products are high for words that stand beside those of the query. So a document about the query has many of
them, and one that merely mentions it has few, though both have the query's word. The page shows them side by side.
It trains on Python's own documentation, or on a collection's folder.

    python examples/desm_highlighting.py "compress"
    python examples/desm_highlighting.py "boundary layer" path/to/cranfield
"""

from __future__ import annotations

import sys
from pathlib import Path

import aboutness as ab

question = sys.argv[1] if len(sys.argv) > 1 else "compress"
index = ab.Index.build(ab.read(sys.argv[2] if len(sys.argv) > 2 else "stdlib"))
index.train("word2vec", architecture="cbow", dim=100, epochs=20, min_count=3, seed=1, threads=1)

hits = index.search(question, k=200, ranker="bm25 % 200 >> desm-in-out")  # all of them mention it
if not hits:
    print(f"no document mentions {question!r}")
    sys.exit(1)
about, mentions = hits[0], hits[-1]
for what, hit in (("about it", about), ("mentions it", mentions)):
    parts = sorted(index.explain(question, hit.id, "desm-in-out").parts, key=lambda part: -part.value)
    words = ", ".join(f"{part.name} {part.value:+.3f}" for part in parts[:6])
    print(f"{what:>12}: {hit.title} ({hit.score:.3f}): {words}")

page = index.explain_page(question, [about.id, mentions.id], "desm-in-out")
Path("why.html").write_text(page, "utf-8")
print("\nwhy.html shows both, with their words marked by what they add")
