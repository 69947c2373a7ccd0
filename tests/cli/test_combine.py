"""All cohorts on the command line: `solve`, and `analyze --cohorts all` where some are no good."""

import json
from pathlib import Path

import pytest

from genotex.analysis import read_meta
from genotex.layout import OutputFolder
from genotex.simulate import simulate_study
from tests.analysis.meta.cohort_folder import groups, put_cohort


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    output = OutputFolder(tmp_path / "output")
    for number in (1, 2, 3):
        put_cohort(output, f"GSE{number}", groups(number, 24))
    return output


def test_problem_that_fails_leaves_the_others_and_the_json(genotex, output: OutputFolder) -> None:  # type: ignore[no-untyped-def]
    tasks = output.root / "tasks.json"
    tasks.write_text(json.dumps({"Obesity": {"related_genes": ["LEP"], "conditions": []}}))
    code, out, _ = genotex(
        "analyze", output.root, "--trait", "Asthma", "--condition", "Obesity", "--condition",
        "None", "--cohorts", "all", "--no-panel", "--json", "--task-info", tasks,
    )  # fmt: skip
    assert code == 0
    combined = json.loads(out)["combined"]
    assert [row["solved"] for row in combined] == [False, True]
    assert "GSE1" in combined[0]["why"]
    assert combined[1]["replicating"] == read_meta(output, "Asthma", None).replicating.height >= 6


def test_name_that_no_cohort_has_keeps_the_earlier_result(genotex, output: OutputFolder) -> None:  # type: ignore[no-untyped-def]
    asked = ("analyze", output.root, "--trait", "Asthma", "--cohorts", "all", "--no-panel")
    assert genotex(*asked)[0] == 0
    before = output.meta_genes("Asthma", None).read_bytes()
    code, out, _ = genotex(*asked, "--pair", "donor", "--json")
    assert code != 0
    assert "no characteristic 'donor'" in json.loads(out)["combined"][0]["why"]
    assert output.meta_genes("Asthma", None).read_bytes() == before


@pytest.mark.parametrize(("cohorts", "how"), [(2, "fixed effect"), (3, "random effects")])
def test_terminal_says_which_effect_and_p_it_shows(  # type: ignore[no-untyped-def]
    genotex, tmp_path: Path, cohorts: int, how: str
) -> None:
    output = OutputFolder(tmp_path / "output")
    for number in range(1, cohorts + 1):
        put_cohort(output, f"GSE{number}", groups(number, 24))
    _, out, _ = genotex(
        "analyze", output.root, "--trait", "Asthma", "--cohorts", "all", "--no-panel"
    )
    assert how in out
    assert ("strict p" in out) is (cohorts == 3)
    assert "95 % interval" in out
    assert "replication q: at least two cohorts have it" in " ".join(out.split())


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("study")
    simulate_study(root / "in", samples=24, genes=400)
    return root


def solve(genotex, study: Path, *words: str) -> tuple[int, str]:  # type: ignore[no-untyped-def]
    code, out, _ = genotex(
        "solve", study / "in", study / "out", "--trait", "Simulated_Arthritis", "--no-panel",
        "--hidden", "none", "--cohort", "GSE90000001", "--cohort", "GSE90000002", *words,
    )  # fmt: skip
    return code, " ".join(out.split())


@pytest.mark.everyday
def test_solve_leads_with_what_two_cohorts_show_and_names_the_largest(genotex, study: Path) -> None:  # type: ignore[no-untyped-def]
    code, screen = solve(genotex, study)
    assert code == 0
    together, alone = screen.index("2 cohorts together"), screen.index("GSE90000001 alone")
    assert together < screen.index("report over all cohorts: ") < alone
    assert alone < screen.index("report of GSE90000001: ")
    assert "significant (this list: --cohorts largest)" in screen
    result = read_meta(OutputFolder(study / "out"), "Simulated_Arthritis", None)
    assert f"{result.genes['Variable'][0]}: up in " in screen or ": down in 2 of 2" in screen

    code, screen = solve(genotex, study, "--cohorts", "largest")
    assert code == 0 and "cohorts together" not in screen
    assert "genes significant at q < 0.05 in GSE90000001" in screen


def test_solve_for_machines_has_the_largest_cohort_and_all_together(genotex, study: Path) -> None:  # type: ignore[no-untyped-def]
    code, text = solve(genotex, study, "--json")
    found = json.loads(text)
    assert code == 0 and found["cohort"] == "GSE90000001"
    (combined,) = found["combined"]
    assert combined["cohorts"] == "GSE90000001 GSE90000002" and combined["solved"]
    code, text = solve(genotex, study, "--json", "--cohorts", "largest")
    assert code == 0 and "combined" not in json.loads(text)
