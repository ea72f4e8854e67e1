from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aboutness.core.errors import BadInput, BadRecord
from aboutness.corpus.thesaurus import read_thesaurus

TURTLE = """@base <http://zbw.eu/stw/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
PREFIX stw: <descriptor/>
# a remark
stw:18803-0 a skos:Concept ;
    skos:altLabel "Agency"@en, "Behörde"@de ;
    skos:prefLabel "Öffentliche Einrichtung"@de, "Public  \\"institution\\""@en ;
    skos:note [ skos:prefLabel "not this"@en ; a ( skos:Concept 1.5 ) ] ; .
<descriptor/2> skos:prefLabel '''Two
lines'''@en-GB, "Other"@fr ; skos:notation "N.05"^^skos:x ; skos:count 12 .
[] skos:prefLabel "nobody"@en .
_:b1 skos:prefLabel "nobody"@en .
stw:a\\,b skos:prefLabel "Plain \\u00e9" .
stw:german skos:prefLabel "Nur deutsch"@de .
"""
LABELS = {
    "http://zbw.eu/stw/descriptor/18803-0": 'Public "institution"',
    "http://zbw.eu/stw/descriptor/2": "Two lines",
    "http://zbw.eu/stw/descriptor/a,b": "Plain é",
}
XML = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:s="http://www.w3.org/2004/02/skos/core#">
  <s:Concept rdf:about="http://x/1"><s:prefLabel xml:lang="de">Bank</s:prefLabel>
    <s:prefLabel xml:lang="en">Bank &amp; more</s:prefLabel><s:altLabel xml:lang="en">Bench</s:altLabel></s:Concept>
  <rdf:Description rdf:about="http://x/2"><s:prefLabel>Money</s:prefLabel></rdf:Description>
</rdf:RDF>
"""


def test_turtle(write):
    assert read_thesaurus(write("stw.ttl.gz", TURTLE)) == LABELS
    assert read_thesaurus(write("stw.ttl", TURTLE), language="fr")["http://zbw.eu/stw/descriptor/2"] == "Other"


def test_triples(write):
    path = write("t.nt", '<http://x/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "One\\tword"@en .\n')
    assert read_thesaurus(path) == {"http://x/1": "One word"}


def test_xml(write):
    assert read_thesaurus(write("t.rdf", XML)) == {"http://x/1": "Bank & more", "http://x/2": "Money"}


def test_tables_and_json(write):
    table = "<http://x/1>\tBank\n<http://x/2>\tMoney\tN.05\n\n"
    assert read_thesaurus(write("t.tsv", table)) == {"http://x/1": "Bank", "http://x/2": "Money"}
    plain = {"1": {"prefLabel": ["Bank", "Bench"], "altLabel": []}, "2": {"prefLabel": []}, "3": []}
    assert read_thesaurus(write("thesaurus.json", json.dumps(plain))) == {"1": "Bank"}


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("t.ttl", '<a> skos:prefLabel "x"@en .', r"t\.ttl:1: the prefix 'skos' is not declared"),
        ("t.ttl", "@prefix a: <b> .\n\na:b a:c [ a:d", r"t\.ttl:3: \[ is never closed"),
        ("t.ttl", '@prefix a: <b> .\na:b a:c "x"', r"t\.ttl:2: '\.' is needed, got 'the end of the file'"),
        ("t.ttl", "<a> <b> $ .", r"t\.ttl:1: cannot be read from '\$ \.' on"),
        ("t.nt", "<a> <b> <c> .", r"t\.nt: no concept in it has a preferred label in the language 'en'"),
        ("t.rdf", "<a><b></a>", r"t\.rdf:1: not XML \(mismatched tag\)"),
        ("t.rdf", '<!DOCTYPE a [<!ENTITY b "c">]><a/>', r"t\.rdf:1: declares entities"),
        ("t.json", "[1", r"t\.json: not JSON"),
        ("t.json", "[1]", r"t\.json: must be an object"),
        ("t.tsv", "<a>\tb\nc\td\n", r"t\.tsv:2: the line must hold <address>"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(write, name, text, told):
    with pytest.raises(BadInput, match=told):
        read_thesaurus(write(name, text))


def test_bad_lines_of_a_table_can_be_passed_over(write, collected):
    path = write("t.tsv", b"<a>\tone\n<b>\t\xff\n<c>\n<d>\ttwo\n")
    assert read_thesaurus(path, on_bad=collected) == {"a": "one", "d": "two"}
    assert collected.lines == [2, 3]


def test_the_real_one_in_both_forms(data_folder):
    folder = data_folder / "thesauri" / "stw"
    listed = read_thesaurus(folder / "stw-en.tsv")
    formal = read_thesaurus(folder / "stw-skos.ttl")
    assert len(listed) == 6243
    assert {concept: formal[concept] for concept in listed} == listed


@given(st.text(max_size=80))
def test_any_label_comes_back_from_turtle(tmp_path_factory, label):
    path = tmp_path_factory.mktemp("ttl") / "t.ttl"
    escaped = label.encode("utf-8", "ignore").decode().replace("\\", "\\\\").replace('"', '\\"')
    escaped = escaped.replace("\n", "\\n")
    path.write_bytes(f'<a> <http://www.w3.org/2004/02/skos/core#prefLabel> "{escaped}" .'.encode())
    wanted = " ".join(label.encode("utf-8", "ignore").decode().split())
    if wanted:
        assert read_thesaurus(path) == {"a": wanted}
    else:
        with pytest.raises(BadInput):
            read_thesaurus(path)


@given(st.text("<>@\"'[]().;,:a\\ \n#^", max_size=60))
def test_no_text_breaks_turtle(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("ttl") / "t.ttl"
    path.write_text(text)
    with pytest.raises((BadInput, BadRecord)):
        read_thesaurus(path)
