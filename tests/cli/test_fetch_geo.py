"""`genotex fetch geo` against a local server that speaks NCBI's protocols."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from genotex.fetch import WebClient
from tests.cli.conftest import Run
from tests.fetch.geo_tree import (
    GeoSite,
    annotation,
    annotation_path,
    family_path,
    gz,
    matrix_path,
    platform_soft,
    series_folder,
)
from tests.fetch.server import Reply, captcha, failing, serving, shortened


@pytest.fixture
def geo(monkeypatch: pytest.MonkeyPatch) -> Iterator[GeoSite]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("NCBI_API_KEY", raising=False)
    with serving() as site:
        yield GeoSite(site)


def files_in(place: Path) -> list[str]:
    return sorted(str(p.relative_to(place)) for p in place.rglob("*.*") if "fetch" not in p.parts)


def test_series_of_a_trait_are_fetched_and_solved(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    for number in (1, 2):
        geo.add(f"GSE{number}", probes=False)
    source = tmp_path / "input"
    code, out, err = genotex("fetch", "geo", source, "--trait", "Asthma", *geo.addresses)
    assert code == 0 and "2 series are complete" in err
    assert [line.split()[:4] for line in out.splitlines()[1:]] == [
        ["Asthma", "GSE1", "whole", "2"],
        ["Asthma", "GSE2", "whole", "2"],
    ]
    assert files_in(source) == [
        f"GEO/Asthma/GSE{number}/GSE{number}{ending}"
        for number in (1, 2)
        for ending in ("_family.soft.gz", "_series_matrix.txt.gz")
    ]
    code, out, _ = genotex("solve", source, tmp_path / "output", "--trait", "Asthma")
    assert code == 0 and "20 cases against 20 healthy controls" in out


def test_dry_run_lists_and_writes_nothing(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1")
    geo.add("GSE2", title="Asthma: miRNA", gdstype="Non-coding RNA profiling by array")
    geo.add("GSE3", title="SNPs in asthma", gdstype="Genome variation profiling by SNP array")
    geo.sizes[matrix_path("GSE1")] = "2.0M"
    source = tmp_path / "input"
    arguments = ["fetch", "geo", source, "--trait", "Asthma", "--dry-run", *geo.addresses]
    code, out, err = genotex(*arguments)
    assert code == 0 and not source.exists()
    assert "1 series with 2.3 MB would be fetched; nothing was fetched" in err  # 2 MiB and 200 KiB
    rows = {line.split()[1]: line for line in out.splitlines()[1:]}
    assert set(rows) == {"GSE1", "GSE3"}  # GSE2 is of no study type that is asked for
    assert "title, summary, sample titles" in rows["GSE1"] and "matrix, family" in rows["GSE1"]
    assert "refused: the series is not gene expression" in rows["GSE3"]
    code, out, _ = genotex(*arguments, "--json", "--any-assay")
    assert [plan["refused"] for plan in json.loads(out)] == ["", ""]
    assert geo.site.times(matrix_path("GSE1")) == 0


def test_criteria_of_the_paper_are_options(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", samples=20)
    geo.add("GSE2", pdat="2009/12/31")
    geo.add("GSE3", taxon="Mus musculus")
    geo.add("GSE4")
    geo.sizes[matrix_path("GSE4")] = "120M"
    geo.add("GSE5")
    geo.sizes[family_path("GSE5")] = "1.5G"
    geo.add("GSE6")
    geo.sizes[matrix_path("GSE6")] = "17K"
    geo.add("GSE7", with_family=False)
    geo.add("GSE8")
    geo.add("GSE9")
    search = ["fetch", "geo", tmp_path, "--trait", "asthma", "--dry-run", "--json", *geo.addresses]

    def refused(*options: object) -> dict[str, str]:
        _, out, _ = genotex(*search, *options)
        return {plan["accession"]: plan["refused"] for plan in json.loads(out)}

    assert refused() == {
        "GSE4": "matrix of 126 MB; at most 100 MB with --max-matrix",
        "GSE5": "family SOFT of 1,611 MB; at most 100 MB with --max-family; or --platform-only",
        "GSE6": "matrix of 17.4 kB; at least 0.1 MB with --min-matrix",
        "GSE7": "GEO has no folder of its files",
        "GSE8": "",
        "GSE9": "",
    }
    assert list(refused("--max-series", 1)) == ["GSE4", "GSE5", "GSE6", "GSE7", "GSE8"]
    assert refused("--platform-only")["GSE5"] == ""
    assert refused("--max-matrix", 200)["GSE4"] == ""
    assert "GSE1" in refused("--min-samples", 20) and "GSE2" in refused("--from", 2009)
    assert set(refused("--query", '"mouse"')) == set()


def test_platform_table_takes_the_place_of_the_family_soft(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    for number, platform in ((1, "GPL96"), (2, "GPL96"), (3, "GPL77")):
        geo.add(f"GSE{number}", platform=platform)
    geo.put(annotation_path("GPL96"), gz(annotation("GPL96")))
    geo.soft_platforms["GPL77"] = platform_soft("GPL77")
    source = tmp_path / "input"
    arguments = ["fetch", "geo", source, "--trait", "Asthma", "--platform-only", *geo.addresses]
    assert genotex(*arguments)[0] == 0
    assert [name.rpartition("/")[2] for name in files_in(source)] == [
        *("GPL96.annot.gz", "GSE1_series_matrix.txt.gz"),
        *("GPL96.annot.gz", "GSE2_series_matrix.txt.gz"),
        *("GPL77.soft", "GSE3_series_matrix.txt.gz"),
    ]
    assert geo.site.times(annotation_path("GPL96")) == 1  # linked for the second series
    code, out, _ = genotex("preprocess", source, tmp_path / "output", "--json")
    infos = [cohort["info"] for cohort in json.loads(out)]
    assert code == 0 and [info["is_usable"] for info in infos] == [True] * 3


def test_platforms_of_arrays_beside_a_sequencer_are_fetched(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    both = "Expression profiling by array; Expression profiling by high throughput sequencing"
    geo.add("GSE1", platform="GPL96", gpl="96;11154", gdstype=both)
    geo.put(annotation_path("GPL96"), gz(annotation("GPL96")))
    sequencer = "^PLATFORM = GPL11154\n!Platform_title = HiSeq\n!Platform_data_row_count = 0\n"
    geo.soft_platforms["GPL11154"] = sequencer
    source = tmp_path / "input"
    named = ["--trait", "Asthma", "--accession", "GSE1", "--platform-only", *geo.addresses]
    code, out, _ = genotex("fetch", "geo", source, *named)
    assert code == 0 and "whole" in out
    assert [name.rpartition("/")[2] for name in files_in(source)] == [
        *("GPL11154.soft", "GPL96.annot.gz", "GSE1_series_matrix.txt.gz")
    ]
    assert genotex("preprocess", source, tmp_path / "output")[0] == 0


def test_a_long_pause_is_told(
    genotex: Run, geo: GeoSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    geo.add("GSE1")
    geo.site.fault("/entrez/eutils/esearch.fcgi", failing(429, Retry_After="90"))
    monkeypatch.setitem(WebClient.__init__.__kwdefaults__, "sleep", lambda seconds: None)
    code, _, err = genotex("fetch", "geo", tmp_path, "--trait", "Asthma", *geo.addresses)
    assert code == 0
    told = "the server answers 429 (Too Many Requests); next attempt in 90 s"
    assert told in " ".join(err.split())


def test_platform_without_any_table_is_told(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", platform="GPL77")
    arguments = ["fetch", "geo", tmp_path, "--accession", "GSE1", "--platform-only", *geo.addresses]
    code, out, _ = genotex(*arguments)
    assert code == 3 and "a web page ('GEO Accession viewer') came in place of the data" in out


def test_sequencing_with_an_empty_matrix_gets_the_counts_of_ncbi(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    sequencing = "Expression profiling by high throughput sequencing"
    for number in (1, 2, 3):
        geo.add(f"GSE{number}", empty=number < 3, gdstype=sequencing, platform="GPL16791")
        geo.sizes[matrix_path(f"GSE{number}")] = "4.1K"  # below the least, as they are
    # GSE2 has no counts, which GEO answers with a page or with 404.
    geo.counts["GSE2_raw_counts_GRCh38.p13_NCBI.tsv.gz"] = b"<html><title>GEO</title></html>"
    geo.counts["GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz"] = gz("GeneID\tGSM1\n1\t7\n")
    geo.counts["Human.GRCh38.p13.annot.tsv.gz"] = gz("GeneID\tSymbol\n1\tA1BG\n")
    arguments = ["fetch", "geo", tmp_path, "--trait", "Asthma", "--platform-only", *geo.addresses]
    code, out, _ = genotex(*arguments)
    assert code == 0
    assert "its matrix is empty, and NCBI has no counts of it" in out.splitlines()[2]
    names = [name.removeprefix("GEO/Asthma/") for name in files_in(tmp_path)]
    assert names == [
        "GSE1/GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz",
        "GSE1/GSE1_series_matrix.txt.gz",
        "GSE1/Human.GRCh38.p13.annot.tsv.gz",
        "GSE2/GSE2_series_matrix.txt.gz",
        "GSE3/GSE3_series_matrix.txt.gz",
    ]


def test_series_by_name_without_a_trait(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", samples=8)
    code, _, err = genotex("fetch", "geo", tmp_path, "--accession", "gse1", *geo.addresses)
    assert code == 0 and "GEO/Unsorted" in err
    assert (tmp_path / "GEO/Unsorted/GSE1/GSE1_series_matrix.txt.gz").exists()
    trait = ["--trait", "Asthma"]
    assert genotex("fetch", "geo", tmp_path, "--accession", "GSE1", *trait, *geo.addresses)[0] == 0
    assert geo.site.times(matrix_path("GSE1")) == 1


def test_a_series_that_is_named_twice_is_told_once(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    names = ["--accession", "gse1", "--accession", " GSE1"]
    code, out, err = genotex("fetch", "geo", tmp_path, *names, *geo.addresses)
    assert code == 0 and out.count("GSE1") == 1 and "1 series are complete" in err


def test_a_trait_that_is_named_twice_is_searched_once(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    named = ["--trait", "Asthma", "--trait", "asthma"]
    code, out, _ = genotex("fetch", "geo", tmp_path, *named, *geo.addresses)
    assert code == 0 and out.count("GSE1") == 1
    assert geo.site.times("/entrez/eutils/esearch.fcgi") == 1


def test_a_name_that_is_none_leaves_no_folder(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    fetch = ["fetch", "geo", tmp_path / "input", "--accession", "GSM1", *geo.addresses]
    assert genotex(*fetch)[0] == 2 and not (tmp_path / "input").exists()


def test_every_part_of_a_series_is_fetched(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1", gpl="96;97")
    text = "!Series_title\t1\n!Series_geo_accession\tGSE1\n!series_matrix_table_end\n"
    for part in ("-GPL96", "-GPL97"):
        geo.put(matrix_path("GSE1", part), gzip.compress(text.encode(), mtime=0))
    genotex("fetch", "geo", tmp_path, "--accession", "GSE1", *geo.addresses)
    assert len(list((tmp_path / "GEO/Unsorted/GSE1").glob("*matrix*"))) == 3


def test_names_of_a_listing_that_are_not_of_the_series_are_passed_over(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    geo.extra[series_folder("GSE1") + "matrix/"] = [
        "../../../../evil_series_matrix.txt.gz",
        "/etc/GSE1_series_matrix.txt.gz",
        "GSE2_series_matrix.txt.gz",
        "..%2fGSE1_series_matrix.txt.gz",
        "GSE1-GPL1/../../GSE1_series_matrix.txt.gz",
    ]
    source = tmp_path / "input"
    code, _, _ = genotex("fetch", "geo", source, "--accession", "GSE1", *geo.addresses)
    assert code == 0 and len(files_in(source)) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["input"]


def test_matrix_of_another_series_is_not_kept(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1")
    geo.add("GSE2")
    other = geo.site.body(matrix_path("GSE2"))
    geo.site.always(matrix_path("GSE1"), lambda reply: Reply(other))
    fetch = ["fetch", "geo", tmp_path, "--trait", "Asthma", *geo.addresses]
    code, out, _ = genotex(*fetch)
    assert code == 3 and "it is the matrix of 'GSE2', not of GSE1" in out
    assert not (tmp_path / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz").exists()
    geo.site.mend(matrix_path("GSE1"))
    assert genotex(*fetch)[0] == 0


def test_listing_that_names_a_file_that_is_not_there(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    geo.add("GSE2")
    geo.extra[series_folder("GSE1") + "matrix/"] = ["GSE1-GPL5_series_matrix.txt.gz"]
    code, out, err = genotex("fetch", "geo", tmp_path, "--trait", "Asthma", *geo.addresses)
    assert code == 3 and "1 series are complete" in err
    assert "GSE1-GPL5_series_matrix.txt.gz: the server answers 404" in out.splitlines()[1]


def test_listing_that_tells_a_smaller_size(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1")
    geo.sizes[matrix_path("GSE1")] = geo.sizes[family_path("GSE1")] = "100"
    small = ["--accession", "GSE1", "--min-matrix", 0, "--max-matrix", 0.0005]
    code, out, _ = genotex("fetch", "geo", tmp_path, *small, *geo.addresses)
    assert code == 3 and "at most 500 are allowed" in out
    assert files_in(tmp_path) == []


def test_one_bad_series_does_not_keep_the_others_back(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    for number in (1, 2, 3):
        geo.add(f"GSE{number}")
    geo.site.always(matrix_path("GSE2"), shortened(0.5))
    fetch = ["fetch", "geo", tmp_path, "--trait", "asthma", *geo.addresses]
    code, out, err = genotex(*fetch)
    assert code == 3 and "the same command resumes from here" in err
    assert [line.split()[2] for line in out.splitlines()[1:]] == ["whole", "not", "whole"]
    assert "the gzip data end too early" in out
    geo.site.mend(matrix_path("GSE2"))
    assert genotex(*fetch)[0] == 0
    assert geo.site.times(matrix_path("GSE1")) == 1
    assert sorted(p.name for p in (tmp_path / "GEO/Asthma").iterdir()) == ["GSE1", "GSE2", "GSE3"]


def test_a_captcha_ends_the_asking_and_the_same_series_come_later(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    for number in (1, 2, 3):
        geo.add(f"GSE{number}")
    for number in (2, 3):
        geo.site.always(matrix_path(f"GSE{number}"), captcha())
    fetch = ["fetch", "geo", tmp_path, "--trait", "Asthma", *geo.addresses]
    code, out, _ = genotex(*fetch)
    lines = out.splitlines()
    assert code == 3 and "the server requires a person" in lines[2]
    assert "not asked for any more" in lines[3]
    assert geo.site.times(matrix_path("GSE3")) == 0
    assert len(files_in(tmp_path)) == 2
    geo.add("GSE4")  # a series that came meanwhile does not change what was chosen
    for number in (2, 3):
        geo.site.mend(matrix_path(f"GSE{number}"))
    code, out, _ = genotex(*fetch)
    assert code == 0 and len(out.splitlines()) == 4
    assert geo.site.times(matrix_path("GSE1")) == 1
    assert genotex(*fetch)[0] == 0  # that was brought to its end, so this is a new search
    assert (tmp_path / "GEO/Asthma/GSE4").exists()


def test_a_captcha_ends_the_asking_for_other_traits_too(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    geo.add("GSE2", title="Gout", summary="Uric acid")
    geo.site.always(matrix_path("GSE1"), captcha())
    traits = ["--trait", "Asthma", "--trait", "Gout"]
    code, out, _ = genotex("fetch", "geo", tmp_path, *traits, *geo.addresses)
    assert code == 3 and "requires a person" in out
    assert geo.site.times("/entrez/eutils/esearch.fcgi") == 1


def test_a_search_that_fails_does_not_hide_what_came_before(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1")
    geo.add("GSE2", title="Gout", summary="Uric acid")
    geo.site.always(series_folder("GSE2") + "matrix/", captcha())
    traits = ["--trait", "Asthma", "--trait", "Gout"]
    code, out, err = genotex("fetch", "geo", tmp_path, *traits, *geo.addresses)
    assert code == 2 and "GSE1    whole" in out and "requires a person" in err


def test_a_trait_with_letters_of_other_languages(
    genotex: Run, geo: GeoSite, tmp_path: Path
) -> None:
    geo.add("GSE1", title="Ménière's disease, both ears")
    trait = "Ménière's disease, bilateral (rare)"
    query = ["--query", '"asthma"']
    assert genotex("fetch", "geo", tmp_path, "--trait", trait, *query, *geo.addresses)[0] == 0
    folder = tmp_path / "GEO" / "Ménières_disease,_bilateral_(rare)" / "GSE1"
    assert (folder / "GSE1_series_matrix.txt.gz").exists()


def test_another_mirror_is_another_choice(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.add("GSE1")
    geo.site.always(matrix_path("GSE1"), captcha())
    fetch = ["fetch", "geo", tmp_path, "--trait", "Asthma"]
    assert genotex(*fetch, *geo.addresses)[0] == 3
    with serving() as site:
        mirror = GeoSite(site)
        mirror.add("GSE1")
        assert genotex(*fetch, *mirror.addresses)[0] == 0


def test_the_key_is_sent_and_never_shown(
    genotex: Run,
    geo: GeoSite,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setenv("NCBI_API_KEY", "bad0123456789")
    caplog.set_level("DEBUG")
    code, out, err = genotex("fetch", "geo", tmp_path, "--trait", "Asthma", *geo.addresses)
    assert code == 2 and "400 (Bad Request) (check NCBI_API_KEY)" in err
    (served,) = geo.site.served
    assert served.asked.form["api_key"] == "bad0123456789" and not served.asked.query
    written = [p.read_text() for p in tmp_path.rglob("*") if p.is_file()]
    assert not any("bad0123456789" in text for text in (out, err, caplog.text, *written))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a trait with --trait, or series with --accession"),
        (["--accession", "GSE1", "--query", "gout"], "give one of the two"),
        (["--trait", "Type: 2", "--accession", "GSE1"], "cannot be the name of a folder"),
        (["--trait", "\N{LATIN SMALL LETTER E WITH ACUTE}" * 101], "200 bytes at most"),
        (["--trait", "Asthma", "--max-matrix", "inf"], "Invalid value for '--max-matrix'"),
        (["--accession", "55457"], "is no accession of a series; write it as GSE55457"),
        (["--accession", "GSE404"], "GEO has no series GSE404"),
        (["--trait", "A", "--trait", "B", "--accession", "GSE1"], "give one --trait"),
        (["--trait", "Asthma", "--min-samples", "50", "--max-samples", "40"], "50 to 40"),
        (["--trait", "Asthma", "--geo-address", "ftp://a"], "is not a base address"),
        (["--trait", "../../etc"], "cannot be a trait name"),
    ],
)
def test_wrong_use_says_what_to_do(
    genotex: Run, geo: GeoSite, tmp_path: Path, arguments: list[str], message: str
) -> None:
    geo.add("GSE1")
    code, _, err = genotex("fetch", "geo", tmp_path / "i", *geo.addresses, *arguments)
    assert code == 2 and message in " ".join(err.split())
    assert not (tmp_path / "i" / "GEO").exists()


def test_nothing_found_exits_with_1(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    code, _, err = genotex("fetch", "geo", tmp_path, "--trait", "Gout", *geo.addresses)
    assert code == 1 and "GEO has no series that fits" in err


def test_entrez_that_answers_nonsense_is_told(genotex: Run, geo: GeoSite, tmp_path: Path) -> None:
    geo.site.always("/entrez/eutils/esearch.fcgi", captcha())
    code, _, err = genotex("fetch", "geo", tmp_path, "--trait", "Gout", *geo.addresses)
    assert code == 2 and "the server requires a person" in err
    geo.site.always("/entrez/eutils/esearch.fcgi", failing(403))
    assert (
        "403 (Forbidden)" in genotex("fetch", "geo", tmp_path, "--trait", "Gout", *geo.addresses)[2]
    )


def test_real_series_comes_as_the_benchmark_had_it(
    genotex: Run, geo: GeoSite, tmp_path: Path, shared_data: Path
) -> None:
    (real,) = (shared_data / "input" / "GEO").glob("Osteoarthritis/GSE55457")
    matrix = (real / "GSE55457_series_matrix.txt.gz").read_bytes()
    title = "Synovial membrane in osteoarthritis"
    geo.add("GSE55457", samples=33, title=title, with_family=False)
    geo.put(matrix_path("GSE55457"), matrix)
    geo.soft_platforms["GPL96"] = gzip.decompress((real / "GPL96.txt.gz").read_bytes()).decode()
    place = tmp_path / "input"
    fetch = ["fetch", "geo", place, "--trait", "osteoarthritis", "--platform-only", "--json"]
    code, out, _ = genotex(*fetch, *geo.addresses)
    (row,) = json.loads(out)
    manifest = json.loads((shared_data / "metadata" / "geo_manifest.json").read_text())["files"]
    listed = manifest["Osteoarthritis/GSE55457/GSE55457_series_matrix.txt.gz"]
    assert code == 0 and row["files"][0]["sha256"] == listed
    assert Path(row["files"][1]["path"]).name == "GPL96.soft"
    code, out, _ = genotex("preprocess", place, tmp_path / "output", "--json")
    (cohort,) = json.loads(out)
    # What the benchmark's notebook recorded: 33 samples with trait, age and gender.
    info = cohort["info"]
    assert info["is_usable"] and (info["sample_size"], info["has_age"]) == (33, True)
