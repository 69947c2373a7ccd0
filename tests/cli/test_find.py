"""`genotex find` against a local server that speaks Entrez, and without one."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run, on_one_line
from tests.fetch.eutils import BASE, Eutils, Record
from tests.fetch.server import Site, serving
from tests.geo_text import write_asthma


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    return tmp_path


@pytest.fixture
def site(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr("genotex.fetch.series_index._FIRST_YEAR", 2015)
    with serving() as site:
        site.speak(
            Eutils(
                Record("GSE10", "Lupus in whole blood", "SLE", 60),
                Record("GSE11", "=Lupus in skin", "SLE", 12, pdat="2016/01/01"),
                Record("GSE12", "Methylation in lupus", gdstype="Methylation profiling by array"),
            )
        )
        yield site


def test_index_is_built_and_searched_without_a_network(
    genotex: Run, site: Site, place: Path
) -> None:
    code, out, err = genotex("find", "--update", "--eutils-address", site.url(BASE))
    assert (code, out) == (0, "") and "3 series of GEO are in the index" in err
    asked = len(site.served)
    code, out, err = genotex("find", "SLE", "blood", "--human", "--min-samples", 40)
    assert code == 0 and "is searched as Lupus" in err
    _, row, *rest = [line for line in out.splitlines() if line]
    assert row.split()[:5] == ["GSE10", "60", "2015", "human", "array"]
    assert "1 of 1 series that fit, on this disk and in GEO" in rest[0]
    assert rest[2:] == [
        "  genotex fetch geo GSE10 --plan",
        "  genotex solve GSE10 output --trait 'Lupus (Systemic Lupus Erythematosus)'",
    ]
    assert len(site.served) == asked


def test_json_and_csv_have_the_same_rows(genotex: Run, site: Site, place: Path) -> None:
    genotex("find", "--update", "--eutils-address", site.url(BASE))
    code, out, _ = genotex("find", "lupus", "--json", "-o", "found.csv")
    printed = json.loads(out)
    assert code == 0 and [row["accession"] for row in printed["series"]] == ["GSE11", "GSE10"]
    header, *rows = (place / "found.csv").read_text().splitlines()
    assert header == "accession,title,samples,platform,species,kind,date,on disk"
    # A spreadsheet takes no title for a formula.
    assert len(rows) == 2 and rows[0].startswith("GSE11,'=Lupus in skin,12,GPL96,")


def test_series_on_disk_are_found_without_an_index(genotex: Run, place: Path) -> None:
    write_asthma(place / "input")
    code, out, err = on_one_line(genotex)("find", "asthma")
    assert code == 0 and "build it once with 'genotex find --update'" in err
    assert "  genotex solve input/GEO/Asthma/GSE1 output" in out


def test_nothing_found_is_exit_code_one(genotex: Run, place: Path) -> None:
    code, out, err = genotex("find", "vemurafenib")
    assert (code, out) == (1, "") and "no series fits, on this disk" in err
    code, out, err = genotex("find", "vemurafenib", "--json")
    assert code == 1 and json.loads(out)["series"] == [] and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name words to search for, as in: genotex find lupus whole blood"),
        (("lupus", "--force"), "--force belongs to --update"),
        (("lupus", "--min-samples", 9, "--max-samples", 2), "no series can be within"),
        (("lupus", "--index", "none.sqlite"), "genotex find --update --index none.sqlite"),
        (("lupus", "--input", "none"), "none is not a folder"),
        (("lupus", "-o", "."), "is a folder; name a file to write"),
    ],
)
def test_mistakes_name_what_to_do(
    genotex: Run, place: Path, words: tuple[object, ...], message: str
) -> None:
    code, _, err = on_one_line(genotex)("find", *words)
    assert code == 2 and message in err


def test_damaged_index_names_the_cure(genotex: Run, place: Path) -> None:
    index = place / "data" / "genotex" / "geo.sqlite"
    index.parent.mkdir(parents=True)
    index.write_text("damaged")
    code, _, err = on_one_line(genotex)("find", "lupus")
    assert code == 2 and "build it again: genotex find --update --force" in err
