"""The benchmark's folder, whole and with parts missing."""

import json
from pathlib import Path

import pytest

from genotex.bench.problems import TaskInfo
from genotex.fetch.bundle import check_layout
from tests.benchmark_folder import STUDY, write_bundle

PARTS = (
    "input/GEO",
    "input/TCGA",
    "output/preprocess",
    "output/regress",
    "metadata/task_info.json",
    "metadata/gene_synonym.json",
)


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "bundle")


def incomplete(folder: Path) -> dict[str, str]:
    return {part.place: part.detail for part in check_layout(folder) if not part.complete}


def test_whole_folder_is_counted(bundle: Path) -> None:
    found = {part.place: (part.complete, part.detail) for part in check_layout(bundle)}
    assert found == {
        "input/GEO": (True, "1 series of 1 traits"),
        "input/TCGA": (True, "1 cohorts"),
        "output/preprocess": (True, "1 traits"),
        "output/regress": (True, "2 of 2 answers"),
        "metadata/task_info.json": (True, "1 traits, 2 problems"),
        "metadata/gene_synonym.json": (True, "1 gene names"),
    }


def test_folder_that_is_not_there_lacks_everything(tmp_path: Path) -> None:
    assert incomplete(tmp_path / "nowhere") == dict.fromkeys(PARTS, "missing")


@pytest.mark.parametrize(
    ("remove", "place", "detail"),
    [
        (f"input/TCGA/{STUDY}/TCGA.SKCM.sampleMap_HiSeqV2_PANCAN.gz", "input/TCGA", STUDY),
        ("output/preprocess/Asthma/cohort_info.json", "output/preprocess", "of Asthma"),
        (
            "output/regress/Asthma/significant_genes_condition_Age.json",
            "output/regress",
            "1 of 2 answers; missing: Asthma given Age",
        ),
        ("metadata/gene_synonym.json", "metadata/gene_synonym.json", "missing"),
        ("metadata/task_info.json", "metadata/task_info.json", "missing"),
    ],
)
def test_one_part_missing(bundle: Path, remove: str, place: str, detail: str) -> None:
    (bundle / remove).unlink()
    found = incomplete(bundle)
    assert list(found) == [place] and detail in found[place]


def test_trait_without_any_series_is_missing(bundle: Path) -> None:
    (bundle / "input" / "GEO" / "Asthma").rename(bundle / "input" / "GEO" / "Gout")
    assert incomplete(bundle) == {"input/GEO": "1 series of 1 traits; none of Asthma"}


def test_every_trait_of_the_published_list_has_series(shared_data: Path) -> None:
    metadata = shared_data / "metadata"
    listed = json.loads((metadata / "geo_manifest.json").read_text())["files"]
    assert {name.partition("/")[0] for name in listed} == set(
        TaskInfo.load(metadata / "task_info.json").traits
    )


def test_captcha_page_in_place_of_the_task_list_is_told(bundle: Path) -> None:
    (bundle / "metadata" / "task_info.json").write_text("<html>Are you a robot?</html>" * 9)
    assert "not JSON" in incomplete(bundle)["metadata/task_info.json"]
