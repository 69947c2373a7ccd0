from typing import Any

import pytest

from genotex.agents import Task, set_up_code
from genotex.errors import UsageError

GEO = {
    "kind": "geo",
    "trait": "Crohn's Disease",
    "folder": "/in/GEO/Crohns_Disease/GSE1",
    "output": "/out",
    "procedure": "sound",
    "cohort": "GSE1",
    "condition": None,
    "task_info": None,
}


def test_task_survives_json_and_has_the_trait_as_a_folder_name() -> None:
    task = Task.from_json(GEO)
    assert task.to_json() == GEO | {"trait": "Crohns_Disease"}
    assert Task.from_json(task.to_json()) == task


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"kind": "gtex"}, "use geo, tcga, statistics"),
        ({"procedure": "quick"}, "use sound, benchmark"),
        ({"cohort": "../GSE1"}, "cannot be a cohort"),
        ({"cohort": ""}, "cannot be a cohort"),
        ({"trait": "../Asthma"}, "cannot be a trait name"),
        ({"key": "1"}, "'key' is not a field"),
    ],
)
def test_invalid_task_is_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Task.from_json(GEO | changed)


def test_task_that_lacks_a_field() -> None:
    with pytest.raises(UsageError, match="'output' is missing"):
        Task.from_json({name: value for name, value in GEO.items() if name != "output"})


def test_tcga_cohort_has_its_name_by_itself() -> None:
    assert Task("tcga", "Asthma", "/in/TCGA", "/out").cohort == "TCGA"


def test_first_cell_makes_the_task_again() -> None:
    task = Task.from_json(GEO | {"trait": 'A "quoted" trait'})
    names: dict[str, Any] = {}
    exec(set_up_code(task), names)
    assert names["task"] == task
    assert callable(names["find_files"]) and callable(names["save_result"])
