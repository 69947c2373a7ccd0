"""Packaged maps from probes to genes: contents, dates, agreement with submitted tables."""

import os
from pathlib import Path

import polars as pl
import pytest
from benchmarks.maintenance import build_platform_maps as script

from genotex.errors import FormatError
from genotex.formats import read_platforms
from genotex.genes import (
    genes_of_rows,
    official_rows,
    packaged_maps,
    packaged_platform,
    platforms_with,
)

SHARED = Path(os.environ.get("GENOTEX_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
# Probe sets of Affymetrix, Illumina and Agilent whose genes their makers' own tables give.
KNOWN = {
    "GPL570": {"1007_s_at": None, "201746_at": "TP53", "204533_at": "CXCL10"},
    "GPL10558": {"ILMN_1779356": "TP53"},
    "GPL6244": {"8012257": "TP53"},
    "GPL13497": {"A_23_P26810": "TP53"},
}


@pytest.mark.parametrize("accession", KNOWN)
def test_packaged_map_has_the_genes_of_known_probes(accession):
    table = packaged_platform(accession.lower()).table
    found = dict(table.iter_rows())
    assert {probe: found.get(probe) for probe in KNOWN[accession]} == KNOWN[accession]
    assert table["ID"].n_unique() == table.height


def test_symbols_are_those_of_the_packaged_gene_table(packaged):
    maps = packaged_maps()
    assert maps.symbols == packaged.source.date
    symbols = packaged_platform("GPL96").table["Gene Symbol"].to_list()
    assert "SEPTIN2" in symbols and "SEPT2" not in symbols  # HGNC renamed SEPT2 in 2019
    assert sum(s.upper() in packaged.official for s in symbols) > 0.95 * len(symbols)


def test_absent_platform_has_no_map():
    assert packaged_platform("GPL6884") is None
    assert packaged_platform("GPL6884", ["1", "2", "3"]) is None
    assert packaged_platform(None, ["ILMN_1779356"]) is None


# Probe sets of Hu6800 and the genes that golub.gnames of Bioconductor's multtest describes.
HU6800 = {
    "A28102_at": "GABRA3", "D00723_at": "GCSH", "L13738_at": "TNK2", "U59309_at": "FH",
    "M33882_at": "MX1", "D00408_s_at": "CYP3A7", "X82494_at": "FBLN2", "X72012_at": "ENG",
}  # fmt: skip


def ids_of(accession: str) -> list[str]:
    """Row ids as a series on the platform has them; those of others that are called alike."""
    alike = {
        "GPL6884": "GPL6947", "GPL6480": "GPL1708", "GPL14550": "GPL13497", "GPL17077": "GPL13497",
        "GPL15207": "GPL13667",
    }  # fmt: skip
    numbered = {"GPL4133": "{}", "GPL5175": "23151{:02}", "GPL16686": "166501{:02}",
                "GPL17586": "TC010000{:02}.hg.1"}  # fmt: skip
    if accession == "GPL80":
        return list(HU6800)
    if accession in numbered:
        return [numbered[accession].format(i) for i in range(12, 92)]
    return packaged_platform(alike.get(accession, accession)).table["ID"].head(200).to_list()


COMMON = (
    "570", "96", "97", "571", "6244", "17586", "5175", "10558", "6947", "6884", "6480", "4133",
    "13497", "14550", "17077", "16686", "11532", "15207", "8300", "80",
)  # fmt: skip
"""Platforms of most human series."""


@pytest.mark.parametrize("accession", [f"GPL{number}" for number in COMMON])
def test_common_platforms_have_genes_without_a_table_or_are_named(accession, packaged):
    ids = ids_of(accession)
    platforms = [each for each in [packaged_platform(accession)] if each is not None]
    how = {"procedure": "sound", "table": packaged, "own": accession}
    if accession in ("GPL17586", "GPL5175", "GPL4133", "GPL16686"):
        with pytest.raises(FormatError, match=f"put the table of {accession} or the family SOFT"):
            genes_of_rows(ids, platforms, **how)
        return
    found = genes_of_rows(ids, platforms, **how)
    assert sum(map(len, found.names)) > 0.8 * len(ids)
    if accession == "GPL80":
        assert dict(zip(ids, found.names, strict=True)) == {i: (g,) for i, g in HU6800.items()}


def test_probes_of_other_platforms_give_their_genes_with_a_note(packaged):
    own = packaged_platform("GPL6947")
    ids = [*own.table["ID"].head(80), *(f"ILMN_{i}" for i in range(20))]
    found = genes_of_rows(ids, [], procedure="sound", table=packaged, own="GPL6884")
    assert found.names[:80] == [(gene,) for gene in own.table["Gene Symbol"].head(80)]
    (note,) = [each for each in found.notes if each.startswith("packaged map of GPL6884: 80% of")]
    assert "GPL6947" in note
    with pytest.raises(FormatError, match="GPL6884, whose table is not there"):
        genes_of_rows(ids, [], procedure="benchmark", table=packaged, own="GPL6884")


def test_note_says_which_map_and_how_old():
    (note,) = packaged_platform("GPL96").fields["packaged"]
    assert note.startswith("packaged map of GPL96: 19,812 probes with a human gene")
    assert "about 2019" in note and "2022-09-12" in note


def test_platform_is_recognised_by_its_probes_but_not_by_numbers():
    assert platforms_with(packaged_platform("GPL10558").table["ID"].to_list())[0] == "GPL10558"
    assert platforms_with(packaged_platform("GPL6244").table["ID"].to_list()) == []


def test_building_twice_gives_the_same_maps(tmp_path, small):
    source = tmp_path / "probes.parquet"
    pl.DataFrame(
        {
            "gpl": ["GPL96", "GPL571", "GPL81", "GPL96"],
            "probe_id": ["1_at", "1_at", "2_at", "3_at"],
            "symbol": ["P53", "P53", "Trp53", "SEPT7"],
        }
    ).write_parquet(source)
    probes, record = script.build(source, small)
    assert probes.equals(script.build(source, small)[0])
    assert set(probes.iter_rows()) == {
        ("1_at", "TP53", "GPL96 GPL571"),
        ("2_at", "Trp53", "GPL81"),
        ("3_at", "SEPTIN7", "GPL96"),
    }
    assert record.platforms["GPL96"] == {
        "species": "human", "probes": 2, "updated": 2, "unknown": 0
    }  # fmt: skip


SUBMITTED = {
    "GPL96": "input/GEO/Osteoarthritis/GSE55457/GPL96.txt.gz",
    "GPL571": "more/GEO/Hepatocellular_Carcinoma/GSE14520/GPL571.txt",
    "GPL6244": "more/GEO/Melanoma/GSE42872/GPL6244.txt",
}


@pytest.mark.parametrize("accession", SUBMITTED)
def test_agrees_with_the_submitted_table(accession, packaged):
    path = SHARED / SUBMITTED[accession]
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    (own,) = read_platforms(path)
    ids = own.table[own.table.columns[0]].drop_nulls().to_list()
    genes = [
        official_rows(
            genes_of_rows(ids, [each], procedure="sound", table=packaged, own=accession),
            procedure="sound",
            table=packaged,
        )
        for each in (own, packaged_platform(accession))
    ]
    both = [(a, b) for a, b in zip(*genes, strict=True) if len(a) == len(b) == 1]
    assert len(both) > 0.95 * sum(len(row) == 1 for row in genes[0])
    assert sum(a == b for a, b in both) > 0.99 * len(both)
