"""GSE60424 and GSE183947 on the command line: by accession and by folder, from files to genes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.formats import read_evidence
from genotex.layout import OutputFolder, trait_folder_name
from tests.cli.conftest import Run
from tests.fetch.geo_tree import GeoSite, matrix_path
from tests.fetch.server import serving
from tests.rna_seq_text import SEQUENCING
from tests.sequenced_series import PEOPLE, SEQUENCED, Sequenced


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[GeoSite]:
    monkeypatch.chdir(tmp_path)
    with serving() as site:
        yield GeoSite(site)


def put(geo: GeoSite, series: Sequenced) -> None:
    """Put a series on the site as GEO has it."""
    geo.add(series.accession, samples=2 * PEOPLE, gdstype=SEQUENCING, platform="GPL16791")
    geo.site.put(matrix_path(series.accession), series.matrix)
    geo.add_supplementary(series.accession, {series.table: series.content})


def check(series: Sequenced, answer: tuple[int, str, str]) -> None:
    code, out, err = answer
    assert code == 0, out + err
    assert f"{PEOPLE} cases against {PEOPLE}" in out
    output = OutputFolder(Path("output"))
    evidence = read_evidence(output.evidence(trait_folder_name(series.trait), series.accession))
    assert evidence.mapping["scale"] == "linear" and not evidence.counts
    assert any(f"the submitter's {series.table}" in note for note in evidence.notes)
    assert list(Path("output/report").rglob("*.html"))


@pytest.mark.parametrize("accession", SEQUENCED)
def test_accession_goes_to_genes(genotex: Run, geo: GeoSite, accession: str) -> None:
    series = SEQUENCED[accession]()
    put(geo, series)
    arguments = ["solve", accession, "output", "--trait", series.trait]
    check(series, genotex(*arguments, *geo.addresses))


def test_the_real_table_of_gse60424_goes_from_its_accession_to_genes(
    genotex: Run, geo: GeoSite, shared_data: Path
) -> None:
    folder = shared_data / "more" / "GEO" / "Multiple_sclerosis" / "GSE60424"
    matrix, table = (
        (folder / f"GSE60424_{name}.txt.gz").read_bytes()
        for name in ("series_matrix", "normalized_counts")
    )
    made = SEQUENCED["GSE60424"]()
    put(geo, replace(made, matrix=matrix, content=table))
    arguments = ["solve", "GSE60424", "output", "--trait", made.trait, *geo.addresses]
    code, out, err = genotex(*arguments)
    assert code == 0, out + err
    assert "6 cases against 4 healthy controls" in out and "67 samples became 10" in err
    assert "nearly identical" not in err, err
    evidence = read_evidence(OutputFolder("output").evidence("Multiple_sclerosis", "GSE60424"))
    assert any("134 of its 134 samples found by the series' title" in n for n in evidence.notes)
    assert evidence.mapping["scale"] == "linear" and not evidence.counts


@pytest.mark.parametrize("accession", SEQUENCED)
def test_folder_goes_to_genes(genotex: Run, geo: GeoSite, accession: str) -> None:
    series = SEQUENCED[accession]()
    folder = Path("input/GEO") / trait_folder_name(series.trait) / accession
    folder.mkdir(parents=True)
    for name, content in series.files.items():
        (folder / name).write_bytes(content)
    check(series, genotex("solve", "input", "output", "--trait", series.trait))


@pytest.mark.parametrize("accession", SEQUENCED)
def test_plan_takes_the_table_and_never_as_counts(
    genotex: Run, geo: GeoSite, accession: str
) -> None:
    series = SEQUENCED[accession]()
    put(geo, series)
    code, out, _ = genotex("fetch", "geo", accession, "--plan", *geo.addresses)
    shown = " ".join(out.split())
    assert code == 0 and f"{series.table[:20]}" in shown
    assert "taken: " in shown and "counts of reads" not in shown
