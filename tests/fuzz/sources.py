"""Everything that reads a file from outside: a small sound source for each, how it is read, and what must hold then."""

from __future__ import annotations

import gzip
import io
import math
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from aboutness import Index
from aboutness.app.perturbing import read_passages
from aboutness.app.picturing import _sweep
from aboutness.core.errors import AboutnessError, BadRecord
from aboutness.core.record import Document, Query
from aboutness.corpus.ntcir import read_ntcir_judgements, read_ntcir_topics
from aboutness.corpus.qrels import Judgement, read_qrels_file
from aboutness.corpus.rcv1 import read_topic_codes
from aboutness.corpus.read import read
from aboutness.corpus.stdlib_docs import _parsed
from aboutness.corpus.thesaurus import read_thesaurus
from aboutness.corpus.topics import read_topics
from aboutness.evaluate.judgements import read_judgements
from aboutness.evaluate.runs import read_run
from aboutness.experiment.collection import collection
from aboutness.experiment.folds import training_split
from aboutness.experiment.kept_runs import KeptRuns
from aboutness.experiment.labels import read_groups
from aboutness.experiment.results import Results
from aboutness.experiment.results_folder import read_results, save_results
from aboutness.experiment.toml_form import read_experiment
from aboutness.index.check import check
from aboutness.server.access import Keys
from aboutness.text.strings import StringTable
from aboutness.vectors.checkpoint import Checkpoint
from aboutness.vectors.load import load_vectors
from aboutness.vectors.word_tests import analogies, is_analogies, similarity
from aboutness.vectors.words import IN, WordVectors
from report.made_results import MADE, comparison
from vectors import writing

Files = dict[str, bytes]


@dataclass(frozen=True)
class Source:
    """Sound files, which of them are harmed, and how they are read; `path` is the source within their folder."""

    name: str
    files: Files
    read: Callable[[Path], object]
    path: str = ""  # the folder itself
    harmed: tuple[str, ...] = ()

    def targets(self) -> list[str]:
        return list(self.harmed or self.files)

    def written(self, folder: Path, changed: Files | None = None) -> Path:
        for name, content in {**self.files, **(changed or {})}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return folder / self.path


# --- what must hold of what is read -------------------------------------------------------------------------


def text(value: object) -> None:
    assert isinstance(value, str)
    value.encode()  # no half of a surrogate pair


def plain(value: object) -> None:
    if isinstance(value, str):
        text(value)
    elif isinstance(value, float):
        assert math.isfinite(value)
    elif isinstance(value, list):
        for one in value:
            assert isinstance(one, str | int | float)
            plain(one)
    else:
        assert isinstance(value, int)


def sound(record: object) -> None:
    """Assert that a record is what its type says."""
    if isinstance(record, Document):
        text(record.id)
        for name, value in record.fields.items():
            text(name)
            text(value)
        for name, one in record.metadata.items():
            text(name)
            plain(one)
    elif isinstance(record, Query):
        text(record.id)
        text(record.text)
    elif isinstance(record, Judgement):
        text(record.query)
        text(record.document)
        assert isinstance(record.grade, int)


def told(error: AboutnessError) -> None:
    assert str(error).strip()


def passed(error: BadRecord) -> None:
    told(error)
    assert error.problem
    assert isinstance(error.raw, str | bytes)


def each(records: Iterable[object]) -> None:
    for record in records:
        sound(record)


def both(reading: Callable[..., Iterable[object]]) -> Callable[[Path], None]:
    """Return a reading that first goes past bad records, and then stops at the first."""

    def twice(path: Path) -> None:
        each(reading(path, on_bad=passed))
        each(reading(path))

    return twice


def documents(form: str | None) -> Callable[[Path], None]:
    return both(lambda path, **more: read(path, format=form, **more))


def labels(found: dict[str, Any]) -> None:
    for key, value in found.items():
        text(key)
        text(value)


def run(path: Path) -> None:
    for query, ranking in read_run(path).items():
        text(query)
        scores = [score for _, score in ranking]
        assert all(map(math.isfinite, scores))
        assert scores == sorted(scores, reverse=True)


def judgements(path: Path) -> None:
    for query, grades in read_judgements(path).items():
        text(query)
        assert all(isinstance(grade, int) for grade in grades.values())


def results(folder: Path) -> None:
    found = read_results(folder)
    for one in found.comparisons:
        for row in one.rows:
            dict(row.run.items())


def vectors(path: Path, **options: Any) -> None:
    found = load_vectors(path, **options)
    assert len(found.words) == len(found.space()) > 0
    assert found.dim > 0
    for space in found.spaces.values():
        assert space.dtype == np.float32
        assert np.isfinite(space).all()
    words = [found.words[number] for number in range(len(found.words))]
    assert len(set(words)) == len(words)
    for word in words:
        text(word)
    rows, known = found.look_up(["the", "unknownword", "é"])
    assert np.isfinite(rows[known]).all()


def index(folder: Path) -> None:
    check(folder, deep=True)
    opened = Index.open(folder, verify=True)
    each(opened)
    opened.search("sun moon", k=3)


def checkpoint(path: Path) -> None:
    Checkpoint(path).load({"a": 1})


def kept_runs(folder: Path) -> None:
    found = KeptRuns(folder).get({"a": 1})
    if found is not None:
        assert dict(found.run) == {"q": [("d1", 2.0), ("d2", 1.0)]}


def keys(path: Path) -> None:
    assert Keys(path).scope("nothing") is None


def word_test(path: Path) -> None:
    words = StringTable.of(["king", "queen", "man", "woman"])
    made = WordVectors(words, {IN: np.eye(4, dtype=np.float32)})
    analogies(made, path) if is_analogies(path) else similarity(made, path)


# --- sound files --------------------------------------------------------------------------------------------

TREC = b"""<DOC>\n<DOCNO> FT-1 </DOCNO>\n<HEADLINE>One &amp; two</HEADLINE>\n<TEXT>\n<P>A text.</P>\n</TEXT>\n</DOC>
<DOC>\n<DOCNO>W-2</DOCNO>\n<DOCHDR>http://x/\n</DOCHDR>\n<html><title>T</title><p class="a">caf&eacute;</html>\n</DOC>\n"""
SMART = b".I 1\n.T\na title\n.A\nsomeone\n.W\nsome text\nof two lines\n.X\n1 2 3\n.I 2\n.W\nmore\n"
REUTERS = b"""<!DOCTYPE lewis SYSTEM "lewis.dtd">
<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="1" NEWID="1">
<DATE>26-FEB-1987 15:01:01.79</DATE><TOPICS><D>cocoa</D></TOPICS><PLACES></PLACES>
<TEXT>&#2;<TITLE>BAHIA</TITLE><DATELINE>X</DATELINE><BODY>Showers. REUTER&#3;</BODY></TEXT></REUTERS>\n"""
NTCIR = b"""<REC><ACCN>e-1</ACCN><TITE TYPE="alpha">A title</TITE><ABSE><ABSE.P>A text.</ABSE.P></ABSE></REC>
<REC><ACCN>e-2</ACCN><PJNE>A project</PJNE><KYWE>a // b</KYWE></REC>\n"""
NTCIR_TOPICS = b"""<TOPIC q=0101><TITLE>text</TITLE><DESCRIPTION>Long.</DESCRIPTION></TOPIC>
<TOPIC q="0110"><TITLE>projects</TITLE></TOPIC>\n"""
NTCIR_QRELS = b"# a remark\n0101\tA\te-1\t1\n0101\tC\te-2\t0\n0110\tS\te-2\t1\n"
STORY = b"""<?xml version="1.0" encoding="iso-8859-1" ?><newsitem itemid="2286" date="1996-08-20"><title>T</title>
<text><p>One \xa3.</p></text><metadata><codes class="bip:topics:1.0"><code code="E12"/></codes></metadata></newsitem>"""
CODES = b"; CODES\nE12\tMONETARY\nM11\tEQUITY MARKETS\n"
JSONL = (
    b'{"_id": "1", "title": "A", "text": "one", "year": 1990, "tags": ["a", 2, true], "more": {"deep": [1.5, null]}}\n'
    b'{"id": 2, "text": "caf\\u00e9", "metadata": {"x": []}}\n'
)
CSV = b'id,title,text,year\n1,"a ""b"", c","two\nlines",1990\n2,,x,\n'
TOP = (
    b"<top>\n<num> Number: 051\n<title> Topic: air\n<desc> Description:\nAll.\n<narr> Narrative:\nMore.\n</top>\n"
)
QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
RUN = b"q1 Q0 d1 1 2.5 x\nq1 Q0 d2 2 1e-3 x\nq2 Q0 d1 1 -1 x\n"
TTL = b"""@prefix skos: <http://www.w3.org/2004/02/skos/core#> .\n@base <http://x/> .
<c1> a skos:Concept ; skos:prefLabel "cat"@en, "Katze"@de ; skos:altLabel \"\"\"kit"ty\"\"\" ; skos:n 1.5, true .
skos:c2 skos:prefLabel 'd\\u00f6g' ; skos:broader [ a skos:x ] , ( <c1> 2 ) .\n"""
NT = b'<http://x/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "cat"@en .\n'
RDF = b"""<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:skos="http://www.w3.org/2004/02/skos/core#"><skos:Concept rdf:about="http://x/1">
 <skos:prefLabel xml:lang="en">cat</skos:prefLabel></skos:Concept></rdf:RDF>"""
THESAURUS = b'{"http://x/1": {"prefLabel": ["cat"]}, "http://x/2": {"prefLabel": "dog"}}'
LISTED = b"<http://x/1>\tcat\n<http://x/2>\tdog\n"
HTML = b"""<!DOCTYPE html><html><head><title>T &amp; t</title><style>p {}</style><script>if (a < b) "</p>"</script></head>
<body class='x'><p>one<b>two</b><!-- no --><br/>three &#8212; <template><p>no</p></template></body></html>"""
MD = b"---\na: b\n---\n# Rivers #\n\nThe *Rio*.\n```\n# no\n```\n\nTitle\n=====\n"
TOML = b"""name = "first"\ncollections = ["here", "irds:vaswani"]\nmeasures = ["nDCG@10", "AP"]\ndepth = 100\nseed = 3
[[ranker]]\nname = "ours"\nranker = "bm25 % 100 >> ql"\n[[ranker]]\nname = "bm25"\nk1 = 1.7\n
[[ranker]]\nranker = "minmax(bm25) + .3*minmax(ql)"\n[tune]\nfolds = 5\n"""
MODULE = b'"""A module."""\n__all__ = ["f"]\ndef f(a, *, b=1):\n    """Does."""\nclass C:\n    """Is."""\n'
KEYS = b"# keys\nread " + b"0" * 64 + b"\nadmin " + b"f" * 64 + b"\n"
ANALOGIES = b": capital\nking queen man woman\nman woman king queen\n"
PAIRS = b"word1\tword2\tscore\nking\tqueen\t8.5\nman\twoman\t7\n# end\n"

WORDS = [b"the", b"of", "café".encode(), b". . .", b"</s>"]
MATRIX = np.arange(20, dtype=np.float32).reshape(5, 4) / 8
VOCABULARY = b"the\nof\nand\nto\na\n"


def zipped(files: Files, how: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", how) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return target.getvalue()


def tree_of(make: Callable[[Path], object]) -> Files:
    """Return the files that something writes into a folder."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        make(folder)
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def _results(folder: Path) -> None:
    save_results(
        Results("x", (comparison(["bm25", "ql"], 3, documents=9, depth=5),), None, "t", "none", MADE), folder
    )


def _index(folder: Path) -> None:
    made = Index.build(
        [{"id": f"d{n}", "title": "sun", "text": f"the sun and the moon {n}", "year": 1990 + n} for n in range(6)],
        folder,
    )
    made.add([{"id": "e", "text": "more moon"}])
    made.delete(["d2"])


def _one(name: str, file: str, content: bytes, reading: Callable[[Path], object]) -> list[Source]:
    """Return a source of one file, as it is and packed."""
    plain_one = Source(name, {file: content}, reading, file)
    return [
        plain_one,
        Source(f"{name}.gz", {f"{file}.gz": gzip.compress(content, mtime=0)}, reading, f"{file}.gz"),
    ]


def _corpora() -> list[Source]:
    beir = {"corpus.jsonl": JSONL, "queries.jsonl": b'{"_id": "q1", "text": "one"}\n', "qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq1\t1\t1\n"}  # fmt: skip
    ntcir = {"ntc2-e1g": NTCIR, "topic-e0101-0149": NTCIR_TOPICS, "rel2_ntc2-e2_0101-0149": NTCIR_QRELS}
    rcv1 = {
        "19960820.zip": zipped({"2286newsML.xml": STORY, "../../3newsML.xml": STORY}),
        "topic_codes.txt": CODES,
    }
    short = {"docs.tsv": b"a text\t<http://x/1> <http://x/2>\n", "vocab.tsv": LISTED}
    full = {"a.txt": b"text", "a.tsv": b"<http://x/1>\tcat\n", "b.txt": b"more", "b.key": b"cat\n", "t.ttl": TTL}
    gold = {
        "gold.tsv": b"1\tcat\tdog\n2\tcat\n",
        "titles.tsv": b"1\ta title\n",
        "2.txt": b"text",
        "thes.json": THESAURUS,
    }
    return [
        *_one("jsonl", "a.jsonl", JSONL, documents("jsonl")),
        *_one("csv", "a.csv", CSV, documents("csv")),
        *_one("tsv", "a.tsv", CSV.replace(b",", b"\t"), documents("tsv")),
        *_one("trec", "a.trec", TREC, documents("trec")),
        *_one("smart", "a.all", SMART, documents("smart")),
        *_one("reuters", "a.sgm", REUTERS, documents("reuters")),
        *_one("ntcir", "ntc2-e1g", NTCIR, documents("ntcir")),
        *_one("rcv1", "2286newsML.xml", STORY, documents("rcv1")),
        *_one("folder", "a.html", HTML, documents("folder")),
        Source("markdown", {"a.md": MD, "b/c.txt": "é".encode("utf-16")}, documents("folder")),
        Source("tables", {"a.jsonl": JSONL, "b.csv": CSV}, documents("tables")),
        Source("beir", beir, lambda path: (documents("beir")(path), collection(path))),
        Source("ntcir folder", ntcir, lambda path: (documents("ntcir")(path), collection(path))),
        Source("rcv1 folder", rcv1, lambda path: (documents("rcv1")(path), collection(path))),
        *(
            Source(f"rcv1 zip {how}", {"19960820.zip": zipped({"1newsML.xml": STORY}, how)}, documents("rcv1"), "19960820.zip")
            for how in (zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        ),
        *(
            Source(f"annotated {name}", files, lambda path: (documents("annotated")(path), collection(path)))
            for name, files in {"short": short, "full": full, "gold": gold}.items()
        ),
        *(
            Source(f"guessed {file}", {file: content}, documents(None), file)
            for file, content in {"x.dat": TREC, "y": SMART, "z.sgm": REUTERS, "a.json": JSONL, "b.htm": HTML}.items()
        ),
        Source("python", {"a.py": MODULE}, lambda path: (one := _parsed("a", path)) and each(one.members("a", bool)), "a.py"),
    ]  # fmt: skip


def _questions() -> list[Source]:
    thesauri = {"t.ttl": TTL, "t.nt": NT, "t.rdf": RDF, "t.json": THESAURUS, "t.tsv": LISTED}
    topics = {
        "t.jsonl": b'{"_id": 1, "text": "a", "title": "b"}\n',
        "t.tsv": b"1\ta query\n2\tmore\n",
        "t.top": TOP,
        "t.qry": SMART,
    }
    return [
        *(one for file, content in thesauri.items() for one in _one(f"thesaurus {file}", file, content, lambda path: labels(read_thesaurus(path)))),
        *(one for file, content in topics.items() for one in _one(f"topics {file}", file, content, both(read_topics))),
        Source("topic codes", {"topic_codes.txt": CODES}, lambda path: labels(read_topic_codes(path, on_bad=passed)), "topic_codes.txt"),
        Source("ntcir topics", {"topic-e0101": NTCIR_TOPICS}, both(read_ntcir_topics), "topic-e0101"),
        Source("ntcir judgements", {"rel2_ntc2-e2": NTCIR_QRELS}, both(read_ntcir_judgements), "rel2_ntc2-e2"),
        *_one("qrels", "q.txt", QRELS, both(read_qrels_file)),
        *_one("judgements", "q.tsv", QRELS, judgements),
        *_one("judgements in a table", "q.csv", b"docno,qid,label\nd1,q1,1\n\"d,2\",q1,0\n", judgements),
        *_one("judgements in JSON", "q.json", b'{"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}}', both(read_qrels_file)),
        *_one("run", "a.run", RUN, run),
        *_one("run by ranks", "a.tsv", b"q1\td1\t1\nq1\td2\t2\nq2\td1\t1\n", run),
        *_one("run in a table", "a.csv", b"qid,docno,score\nq1,d1,2.5\nq1,\"d,2\",1e-3\n", run),
        *_one("run in JSON", "a.json", b'{"q1": {"d1": 2.5, "d2": 1e-3}, "q2": {"d1": -1}}', run),
        *_one("passages", "a.jsonl", JSONL, lambda path: read_passages([path])),
        *_one("groups", "g.tsv", b"a\tone\nb\tone\nc\ttwo\n", lambda path: labels(read_groups(path))),
        *_one("query ids", "ids", b"q1\nq2\n", lambda path: training_split(["q1", "q2", "q3"], path)),
        *_one("analogies", "a.txt", ANALOGIES, word_test),
        *_one("pairs", "p.txt", PAIRS, word_test),
        Source("keys", {"keys": KEYS}, keys, "keys"),
        Source("experiment", {"x.toml": TOML}, read_experiment, "x.toml"),
        Source("results", tree_of(_results), results),
        Source("sweep", {"results.json": b'{"kind": "sweep", "settings": []}'}, _sweep),
    ]  # fmt: skip


def _vectors() -> list[Source]:
    pieces = np.ones((8, 4), np.float32)
    binary = writing.word2vec_binary(WORDS, MATRIX)
    fast = writing.fasttext_bin(WORDS, MATRIX, pieces=pieces, out=MATRIX)
    ours = tree_of(
        lambda folder: load_vectors(writing.put(folder, "x.bin", fast)).save(folder / "ours.safetensors")
    )
    beside = {"vocab.txt": VOCABULARY}
    made = {
        "word2vec-binary": {"v.bin": binary},
        "word2vec-text": {"v.vec": writing.word2vec_text(WORDS, MATRIX)},
        "glove": {"v.txt": writing.glove(WORDS, MATRIX)},
        "fasttext-bin": {"v.bin": fast},
        "npy": {"v.npy": writing.npy(MATRIX), **beside},
        "safetensors": {"v.safetensors": writing.safetensors({"x": MATRIX}), **beside},
    }
    found = [Source(f"vectors {name}", files, vectors, next(iter(files))) for name, files in made.items()]
    found += [
        Source(
            f"vectors {name} named", files, lambda path, name=name: vectors(path, format=name), next(iter(files))
        )
        for name, files in made.items()
    ]
    found += _one("vectors ours", "v.safetensors", ours["ours.safetensors"], vectors)[:1]
    return [*found, *_one("vectors packed", "v.bin", binary, vectors)[1:]]


def _own() -> list[Source]:
    def kept(folder: Path) -> None:
        KeptRuns(folder).put({"a": 1}, {"q": [("d1", 2.0), ("d2", 1.0)]}, {"b": 2})

    def reached(folder: Path) -> None:
        Checkpoint(folder / "c.safetensors").save({"a": 1}, {"x": MATRIX})

    return [
        Source("index", tree_of(_index), index),
        Source("kept runs", tree_of(kept), kept_runs),
        Source("checkpoint", tree_of(reached), checkpoint, "c.safetensors"),
    ]


@cache
def sources() -> dict[str, Source]:
    """Return every source by its name."""
    return {one.name: one for one in [*_corpora(), *_questions(), *_vectors(), *_own()]}


def outcome(source: Source, path: Path) -> str:
    """Read a source; return what came of it, or raise what should never be raised."""
    try:
        source.read(path)
    except AboutnessError as error:
        told(error)
        return "refused"
    return "read"
