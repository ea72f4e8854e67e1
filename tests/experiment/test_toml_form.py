from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aboutness as ab
from aboutness.core.errors import BadInput, NotFound, StorageError, UsageError
from aboutness.experiment.declared import Declared, Experiment, Labels, Samples, Tune
from aboutness.experiment.toml_form import experiment_of, read_experiment, write_toml
from aboutness.rank.grammar import ranker
from aboutness.rank.known import known_rankers

SHORT = 'collections = ["x"]\nrankers = ["bm25", "ql"]\n'
WHOLE = """
name = "a first look"
collections = ["here", "irds:vaswani"]
measures = ["nDCG@10", "AP"]
fields = ["title", "all", "3*title+text"]
queries = ["short", "long"]
match = ["or", "bm25 % 100", "judged"]
depth = "all"
analyzer = "plain"
vectors = { train = "word2vec", dim = 50 }
test = "wilcoxon"
correction = "bonferroni"
baseline = "ours"
seed = 7

[[ranker]]
name = "bm25"
k1 = 1.7
b = 0.95

[[ranker]]
name = "ours"
ranker = "bm25 % 100 >> desm-in-out"

[[ranker]]
name = "tuned"
ranker = "minmax(bm25) + .3*minmax(ql)"
grid = { k1 = [0.9, 1.2], b = [0.4] }

[tune]
by = "nDCG@10"
train = "train.txt"

[labels]
field = "topics"
groups = "malina2016"
queries = 100

[samples]
random = 5
"""


@pytest.fixture
def write(tmp_path):
    def _write(text, name="e.toml"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return _write


def test_a_short_file(write):
    made = read_experiment(write(SHORT, "first-look.toml"))
    assert made == Experiment(("x",), ("bm25", "ql"), name="first-look")
    assert ab.Experiment.read(write(SHORT, "first-look.toml")) == made


def test_a_whole_file(write, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "train.txt").touch()
    made = read_experiment(write(WHOLE))
    assert made == Experiment(
        name="a first look",
        collections=(str(tmp_path / "here"), "irds:vaswani"),
        rankers=(
            Declared(ranker("bm25[k1=1.7,b=.95]")),
            Declared(ranker("bm25 % 100 >> desm-in-out"), "ours"),
            Declared(ranker("minmax(bm25) + .3*minmax(ql)"), "tuned", ("k1=0.9,1.2", "b=0.4")),
        ),
        measures=("nDCG@10", "AP"),
        fields=("title", None, "3*title+text"),
        queries=("short", "long"),
        match=("or", "bm25 % 100", "judged"),
        depth=None,
        analyzer="plain",
        vectors={"train": "word2vec", "dim": 50},
        test="wilcoxon",
        correction="bonferroni",
        baseline="ours",
        seed=7,
        tune=Tune("nDCG@10", 5, str(tmp_path / "train.txt")),
        labels=Labels("topics", "malina2016", 100),
        samples=Samples(5),
    )
    assert read_experiment(write(made.to_toml())) == made


@pytest.mark.parametrize(
    ("rankers", "shown"),
    [
        ('rankers = "bm25"', {"bm25": "bm25"}),
        ('rankers = ["bm25[k1=1.70]"]', {"bm25[k1=1.7]": "bm25[k1=1.7]"}),
        ('[rankers]\nours = "bm25+ql"\n"our own" = "ql"', {"ours": "bm25 + ql", "our own": "ql"}),
        ('[rankers]\nours = { ranker = "bm25", k1 = 2 }', {"ours": "bm25[k1=2]"}),
        ('[rankers.ours]\nname = "bm25"\nk1 = 2', {"ours": "bm25[k1=2]"}),
        ('[[ranker]]\nranker = "rrf(bm25, ql)"\nk = 10', {"rrf[k=10](bm25, ql)": "rrf[k=10](bm25, ql)"}),
        ('[[ranker]]\nname = "bm25"\nfields = "3*title+text"', {"bm25[fields=3*title+text]": "bm25[fields=3*title+text]"}),
        ('[[ranker]]\nname = "bm25"\ngrid = "k1=0:2:.5"', {"bm25 (tuned)": "bm25"}),
        ('rankers = ["ql", { name = "bm25", k1 = 2 }]', {"ql": "ql", "bm25[k1=2]": "bm25[k1=2]"}),
    ],
)  # fmt: skip
def test_the_forms_of_rankers(write, rankers, shown):
    made = read_experiment(write(f'collection = "x"\n{rankers}'))
    assert {one.shown: str(one.ranker) for one in made.rankers} == shown
    assert read_experiment(write(made.to_toml(), "again.toml")) == Experiment(
        made.collections, made.rankers, name=made.name
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rankers = ['bm25']", "the key 'collections' is missing"),
        ("collections = ['x']", "the key 'rankers' is missing"),
        (SHORT + "measure = ['AP']", "unknown key 'measure'; did you mean 'measures'"),
        (SHORT + "zzz = 1", "unknown key 'zzz'. Known: collections, rankers, name"),
        (SHORT + "measures = 'nope'", "there is no measure 'nope'"),
        (SHORT + "measures = [1]", "measures: must be a text or a list of texts, got "),
        (SHORT + "measures = []", "measures: must be a text or a list of texts, got "),
        (SHORT + "depth = '10'", "depth: must be a whole number, or \"all\", got '10'"),
        (SHORT + "depth = true", "depth: must be a whole number"),
        (SHORT + "seed = 1.5", "seed: must be a whole number, got 1.5"),
        (SHORT + "name = 5", "name: must be a text, got 5"),
        (SHORT + "vectors = 5", "vectors: must be a file, a way of training, or a table, got 5"),
        (SHORT + "vectors = { dim = 5 }", "vectors: must be such as { train = "),
        (SHORT + "vectors = { train = 'wurd2vec' }", "vectors: unknown way of training 'wurd2vec'; did you mean 'word2vec'"),
        (SHORT + "vectors = { train = 'word2vec', dims = 5 }", "vectors: word2vec: unknown parameter 'dims'; did you mean 'dim'"),
        (SHORT + "vectors = { train = 'word2vec', dim = -5 }", "vectors: word2vec: dim must be "),
        (SHORT + "tune = 5", "tune: must be a table, got 5"),
        (SHORT + "[tune]\nfold = 5", "tune: unknown key 'fold'; did you mean 'folds'"),
        (SHORT + "[tune]\nfolds = '5'", "tune: folds: must be a whole number, got '5'"),
        (SHORT + "[tune]\ntrain = true", "tune: train: must be a share of the queries"),
        (SHORT + "[labels]\nsingle = true", "labels: it must say which field"),
        (SHORT + "[labels]\nfield = 'x'\nsingle = 1", "labels: single: must be true or false, got 1"),
        (SHORT + "[samples]\nrandom = 1.5", "samples: random: must be a whole number"),
        (SHORT + "baseline = 'tfidf'", "baseline must be one of the rankers bm25, ql, got 'tfidf'"),
        ("collections = 'x'\nrankers = ['bm26']", "rankers: unknown ranker 'bm26'; did you mean 'bm25'"),
        ("collections = 'x'\nrankers = [5]", "rankers: must be an expression, or a table, got 5"),
        ("collections = 'x'\nrankers = 5", "rankers: must be a list, or a table of names, got 5"),
        ("collections = 'x'\n[[ranker]]\nk1 = 2", "ranker: a table must have a `ranker`"),
        ("collections = 'x'\n[[ranker]]\nname='bm25'\nk11 = 2", "ranker: bm25: unknown parameter 'k11'; did you mean 'k1'"),
        ("collections = 'x'\n[[ranker]]\nname='bm25'\nk1 = -2", "ranker: bm25: k1 must be a number"),
        ("collections = 'x'\n[[ranker]]\nranker='bm25 + ql'\nk1 = 2", "ranker: bm25 \\+ ql is made of several rankers"),
        ("collections = 'x'\n[[ranker]]\nname='bm25'\ngrid = 5", "ranker: grid must be such as"),
    ],
)  # fmt: skip
def test_errors_name_the_file_and_the_key(write, text, why):
    with pytest.raises(UsageError) as told:
        read_experiment(write(text))
    assert str(told.value).startswith(f"{write(text)}: ")
    assert why.replace("\\", "") in str(told.value)


def test_every_ranker_is_read_as_it_is_written(write):
    some = [
        "rrf[k=10](bm25, ql % 5)",
        "(bm25 + .5*ql) % 100 >> tfidf[variant=slides]",
        "rm3(bm25[fields=3*title+text])",
    ]
    made = Experiment("x", [*known_rankers(), *some], name="e")
    assert read_experiment(write(made.to_toml())) == made
    assert experiment_of(made.to_json()) == made


def test_files_that_a_file_names(write):
    for text, key in (
        ("vectors = 'gone.bin'", "vectors"),
        ("[tune]\ntrain = 'gone.txt'", "tune"),
        ("[labels]\nfield = 'x'\ngroups = 'gone.tsv'", "labels"),
    ):
        with pytest.raises(NotFound, match=rf"e\.toml: {key}: there is no file gone"):
            read_experiment(write(SHORT + text))
    assert read_experiment(write(SHORT + "vectors = 'word2vec'")).vectors == "word2vec"


def test_files_that_are_none(write, tmp_path):
    with pytest.raises(NotFound, match=r"there is no file .*gone\.toml"):
        read_experiment(tmp_path / "gone.toml")
    with pytest.raises(StorageError, match="cannot read"):
        read_experiment(tmp_path)
    with pytest.raises(BadInput, match=r"e\.toml: .*line 2"):
        read_experiment(write("name = 'x'\n=\n"))
    (tmp_path / "bytes.toml").write_bytes(b"name = '\xff'")
    with pytest.raises(BadInput, match=r"bytes\.toml: "):
        read_experiment(tmp_path / "bytes.toml")
    with pytest.raises(BadInput, match="larger than"):
        read_experiment(write("#" * (1 << 20) + "\n"))


def test_paths_are_those_beside_the_file(write, tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "mine").mkdir()
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    text = 'collections = ["mine", "there", "../there", "irds:x"]\nrankers = "bm25"\nvectors = "mine"'
    made = read_experiment(write(text, "deep/e.toml").relative_to(tmp_path))
    assert made.collections == (str(tmp_path / "deep" / "mine"), "there", str(tmp_path / "there"), "irds:x")
    assert made.vectors == str(tmp_path / "deep" / "mine")


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(
    name=texts, collections=st.lists(texts, min_size=1, max_size=3, unique=True), called=st.lists(texts, min_size=2, max_size=2, unique=True),
    depth=st.none() | st.integers(1, 10**9), seed=st.integers(0, 2**62),
    train=st.none() | st.floats(0, 1) | texts, random=st.integers(0, 9), field=texts,
)  # fmt: skip
def test_what_is_written_is_read_again(name, collections, called, depth, seed, train, random, field):
    rankers = (Declared(ranker("bm25"), called[0], ("k1=1,2",)), Declared(ranker("ql + 3*bm25"), called[1]))
    made = Experiment(
        tuple(collections), rankers, name=name, depth=depth, seed=seed, tune=Tune(train=train),
        samples=Samples(random), labels=Labels(field, single=False), baseline=called[1],
    )  # fmt: skip
    assert experiment_of(tomllib.loads(write_toml(made))) == made
    assert experiment_of(made.to_json()) == made


@pytest.mark.parametrize("name", ["x" * 5000, "x/" * 3000, "irds:" + "[" * 300])
def test_names_that_are_too_long_for_a_path_stay_as_they_are(write, name):
    made = read_experiment(write(f'collections = ["{name}"]\nrankers = ["bm25"]\n'))
    assert [str(one) for one in made.collections] == [name]
