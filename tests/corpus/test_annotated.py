from __future__ import annotations

import pytest

from aboutness.core.errors import BadInput, BadRecord, NotFound
from aboutness.core.record import Document
from aboutness.corpus.annotated import read_annotated
from aboutness.corpus.read import guess, read
from aboutness.experiment.collection import collection

CONCEPTS = "<http://x/stw/1>\tBank\n<http://x/stw/2>\tPublic money\n<http://x/stw/3>\tUnused\n"
QUERIES = {"http://x/stw/1": "Bank", "http://x/stw/2": "Public money"}


def asked(opened) -> dict[str, str]:
    return {query.id: query.text for query in opened.queries}


def test_short_texts(write, tmp_path):
    write("stw-en.tsv", CONCEPTS)
    write(
        "econ.tsv.gz",
        "Banks and money\t<http://x/stw/1> <http://x/stw/2>\nOf coins\t<http://x/stw/2> <http://x/9>\n",
    )
    assert guess(str(tmp_path)).name == "annotated"
    concepts = ["http://x/stw/1", "http://x/stw/2"]
    assert next(read(tmp_path)) == Document("econ:1", {"title": "Banks and money"}, {"concepts": concepts})
    opened = collection(tmp_path)
    assert asked(opened) == QUERIES
    assert opened.qrels == {"http://x/stw/1": {"econ:1": 1}, "http://x/stw/2": {"econ:1": 1, "econ:2": 1}}


@pytest.mark.parametrize(
    ("end", "notes"),
    [
        (".tsv", ["<http://x/stw/1>\tBank\n", "<http://x/stw/2>\tPublic money\n"]),
        (".key", ["bank\n", "Public money\n"]),
    ],
)
def test_full_texts(write, tmp_path, end, notes):
    write("stw.ttl", "@prefix s: <http://www.w3.org/2004/02/skos/core#> ." + "".join(
        f'<{concept}> s:prefLabel "{label}"@en .\n' for concept, label in QUERIES.items()
    ))  # fmt: skip
    write("docs/one.txt", "All about a bank.")
    write(f"docs/one{end}", notes[0])
    write("docs/two.txt.gz", "All about money.")
    write(f"docs/two{end}", notes[1])
    write("docs/three.txt", "Not annotated.")
    opened = collection(tmp_path)
    assert [one.id for one in opened.documents()] == ["docs/one", "docs/two"]
    assert asked(opened) == QUERIES
    assert opened.qrels == {"http://x/stw/1": {"docs/one": 1}, "http://x/stw/2": {"docs/two": 1}}


def test_a_gold_standard_with_titles_and_texts(write, tmp_path):
    write("thesaurus.json", '{"18803-0": {"prefLabel": ["Bank"]}, "2": {"prefLabel": ["Public money"]}}')
    write("gold_standard.tsv", "10\t18803-0\t2\n11\t2\n")
    write("titles.tsv", "10\tThe art of banking\n11\tCoins\n")
    write("fulltext/10.txt", "A long text.")
    found = list(read(tmp_path))
    assert found[0] == Document(
        "10", {"title": "The art of banking", "text": "A long text."}, {"concepts": ["18803-0", "2"]}
    )
    assert found[1].fields == {"title": "Coins"}
    opened = collection(tmp_path)
    assert asked(opened) == {"18803-0": "Bank", "2": "Public money"}
    assert opened.qrels == {"18803-0": {"10": 1}, "2": {"10": 1, "11": 1}}


def test_the_last_part_of_an_address_names_a_concept(write, tmp_path):
    write("stw-en.tsv", CONCEPTS)
    write("gold.tsv", "10\t1\n")
    write("titles.tsv", "10\tThe art of banking\n")
    assert collection(tmp_path).qrels == {"http://x/stw/1": {"10": 1}}


def test_bad_lines_are_named(write, tmp_path, collected):
    write("stw-en.tsv", CONCEPTS)
    write("econ.tsv", b"Banks\t<http://x/stw/1>\nno tab\nbad \xff\t<http://x/stw/1>\nMoney\t<http://x/stw/2>\n")
    assert [one.id for one in read_annotated(tmp_path, on_bad=collected)] == ["econ:1", "econ:4"]
    assert collected.lines == [2, 3]
    assert collected.problems[0] == "the line must hold a text, a tab and the addresses of its concepts"


def test_documents_without_texts_and_notes_without_addresses(write, tmp_path):
    write("stw-en.tsv", CONCEPTS)
    write("gold.tsv", "10\t1\n12\t1\n")
    write("titles.tsv", "10\tThe art of banking\n")
    with pytest.raises(BadRecord, match=r"gold\.tsv:2: there is no title and no text of the document '12'"):
        list(read_annotated(tmp_path))
    (tmp_path / "gold.tsv").unlink()
    write("a.txt", "text")
    write("a.tsv", "Bank\n")
    with pytest.raises(BadRecord, match=r"each line must start with the <address> of a concept, got 'Bank'"):
        list(read_annotated(tmp_path))


def test_two_forms_in_a_folder_are_refused(write, tmp_path):
    write("stw-en.tsv", CONCEPTS)
    write("econ.tsv", "Banks\t<http://x/stw/1>\n")
    write("docs/a.txt", "text")
    write("docs/a.key", "Bank\n")
    with pytest.raises(BadInput, match="holds both short texts and full texts"):
        list(read_annotated(tmp_path))


def test_a_thesaurus_of_other_concepts_is_told(write, tmp_path):
    write("stw-en.tsv", CONCEPTS)
    write("econ.tsv", "Banks\t<http://y/7>\n")
    with pytest.raises(BadInput, match=r"no document has a concept of stw-en\.tsv"):
        collection(tmp_path)


def test_folders_of_other_kinds_stay_what_they_are(write, tmp_path):
    write("a.txt", "a text")
    write("schema.ttl", "<a> <b> <c> .")
    assert guess(str(tmp_path)).name == "folder"
    with pytest.raises(NotFound, match=r"no corpus\.jsonl"):
        collection(tmp_path)


def test_the_real_thesaurus_with_documents(write, tmp_path, data_folder):
    stw = (data_folder / "thesauri" / "stw" / "stw-skos.ttl").read_bytes()
    write("stw-skos.ttl", stw)
    write("econ.tsv", "Banks and money\t<http://zbw.eu/stw/descriptor/18803-0>\n")
    assert asked(collection(tmp_path)) == {"http://zbw.eu/stw/descriptor/18803-0": "Public institution"}
