"""What comes from elsewhere: packages are locked by hash, their licences are listed, and nothing is run or fetched."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import aboutness

PACKAGE = Path(aboutness.__file__).parent
ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
BANNED = {
    "S102": 'exec("x")',
    "S301": "import pickle\npickle.loads(x)",
    "S302": "import marshal\nmarshal.loads(x)",
    "S307": 'eval("x")',
    "S310": "import urllib.request\nurllib.request.urlopen(x)",
    "S314": "import xml.etree.ElementTree as ET\nET.parse(x)",
    "S506": "import yaml\nyaml.load(x)",
    "S602": 'import subprocess\nsubprocess.run("x", shell=True)',
    "S604": "f(shell=True)",
    "S605": 'import os\nos.system("x" + y)',
    "S606": 'import os\nos.execl("x")',
}
EXCUSED = {"S314": ["report/figures/inline.py"]}  # which reads a picture that it has just drawn itself
MODULES = {
    *(
        "pickle",
        "marshal",
        "shelve",
        "dill",
        "cloudpickle",
        "joblib",
        "yaml",
        "code",
        "pty",
        "subprocess",
        "runpy",
    ),
    *(
        "urllib.request",
        "http.client",
        "ftplib",
        "requests",
        "httpx",
        "aiohttp",
        "webbrowser",
        "xmlrpc",
        "telnetlib",
    ),
    *("socket", "ssl", "smtplib", "tarfile"),
}
ALLOWED = {
    ("server/serving.py", "socket"),  # which listens, and calls nobody
    ("scale/ray_connection.py", "socket"),  # which asks whether anybody listens at the address that the user gave
    ("app/jobs.py", "subprocess"),  # which starts this package's own module, without a shell
}
CALLS = {"eval", "exec", "compile", "__import__"}


def parsed():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_bytes())


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)


# --- bans ---------------------------------------------------------------------------------------------------


def test_lint_bans_what_could_run_anything():
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None or not (ROOT / "pyproject.toml").exists():
        pytest.skip("ruff is not installed")
    for rule, code in BANNED.items():
        command = [
            ruff,
            "check",
            "--no-cache",
            "--output-format",
            "concise",
            "--stdin-filename",
            "src/aboutness/app/x.py",
        ]
        found = subprocess.run([*command, "-"], input=code, text=True, cwd=ROOT, capture_output=True, check=False)
        assert f" {rule} " in found.stdout, (rule, found.stdout, found.stderr)


def test_no_ban_is_lifted():
    lifted = re.compile(r"#\s*(?:ruff:\s*)?noqa(?::\s*(?P<codes>[A-Z0-9, ]+))?")
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        for match in lifted.finditer(path.read_text("utf-8")):
            assert match["codes"], f"{name} lifts all rules at once"
            codes = set(re.findall(r"[A-Z]+\d+", match["codes"])) & BANNED.keys()
            assert {code for code in codes if name not in EXCUSED.get(code, [])} == set(), name


def test_nothing_dangerous_is_imported_or_called():
    for name, tree in parsed():
        modules = {one for one in imported(tree) if one in MODULES and (name, one) not in ALLOWED}
        assert modules == set(), name
        called = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert called & CALLS == set(), name
        loads = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr == "load"]
        owners = {node.value.id for node in loads if isinstance(node.value, ast.Name)}
        assert owners & {"np", "numpy", "torch"} == set(), name
        words = {word.arg for node in ast.walk(tree) if isinstance(node, ast.Call) for word in node.keywords}
        assert words & {"shell", "allow_pickle"} == set(), name


def test_only_ir_datasets_downloads():
    """Nothing of ours fetches; that package does, by https, with its own checksums, and only when it is named."""
    users = {name for name, tree in parsed() if "ir_datasets" in set(imported(tree))}
    assert users == {"corpus/ir_datasets_source.py"}
    plain = re.compile(rb"['\"]http://(?!www\.w3\.org/|127\.0\.0\.1|\[?[{:])")
    assert [str(path) for path in sorted(PACKAGE.rglob("*.py")) if plain.search(path.read_bytes())] == []


# --- locks --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not LOCKS, reason="an installed package has no lock files")
@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.name)
def test_locked_by_hash_and_from_nowhere_in_particular(path):
    text = path.read_text("utf-8")
    entries = text.replace("\\\n", " ").splitlines()
    entries = [line for line in entries if line.strip() and not line.startswith("#")]
    assert entries
    for entry in entries:
        assert re.match(r"[A-Za-z0-9._-]+(?:\[[a-z,-]+\])?==\S+", entry), entry
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    assert not re.search(r"https?:|git\+|file:|--(?:extra-)?index-url|--find-links|--trusted-host|\s@\s", text)


def test_what_is_locked_is_installed_with_hashes():
    if not (ROOT / "Makefile").exists():
        pytest.skip("there is no Makefile here")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "locked  = --require-hashes" in makefile
    assert "--generate-hashes" in makefile
    assert "--no-emit-index-url" in makefile


# --- licences and vulnerabilities ---------------------------------------------------------------------------


@pytest.fixture
def bench(monkeypatch):
    if not (ROOT / "bench" / "licences.py").exists():
        pytest.skip("there is no bench folder here")
    monkeypatch.syspath_prepend(str(ROOT))


def test_licences_are_listed(bench):
    from bench import licences

    page = licences.listed(licences.PAGE.read_text("utf-8"))
    locked = licences.locked()
    assert {name: row[0] for name, row in page.items()} == {name: version for name, (version, _) in locked.items()}
    assert [name for name, row in page.items() if row[1] == licences.UNKNOWN] == []
    for name, (wanted, use) in locked.items():
        try:
            there = version(name) == wanted
        except PackageNotFoundError:
            there = False
        if there:
            assert page[name][1:] == (licences.licence(name), use), f"{name}: run make licences"


def test_what_runs_is_under_licences_that_ask_for_little(bench):
    from bench import licences

    page = licences.listed(licences.PAGE.read_text("utf-8"))
    strict = {name: row for name, row in page.items() if re.search(r"\bA?L?GPL|Affero|EUPL|SSPL", row[1])}
    assert {name for name, row in strict.items() if row[2] in ("to run", "optional")} == set()


def test_an_audit_that_cannot_be_made_ends_well(bench):
    from bench.audit import can_be_asked

    for address in ("https://127.0.0.1:9/", "https://nobody.invalid/", "file:///dev/null"):
        assert not can_be_asked(address, patience=2.0)
