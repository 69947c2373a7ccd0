"""A reference of real cohorts: what labels say decides, not the rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.formats import find_evidence, read_linked_csv
from genotex.layout import OutputFolder
from genotex.problems import TaskInfo
from tests.geo_text import write_asthma

CELLS = {"disease state: asthma": 0, "disease state: healthy control": 1}
"""The other way round than the text says."""


def write_cases(path: Path, trait: dict[str, Any], cohort: str = "GSE1") -> Path:
    sex = {"row": 2, "map": {"Sex: F": 0, "Sex: M": 1}}
    label = {"is_gene_available": True, "trait": trait, "age": None, "gender": sex}
    case = {"id": "one", "trait": "Asthma", "cohort": cohort, "labels": {"mine": label}}
    path.write_text(json.dumps(case) + "\n")
    return path


def link(genotex: Any, folder: Path, **case: Any) -> tuple[int, str, str]:
    for name in ("GSE1", "GSE2"):
        write_asthma(folder / "in", name, number=24)
    cases = write_cases(folder / "cases.jsonl", **case)
    found: tuple[int, str, str] = genotex(
        "apply-labels", cases, folder / "in", folder / "out", "--labels", "mine", "--link"
    )
    return found


def test_linked_cohorts_have_the_codes_of_the_labels_and_no_others_are_recorded(
    genotex: Any, tmp_path: Path
) -> None:
    code, out, _ = link(genotex, tmp_path, trait={"row": 0, "map": CELLS})
    assert code == 0 and "cohorts 1, 1 usable" in out
    output = OutputFolder(tmp_path / "out")
    table = read_linked_csv(output.linked_csv("Asthma", "GSE1"))
    # The first sample is a healthy control by the text.
    assert table.trait_values.tolist() == [1.0, 0.0] * 12
    infos = json.loads(output.cohort_info("Asthma").read_text())
    assert list(infos) == ["GSE1"] and infos["GSE1"]["has_gender"] and not infos["GSE1"]["has_age"]
    evidence = find_evidence(output, "Asthma", "GSE1")
    assert evidence is not None and evidence.reading["by"] == "hand"
    tasks = TaskInfo.load(tmp_path / "out" / "task_info.json")
    assert tasks.traits["Asthma"].conditions == ("Gender",)
    code, out, _ = genotex("analyze", output.root, "--task-info", tasks.path)
    assert code == 0 and "GSE1" in out


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ({"trait": {"row": 7, "map": CELLS}}, "names row 7 of 3"),
        ({"trait": {"row": 0, "map": CELLS}, "cohort": "GSE9"}, "none of the cohorts labelled by"),
    ],
)
def test_labels_of_another_file_are_refused(
    genotex: Any, tmp_path: Path, case: dict[str, Any], said: str
) -> None:
    code, out, err = link(genotex, tmp_path, **case)
    assert said in " ".join((out + err).split())
    assert (code == 2) == ("none" in said)
    assert not list((tmp_path / "out").rglob("*.csv"))
