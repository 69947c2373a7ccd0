"""A disease that the vocabulary does not list, from its raw file to its genes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from genotex.layout import OutputFolder
from genotex.simulate import simulate_study
from tests.cli.conftest import Run

SERIES = "GSE90000001"


def of_kawasaki_disease(study: Path, folder: Path) -> None:
    """Write a simulated series as one of Kawasaki disease by another name, with codes as groups."""
    target = folder / "GEO" / "Kawasaki_disease" / SERIES
    target.mkdir(parents=True)
    for source in (study / "GEO" / "Simulated_Arthritis" / SERIES).iterdir():
        text = gzip.decompress(source.read_bytes()).decode()
        for before, after in (
            ("disease state: simulated arthritis", "dx: MLNS"),
            ("disease state: healthy control", "dx: HC"),
            (
                "patients with simulated arthritis",
                "children with mucocutaneous lymph node syndrome",
            ),
            ("simulated arthritis", "group A"),
            ("Simulated arthritis", "Group A"),
            ("healthy control", "group B"),
        ):
            text = text.replace(before, after)
        (target / source.name).write_bytes(gzip.compress(text.encode(), mtime=0))


def test_disease_of_the_lexicon_is_read_from_its_raw_file(genotex: Run, tmp_path: Path) -> None:
    study = simulate_study(tmp_path / "study", seed=1, samples=40, genes=400)
    source, output = tmp_path / "input", tmp_path / "out"
    of_kawasaki_disease(tmp_path / "study", source)
    code, _, told = genotex("solve", source, output, "--trait", "Kawasaki disease")
    assert code == 0
    assert "recognised by the disease lexicon as" in " ".join(told.replace("│", " ").split())
    evidence = json.loads(
        (output / "preprocess" / "Kawasaki_disease" / "evidence" / f"{SERIES}.json").read_text()
    )
    assert evidence["reading"]["trait"]["values"] == {"dx: MLNS": 1, "dx: HC": 0}
    truth = json.loads(study.truth_file.read_text())["cohorts"][SERIES]
    found = json.loads(OutputFolder(output).significant_genes("Kawasaki disease", None).read_text())
    genes = found["significant_genes"]["Variable"]
    assert genes and len(set(genes) - set(truth["effects"])) <= 0.1 * len(genes)  # q < 0.05


def test_a_misspelled_trait_is_wrong_use_where_series_are_in_no_folder_of_a_trait(
    genotex: Run, tmp_path: Path
) -> None:
    simulate_study(tmp_path / "study", seed=1, samples=24, genes=400)
    loose = tmp_path / "study" / "GEO" / "Simulated_Arthritis" / SERIES
    for command in ("preprocess", "solve"):
        code, _, told = genotex(command, loose, tmp_path / "out", "--trait", "Ostearthritis")
        assert code == 2
        assert "'Ostearthritis' is not listed; perhaps Osteoarthritis" in " ".join(told.split())
    # A name like that of no listed trait may be right: the series has nothing of it.
    assert genotex("preprocess", loose, tmp_path / "out", "--trait", "Xyzzy fever")[0] == 1
