"""Results in a folder: results.json, per_query.csv, and a file for each run and for the judgements."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from aboutness.core.errors import BadInput, NotFound, StorageError, UsageError, shown
from aboutness.corpus.files import lies_within
from aboutness.corpus.qrels import read_qrels_file
from aboutness.corpus.topics import read_topics
from aboutness.evaluate.atomic import write_whole
from aboutness.evaluate.evaluation import Evaluation
from aboutness.evaluate.judgements import Qrels, judgements_by_query
from aboutness.evaluate.runs import Run, read_run, write_run
from aboutness.experiment.compare import Comparison, Row
from aboutness.experiment.results import Made, Results
from aboutness.rank.grammar import ranker as named_ranker

RESULTS, VALUES, RUNS, QRELS, QUERIES = "results.json", "per_query.csv", "runs", "qrels", "queries"
COLUMNS = ("collection", "setting", "ranker", "query", "measure", "value")
DECLARED, SAMPLES = "declared.toml", "samples.csv"
OURS = re.compile(r"(runs|qrels|queries)/\d+-[a-z0-9.-]*\.(trec|tsv|jsonl)(\.gz)?|declared\.toml|samples\.csv")
MOST_PLAIN = 1_000_000  # lines of a run that is not packed
FEW = 100  # queries whose lines are not counted
LARGE = 1 << 24  # characters of another table that is packed
LONGEST = 80  # characters of a file's name
NOT_OURS = "these are no results of `aboutness experiment -o`"


class RunFile(Mapping[str, "list[tuple[str, float]]"]):
    """The run of a file, which is read when it is first looked into."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def _run(self) -> Run:
        return read_run(self.path)

    def __getitem__(self, query: str) -> list[tuple[str, float]]:
        return self._run[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self._run)

    def __len__(self) -> int:
        return len(self._run)


def tag_of(name: str) -> str:
    """Return a name in one word, for the last column of a run and for the names of files."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-.")


@contextmanager
def results_in(folder: str | Path | None) -> Iterator[None]:
    """Make the folder that results will go to, or say at once that it cannot be made; not if the work fails."""
    runs = None if folder is None else Path(folder) / RUNS
    made = [place for place in (runs, *runs.parents) if not place.exists()] if runs else []
    if runs:
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"cannot make the folder {folder}: {error.strerror}") from None
    try:
        yield
    except BaseException:
        for place in made:
            with suppress(OSError):
                place.rmdir()
        raise


def save_results(results: Results, folder: str | Path, more: Mapping[str, str] | None = None) -> list[Path]:
    """Write results to a folder; files of earlier results there that are not written again are removed.

    results.json has the means and how all was made; per_query.csv one line for each value; runs and judgements are
    in TREC's and BEIR's form; `more` are texts of further files. `results.json` comes last: where it stands, all
    else does.
    """
    place = Path(folder)
    with results_in(place):
        before = _earlier(place)
        plain = results.to_json()
        files = _Files(place)
        pairs = list(zip(results.comparisons, plain["comparisons"], strict=True))
        for comparison, described in pairs:  # first what may fail: an id that cannot stand in a run
            for row, one in zip(comparison.rows, described["rows"], strict=True):
                one.update(_described(row), run=files.run(comparison if len(pairs) > 1 else None, row))
        for comparison, described in pairs:
            described["measures"] = comparison.measures
            described["qrels"] = files.shared(QRELS, comparison, _qrels_table(comparison.qrels), "tsv")
            described["texts"] = files.shared(QUERIES, comparison, _texts_table(comparison.texts), "jsonl")
            described["unknown"] = comparison.unknown
        for name, text in {VALUES: per_query_table(results), **(more or {})}.items():
            with write_whole(place / name) as file:
                file.write(text.encode())
            files.written.append(name)
        with write_whole(place / RESULTS) as file:
            whole = {**plain, "files": files.written}
            file.write((json.dumps(whole, indent=2, ensure_ascii=False) + "\n").encode())
        for name in before - set(files.written):
            (place / name).unlink(missing_ok=True)
    return [place / name for name in (RESULTS, *files.written)]


def read_results(folder: str | Path) -> Results:
    """Read the results of a folder; a run is read from its file when it is looked into."""
    place = Path(folder)
    path = place / RESULTS if place.is_dir() else place
    try:
        plain = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFound(f"there is no {path}: {NOT_OURS}") from None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: this is no JSON: {error}") from None
    try:
        values = _read_values(path.parent / VALUES)
        judged: dict[str, Qrels] = {}
        comparisons = [_comparison(one, path.parent, values, judged) for one in plain["comparisons"]]
        parts = {name: plain[name] for name in ("name", "baseline", "test", "correction")}
        return Results(comparisons=tuple(comparisons), made=Made(**plain["made"]), **parts)
    except OSError as error:
        raise StorageError(f"cannot read the results of {path}: {error.strerror}") from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError, csv.Error) as error:
        raise BadInput(f"{path}: {NOT_OURS}, or of another version ({type(error).__name__}: {error})") from None


def per_query_table(results: Results) -> str:
    """Return one line for each collection, setting, ranker, query and measure."""
    table = io.StringIO()
    lines = csv.DictWriter(table, COLUMNS, lineterminator="\n")
    lines.writeheader()
    lines.writerows(results.per_query)
    return table.getvalue()


def _described(row: Row) -> dict[str, Any]:
    """Return what else is said of a row in a folder: all but its rankings and its values."""
    found = row.evaluation
    return {
        "deviation": found.deviation,
        "unanswered": list(found.unanswered),
        "unjudged": list(found.unjudged),
        "without_relevant": list(found.without_relevant),
    }


class _Files:
    """The files of results in a folder; what several comparisons share is written once."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.written: list[str] = []
        self._names: dict[tuple[str, bytes], str] = {}
        self._runs = 0

    def shared(self, folder: str, comparison: Comparison, table: str, form: str) -> str:
        """Write a table, unless there is the same already; return the file's name."""
        key = folder, hashlib.sha256(table.encode()).digest()
        if key not in self._names:
            number = 1 + sum(kind == folder for kind, _ in self._names)
            packed = ".gz" if len(table) > LARGE else ""
            name = f"{folder}/{number:02}-{tag_of(comparison.collection)[:LONGEST]}.{form}{packed}"
            (self.place / folder).mkdir(exist_ok=True)
            with write_whole(self.place / name) as file:
                file.write(table.encode())
            self._names[key] = name
            self.written.append(name)
        return self._names[key]

    def run(self, comparison: Comparison | None, row: Row) -> str:
        """Write a run, packed if it is large; return the file's name, which is the ranker's behind the title's."""
        self._runs += 1
        title = row.name if comparison is None else f"{comparison.title}-{row.name}"
        large = len(row.run) > FEW and sum(map(len, row.run.values())) > MOST_PLAIN
        name = f"{RUNS}/{self._runs:02}-{tag_of(title)[:LONGEST]}.trec{'.gz' if large else ''}"
        write_run(self.place / name, row.run, tag_of(row.name) or "run")
        self.written.append(name)
        return name


def _earlier(place: Path) -> set[str]:
    """Return the files that earlier results in the same place name as theirs."""
    try:
        names = json.loads((place / RESULTS).read_bytes()).get("files", [])
        return {name for name in names if OURS.fullmatch(name)}
    except (OSError, ValueError, AttributeError, TypeError):
        return set()


def _qrels_table(qrels: Qrels) -> str:
    lines = [f"{query}\t{one}\t{grade}\n" for query, grades in qrels.items() for one, grade in grades.items()]
    return "query-id\tcorpus-id\tscore\n" + "".join(lines)


def _texts_table(texts: Mapping[str, str]) -> str:
    return "".join(json.dumps({"_id": query, "text": text}) + "\n" for query, text in texts.items())


def _read_values(path: Path) -> dict[tuple[str, str, str], dict[str, dict[str, float]]]:
    """Return for each collection, setting and ranker the values of each query."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = csv.reader(file)
            if tuple(next(lines, ())) != COLUMNS:
                raise BadInput(f"{path}: its columns must be {', '.join(COLUMNS)}")
            found: dict[tuple[str, str, str], dict[str, dict[str, float]]] = {}
            for collection, setting, ranker, query, measure, value in lines:
                values = found.setdefault((collection, setting, ranker), {})
                values.setdefault(query, {})[measure] = float(value)
            return found
    except FileNotFoundError:
        raise NotFound(f"there is no {path}, which belongs to the results") from None


def _comparison(
    plain: dict[str, Any],
    place: Path,
    values: Mapping[tuple[str, str, str], dict[str, dict[str, float]]],
    judged: dict[str, Qrels],
) -> Comparison:
    collection, setting = plain["collection"], plain.get("setting", "")
    if plain["qrels"] not in judged:
        judged[plain["qrels"]] = judgements_by_query(read_qrels_file(_inside(place, plain["qrels"])))
    measures = tuple(plain["measures"])
    rows = tuple(_row(one, place, measures, values[collection, setting, one["ranker"]]) for one in plain["rows"])
    return Comparison(
        collection=collection,
        documents=plain["documents"],
        analyzer=plain["analyzer"],
        measures=measures,
        rows=rows,
        unknown=plain["unknown"],
        left_out=plain.get("left_out", {}),
        note=plain.get("note"),
        setting=setting,
        qrels=judged[plain["qrels"]],
        texts={query.id: query.text for query in read_topics(_inside(place, plain["texts"]))},
        unjudged=tuple(plain.get("unjudged", ())),
        unasked=tuple(plain.get("unasked", ())),
        chosen_by=plain.get("chosen_by", 0),
    )


def _inside(place: Path, name: str) -> Path:
    """Return a file of results, which lies in their folder whatever they say."""
    if not OURS.fullmatch(name) or not lies_within(place / name, place):
        raise BadInput(f"{place / RESULTS}: it names the file {shown(name)}, which is none of its own")
    return place / name


def _row(
    plain: dict[str, Any], place: Path, measures: tuple[str, ...], per_query: dict[str, dict[str, float]]
) -> Row:
    lists = {name: tuple(plain[name]) for name in ("unanswered", "unjudged", "without_relevant")}
    evaluation = Evaluation(
        measures=measures,
        per_query=per_query,
        mean={name: plain[name] for name in measures},
        queries=len(per_query),
        **lists,
    )
    try:
        ranker = named_ranker(plain["expression"])
    except UsageError as error:
        raise BadInput(f"{place / RESULTS}: {error}") from None
    named = "" if plain["ranker"] == plain["expression"] else plain["ranker"]
    run, chosen = RunFile(_inside(place, plain["run"])), plain.get("chosen", "")
    return Row(ranker, run, evaluation, plain["seconds"], plain["cached"], named, chosen)
