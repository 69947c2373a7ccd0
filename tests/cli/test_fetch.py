"""`genotex fetch tcga`, `genes` and `opentargets`, and a sequenced cohort from fetch to report."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.fetch import gene_files
from tests.fetch import open_targets_service as targets_service
from tests.fetch.geo_tree import GeoSite
from tests.fetch.server import Site, failing, serving
from tests.fetch.xena_hub import hub_path, put_cohort
from tests.geo_text import GENES, write_asthma


@pytest.fixture
def hub() -> Iterator[Site]:
    with serving() as site:
        put_cohort(site, "KIRC")
        yield site


def test_cohort_of_a_trait_fetched_then_verified(genotex, hub: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command = ["fetch", "tcga", tmp_path / "in", "--xena-address", hub.address]
    command += ["--trait", "Kidney_Clear_Cell_Carcinoma"]
    code, out, err = genotex(*command)
    assert code == 0 and "3 fetched" in out and "KIRC" in err
    code, out, _ = genotex(*command, "--json")
    found = json.loads(out)
    assert code == 0 and [each["state"] for each in found] == ["was there"] * 3
    assert all(len(each["sha256"]) == 64 and each["size"] for each in found)
    code, out, err = genotex("verify", tmp_path / "in")
    assert code == 0 and out.strip() == "3 ok" and "journal.jsonl" in err
    code, out, _ = genotex("verify", tmp_path / "in" / "TCGA")
    assert code == 0 and out.strip() == "3 ok"
    table = next((tmp_path / "in").rglob("*_HiSeqV2.gz"))
    table.write_bytes(table.read_bytes()[:-7])
    table.with_name("later.gz.part").write_bytes(b"x")
    code, out, _ = genotex("verify", tmp_path / "in")
    assert code == 1 and "2 ok, 1 missing, 1 unreadable" in out


def test_only_the_files_asked_for(genotex, hub: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command = ["fetch", "tcga", tmp_path, "--xena-address", hub.address, "--cohort", "kirc"]
    _, out, _ = genotex(*command, "--file", "pancan", "--file", "clinical")
    assert "2 fetched" in out and "HiSeqV2.gz" not in out


def test_what_could_not_be_had_is_told_with_the_reason(genotex, hub: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    hub.always(hub_path("KIRC", "HiSeqV2.gz"), failing(404))
    code, out, _ = genotex(
        "fetch", "tcga", tmp_path, "--xena-address", hub.address, "--cohort", "KIRC"
    )
    assert code == 3 and "2 fetched, 1 failed" in out
    assert "404" in out


def test_list_of_what_would_come_asks_no_server(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command = [
        "fetch",
        "tcga",
        tmp_path / "in",
        "--xena-address",
        "http://127.0.0.1:9/",
        "--dry-run",
    ]
    code, out, _ = genotex(*command, "--json")
    rows = json.loads(out)
    assert code == 0 and len(rows) == 36 * 3
    assert rows[0]["address"] == (
        "http://127.0.0.1:9/download/TCGA.ACC.sampleMap/ACC_clinicalMatrix"
    )
    assert not (tmp_path / "in").exists()


def test_wrong_use(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    code, _, err = genotex("fetch", "tcga", tmp_path, "--trait", "Asthma")
    assert code == 2 and "none of the traits" in err and "cancers only" in err
    code, _, err = genotex("fetch", "tcga", tmp_path, "--cohort", "XXXX")
    assert code == 2 and "has no cohort 'XXXX'" in err
    code, _, err = genotex(
        "fetch", "tcga", tmp_path, "--xena-address", "ftp://hub/", "--cohort", "ACC"
    )
    assert code == 2 and "not a base address" in err


def test_fetched_table_is_used_by_a_later_command(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with serving() as ncbi:
        gene_files.put_genes(ncbi, [(i, name, "-", "-", "") for i, name in enumerate(GENES)])
        command = [
            "fetch",
            "genes",
            tmp_path / "metadata",
            "--genes-address",
            ncbi.url(gene_files.BASE),
        ]
        code, out, _ = genotex(*command)
        assert code == 0 and "30 genes" in out and "gene_table/genes.parquet" in out
        code, out, _ = genotex(*command, "--json")
        found = json.loads(out)
    assert code == 0 and found["state"] == "was there" and len(found["files"]) == 5
    write_asthma(tmp_path / "input", number=24)
    code, _, err = genotex(
        "preprocess", tmp_path / "input", tmp_path / "o", "--gene-table", found["gene_table"]
    )
    assert code == 0, err


def test_page_in_place_of_the_genes(genotex, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    with serving() as ncbi:
        ncbi.put(gene_files.PATH, gzip.compress(b"<html>Are you a robot?</html>" * 99))
        code, _, err = genotex(
            "fetch", "genes", tmp_path, "--genes-address", ncbi.url(gene_files.BASE)
        )
    assert code == 2 and "HTML" in err and gene_files.PATH in err


@pytest.fixture
def service() -> Iterator[Site]:
    with serving(targets_service.platform()) as site:
        yield site


def test_what_is_fetched_is_what_a_task_list_is_built_from(  # type: ignore[no-untyped-def]
    genotex, service: Site, tmp_path: Path
) -> None:
    targets = tmp_path / "targets"
    command = [
        "fetch",
        "opentargets",
        targets,
        "--open-targets-address",
        service.url(targets_service.BASE),
    ]
    code, out, err = genotex(*command, "--trait", "Asthma", "--trait", "Eczema")
    assert code == 0 and "release 25.03" in out
    assert "1 of the names are only the nearest ones" in err
    code, out, _ = genotex(*command, "--trait", "Asthma", "--trait", "Eczema", "--json")
    rows = json.loads(out)["diseases"]
    assert [(row["how"], row["state"], row["associations"]) for row in rows] == [
        ("listed", "was there", 2345),
        ("listed", "was there", 2),
    ]
    code, out, _ = genotex(
        "problems",
        "build",
        *("--associations", targets / "associations"),
        *("--disease-ids", targets / "disease_ids.tsv", "--json"),
    )
    assert code == 0 and json.loads(out)


def test_table_of_ones_own_is_not_added_to(genotex, service: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ids = tmp_path / "ids.tsv"
    ids.write_text("Asthma\tMONDO_0004979\n")
    code, out, _ = genotex(
        *(
            "fetch",
            "opentargets",
            tmp_path / "t",
            "--open-targets-address",
            service.url(targets_service.BASE),
        ),
        *("--disease-ids", ids, "--trait", "Asthma", "--trait", "Eczema"),
    )
    assert code == 3 and "no disease" in out
    assert ids.read_text() == "Asthma\tMONDO_0004979\n"
    assert not (tmp_path / "t" / "disease_ids.tsv").exists()


def test_service_that_does_not_answer(genotex, service: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    service.always(targets_service.PATH, failing(404))
    code, _, err = genotex(
        *(
            "fetch",
            "opentargets",
            tmp_path,
            "--open-targets-address",
            service.url(targets_service.BASE),
            "--trait",
            "Asthma",
        )
    )
    assert code == 2 and "404" in err
    assert not (tmp_path / "release.json").exists()


def test_unknown_trait_is_wrong_use_before_anything_is_asked(  # type: ignore[no-untyped-def]
    genotex, service: Site, tmp_path: Path
) -> None:
    code, _, err = genotex(
        *(
            "fetch",
            "opentargets",
            tmp_path,
            "--open-targets-address",
            service.url(targets_service.BASE),
            "--trait",
            "Astma",
        )
    )
    assert code == 2 and "Asthma" in err and not service.served


@pytest.mark.everyday
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
