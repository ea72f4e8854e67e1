"""Search your own Markdown notes by what they are about, and see why a note was found.

A folder of notes becomes an index on disk, which learns from them what goes with what. The best notes are printed,
and of the first what speaks for it; a page shows the same with its words marked. With --serve, all of it is there
in the browser: type, compare rankers, ask why.

    python examples/search_notes.py notes/ "what you look for"
    python examples/search_notes.py notes/ "what you look for" --serve
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import aboutness as ab

if len(sys.argv) < 3:
    print('usage: python examples/search_notes.py FOLDER "what you look for" [--serve]', file=sys.stderr)
    sys.exit(2)
folder, question = Path(sys.argv[1]), sys.argv[2]
target = Path(f"{folder.resolve().name}.index")
try:
    if target.exists():  # from the last time: what has changed since is brought in
        index = ab.Index.open(target)
        index.sync(ab.read(folder))
    else:
        index = ab.Index.build(ab.read(folder), target)
except ab.AboutnessError as error:  # such as a note that is not in UTF-8: which, and what to do
    sys.exit(f"search_notes: {error}")
index.train("default", threads=1)

hits = index.search(question, k=5)
for hit in hits:
    print(f"{hit.rank}. {hit.title} ({hit.id}, {hit.score:.2f})")
if hits:
    print("\n".join(["", *hits[0].explain().lines(6)]))
    Path("why.html").write_text(index.explain_page(question, hits[0].id, ["bm25", "default"]), "utf-8")
    print(f"\nwhy.html says why {hits[0].id} is the best one")
else:
    print("Nothing was found.")

command = ["-m", "aboutness", "serve", str(target)]
print(f"In the browser: python {' '.join(command)}")
if "--serve" in sys.argv:
    with suppress(KeyboardInterrupt):  # it prints its address, and goes on until Ctrl-C
        subprocess.run([sys.executable, *command, "--port", "0"], check=True)  # noqa: S603 - our own command
