"""What expression of a series is taken from is known before it is fetched, and is what comes."""

import io
import json
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from genotex.fetch import WebClient
from tests.cli.conftest import Run
from tests.fetch.geo_tree import GeoSite, gz, series_folder
from tests.fetch.server import cut_at, serving
from tests.geo_text import GENES
from tests.rna_seq_text import count_rows

SEQUENCING = "Expression profiling by high throughput sequencing"
TABLE = gz("gene\tGSM1\tGSM2\nA1BG\t5\t9\n")


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoSite]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with serving() as site:
        yield GeoSite(site)


def tar(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


RAW = tar({f"GSM{i}_s{i}.ReadsPerGene.out.tab.gz": TABLE for i in (1, 2)})
SCANS = {
    kind: tar({f"GSM{i}_s{i}.{kind}.gz": gz(kind) for i in (1, 2)}) for kind in ("idat", "CEL")
}


def plan(genotex: Run, geo: GeoSite, *options: str) -> dict[str, object]:
    code, out, _ = genotex("fetch", "geo", "GSE1", "--plan", "--json", *options, *geo.addresses)
    (found,) = json.loads(out)
    return {"code": code, **found}


def test_a_plan_lists_every_file_and_prefers_counts(genotex: Run, geo: GeoSite) -> None:
    geo.add("GSE1", empty=True, gdstype=SEQUENCING)
    files = {"GSE1_FPKM.csv.gz": TABLE, "GSE1_RAW.tar": RAW, "GSE1_DEG_list.xlsx": b"PK"}
    geo.add_supplementary("GSE1", files)
    found = plan(genotex, geo)
    assert [(s["kind"], s["holds"], bool(s["refused"])) for s in found["sources"]] == [  # type: ignore[attr-defined]
        ("matrix", "values", False),
        ("tables of samples", "counts", False),
        ("table", "FPKM", False),
        ("table", "test results", True),
    ]
    assert found["code"] == 0
    assert geo.site.times(f"{series_folder('GSE1')}suppl/GSE1_RAW.tar") == 0


def test_a_header_without_rows_and_counts_of_ncbi_decide(genotex: Run, geo: GeoSite) -> None:
    geo.add("GSE1", empty=True, rows=0, gdstype=SEQUENCING)
    geo.add_supplementary("GSE1", {"GSE1_FPKM.csv.gz": TABLE})
    assert plan(genotex, geo)["best"]["files"] == ["GSE1_FPKM.csv.gz"]  # type: ignore[index]
    name = "GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz"
    geo.counts[name] = gz("GeneID\tGSM1\n1\t5\n")
    assert plan(genotex, geo)["best"]["kind"] == "NCBI counts"  # type: ignore[index]
    chosen = plan(genotex, geo, "--values-from", "GSE1_FPKM.csv.gz")
    assert chosen["best"]["holds"] == "FPKM"  # type: ignore[index]


def test_mouse_series_have_counts_of_ncbi_and_rats_none(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    facts = {"empty": True, "rows": 0, "gdstype": SEQUENCING, "platform": "GPL16791"}
    geo.add("GSE1", taxon="Mus musculus", **facts)  # type: ignore[arg-type]
    geo.add("GSE2", taxon="Rattus norvegicus", **facts)  # type: ignore[arg-type]
    named = ["GSE1_raw_counts_GRCm39_NCBI.tsv.gz", "Mouse.GRCm39.annot.tsv.gz"]
    for name, text in zip(named, ["GeneID\tGSM1\n1\t5\n", "GeneID\tSymbol\n1\tZ\n"], strict=True):
        geo.counts[name] = gz(text)
    assert plan(genotex, geo)["best"]["files"] == named[:1]  # type: ignore[index]
    both = ["--accession", "GSE1", "--accession", "GSE2", "--platform-only"]
    assert genotex("fetch", "geo", tmp_path, *both, *geo.addresses)[0] == 0
    asked = [each.asked.query.get("file", "") for each in geo.site.served]
    assert not [name for name in asked if name.startswith(("GSE2", "Human"))]
    folder = tmp_path / "GEO" / "Unsorted" / "GSE1"
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [*named, "GSE1_series_matrix.txt.gz"]
    )


@pytest.mark.parametrize("name", ["GSE1_sample_info_counts.txt.gz", "GSE1_DEG.txt.gz"])
def test_a_table_of_a_misleading_name_is_fetched_if_nothing_else_is_there(
    genotex: Run, geo: GeoSite, tmp_path: Path, name: str
) -> None:
    geo.add("GSE1", empty=True, rows=0, gdstype=SEQUENCING)
    geo.add_supplementary("GSE1", {name: TABLE, "GSE1_peaks.bed.gz": TABLE})
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses]
    code, out, _ = genotex(*arguments)
    assert code == 0 and "nothing else is there, though by its name it" in " ".join(out.split())
    assert [path.name for path in tmp_path.rglob("GSE1_*") if path.name == name]
    assert not list(tmp_path.rglob("*peaks*"))


@pytest.mark.parametrize(
    ("files", "with_them"),
    [
        ({"GSE1_RAW.tar": SCANS["CEL"]}, {"GSE1_Made-Chip.cdf.gz"}),
        ({"GSE1_RAW.tar": RAW}, {"GSE1_tx2gene.txt.gz", "GSE1_sample_info.csv.gz"}),
    ],
)
def test_what_is_read_with_the_values_is_fetched_too(
    genotex: Run, geo: GeoSite, tmp_path: Path, files: dict[str, bytes], with_them: set[str]
) -> None:
    geo.add("GSE1", empty=True, rows=0)
    others = ("Made-Chip.cdf.gz", "tx2gene.txt.gz", "sample_info.csv.gz", "DEG_list.txt.gz")
    geo.add_supplementary("GSE1", files | {f"GSE1_{name}": TABLE for name in others})
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses]
    assert genotex(*arguments)[0] == 0
    names = {path.name for path in (tmp_path / "GEO/Unsorted/GSE1").iterdir()}
    sheet = {"GSE1_sample_info.csv.gz", "GSE1_tx2gene.txt.gz"}
    assert names - {"GSE1_series_matrix.txt.gz", "GSE1_family.soft.gz"} - sheet == (
        {*files, *with_them} - sheet
    )
    assert with_them <= names


def test_a_file_that_is_not_there_is_refused_with_those_that_are(
    genotex: Run, geo: GeoSite
) -> None:
    geo.add("GSE1", empty=True, gdstype=SEQUENCING)
    geo.add_supplementary("GSE1", {"GSE1_FPKM.csv.gz": TABLE})
    arguments = ["fetch", "geo", "GSE1", "--plan", "--values-from", "GSE1_x.txt"]
    code, _, err = genotex(*arguments, *geo.addresses)
    assert code == 2 and "it has GSE1_series_matrix.txt.gz, GSE1_FPKM.csv.gz" in err


def test_what_the_plan_prefers_is_fetched(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", empty=True, gdstype=SEQUENCING)
    geo.add_supplementary("GSE1", {"GSE1_FPKM.csv.gz": TABLE, "GSE1_RAW.tar": RAW})
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses]
    code, out, _ = genotex(*arguments)
    folder = tmp_path / "GEO" / "Unsorted" / "GSE1"
    assert code == 0 and (folder / "GSE1_RAW.tar").read_bytes() == RAW
    assert not (folder / "GSE1_FPKM.csv.gz").exists()
    assert "ReadsPerGene.out.tab.gz): counts of reads" in " ".join(out.split())


def test_a_cut_archive_is_continued_and_a_damaged_one_is_not_kept(
    genotex: Run, geo: GeoSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WebClient, "_wait", lambda *args: None)
    geo.add("GSE1", empty=True, gdstype=SEQUENCING)
    damaged = RAW[:530] + b"\xff" * 20 + RAW[550:]
    geo.add_supplementary("GSE1", {"GSE1_RAW.tar": RAW})
    path = f"{series_folder('GSE1')}suppl/GSE1_RAW.tar"
    geo.site.fault(path, cut_at(0.5))
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses]
    assert genotex(*arguments)[0] == 0
    assert [each.sent for each in geo.site.served if each.asked.path == path] == [
        len(RAW) // 2,
        len(RAW) - len(RAW) // 2,
    ]
    target = tmp_path / "GEO" / "Unsorted" / "GSE1" / "GSE1_RAW.tar"
    target.unlink()
    geo.site.put(path, damaged)
    assert genotex(*arguments)[0] == 3 and not target.exists()


def test_raw_scans_are_not_fetched_and_the_cure_is_named(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1", empty=True)
    geo.add_supplementary("GSE1", {"GSE1_RAW.tar": SCANS["idat"]})
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses]
    _, out, _ = genotex(*arguments)
    assert "read.idat of limma" in " ".join(out.split())
    assert not list(tmp_path.rglob("*.tar"))


def test_plan_of_cel_files_names_the_layout_that_they_need(genotex: Run, geo: GeoSite) -> None:
    geo.add("GSE1", empty=True)
    geo.add_supplementary("GSE1", {"GSE1_RAW.tar": SCANS["CEL"]})
    sources = plan(genotex, geo)["sources"]
    assert isinstance(sources, list)
    (scans,) = [each for each in sources if each["kind"] == "CEL"]
    assert "needs the CDF of the chip" in scans["why"] and not scans["refused"]


def test_more_than_the_limit_is_not_fetched(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", empty=True, gdstype=SEQUENCING)
    geo.add_supplementary("GSE1", {"GSE1_counts.txt.gz": TABLE})
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", "--max-values", 0.1]
    _, out, _ = genotex(*arguments, *geo.addresses)
    assert "at most 0.1 MB with --max-values" in " ".join(out.split())
    assert not list(tmp_path.rglob("*counts*"))


@pytest.mark.everyday
def test_solve_goes_from_a_bare_accession_to_a_report(
    genotex: Run, geo: GeoSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    geo.add("GSE1", empty=True, samples=24, gdstype=SEQUENCING)
    rows = count_rows(24, GENES)
    tables = {
        f"GSM{i + 1}_s{i}_htseq.txt.gz": gz(
            "".join(f"{gene}\t{counts[i]}\n" for gene, counts in rows.items())
            + "__no_feature\t1000\n"
        )
        for i in range(24)
    }
    geo.add_supplementary("GSE1", {"GSE1_RAW.tar": tar(tables), "GSE1_TPM.txt.gz": TABLE})
    arguments = ["solve", "GSE1", "output", "--trait", "Asthma", *geo.addresses]
    code, out, err = genotex(*arguments)
    assert code == 0, out + err
    assert "12 cases against 12 healthy controls" in out
    assert "24 files such as GSM1_s0_htseq.txt.gz): counts of reads" in " ".join(err.split())
    assert list(Path("output/report").rglob("*.html"))
    asked = len(geo.site.served)
    assert genotex(*arguments)[0] == 0
    again = [each.asked.path for each in geo.site.served[asked:]]
    assert not [path for path in again if path.endswith((".tar", "matrix.txt.gz"))]
