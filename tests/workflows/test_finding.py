"""Series found by words: traits by all that means them, and series of this disk."""

from pathlib import Path

import pytest

from genotex.clinical import load_vocabulary
from genotex.errors import UsageError
from genotex.options import FindOptions
from genotex.workflows import FoundSeries, concepts_of, find_series
from tests.geo_text import asthma, series_matrix, write_gz

WORDS = load_vocabulary()
SOFT = """^DATABASE = GeoMiame
^SERIES = GSE3
!Series_title = Skin of lupus mice
!Series_status = Public on Aug 03 2011
!Series_type = Expression profiling by array
!Series_sample_id = GSM7
!Series_sample_id = GSM8
!Series_sample_taxid = 10090
!Series_platform_id = GPL1261
^PLATFORM = GPL1261
!Platform_title = never read
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for trait in ("Asthma", "Other"):
        write_gz(
            tmp_path / trait / "GSE1" / "GSE1_series_matrix.txt.gz",
            series_matrix(title="Asthma", characteristics=asthma()),
        )
    write_gz(tmp_path / "GSE3" / "GSE3_family.soft.gz", SOFT)
    write_gz(tmp_path / ".hidden" / "GSE4_family.soft.gz", SOFT)
    (tmp_path / "GSE5_series_matrix.txt.gz").write_bytes(b"\x1f\x8bdamaged")
    return tmp_path


def test_species_is_that_of_the_platform_where_files_state_none(tmp_path: Path) -> None:
    def write(accession: str, platform: str, more: str = "") -> None:
        text = f"^SERIES = {accession}\n!Series_title = Old\n!Series_type = Expression profiling"
        text += "\n!Series_sample_id = GSM1"
        text += f"\n!Series_platform_id = {platform}\n^PLATFORM = {platform}\n{more}"
        write_gz(tmp_path / accession / f"{accession}_family.soft.gz", text)

    write("GSE1", "GPL96")
    write("GSE2", "GPL9999", "!Platform_organism = Homo sapiens\n")
    write("GSE3", "GPL1261")
    write("GSE4", "GPL9999")
    found = find("old", tmp_path, human=True)
    species = {row["accession"]: row["species"] for row in found.rows()}
    assert species == {"GSE1": "Homo sapiens", "GSE2": "Homo sapiens", "GSE4": ""}
    assert "species by the platform, their files state none: GSE1" in found.notes
    assert "of unknown species, found for any that is asked for: GSE4" in found.notes
    assert {row["accession"] for row in find("old", tmp_path, mouse=True).rows()} == {
        "GSE3",
        "GSE4",
    }


def find(words: str, folder: Path, **options: object) -> FoundSeries:
    given = FindOptions(on_disk=True, input=folder, **options)  # type: ignore[arg-type]
    return find_series(words, given, WORDS)


def test_series_on_disk_are_found_by_what_their_files_state(folder: Path) -> None:
    found = find("", folder)
    assert {row["accession"] for row in found.rows()} == {"GSE1", "GSE3"}
    assert found.folders["GSE1"] == (folder / "Asthma" / "GSE1", folder / "Other" / "GSE1")
    (row,) = find("mice skin", folder, mouse=True).rows()
    assert row == {
        "accession": "GSE3",
        "title": "Skin of lupus mice",
        "samples": 2,
        "platform": "GPL1261",
        "species": "Mus musculus",
        "kind": "Expression profiling by array",
        "date": "2011-08-03",
        "on disk": str(folder / "GSE3"),
    }


def test_acronym_of_a_trait_finds_its_names(folder: Path) -> None:
    found = find("SLE skin", folder)
    assert [row["accession"] for row in found.rows()] == ["GSE3"]
    assert found.trait == "Lupus_(Systemic_Lupus_Erythematosus)"
    assert any("is searched as Lupus" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lupus whole blood", ["lupus", "whole", "blood"]),
        ("Multiple Sclerosis PBMCs", ["multiple sclerosis", "pbmc"]),
        ("tumours, breast cancer", ["tumor", "breast cancer"]),
        ("", []),
    ],
)
def test_words_that_name_a_trait_together_are_one(text: str, expected: list[str]) -> None:
    assert [each.written for each in concepts_of(text, WORDS)] == expected


def test_two_letters_are_the_trait_and_not_a_word() -> None:
    (concept,) = concepts_of("MS", WORDS)
    assert "multiple sclerosis" in concept.phrases and "ms" not in concept.phrases


def test_note_where_no_series_has_all_words(folder: Path) -> None:
    found = find("skin vemurafenib", folder)
    assert found.notes == ("no series has all of it; these have 1 of 2 words",)


def test_without_an_index_the_notes_name_the_command(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    found = find_series("skin", FindOptions(input=folder), WORDS)
    assert "genotex find --update" in found.notes[0] and found.asked is None
    with pytest.raises(UsageError, match="there is no index"):
        find_series("skin", FindOptions(index=folder / "own.sqlite"), WORDS)
