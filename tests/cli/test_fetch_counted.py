"""A sequenced cohort from NCBI's protocols to a report: an empty matrix, and counts for it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.fetch.geo_tree import GeoSite
from tests.fetch.server import serving


def test_counted_cohort_from_fetch_to_report(
    genotex: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    made = tmp_path / "made"
    assert genotex("simulate", made, "--rna-seq", "--samples", 40, "--genes", 600)[0] == 0
    trait, series = "Simulated_Arthritis", "GSE90000007"
    sequencing = "Expression profiling by high throughput sequencing"
    source, output = tmp_path / "input", tmp_path / "output"
    with serving() as site:
        geo = GeoSite(site)
        files = made / "GEO" / trait / series
        geo.add_files(files, title="Simulated arthritis", samples=40, gdstype=sequencing)
        code, out, _ = genotex("fetch", "geo", source, "--trait", trait, "--json", *geo.addresses)
    assert code == 0 and len(json.loads(out)[0]["files"]) == 4
    for path in files.iterdir():
        assert (source / "GEO" / trait / series / path.name).read_bytes() == path.read_bytes()
    code, out, err = genotex("solve", source, output, "--trait", trait, "--json")
    facts = json.loads(out)
    assert code == 0 and facts["cohort"] == series, err
    assert facts["genes"] > 0
    assert "counts" in Path(facts["report"]).read_text()
