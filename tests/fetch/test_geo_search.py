"""What is searched for, what a summary says, and what a folder's page lists."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.clinical import load_vocabulary
from genotex.errors import UsageError, WrongContentError
from genotex.fetch import (
    Criteria,
    Entrez,
    GeoSummary,
    GeoTree,
    WebClient,
    find_by_trait,
    read_accessions,
    read_summary,
    search_term,
    trait_term,
)
from genotex.fetch.geo_search import word_of_expert

from .eutils import BASE, Eutils, Record
from .server import Fault, Reply, Site

WORDS = load_vocabulary()

# As NCBI's server writes the page of a folder.
PAGE = """<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">
<html>
 <head>
  <title>Index of /geo/series/GSEnnn/GSE781/matrix</title>
 </head>
 <body>
<h1>Index of /geo/series/GSEnnn/GSE781/matrix</h1>
<pre>Name                             Last modified      Size  <hr><a href="/geo/series/GSEnnn/GSE781/">Parent Directory</a>                                      -   
<a href="GSE781-GPL96_series_matrix.txt.gz">GSE781-GPL96_series_matrix.txt.gz</a>     2023-10-03 15:52  1.2M  
<a href="GSE781-GPL97_series_matrix.txt.gz">GSE781-GPL97_series_matrix.txt.gz</a>     2023-10-03 15:52  913K  
<a href="readme.txt">readme.txt</a>     2023-10-03 15:52  17   
<hr></pre>
<a href="https://www.hhs.gov/vulnerability-disclosure-policy/index.html">HHS Vulnerability Disclosure</a>
</body></html>
"""  # noqa: E501


def test_trait_is_searched_by_its_name_and_what_the_vocabulary_calls_it() -> None:
    term = trait_term(WORDS, "Osteoarthritis")
    words = term.split(" OR ")
    assert words[0] == '"osteoarthritis"' and '"degenerative joint disease"' in words
    assert all(word.startswith('"') and word.endswith('"') for word in words)
    # "knee oa" and others are searched; what holds another term is found by that term.
    assert not any("osteoarthritis " in word or " osteoarthritis" in word for word in words)
    assert len(words) <= 12


def test_trait_that_is_not_listed_is_searched_by_its_name() -> None:
    assert trait_term(WORDS, "Left-handedness").split(" OR ")[0] == '"left-handedness"'


def test_quotes_and_fields_in_a_name_cannot_change_the_search() -> None:
    term = trait_term(WORDS, 'gout"[All Fields] OR "a')
    assert all(word.count('"') == 2 for word in term.split(" OR ")) or term.count('"') == 2
    assert "[" not in term


def test_criteria_of_the_paper_are_the_defaults() -> None:
    # Appendix E.1 of the paper, and "Collection Process" of the datasheet.
    assert search_term('"gout"', Criteria()) == (
        '("gout") AND "gse"[Entry Type] AND "Homo sapiens"[Organism] '
        "AND 30:10000[Number of Samples] AND ("
        '"expression profiling by array"[DataSet Type] OR '
        '"expression profiling by high throughput sequencing"[DataSet Type] OR '
        '"genome variation profiling by high throughput sequencing"[DataSet Type] OR '
        '"genome variation profiling by snp array"[DataSet Type] OR '
        '"snp genotyping by snp array"[DataSet Type] OR '
        '"third party reanalysis"[DataSet Type]) '
        "AND 2010/01/01:2025/12/31[Publication Date]"
    )
    criteria = Criteria()
    assert (criteria.matrix_bytes, criteria.family_bytes, criteria.most) == (
        (100_000, 100_000_000),
        100_000_000,
        10,
    )


def test_ranges_that_hold_nothing_are_refused() -> None:
    with pytest.raises(UsageError, match="2020 to 2010"):
        Criteria(years=(2020, 2010))


def unknown(*phrases: str) -> Fault:
    """Entrez leaves out of a term what it has no record of, and finds the rest."""

    def told(reply: Reply) -> Reply:
        result = {"count": "1", "idlist": ["200000007"], "errorlist": {"phrasesnotfound": phrases}}
        return Reply(json.dumps({"esearchresult": result}).encode())

    return told


def test_words_that_entrez_does_not_know_find_nothing(site: Site, client: WebClient) -> None:
    site.speak(Eutils(Record("GSE7")))
    entrez = Entrez(client, site.url(BASE))
    site.fault(f"{BASE}esearch.fcgi", unknown('"Asthmma"', '"asthmatikc child"[All Fields]'))
    words = '"asthmma" OR "asthmatikc child"'
    assert find_by_trait(entrez, words, Criteria()) == (0, [])
    site.fault(f"{BASE}esearch.fcgi", unknown('"asthmatikc child"'))
    assert [each.accession for each in find_by_trait(entrez, words, Criteria())[1]] == ["GSE7"]


@pytest.mark.parametrize(
    ("phrase", "criteria"),
    [
        ('"Homo sapien"[Organism]', Criteria(organism="Homo sapien")),
        ("expression by guessing", Criteria(study_types=("Expression by guessing",))),
    ],
)
def test_criteria_that_entrez_does_not_know_are_told(
    site: Site, client: WebClient, phrase: str, criteria: Criteria
) -> None:
    site.speak(Eutils(Record("GSE7")))
    site.fault(f"{BASE}esearch.fcgi", unknown(phrase))
    with pytest.raises(UsageError, match=r"GEO knows no .*; check --organism and --study-type"):
        find_by_trait(Entrez(client, site.url(BASE)), '"gout"', criteria)


def test_accessions_are_read_however_they_are_written() -> None:
    assert read_accessions(["gse55457", " GSE55457 ", "GSE1"]) == ("GSE55457", "GSE1")
    for wrong in ("GSM1", "GDS1", "GPL96", "GSE", "GSE0", "GSE1;rm", "GSE\u0661"):
        with pytest.raises(UsageError, match="no accession of a series; write it as GSE55457"):
            read_accessions([wrong])


def test_summary_of_a_series_is_read() -> None:
    record = Record("GSE781", gpl="96;97", taxon="Homo sapiens; Mus musculus", samples=34)
    summary = read_summary(record.fields())
    assert summary.accession == "GSE781" and summary.samples == 34
    assert summary.platforms == ("GPL96", "GPL97")
    assert summary.organisms == ("Homo sapiens", "Mus musculus")
    assert summary.titles == ("asthma 0", "asthma 1")


def test_signs_that_steer_a_screen_are_taken_out() -> None:
    record = Record("GSE1", title="Gout\x1b[31m\nand\x07 more").fields()
    assert read_summary(record).title == "Gout [31m and more"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(Record("GSE1").fields())), json_values))
def test_whatever_a_summary_holds_it_is_read_or_refused(damage: dict[str, Any]) -> None:
    record = json.loads(json.dumps({**Record("GSE1").fields(), **damage}))
    try:
        summary = read_summary(record)
    except WrongContentError:
        return
    assert isinstance(summary, GeoSummary) and summary.accession.startswith("GSE")
    assert all(name.removeprefix("GPL").isdigit() for name in summary.platforms)


@pytest.mark.parametrize(
    ("record", "expression", "trait"),
    [
        (Record("GSE1"), True, "title, summary, sample titles"),
        (Record("GSE1", gdstype="SNP genotyping by SNP array"), False, None),
        (Record("GSE1", taxon="Mus musculus"), False, None),
        (Record("GSE1", title="Gout", summary="Uric acid"), True, "sample titles"),
    ],
)
def test_word_of_the_rules_on_a_summary(
    record: Record, expression: bool, trait: str | None
) -> None:
    word = word_of_expert(read_summary(record.fields()), "Asthma", WORDS)
    assert word.expression is expression and word.why
    assert trait is None or word.trait == trait


def test_page_of_a_folder_lists_the_parts_of_a_matrix(site: Site, client: WebClient) -> None:
    folder = "/geo/series/GSEnnn/GSE781/matrix/"
    site.put(folder, PAGE.encode())
    tree = GeoTree(client, site.url("/geo/"), site.url("/pages/"))
    files = tree.matrices("GSE781")
    assert [(file.name, file.size) for file in files] == [
        ("GSE781-GPL96_series_matrix.txt.gz", 1_258_291),  # 1.2 MiB
        ("GSE781-GPL97_series_matrix.txt.gz", 913 * 1024),
    ]
    assert files[0].address == site.url(folder + "GSE781-GPL96_series_matrix.txt.gz")


@pytest.mark.parametrize(
    ("accession", "stub"),
    [("GSE1", "GSEnnn"), ("GSE999", "GSEnnn"), ("GSE1000", "GSE1nnn"), ("GSE55457", "GSE55nnn")],
)
def test_folders_are_by_thousands(site: Site, client: WebClient, accession: str, stub: str) -> None:
    page = f'<pre><a href="{accession}_family.soft.gz">x</a>  2023-10-03 15:52  1K'
    site.put(f"/geo/series/{stub}/{accession}/soft/", page.encode())
    (file,) = GeoTree(client, site.url("/geo/"), site.url("/")).family(accession)
    assert file.size == 1024


@settings(deadline=None)
@given(page=st.text(max_size=300) | st.text(alphabet='<a href="GSE1_family.soft.gz">/x &;0K\n'))
def test_whatever_a_page_holds_only_names_of_the_form_are_taken(page: str) -> None:
    class Page:
        def text(self, address: str, *, page: bool = False) -> bytes:
            return Reply(content).body

    content = page.encode("utf-8", "replace")
    found = GeoTree(Page(), "https://a/", "https://b/").family("GSE1")  # type: ignore[arg-type]
    assert {file.name for file in found} <= {"GSE1_family.soft.gz"}
