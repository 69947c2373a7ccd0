"""NCBI's genes over a bad line, and what is made of them."""

import gzip
import json
from pathlib import Path

import pytest

from genotex.errors import FetchError, UsageError, WrongContentError
from genotex.fetch import (
    FetchedGenes,
    FetchFolder,
    FileState,
    WebClient,
    fetch_genes,
    fetched_manifest,
    open_fetch_folder,
    verify_folder,
)
from genotex.genes import GeneTable
from genotex.id_kinds import IdKind
from tests.genes.conftest import GENES, gene_info_text

from .gene_files import BASE, FILE, PATH, put_genes
from .server import Fault, Site, captcha, cut_at, failing, shortened

NAME = "Homo_sapiens.gene_info.gz"


def fetched(site: Site, client: WebClient, root: Path) -> FetchedGenes:
    with open_fetch_folder(root) as folder:
        return fetch_genes(client, folder, site.url(BASE))


def test_table_and_synonyms_are_made_of_what_came(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_genes(site)
    found = fetched(site, client, tmp_path)
    assert (tmp_path / NAME).read_bytes() == FILE
    table = GeneTable.load(tmp_path / "gene_table" / "genes.parquet")
    assert table.official_symbol("P53") == "TP53"
    assert table.lookup(IdKind.REFSEQ, ["NM_000546.6"]) == {"NM_000546.6": "TP53"}
    synonyms = json.loads((tmp_path / "gene_synonym.json").read_text())
    # The benchmark's own rule: a synonym of several genes is that of the last of them.
    assert synonyms["SHARED"] == "OTHER" and synonyms["TP53"] == "TP53"
    assert found.genes.source.date == "2020-01-13"


def test_second_run_asks_for_nothing_and_makes_the_same(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_genes(site)
    first, second = (fetched(site, client, tmp_path) for _ in range(2))
    assert first.gene_info.now and not second.gene_info.now
    assert not second.synonyms.now and second.genes.official_symbol("P53") == "TP53"
    assert site.times(PATH) == 1
    assert [file.sha256 for file in first.table] == [file.sha256 for file in second.table]


def test_file_that_was_removed_is_fetched_anew_and_not_taken_from_what_was_made_of_it(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_genes(site)
    fetched(site, client, tmp_path)
    (tmp_path / NAME).unlink()
    newer = put_genes(site, GENES[:9])
    assert fetched(site, client, tmp_path).gene_info.now
    assert (tmp_path / NAME).read_bytes() == newer
    assert GeneTable.load(tmp_path / "gene_table" / "genes.parquet").genes.height == 9


@pytest.mark.parametrize("name", ["gene_synonym.json", "gene_table/genes.json"])
def test_what_was_removed_is_made_again(
    site: Site, client: WebClient, tmp_path: Path, name: str
) -> None:
    put_genes(site)
    fetched(site, client, tmp_path)
    before = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    fetched(site, client, tmp_path)
    assert (tmp_path / name).read_bytes() == before and site.times(PATH) == 1


def test_synonyms_of_the_benchmark_are_not_replaced(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_genes(site)
    theirs = tmp_path / "gene_synonym.json"
    theirs.write_text('{"P53": "TP53"}')
    with pytest.raises(UsageError, match="was not made here and is not replaced"):
        fetched(site, client, tmp_path)
    assert theirs.read_text() == '{"P53": "TP53"}' and not site.served
    theirs.unlink()
    fetched(site, client, tmp_path)
    theirs.write_text('{"P53": "TP53"}')
    with pytest.raises(UsageError, match="was not made here"):
        fetched(site, client, tmp_path)


def test_run_that_was_killed_while_it_made_the_table_is_gone_on_with(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_genes(site)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(FetchFolder, "made", interrupted)
        fetched(site, client, tmp_path)
    assert (tmp_path / "gene_synonym.json").exists()
    fetched(site, client, tmp_path)
    assert site.times(PATH) == 1


def test_an_interruption_while_the_table_is_made_leaves_nothing_of_it(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_genes(site)
    monkeypatch.setattr("genotex.fetch.gene_info._share_missing", interrupted)
    monkeypatch.setattr("genotex.fetch.gene_info.NCBI_GENE", site.url(BASE))
    with pytest.raises(KeyboardInterrupt):
        fetched(site, client, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"fetch", NAME}


def test_file_that_lacks_most_genes_is_cut_short(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_genes(site)
    monkeypatch.setattr("genotex.fetch.gene_info.NCBI_GENE", site.url(BASE))
    with pytest.raises(WrongContentError, match="protein-coding genes are not in it"):
        fetched(site, client, tmp_path)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and "fetch" not in str(path)]


def test_table_of_an_earlier_file_outlives_one_that_is_cut_short(
    site: Site, client: WebClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_genes(site)
    fetched(site, client, tmp_path)
    kept = ["gene_synonym.json", "gene_table/genes.json", "gene_table/genes.parquet"]
    before = [(tmp_path / name).read_bytes() for name in kept]
    (tmp_path / NAME).unlink()
    put_genes(site, GENES[:9])
    monkeypatch.setattr("genotex.fetch.gene_info.NCBI_GENE", site.url(BASE))
    with pytest.raises(WrongContentError, match="protein-coding genes are not in it"):
        fetched(site, client, tmp_path)
    assert [(tmp_path / name).read_bytes() for name in kept] == before
    assert not list(tmp_path.glob(".*.part"))


def interrupted(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_everything_is_in_the_journal(site: Site, client: WebClient, tmp_path: Path) -> None:
    put_genes(site)
    fetched(site, client, tmp_path)
    listed = fetched_manifest(tmp_path)
    assert listed is not None
    assert {f.path: f.state for f in verify_folder(tmp_path, [listed])} == dict.fromkeys(
        (
            NAME,
            "gene_synonym.json",
            "gene_table/accessions.parquet",
            "gene_table/genes.json",
            "gene_table/genes.parquet",
        ),
        FileState.OK,
    )


@pytest.mark.parametrize(
    "fault", [failing(503), cut_at(0.5), shortened(0.5)], ids=["503", "cut", "too short"]
)
def test_fault_that_passes_is_survived(
    site: Site, client: WebClient, tmp_path: Path, fault: Fault
) -> None:
    put_genes(site)
    site.fault(PATH, fault)
    fetched(site, client, tmp_path)
    assert (tmp_path / NAME).read_bytes() == FILE


@pytest.mark.parametrize(
    ("served", "said"),
    [
        (gzip.compress(gene_info_text(tax="10090").encode()), "no human gene"),
        (gzip.compress(b"#tax_id\tGeneID\n9606\t1\n" * 50), "lacks"),
        (gzip.compress(b"<html>Are you a robot?</html>" * 50), "HTML"),
        (b"#tax_id\tGeneID\n" * 100, "in place of gzip"),
    ],
    ids=["mouse", "other columns", "packed page", "plain"],
)
def test_what_is_no_table_of_human_genes_is_not_kept(
    site: Site, client: WebClient, tmp_path: Path, served: bytes, said: str
) -> None:
    site.put(PATH, served)
    with pytest.raises(FetchError, match=said):
        fetched(site, client, tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"fetch", NAME + ".part"}
    put_genes(site)
    assert fetched(site, client, tmp_path).gene_info.now


def test_captcha_page_is_not_kept(site: Site, client: WebClient, tmp_path: Path) -> None:
    put_genes(site)
    site.always(PATH, captcha())
    with pytest.raises(FetchError, match="captcha"):
        fetched(site, client, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["fetch"]


def test_the_real_file_of_january_2020(
    site: Site, client: WebClient, tmp_path: Path, shared_data: Path
) -> None:
    real = shared_data / "genes" / "Homo_sapiens.gene_info.2020-01.gz"
    site.put(PATH, real.read_bytes())
    found = fetched(site, client, tmp_path)
    # 61,649 genes: counted when the file was put there (its README).
    assert found.genes.source.genes == 61_649
    published = GeneTable.load(real).symbols("benchmark")
    assert json.loads((tmp_path / "gene_synonym.json").read_text()) == published
