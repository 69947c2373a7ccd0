"""The index of GEO: built of months, resumed, kept whole, and searched."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import date
from pathlib import Path

import pytest

from genotex.errors import FormatError, UsageError, WrongContentError
from genotex.fetch import (
    Concept,
    Entrez,
    GeoSummary,
    WebClient,
    index_path,
    read_summary,
    search_series,
    update_index,
)
from genotex.io import lock
from genotex.options import FindOptions

from .eutils import BASE, Eutils, Record
from .server import Reply, Site

TODAY = date(2000, 6, 15)
LUPUS = Record("GSE1", "Lupus in whole blood", "SLE patients.", 40, pdat="2000/01/05")
SKIN = Record("GSE2", "Skin of mice", "Wounds.", 12, "Mus musculus", pdat="2000/05/31")
Update = Callable[..., int]


@pytest.fixture
def update(site: Site, client: WebClient, tmp_path: Path) -> Update:
    def run(today: date = TODAY, **how: bool) -> int:
        entrez = Entrez(client, site.url(BASE))
        return update_index(entrez, tmp_path / "geo.sqlite", today=today, **how)

    return run


def found(index: Path, *words: str, **options: object) -> list[str]:
    concepts = [Concept(word, (word,)) for word in words]
    matches = search_series(concepts, FindOptions(kind="any", **options), index, [])  # type: ignore[arg-type]
    return [each.accession for each in matches.series]


def made(tmp_path: Path, *records: Record) -> list[GeoSummary]:
    return [read_summary(record.fields()) for record in records]


def here(summaries: list[GeoSummary], *concepts: Concept, **options: object) -> list[str]:
    given = FindOptions(kind="any", **options)  # type: ignore[arg-type]
    return [each.accession for each in search_series(concepts, given, None, summaries).series]


def word(*phrases: str) -> Concept:
    return Concept(phrases[0], phrases)


def test_index_is_built_and_searched(site: Site, update: Update, tmp_path: Path) -> None:
    site.speak(Eutils(LUPUS, SKIN))
    assert update() == 2
    index = tmp_path / "geo.sqlite"
    assert found(index, "lupus", "blood") == ["GSE1"]
    assert found(index) == ["GSE2", "GSE1"]
    matches = search_series([], FindOptions(kind="any"), index, [])
    assert (matches.indexed, matches.asked) == (2, TODAY)
    assert matches.series[1].title == LUPUS.title and matches.series[1].samples == 40
    assert [each.name for each in tmp_path.iterdir() if not each.name.endswith(".lock")] == [
        "geo.sqlite"
    ]


def test_next_update_asks_only_for_months_that_may_have_grown(
    site: Site, update: Update, tmp_path: Path
) -> None:
    entrez = Eutils(LUPUS)
    site.speak(entrez)
    update()
    assert site.times(f"{BASE}esearch.fcgi") == 6
    assert update() == 1 and site.times(f"{BASE}esearch.fcgi") == 6
    entrez.records.append(SKIN)
    # May was asked for before it was settled; June and July are new.
    assert update(date(2000, 7, 1)) == 2
    assert site.times(f"{BASE}esearch.fcgi") == 6 + 3
    assert found(tmp_path / "geo.sqlite") == ["GSE2", "GSE1"]


def test_interrupted_update_keeps_the_old_index_and_goes_on(
    site: Site, update: Update, tmp_path: Path
) -> None:
    site.speak(Eutils(LUPUS, SKIN))
    update(date(2000, 2, 1))
    site.fault(f"{BASE}esearch.fcgi", lambda reply: reply, lambda reply: reply, wrong_answer)
    with pytest.raises(WrongContentError):
        update()
    assert found(tmp_path / "geo.sqlite") == ["GSE1"]
    before = site.times(f"{BASE}esearch.fcgi")
    assert update() == 2
    # January and February were asked for, and March to June remain.
    assert site.times(f"{BASE}esearch.fcgi") == before + 4
    assert found(tmp_path / "geo.sqlite") == ["GSE2", "GSE1"]


def wrong_answer(reply: Reply) -> Reply:
    return Reply(b'{"esearchresult": {"count": "1", "idlist": ["../1"]}}')


def test_a_month_comes_in_pages(site: Site, update: Update) -> None:
    site.speak(Eutils(*(Record(f"GSE{n}", pdat="2000/03/01") for n in range(1, 8)), most=3))
    assert update() == 7


def test_pages_that_end_early_are_refused(site: Site, update: Update, tmp_path: Path) -> None:
    site.speak(Eutils(*(Record(f"GSE{n}", pdat="2000/03/01") for n in range(1, 8)), most=0))
    with pytest.raises(WrongContentError, match="Entrez counts 7 series of 2000-03 and names 0"):
        update()
    assert not (tmp_path / "geo.sqlite").exists()


def test_a_record_that_is_no_series_is_left_out(site: Site, update: Update) -> None:
    many = [Record(f"GSE{n}", pdat="2000/03/01") for n in range(1, 12)]
    site.speak(Eutils(*many))

    def spoil(reply: Reply, share: int) -> Reply:
        answer = json.loads(reply.body)
        for uid in answer["result"]["uids"][:share]:
            answer["result"][uid]["n_samples"] = "many"
        return Reply(json.dumps(answer).encode())

    site.fault(f"{BASE}esummary.fcgi", lambda reply: spoil(reply, 5))
    with pytest.raises(WrongContentError, match="no series accession or number of samples"):
        update()
    site.fault(f"{BASE}esummary.fcgi", lambda reply: spoil(reply, 1))
    assert update() == 10


@pytest.mark.parametrize("damage", [b"not an index", b""])
def test_damaged_index_names_the_cure(
    update: Update, site: Site, tmp_path: Path, damage: bytes
) -> None:
    site.speak(Eutils(LUPUS))
    index = tmp_path / "geo.sqlite"
    index.write_bytes(damage)
    for use in (lambda: found(index, "lupus"), update):
        with pytest.raises(FormatError, match="genotex find --update --force") as error:
            use()
        assert error.value.path == index
    assert update(force=True) == 1 and found(index, "lupus") == ["GSE1"]


def test_cut_index_names_the_cure(site: Site, update: Update, tmp_path: Path) -> None:
    site.speak(Eutils(LUPUS, SKIN))
    update()
    index = tmp_path / "geo.sqlite"
    whole = index.read_bytes()
    for size in range(100, len(whole) - 1, len(whole) // 20):
        index.write_bytes(whole[:size])
        with pytest.raises(FormatError, match="genotex find --update --force"):
            found(index, "lupus")


def test_flipped_bytes_end_in_an_answer_or_in_an_error(
    site: Site, update: Update, tmp_path: Path
) -> None:
    site.speak(Eutils(LUPUS, SKIN))
    update()
    index = tmp_path / "geo.sqlite"
    whole = index.read_bytes()
    for at in range(8, len(whole), len(whole) // 40):
        index.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with suppress(FormatError):
            found(index, "lupus")


def test_index_of_another_version_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "geo.sqlite"
    with closing(sqlite3.connect(index)) as base:
        base.execute("PRAGMA user_version = 99")
        base.execute("CREATE TABLE series (id)")
    with pytest.raises(FormatError, match="no index of this version"):
        found(index, "lupus")


def test_one_update_at_a_time(update: Update, tmp_path: Path) -> None:
    with lock(tmp_path / "geo.sqlite"), pytest.raises(UsageError, match="in use by another"):
        update()


def test_phrase_is_found_in_its_order(tmp_path: Path) -> None:
    series = made(
        tmp_path,
        Record("GSE1", "Multiple sclerosis", ""),
        Record("GSE2", "Systemic sclerosis", "Biopsies of multiple organs."),
        Record("GSE3", "Brain of MS patients", ""),
    )
    assert here(series, word("multiple sclerosis")) == ["GSE1"]
    assert here(series, word("multiple sclerosis", "ms patient")) == ["GSE1", "GSE3"]


def test_title_and_rare_words_come_first(tmp_path: Path) -> None:
    series = made(
        tmp_path,
        Record("GSE1", "Blood of patients", "Some had gout."),
        Record("GSE2", "Gout", "Blood of patients."),
        *(Record(f"GSE{n}", "Blood", "Blood of patients.") for n in range(3, 9)),
    )
    assert here(series, word("gout"), word("blood")) == ["GSE2", "GSE1"]
    # No series has both: those with one of them.
    assert here(series, word("gout"), word("kidney")) == ["GSE2", "GSE1"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"human": True}, ["GSE1", "GSE3"]),
        ({"mouse": True}, ["GSE2", "GSE3"]),
        ({"rat": True}, []),
        ({"min_samples": 20}, ["GSE1", "GSE3"]),
        ({"max_samples": 12}, ["GSE2"]),
        ({"platform": ("gpl96",)}, ["GSE1", "GSE2"]),
        ({"year_from": 2010, "year_to": 2014}, ["GSE2"]),
        ({"kind": "sequencing"}, ["GSE3"]),
        ({"kind": "expression"}, ["GSE2", "GSE3"]),
        ({"max_series": 1}, ["GSE1"]),
    ],
)
def test_filters(tmp_path: Path, options: dict[str, object], expected: list[str]) -> None:
    sequencing = "Expression profiling by high throughput sequencing"
    series = made(
        tmp_path,
        Record("GSE1", "Asthma", gdstype="Methylation profiling by array", pdat="2015/06/01"),
        Record("GSE2", "Asthma", samples=12, taxon="Mus musculus", pdat="2014/12/31"),
        Record(
            "GSE3", "Asthma", gdstype=sequencing, gpl="11154", taxon="Mus musculus; Homo sapiens"
        ),
    )
    given = FindOptions(**{"kind": "any", **options})  # type: ignore[arg-type]
    matches = search_series([word("asthma")], given, None, series)
    assert sorted(each.accession for each in matches.series) == expected


def test_index_is_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert index_path(None) == tmp_path / "genotex" / "geo.sqlite"
    assert index_path(tmp_path / "own") == tmp_path / "own"


def test_series_that_geo_lacks_come_first(site: Site, update: Update, tmp_path: Path) -> None:
    site.speak(Eutils(LUPUS))
    update()
    own = made(tmp_path, Record("GSE1", "Lupus, another title"), Record("GSE9", "", "Lupus"))
    found = search_series([word("lupus")], FindOptions(), tmp_path / "geo.sqlite", own)
    assert [each.accession for each in found.series] == ["GSE9", "GSE1"]
    assert found.series[1].title == LUPUS.title and found.total == 2
