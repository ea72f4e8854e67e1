"""Everything that pages show is run as it stands, and prints what they show."""

from __future__ import annotations

import doctest
import shutil
from collections import Counter

import pytest

from e2e import blocks, printed, shell
from e2e.blocks import blocks_of
from e2e.pages import PAGES, REAL_DATA, ROOT, NotAsShown, PageRun, name_in_page, own_cache
from e2e.printed import is_as_shown
from e2e.shell import is_make, targets_of

SHOWN = [page for page in PAGES if blocks_of(page.read_text("utf-8"))]


@pytest.fixture
def here(tmp_path, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("ABOUTNESS_CACHE", own_cache(tmp_path / "cache"))
    for name in REAL_DATA:
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.mark.parametrize("page", SHOWN, ids=[name_in_page(ROOT, page) for page in SHOWN])
def test_a_page_is_true(page, here):
    if "curl " in page.read_text("utf-8") and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    PageRun(page, here).all()


def test_every_block_is_run_or_says_why_not():
    """A block whose page does not say what becomes of it is nothing that was looked at."""
    roles = Counter(block.role for page in SHOWN for block in blocks_of(page.read_text("utf-8")))
    assert not roles[""]
    assert roles["run"] > 3 * roles["marked"]


@pytest.mark.parametrize("module", [blocks, printed, shell], ids=lambda module: module.__name__)
def test_examples_in_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted
    assert not found.failed


# --- what runs pages is itself tried: on pages that are not true -------------------------------------------


def page(here, text):
    path = ROOT / "docs" / "index.md"
    made = PageRun(path, here)
    made.text = text
    return made


TRUE = """
```sh
mkdir notes
echo "a city" > notes/a.txt
aboutness index notes -o n.index
```

```text
1 document added in 0.1 s; n.index holds 1
```

<!-- exit: 4 -->
```sh
aboutness info no.index
```

```text
aboutness: there is no index at no.index; ...
```

Save it as `try.py`:

```python
print(3.14159)
```

```sh
python try.py
```

<!-- numbers: about -->
```text
3.142
```

<!-- not run: an example -->
```sh
exit 1
```

```python
number = 3
```

- in a list:

  ```python
  print("a", number)
  ```

  ```text
  a 3
  ```

```sh
aboutness serve n.index --port 8123
curl -s http://127.0.0.1:8123/v1/live
```

```json
n: 1 document
Serving at http://127.0.0.1:8123/
Ctrl-C ends it.
{"status":"ok"}
```
"""


def test_a_true_page(here):
    counts = page(here, TRUE).all()
    assert counts == {"run": 6, "output": 5, "file": 1, "make": 0, "marked": 1}


LIES = {
    "another output": ("n.index holds 1\n", "n.index holds 2\n"),
    "another number": ("3.142", "3.242"),
    "another code": ("exit: 4", "exit: 3"),
    "no error": ("<!-- exit: 4 -->\n", ""),
    "no output": ("1 document added in 0.1 s; n.index holds 1\n", "\n"),
    "another answer": ('{"status":"ok"}', '{"status":"bad"}'),
    "a file that the page does not name": ("Save it as `try.py`:", "Save it as `try.py`"),
    "an output of nothing": ("```sh\npython try.py\n```\n", ""),
    "no reason": ("not run: an example", "not run: x"),
    "not marked": ("<!-- not run: an example -->\n", ""),
    "python that fails": ("number = 3", "number = none"),
    "a command that fails before others": ("mkdir notes", "mkdir a/b"),
}


@pytest.mark.parametrize(("true", "false"), LIES.values(), ids=LIES)
def test_a_false_page(here, true, false):
    assert TRUE.count(true) == 1
    with pytest.raises((NotAsShown, NameError)):
        page(here, TRUE.replace(true, false)).all()


def test_only_targets_that_there_are_are_taken_for_make():
    targets = targets_of(ROOT / "Makefile")
    assert is_make("make test  # all\nmake demo\n", targets)
    assert not is_make("make no-such-thing\n", targets)
    assert not is_make("make test\nls\n", targets)
    assert not is_make("", targets)


@pytest.mark.parametrize(
    ("shown", "printed", "about", "same"),
    [
        ("a ... c", "a b c", False, True),
        ("a ... c", "a b d", False, False),
        ("1.00", "1.01", False, False),
        ("1.00", "1.004", True, True),
        ("1.00", "1.10", True, False),
        ("0.50 city\n0.40 song", "0.503 city\n0.401 song", True, True),
        ("0.50 city\n0.40 song", "0.51 song\n0.39 city", True, False),
        ("-0.50", "0.50", True, False),
        ("3 hits in 1.0 ms", "3 hits in 22 ms", False, True),
        ("3 hits in 1.0 ms", "4 hits in 1.0 ms", False, False),
        ("a.b", "axb", False, False),
        ("x  1\ny", "x 1 \ny\n", False, True),
        ("x\ny", "x y", False, False),
    ],
)
def test_what_is_as_shown(shown, printed, about, same):
    assert is_as_shown(shown, printed, about=about) is same
