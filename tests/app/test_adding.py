"""Adding data in the browser: by accession, by upload, own tables, and the demonstration."""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest

from genotex.analysis import read_result
from genotex.app import Access, create_app
from genotex.layout import OutputFolder
from tests.affymetrix_files import library
from tests.app.conftest import Browser, opened, queue_of, read_before, wait
from tests.app.drawn import marks_of
from tests.cli.test_de import write as write_tables
from tests.cohorts.test_cel_files import CELLS, SETS, SIDE, layout, made
from tests.fetch.geo_tree import FILES, PAGES, GeoSite, matrix_path, platform_soft
from tests.fetch.server import dripping, serving
from tests.geo_text import GENES, asthma, series_matrix
from tests.rna_seq_text import SEQUENCING, count_text, write_counted
from tests.sequenced_series import PEOPLE, SEQUENCED

MATRIX = "GSE7_series_matrix.txt.gz"


def matrix(accession: str = "GSE7", *, probes: bool = False, platform: str = "GPL96") -> bytes:
    ids = [f"p{i}_at" if probes else gene for i, gene in enumerate(GENES)]
    text = series_matrix(accession, characteristics=asthma(40), platform=platform, ids=ids)
    return gzip.compress(text.encode())


@pytest.fixture
def adder(tmp_path: Path, access: Access) -> Iterator[Browser]:
    with opened(tmp_path, access) as browser:
        # As htmx asks: errors come as plain text.
        browser.own |= {"HX-Request": "true"}
        yield browser


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoSite]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    with serving() as site:
        yield GeoSite(site)


@pytest.fixture
def fetcher(tmp_path: Path, access: Access, geo: GeoSite) -> Iterator[Browser]:
    with Browser(tmp_path, access) as browser:
        url = geo.site.url
        addresses = url("/entrez/eutils"), url(FILES), url(PAGES)
        browser.app.state.workbench.geo_addresses = addresses  # type: ignore[attr-defined]
        browser.sign_in()
        yield browser


def send(
    browser: Browser, *files: tuple[str, bytes], trait: str = "Asthma", accession: str = ""
) -> tuple[int, str]:
    parts = [("files", (name, content)) for name, content in files]
    data = {"trait": trait, "accession": accession}
    answer = browser.post("/add/series", data=data, files=parts, headers=browser.own)
    return answer.status_code, answer.text


def left(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


def test_the_files_of_a_series_are_shown_before_any_is_fetched(
    fetcher: Browser, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE7")
    data = {"accession": "gse7", "trait": ""}
    page = fetcher.post("/add/plan", data=data, headers=fetcher.own)
    assert page.is_success and "GSE7_series_matrix.txt.gz" in page.text and "taken: " in page.text
    assert not left(tmp_path)
    data = {"accession": "GSE0x", "trait": ""}
    assert fetcher.post("/add/plan", data=data, headers=fetcher.own).status_code == 400


def test_a_series_is_fetched_without_a_trait(
    fetcher: Browser, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE7")
    data = {"accession": "GSE7", "trait": "", "values_from": "", "platform_only": "no"}
    assert fetcher.post("/add/fetch", data=data, headers=fetcher.own).is_success
    (record,) = wait(queue_of(fetcher))
    assert record.state == "done", record.message
    assert (tmp_path / "input/GEO/Unsorted/GSE7" / MATRIX).is_file()


def test_a_series_is_fetched_by_accession_in_the_queue(
    fetcher: Browser, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE7")
    data = {"accession": " gse7 ", "trait": "asthma", "platform_only": "no"}
    answer = fetcher.post("/add/fetch", data=data, headers=fetcher.own)
    assert answer.status_code == 200 and "fetch-1-GSE7" in answer.text
    (record,) = wait(queue_of(fetcher))
    assert (record.state, record.place) == ("done", None), record
    assert "2 files" in record.message
    assert (tmp_path / "input" / "GEO" / "Asthma" / "GSE7" / MATRIX).is_file()
    assert "GSE7" in fetcher.get("/").text and "GSE7 for Asthma" in fetcher.get("/add").text
    assert not (tmp_path / "analyses").exists()


def test_a_fetch_is_cancelled_and_resumes(fetcher: Browser, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE7")
    geo.site.fault(matrix_path("GSE7"), dripping(0.05))
    data = {"accession": "GSE7", "trait": "Asthma", "platform_only": "no"}
    fetcher.post("/add/fetch", data=data, headers=fetcher.own)
    queue = queue_of(fetcher)
    while not geo.site.times(matrix_path("GSE7")):
        assert queue.records()[0].open, queue.records()
    fetcher.post("/analysis/cancel", params={"name": "fetch-1-GSE7"}, headers=fetcher.own)
    assert [record.state for record in wait(queue)] == ["cancelled"]
    folder = tmp_path / "input" / "GEO" / "Asthma" / "GSE7"
    assert not (folder / MATRIX).exists()
    fetcher.post("/add/fetch", data=data, headers=fetcher.own)
    assert wait(queue)[0].state == "done"
    assert (folder / MATRIX).is_file()


def test_a_series_that_geo_does_not_have_fails_with_the_reason(
    fetcher: Browser, geo: GeoSite
) -> None:
    geo.add("GSE7")
    fetcher.post("/add/fetch", data={"accession": "GSE8", "trait": "Gout"}, headers=fetcher.own)
    (record,) = wait(queue_of(fetcher))
    assert record.state == "failed" and "GSE8" in record.message


@pytest.mark.parametrize(
    ("accession", "trait"),
    [("../../x", "Gout"), ("GPL96", "Gout"), ("", "Gout"), ("GSE1", "../out")],
)
def test_what_names_no_series_or_no_place_is_not_fetched(
    adder: Browser, tmp_path: Path, accession: str, trait: str
) -> None:
    data = {"accession": accession, "trait": trait}
    assert adder.post("/add/fetch", data=data, headers=adder.own).status_code == 400
    assert left(tmp_path) == []


def test_files_of_a_series_are_read_and_kept(adder: Browser, tmp_path: Path) -> None:
    status, text = send(adder, (MATRIX, matrix()))
    assert status == 200 and "40 samples, 30 rows" in text, text
    assert left(tmp_path / "input" / "GEO" / "Asthma") == ["GSE7", f"GSE7/{MATRIX}"]
    assert "40 samples" in adder.get("/samples", params={"trait": "Asthma", "series": "GSE7"}).text
    assert not [name for name in left(tmp_path) if ".upload" in name]


def test_probes_without_a_platform_are_warned_of_until_it_comes(adder: Browser) -> None:
    _, text = send(adder, (MATRIX, matrix(probes=True)))
    assert "packaged map of GPL96" in text
    other = matrix("GSE9", probes=True, platform="GPL6884")
    _, text = send(adder, ("GSE9_series_matrix.txt.gz", other), accession="GSE9")
    assert "tested as such: add the table of its platform (GPL6884)" in text
    platform = ("GPL96.soft", platform_soft("GPL96").encode())
    status, text = send(adder, platform, accession="GSE7")
    assert status == 200 and "30 rows of a platform" in text and "warnings" not in text
    status, text = send(adder, platform, accession="GSE8")
    assert status == 400 and "add the series matrix or family SOFT of GSE8" in text


def test_counts_of_a_series_without_values_are_read_with_its_matrix(
    adder: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write_counted(tmp_path_factory.mktemp("made"), "GSE7")
    described, counts = sorted(folder.iterdir(), reverse=True)
    counted = (counts.name, counts.read_bytes())
    status, text = send(adder, counted, accession="GSE7")
    assert status == 400 and "no samples are described" in text
    _, text = send(adder, (described.name, described.read_bytes()))
    assert "no expression values: add NCBI" in text
    status, text = send(adder, counted, accession="GSE7")
    assert status == 200 and "12 as log2 counts per million" in text
    assert len(left(tmp_path / "input" / "GEO" / "Asthma" / "GSE7")) == 2


def test_tables_of_samples_are_read_in_their_archive(
    adder: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    described = write_counted(tmp_path_factory.mktemp("made"), "GSE7") / MATRIX
    archive = BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for i in range(12):
            rows = "".join(f"{gene}\t{200 + i * j}\n" for j, gene in enumerate(GENES))
            packed = gzip.compress(f"{rows}__no_feature\t900\n".encode())
            member = tarfile.TarInfo(f"GSM{i + 1}_{i}.htseq.txt.gz")
            member.size = len(packed)
            tar.addfile(member, BytesIO(packed))
    sent = (MATRIX, described.read_bytes()), ("GSE7_RAW.tar", archive.getvalue())
    status, text = send(adder, *sent)
    assert status == 200 and "12 tables of single samples joined" in text, text


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("accession", SEQUENCED)
def test_sequenced_series_reach_genes_by_upload(
    adder: Browser, tmp_path: Path, accession: str, together: bool
) -> None:
    series = SEQUENCED[accession]()
    (matrix, *_), files = series.files.items(), series.files
    if not together:
        status, text = send(adder, matrix, trait=series.trait)
        assert status == 200 and "no expression values: add NCBI" in text
        files = {series.table: series.content}
    status, text = send(adder, *files.items(), trait=series.trait, accession=accession)
    assert status == 200 and f"{2 * PEOPLE} of its {2 * PEOPLE} samples found" in text, text
    folder = tmp_path / "input" / "GEO" / series.trait.replace(" ", "_") / accession
    assert left(folder) == sorted(series.files)


def test_counts_of_a_mouse_series_are_read_without_a_trait(adder: Browser) -> None:
    text = series_matrix(
        "GSE7", characteristics=asthma(12), series_type=SEQUENCING, ids=(), taxid="10090",
        organism="Mus musculus",
    )  # fmt: skip
    ids = [str(11_000 + i) for i in range(40)]
    samples = [f"GSM{1 + i}" for i in range(12)]
    rows = {name: [200 + 31 * i + j for j in range(12)] for i, name in enumerate(ids)}
    annotation = "GeneID\tSymbol\n" + "".join(f"{i}\tGene{i}\n" for i in ids)
    files = {
        MATRIX: text,
        "GSE7_raw_counts_GRCm39_NCBI.tsv.gz": count_text(rows, samples),
        "Mouse.GRCm39.annot.tsv.gz": annotation,
    }
    sent = [(name, gzip.compress(content.encode())) for name, content in files.items()]
    status, shown = send(adder, *sent, trait="Asthma")
    assert status == 400 and "without a trait it is tested by the genes of the mouse" in shown
    status, shown = send(adder, *sent, trait="")
    assert status == 200 and "40 as log2 counts per million" in shown, shown


@pytest.mark.parametrize("with_library", [True, False])
def test_scans_are_read_with_the_layout_of_their_chip(
    adder: Browser, tmp_path_factory: pytest.TempPathFactory, with_library: bool
) -> None:
    more = {"Made-Chip.cdf": layout()}
    if with_library:
        files = library(SETS, CELLS.tolist(), SIDE, SIDE)
        more = {f"Made-Chip.{end}": body for end, body in files.items()}
    folder = made(tmp_path_factory.mktemp("made"), more=more)
    sent = [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]
    layouts = [each for each in sent if each[0] in more]
    status, text = send(adder, *(each for each in sent if each not in layouts[:1]))
    assert status == 400 and "put Made-Chip.cdf into the folder of the series" in text, text
    status, text = send(adder, *sent)
    assert status == 200 and "RMA of 8 arrays of Made-Chip" in text, text


def test_a_map_of_transcripts_is_of_use(
    adder: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    described = write_counted(tmp_path_factory.mktemp("made"), "GSE7") / MATRIX
    names = [f"ENST{90000000000 + i}" for i in range(len(GENES))]
    tables = {
        f"GSM{i + 1}_quant.sf.gz": "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
        + "".join(f"{name}\t900\t800\t5\t{300 + i * j}\n" for j, name in enumerate(names))
        for i in range(12)
    }
    pairs = "".join(f"{a}\t{b}\n" for a, b in zip(names, GENES, strict=True))
    tables["tx2gene.tsv.gz"] = f"transcript\tgene\n{pairs}"
    sent = [(name, gzip.compress(text.encode())) for name, text in tables.items()]
    status, text = send(adder, (MATRIX, described.read_bytes()), *sent)
    assert status == 200 and "genes of transcripts by tx2gene.tsv.gz" in text, text


@pytest.mark.parametrize("accession", SEQUENCED)
def test_sequenced_series_are_fetched_with_their_table(
    fetcher: Browser, geo: GeoSite, tmp_path: Path, accession: str
) -> None:
    series = SEQUENCED[accession]()
    geo.add(accession, samples=2 * PEOPLE, gdstype=SEQUENCING, platform="GPL16791")
    geo.site.put(matrix_path(accession), series.matrix)
    geo.add_supplementary(accession, {series.table: series.content})
    data = {"accession": accession, "trait": series.trait, "platform_only": "yes"}
    assert fetcher.post("/add/fetch", data=data, headers=fetcher.own).is_success
    (record,) = wait(queue_of(fetcher))
    assert record.state == "done", record.message
    (table,) = (tmp_path / "input").rglob(series.table)
    assert table.read_bytes() == series.content


def test_a_table_that_is_of_no_use_to_a_series_is_not_kept(
    adder: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    described = write_counted(tmp_path_factory.mktemp("made"), "GSE7") / MATRIX
    table = ("GSE7_FPKM.csv", b"gene,u,v\nTP53,1,2\nA2M,3,4\n")
    status, text = send(adder, (MATRIX, described.read_bytes()), table)
    assert status == 400 and "no sample of the series is called like its columns" in text
    assert not (tmp_path / "input").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../GSE7_series_matrix.txt.gz",
        "/etc/GSE7_series_matrix.txt.gz",
        "..\\GSE7_series_matrix.txt.gz",
        ".GSE7_series_matrix.txt.gz",
        "GSE7_series_matrix.txt.gz\0.txt",
        "%2e%2e%2fGSE7_series_matrix.txt.gz",
        "<b>GSE7_series_matrix.txt.gz",
        "GSE7_series_matrix.part",
        "x" * 200,
    ],
)
def test_names_that_could_lead_elsewhere_are_refused(
    adder: Browser, tmp_path: Path, name: str
) -> None:
    status, text = send(adder, (name, matrix()))
    assert status == 400 and "cannot be the name of a file" in text, text
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("trait", "accession"), [("../x", ""), ("a/b", ""), ("Gout", "../GSE7"), ("Gout", "GSE8")]
)
def test_traits_and_accessions_lead_nowhere_else(
    adder: Browser, tmp_path: Path, trait: str, accession: str
) -> None:
    assert send(adder, (MATRIX, matrix()), trait=trait, accession=accession)[0] == 400
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        (MATRIX, b"<html>captcha</html>", "web page"),
        (MATRIX, b"", "empty"),
        (MATRIX, matrix()[:-200], "too early"),
        (MATRIX, b"\x89PNG\r\n\x1a\n" + bytes(300), "in place of"),
        ("GSE7_family.soft", b"gene\ta\nx\t1\n", "GSE7_family.soft"),
        ("GPL96.txt", b"<html></html>", "web page"),
        ("notes.txt", b"some text", "state no accession"),
    ],
)
def test_wrong_contents_are_refused_and_not_kept(
    adder: Browser, tmp_path: Path, name: str, content: bytes, why: str
) -> None:
    status, text = send(adder, (name, content))
    assert status == 400 and why in text, text
    assert str(tmp_path) not in text and left(tmp_path) == []


def test_nothing_is_overwritten(adder: Browser, tmp_path: Path) -> None:
    send(adder, (MATRIX, matrix()))
    before = (tmp_path / "input" / "GEO" / "Asthma" / "GSE7" / MATRIX).read_bytes()
    status, text = send(adder, (MATRIX, matrix(probes=True)))
    assert status == 400 and "nothing is overwritten" in text
    assert (tmp_path / "input" / "GEO" / "Asthma" / "GSE7" / MATRIX).read_bytes() == before


def test_a_link_out_of_the_folder_takes_no_upload(
    tmp_path: Path, access: Access, adder: Browser
) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (tmp_path / "input" / "GEO").mkdir(parents=True)
    (tmp_path / "input" / "GEO" / "Asthma").symlink_to(outside)
    assert send(adder, (MATRIX, matrix()))[0] == 400
    assert list(outside.iterdir()) == []


def test_files_that_are_too_large_are_refused(adder: Browser, tmp_path: Path) -> None:
    two_gb = {"Content-Length": str(2 * 1024**3), **adder.own}
    assert adder.post("/add/series", content=b"", headers=two_gb).status_code == 413
    adder.access.file_limit = 2000
    assert send(adder, (MATRIX, matrix() * 5))[0] == 413
    adder.access.file_limit = 10**6
    adder.access.upload_limit = 100
    assert send(adder, (MATRIX, matrix()))[0] == 200
    assert adder.post("/add/fetch", content=b"x" * 200, headers=adder.own).status_code == 413


@pytest.mark.parametrize("packed", ["gzip", "zip"])
def test_files_that_are_too_large_when_unpacked_are_refused(
    adder: Browser, tmp_path: Path, set_limits: Callable[..., None], packed: str
) -> None:
    set_limits(upload=10 << 20)
    content = gzip.compress(b"A" * (30 << 20))
    if packed == "zip":
        file = BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", b"A" * (30 << 20))
        content = file.getvalue()
    status, text = send(adder, (MATRIX, content))
    assert status == 400 and "10 MiB when unpacked" in text
    assert left(tmp_path) == []


def add_tables(adder: Browser, source: Path, **data: str) -> tuple[int, str]:
    table, sheet = write_tables(source)
    files = {
        "expression": (table.name, table.read_bytes()),
        "samples": (sheet.name, sheet.read_bytes()),
    }
    answer = adder.post("/add/tables", data=data, files=files, headers=adder.own)
    return answer.status_code, answer.text


@pytest.mark.everyday
def test_own_tables_are_read_kept_and_analysed_as_by_the_command(
    adder: Browser, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    status, text = add_tables(adder, tmp_path_factory.mktemp("own"), name="My study")
    assert status == 200 and "150 genes x 16 samples" in text, text
    assert left(tmp_path / "tables" / "My_study") == [
        "study.csv", "study_samples.csv", "tables.json",
    ]  # fmt: skip
    place = {"name": "My_study"}
    page = adder.get("/tables", params=place).text
    assert re.findall('<option value="">no column</option>(<option>.*?)</select>', page)[0] == (
        "<option>group</option><option>age</option><option>sex</option>"
        "<option>months</option><option>died</option>"
    )
    assert "case (8), control (8)" in page and "My_study" in adder.get("/").text
    asked = {"design": "~ group + age", "contrast": "group: case - control\nage"}
    text = adder.post("/tables/design", params=place, data=asked, headers=adder.own).text
    assert "8 cases against 8 controls" in text and "genotex de tables/My_study/study.csv" in text
    wrong = asked | {"design": "~ nothing"}
    text = adder.post("/tables/design", params=place, data=wrong, headers=adder.own).text
    assert "nothing" in text and "error" in text

    answer = adder.post("/tables", params=place, data=asked, headers=adder.own)
    assert answer.status_code == 200 and "001-My_study" in answer.text
    (record,) = wait(queue_of(adder))
    assert record.state == "done" and record.place is not None, record
    output = OutputFolder(tmp_path / "analyses" / "001-My_study")
    assert adder.get("/genes", params=record.place).status_code == 200
    found = read_result(output, record.place["trait"], None)
    assert found.significant.height >= 8
    assert list(output.root.rglob("*.R")) and list(output.root.rglob("genes*.csv"))
    cohort = {"output": record.place["output"], "trait": found.trait, "cohort": "My_study"}
    before = read_before(adder, cohort | {"plot": "box"}).json()
    assert len(marks_of(before, "boxes")) == 16, before["note"]

    wrong = asked | {"contrast": "group: case - nobody"}
    answer = adder.post("/tables", params=place, data=wrong, headers=adder.own)
    assert answer.status_code == 400 and "nobody" in answer.text
    assert len(list((tmp_path / "analyses").iterdir())) == 1


def test_tables_that_cannot_be_read_are_not_kept(adder: Browser, tmp_path: Path) -> None:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("xl/workbook.xml", b"A" * 100)
    for name, content in {
        "x.zip.xlsx": file.getvalue().replace(b"PK\x01\x02", b"PK\x01\x03"),
        "x.csv": b"gene,a,b\nTP53,1,many\n",
        "x.xlsx": b"PK\x03\x04 broken",
        "x.parquet": b"PAR1 broken",
        "x.h5ad": b"broken",
        "../x.csv": b"gene,a\n",
    }.items():
        files = {"expression": (name, content), "samples": ("s.csv", b"sample,group\na,1\nb,2\n")}
        answer = adder.post("/add/tables", files=files, headers=adder.own)
        assert answer.status_code == 400 and str(tmp_path) not in answer.text, (name, answer.text)
    assert adder.post("/add/tables", data={"name": "x"}, headers=adder.own).status_code == 400
    assert left(tmp_path) == []


@pytest.mark.parametrize("name", ["../sheets", "..", "nothing", "/etc"])
def test_names_of_tables_are_looked_up(adder: Browser, name: str) -> None:
    assert adder.get("/tables", params={"name": name}).status_code == 404


def test_the_demonstration_is_one_click(adder: Browser, tmp_path: Path) -> None:
    answer = adder.post("/add/demo", headers=adder.own)
    assert answer.status_code == 200 and "001-Simulated_Arthritis" in answer.text
    (record,) = wait(queue_of(adder))
    assert record.state == "done" and "planted genes found" in record.message, record
    assert record.place is not None
    assert adder.get("/genes", params=record.place).status_code == 200
    assert adder.get("/report", params=record.place).status_code == 200


def test_additions_need_the_header_of_our_pages(adder: Browser, tmp_path: Path) -> None:
    for path in ("/add/fetch", "/add/series", "/add/tables", "/add/demo", "/tables"):
        assert adder.post(path, headers={"Origin": adder.own["Origin"]}).status_code == 403
    assert left(tmp_path) == []
    assert create_app(tmp_path, adder.access, ("a", "b", "c")).state.workbench.geo_addresses


def test_expression_and_samples_in_each_other_s_place_are_refused_with_the_cure(
    adder: Browser, tmp_path: Path
) -> None:
    names = [f"S{number}" for number in range(12)]
    rows = [f"{gene},{','.join(str(7 + (i * 7) % 5) for i in range(12))}" for gene in GENES]
    expression = "\n".join([f"gene,{','.join(names)}", *rows]).encode()
    samples = "\n".join(["sample,A1BG", *(f"{name},{i}" for i, name in enumerate(names))])
    files = {"expression": ("s.csv", samples.encode()), "samples": ("e.csv", expression)}
    answer = adder.post("/add/tables", data={"name": "swapped"}, files=files, headers=adder.own)
    assert answer.status_code == 400 and "sample table swapped" in answer.text
    assert not left(tmp_path)
    files = {"expression": ("e.csv", expression), "samples": ("s.csv", samples.encode())}
    answer = adder.post("/add/tables", data={"name": "right"}, files=files, headers=adder.own)
    assert answer.status_code == 200, answer.text
