"""`python -m bench.mutants [--count 400] [--seed 1]`: how many small faults in the source do the tests notice?

Draws places at random from all of `src`, changes one operator, constant, condition or statement at each, and runs
the tests that execute that line, the quickest of the same package first, until one fails. Which tests execute
a line is recorded by one run of the whole suite (it needs `coverage` and `pytest-cov` beside the tests' packages).
Everything runs in a copy of the repository. Figures go to bench/results/mutants.{json,md}.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.report import circumstances, keep, made_by, table

ROOT = Path(__file__).parents[1]
NAME = "mutants"
COPIED = ("src", "tests", "bench", "docs", "docsite", "examples", "pyproject.toml", "README.md", "CONTRIBUTING.md",
          "CHANGELOG.md", "ARCHITECTURE.md", "Makefile", "requirements", "LICENSE")  # fmt: skip
TEST_SECONDS = 60.0  # of tests that one mutant is given, by their usual duration
LIMIT_SECONDS = 300.0  # after which a mutant counts as noticed: it hangs

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    path: str
    line: int
    last_line: int
    change: str
    source: str  # the changed file


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of a file."""
    text = path.read_text()
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data, name = text.encode(), str(path.relative_to(ROOT))
    for node in _places(ast.parse(text)):
        for changed in _changes(node):
            first = starts[node.lineno - 1] + node.col_offset
            last = starts[node.end_lineno - 1] + node.end_col_offset
            new = ast.unparse(changed)
            if isinstance(node, ast.expr):
                new = f"({new})"
            yield Mutant(
                name, node.lineno, node.end_lineno, f"{ast.unparse(node)[:80]} -> {new[:80]}",
                (data[:first] + new.encode() + data[last:]).decode(),
            )  # fmt: skip


def _places(tree: ast.AST) -> Iterator[Any]:
    """Yield the nodes that may be changed: none in annotations, decorators, imports, or f-strings."""
    if isinstance(tree, ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from _places(child)


def _changes(node: Any) -> Iterator[ast.AST]:
    changed = copy.deepcopy(node)
    if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        changed.ops[0] = SWAPS[type(node.ops[0])]()
    elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPS:
        changed.op = SWAPS[type(node.op)]()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        changed = changed.operand
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float):
        changed.value = (not node.value) if isinstance(node.value, bool) else node.value + 1
    elif isinstance(node, ast.IfExp):
        changed.body, changed.orelse = changed.orelse, changed.body
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        changed.value = ast.Constant(None)
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        changed = ast.Pass()
    else:
        return
    yield changed


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class Bench:
    """A copy of the repository in which mutants are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy(source, folder / name)
        self.environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"}

    def record(self, kept: Path) -> None:
        """Run the whole suite once, and write which tests execute which lines and how long each test takes."""
        command = [
            "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "--cov=aboutness",
            "--cov-context=test", "--cov-report=", "--junitxml=durations.xml", "-o", "junit_family=xunit1",
        ]  # fmt: skip
        subprocess.run([sys.executable, *command], cwd=self.folder, env=self.environment, check=False)
        kept.mkdir(parents=True, exist_ok=True)
        for name in (".coverage", "durations.xml"):
            shutil.copy(self.folder / name, kept / name.lstrip("."))

    def tests_by_line(self, kept: Path) -> tuple[dict[tuple[str, int], list[str]], dict[str, float]]:
        """Return the tests of each line, and the seconds of each test."""
        import sqlite3
        from xml.etree import ElementTree as ET

        from coverage.numbits import numbits_to_nums

        seconds = {}
        for case in ET.parse(kept / "durations.xml").iter("testcase"):
            name = case.get("classname", "").split(".")
            file = case.get("file") or "/".join(name) + ".py"
            inside = [part for part in name if part[:1].isupper()]
            seconds["::".join([file, *inside, case.get("name", "")])] = float(case.get("time", 0))
        tests: dict[tuple[str, int], list[str]] = defaultdict(list)
        database = sqlite3.connect(kept / "coverage")
        rows = database.execute(
            "select file.path, context.context, line_bits.numbits from line_bits join file on file.id = file_id "
            "join context on context.id = context_id where context.context != ''"
        )
        for path, context, bits in rows:
            test = context.partition("|")[0]
            if test in seconds:
                for line in numbits_to_nums(bits):
                    tests["src" + path.rpartition("/src")[2], line].append(test)
        return tests, seconds

    def survives(self, mutant: Mutant, tests: list[str]) -> bool:
        """Tell whether no test fails."""
        target = self.folder / mutant.path
        before = target.read_text()
        target.write_text(mutant.source)
        chosen = self.folder / "chosen.txt"
        chosen.write_text("\n".join(tests) + "\n")
        try:
            ended = subprocess.run(
                [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"@{chosen}"],
                cwd=self.folder, env=self.environment, capture_output=True, timeout=LIMIT_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return False
        finally:
            target.write_text(before)
        return ended.returncode == 0


def chosen_tests(mutant: Mutant, tests: dict[tuple[str, int], list[str]], seconds: dict[str, float]) -> list[str]:
    """Return tests that execute the mutant, of its own package and the quickest first, as far as time allows."""
    room = Path(mutant.path).parts[2]
    found = {
        test for line in range(mutant.line, mutant.last_line + 1) for test in tests.get((mutant.path, line), ())
    }
    ordered = sorted(found, key=lambda test: (not test.startswith(f"tests/{room}/"), seconds[test], test))
    total, some = 0.0, []
    for test in ordered:
        total += seconds[test]
        if some and total > TEST_SECONDS:
            break
        some.append(test)
    return some


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--recorded", type=Path, help="folder of a recorded run of the suite; made if missing")
    options = parser.parse_args()
    everything = [mutant for path in sorted((ROOT / "src").rglob("*.py")) for mutant in mutants_of(path)]
    drawn = random.Random(options.seed).sample(everything, options.count)
    outcomes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder) / "copy")
        kept = options.recorded or Path(folder) / "recorded"
        if not (kept / "coverage").exists():
            bench.record(kept)
        tests, seconds = bench.tests_by_line(kept)
        start = time.perf_counter()
        for number, mutant in enumerate(drawn, 1):
            some = chosen_tests(mutant, tests, seconds)
            outcome = "not executed" if not some else "survived" if bench.survives(mutant, some) else "killed"
            described = {name: value for name, value in asdict(mutant).items() if name != "source"}
            outcomes.append({**described, "outcome": outcome, "tests": len(some)})
            spent = time.perf_counter() - start
            print(
                f"{number}/{len(drawn)} {outcome} {mutant.path}:{mutant.line} {spent:.0f} s",
                file=sys.stderr,
                flush=True,
            )
    results = {
        **circumstances("coverage", "pytest"), "seed": options.seed, "places": len(everything),
        "outcomes": dict(Counter(one["outcome"] for one in outcomes)), "mutants": outcomes,
    }  # fmt: skip
    keep(NAME, results, report(results))
    print(results["outcomes"])


def report(results: dict[str, Any]) -> str:
    rooms: dict[str, Counter[str]] = defaultdict(Counter)
    for one in results["mutants"]:
        rooms[Path(one["path"]).parts[2]][one["outcome"]] += 1
    total = sum(rooms.values(), Counter())
    rows = [
        [room, *(str(counts[name]) for name in ("killed", "survived", "not executed"))]
        for room, counts in [*sorted(rooms.items()), ("all", total)]
    ]
    drawn = f"{len(results['mutants'])} of {results['places']:,} places, seed {results['seed']}."
    head = ["package", "killed", "survived", "not executed"]
    return "\n".join(["# Mutants", "", made_by("bench.mutants", results), "", drawn, "", *table(head, rows), ""])


if __name__ == "__main__":
    main()
