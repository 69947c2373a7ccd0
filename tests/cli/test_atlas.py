"""`genotex atlas`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.atlas.conftest import ASTHMA
from tests.atlas.result_folders import GENES, write_cohort
from tests.cli.conftest import Run


@pytest.fixture
def atlas(tmp_path: Path, genotex: Run) -> Path:
    """An atlas of two traits, built by the command."""
    for seed, trait in enumerate(("Asthma", "Asthma", "Eczema")):
        write_cohort(tmp_path / f"out{seed}", trait, f"GSE{seed}", seed=seed, changed=ASTHMA)
    code, out, err = genotex("atlas", "build", tmp_path, "-o", tmp_path / "atlas")
    assert (code, err) == (0, "")
    assert "3 results (3 read, 0 unchanged, 0 removed, 0 unreadable)" in out
    return tmp_path / "atlas"


def test_build_reports_in_json_and_names_what_it_could_not_read(
    atlas: Path, tmp_path: Path, genotex: Run
) -> None:
    (tmp_path / "out1/regress/Asthma/significant_genes_condition_None.json").write_text("{")
    code, out, err = genotex("atlas", "build", tmp_path, "-o", atlas, "--json")
    report = json.loads(out)
    assert code == 0 and "not read" in err
    assert (report["results"], report["removed"], len(report["unreadable"])) == (2, 1, 1)


def test_a_gene_in_json_and_csv(atlas: Path, tmp_path: Path, genotex: Run) -> None:
    table = tmp_path / "gene.csv"
    code, out, _ = genotex("atlas", "gene", GENES[1], "--atlas", atlas, "--json", "--csv", table)
    found = json.loads(out)
    assert (code, found["gene"]) == (0, GENES[1])
    assert [row["direction"] for row in found["traits"]] == ["up", "up"]
    assert {row["cohort"] for row in found["cohorts"]} == {"GSE0", "GSE1", "GSE2"}
    assert all(row["rank"] <= 60 for row in found["cohorts"])
    with table.open() as handle:
        assert len(list(csv.DictReader(handle))) == 3


def test_a_gene_trait_and_similar_traits_on_the_screen(
    atlas: Path, tmp_path: Path, genotex: Run
) -> None:
    code, out, _ = genotex("atlas", "gene", GENES[1].lower(), "-a", atlas)
    assert code == 0 and "Asthma" in out and "cohorts" in out
    code, out, _ = genotex("atlas", "trait", "asthma", "-a", atlas)
    assert code == 0 and "the first 20 of 299" in out
    (tmp_path / "up.txt").write_text("\n".join(g for g, size in ASTHMA.items() if size > 0))
    (tmp_path / "down.txt").write_text("\n".join(g for g, size in ASTHMA.items() if size < 0))
    given = ("--genes", tmp_path / "up.txt", "--down", tmp_path / "down.txt")
    code, out, err = genotex("atlas", "similar", *given, "-a", atlas)
    assert code == 0 and "similar" in out and "a correlation of 0.01" in err
    code, out, _ = genotex("atlas", "similar", *given, "-a", atlas, "--json")
    assert json.loads(out)["traits"][0]["direction"] == "similar"
    code, out, _ = genotex("atlas", "traits", "-a", atlas, "--csv", tmp_path / "matrix.csv")
    assert code == 0 and "tree: (" in out
    assert (tmp_path / "matrix.csv").read_text().startswith("trait,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("gene", "NOSUCHGENE"), "no result in the atlas has a gene"),
        (("trait", "Astma"), "spelt alike: Asthma"),
        (("trait", "Asthma", "--condition", "Age"), "its conditions are None"),
        (("similar",), "no genes"),
        (("traits", "--condition", "Age"), "two are needed"),
    ],
)
def test_wrong_questions_end_with_a_message(
    atlas: Path, genotex: Run, words: tuple[str, ...], message: str
) -> None:
    code, _, err = genotex("atlas", *words, "--atlas", atlas)
    assert code == 2 and message in " ".join(err.split())


def test_nothing_to_collect_ends_with_exit_code_1(tmp_path: Path, genotex: Run) -> None:
    (tmp_path / "out/regress/Asthma").mkdir(parents=True)
    (tmp_path / "out/regress/Asthma/significant_genes_condition_None.json").write_text("{")
    code, _, err = genotex("atlas", "build", tmp_path / "out", "-o", tmp_path / "atlas")
    assert code == 1 and "not read" in err and "nothing to collect" in err


def test_a_folder_without_an_atlas_names_the_command_that_makes_one(
    tmp_path: Path, genotex: Run
) -> None:
    code, _, err = genotex("atlas", "gene", "IL6", "--atlas", tmp_path)
    assert code == 2 and "genotex atlas build" in " ".join(err.split())
