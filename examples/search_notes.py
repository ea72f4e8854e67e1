"""Index a folder of notes in memory, search it, and say why the best one is the best.

python examples/search_notes.py notes/ "what you look for"
"""

from __future__ import annotations

import sys

import aboutness as ab

index = ab.Index.build(ab.read(sys.argv[1]))
hits = index.search(sys.argv[2], k=5)
for hit in hits:
    print(f"{hit.rank}. {hit.title} ({hit.score:.2f})")
if hits:
    print(hits[0].explain())
