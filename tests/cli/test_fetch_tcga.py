"""`genotex fetch tcga` from the screen."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fetch.server import Site, failing, serving
from tests.fetch.xena_hub import hub_path, put_cohort


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
