import json
from pathlib import Path
from typing import Any

import pytest

from genotex.problems import Problem, TaskInfo, read_problems

from .conftest import Run, on_one_line

TASKS: dict[str, Any] = {
    "Asthma": {"related_genes": ["TP53", "EGFR", "IL33"], "conditions": ["Age", "Obesity"]},
    "Lung_Cancer": {"related_genes": ["TP53", "EGFR"], "conditions": ["Gender", "Asthma"]},
    "Obesity": {"related_genes": ["BRCA1"], "conditions": []},
}


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "task_info.json"
    path.write_text(json.dumps(TASKS))
    return path


def test_list_of_some_problems(genotex: Run, tasks: Path) -> None:
    code, out, err = genotex("problems", "list", "--task-info", tasks, "--kind", "two-step")
    assert code == 0 and "2 of 7 problems" in err
    assert [line.split() for line in out.splitlines()] == [
        ["trait", "condition", "kind", "category"],
        ["Asthma", "Obesity", "two-step", "immune"],
        ["Lung_Cancer", "Asthma", "two-step", "cancer"],
    ]
    code, out, _ = genotex(
        *("problems", "list", "--task-info", tasks, "--category", "Cancer"),
        *("--kind", "one-step", "--kind", "unconditional", "--json"),
    )
    assert code == 0 and [row["condition"] for row in json.loads(out)] == [None, "Gender"]


@pytest.mark.parametrize("name", ["problems.json", "problems.csv"])
def test_list_to_a_file_that_can_be_run(
    genotex: Run, tasks: Path, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    code, out, err = genotex(
        "problems", "list", "--task-info", tasks, "--trait", "Lung Cancer", "-o", path
    )
    assert code == 0 and out == "" and "3 of 7 problems in" in err
    problems = [Problem("Lung_Cancer", condition) for condition in (None, "Gender", "Asthma")]
    assert list(read_problems(path)) == problems


def test_list_for_machines_can_be_run_too(genotex: Run, tasks: Path, tmp_path: Path) -> None:
    _, out, _ = genotex("problems", "list", "--task-info", tasks, "--json")
    (tmp_path / "problems.json").write_text(out)
    assert read_problems(tmp_path / "problems.json") == TaskInfo.load(tasks).problems()


def test_no_problem_left(genotex: Run, tasks: Path, tmp_path: Path) -> None:
    path = tmp_path / "problems.json"
    choice = ("--trait", "Obesity", "--kind", "two-step", "-o", path)
    code, out, err = genotex("problems", "list", "--task-info", tasks, *choice)
    assert (
        code == 1
        and out == ""
        and "has no problem of these choices" in " ".join(err.split())
        and not path.exists()
    )


def test_show_trait(genotex: Run, tasks: Path) -> None:
    code, out, _ = genotex("problems", "show", "Lung Cancer", "--task-info", tasks)
    assert code == 0 and "2 related genes: TP53, EGFR" in out
    # TP53 and EGFR of TP53, EGFR and IL33.
    assert "Jaccard 0.6667, at least 0.1" in out
    code, out, _ = genotex("problems", "show", "Lung_Cancer", "--task-info", tasks, "--json")
    facts = json.loads(out)
    assert facts["category"] == "cancer" and facts["related_genes"] == ["TP53", "EGFR"]
    assert [(c["condition"], c["shared_genes"]) for c in facts["conditions"]] == [
        ("Gender", None),
        ("Asthma", 2),
    ]


def test_show_pair(genotex: Run, tasks: Path) -> None:
    show = ("problems", "show", "Obesity", "--task-info", tasks, "--condition")
    code, out, _ = genotex(*show, "asthma".title())
    assert code == 0 and "Obesity given Asthma: no problem of this list (two-step)" in out
    assert "1 of the trait, 3 of the condition, 0 of both; Jaccard 0.0000" in out
    assert "by the rules: Jaccard 0.0000, below 0.1" in out
    code, out, _ = genotex(*show, "sex", "--json")
    facts = json.loads(out)
    assert (facts["condition"], facts["jaccard"], facts["listed"]) == ("Gender", None, False)


def test_stats(genotex: Run, tasks: Path) -> None:
    code, out, _ = genotex("problems", "stats", "--task-info", tasks)
    assert code == 0
    assert "7 problems: 3 unconditional, 4 conditional (2 one-step, 2 two-step)" in out
    assert "related genes per trait: 1 to 3, median 2; 4 different genes" in out
    assert "traits without conditions: 1 (Obesity)" in out
    code, out, _ = genotex("problems", "stats", "--task-info", tasks, "--json")
    facts = json.loads(out)
    assert facts["by_kind"] == {"unconditional": 3, "one-step": 2, "two-step": 2}
    assert {c["category"]: c["problems"] for c in facts["categories"]} == {
        "cancer": 3,
        "metabolic": 1,
        "immune": 3,
    }


def test_stats_of_the_published_file(genotex: Run, shared_data: Path) -> None:
    path = shared_data / "metadata" / "task_info.json"
    code, out, _ = genotex("problems", "stats", "--task-info", path)
    assert code == 0 and out.startswith("132 traits\n")
    assert "1,384 problems: 132 unconditional, 1,252 conditional (251 one-step" in out


def test_check_tells_errors_by_its_exit_code(genotex: Run, tasks: Path) -> None:
    code, out, _ = genotex("problems", "check", "--task-info", tasks)
    assert code == 0 and "errors 0, warnings 0" in out
    content = {**TASKS, "Gout": {"related_genes": ["NOSUCH"], "conditions": ["Astma"]}}
    tasks.write_text(json.dumps(content))
    code, out, err = genotex("problems", "check", "--task-info", tasks)
    assert code == 1 and "errors 1, warnings 1" in out
    told = " ".join(err.split())
    assert "error Gout/conditions: Astma is neither" in told and "write Asthma" in told
    code, out, _ = genotex("problems", "check", "--task-info", tasks, "--json")
    assert code == 1 and [row["severity"] for row in json.loads(out)] == ["error", "warning"]
    content["Gout"]["conditions"] = []
    tasks.write_text(json.dumps(content))
    assert genotex("problems", "check", "--task-info", tasks)[0] == 0


def test_built_from_the_genes_of_a_list(genotex: Run, tasks: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "task_info.json"
    build = ("problems", "build", "--genes-from", tasks)
    code, out, err = genotex(*build, "-o", path, "--threshold", "0.3")
    assert code == 0 and "saved:" in err
    built = TaskInfo.load(path).traits
    assert built["Asthma"].conditions == ("Age", "Gender", "Lung_Cancer", "Obesity")
    assert built["Obesity"].conditions == ("Age", "Gender")
    assert "3 traits, 10 trait-condition pairs at threshold 0.3" in out
    assert "of 12 possible pairs 4 are published; 4 agree, 6 are only built" in out
    lines = [line.split() for line in out.splitlines()]
    assert ["Asthma", "Lung_Cancer", "Jaccard", "0.6667,", "at", "least", "0.3"] in lines
    assert ["0.3", "10", "4", "6", "0", "0.4", "1"] in lines
    code, out, _ = genotex(*build, "--json")
    facts = json.loads(out)
    assert [row["threshold"] for row in facts["thresholds"]] == [0.05, 0.1, 0.15, 0.2]
    assert facts["only_published"] == [] and len(facts["only_built"]) == 6


TRAITS = """
[categories]
cancer = "Cancer"
immune = "Immune system"
[traits]
Asthma = { category = "immune" }
Lung_Cancer = { category = "cancer" }
Gout = { category = "immune" }
"""


@pytest.fixture
def sources(tmp_path: Path) -> tuple[object, ...]:
    """Associations of two diseases, by the Ensembl ids of TP53, EGFR and IL33, and one of none."""
    ids = {"TP53": 141510, "EGFR": 146648, "IL33": 137033, "none": 999999}
    scores = {"EFO_1": {"IL33": 0.9, "TP53": 0.4, "none": 0.8, "EGFR": 0.2}, "EFO_2": {"TP53": 0.5}}
    folder = tmp_path / "associations"
    folder.mkdir()
    rows = [
        {"diseaseId": disease, "targetId": f"ENSG{ids[gene]:011d}", "score": score}
        for disease, genes in scores.items()
        for gene, score in genes.items()
    ]
    (folder / "part-0.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "ids.tsv").write_text("Asthma\tEFO_1\nLung Cancer\tEFO_2\nGout\tEFO_3\n")
    (tmp_path / "traits.toml").write_text(TRAITS)
    return (
        *("problems", "build", "--associations", folder, "--disease-ids", tmp_path / "ids.tsv"),
        *("--traits", tmp_path / "traits.toml"),
    )


def test_built_from_associations(genotex: Run, sources: tuple[object, ...], tmp_path: Path) -> None:
    path = tmp_path / "task_info.json"
    code, out, _ = genotex(*sources, "-o", path)
    assert code == 0
    # Asthma has IL33 and TP53, lung cancer TP53: Jaccard 1 of 2.
    assert json.loads(path.read_text()) == {
        "Asthma": {
            "related_genes": ["IL33", "TP53"],
            "conditions": ["Age", "Gender", "Lung_Cancer"],
        },
        "Lung_Cancer": {"related_genes": ["TP53"], "conditions": ["Age", "Gender", "Asthma"]},
        "Gout": {"related_genes": [], "conditions": ["Age", "Gender"]},
    }
    assert "4 associations; 2 of 3 traits have related genes" in out
    assert "Ensembl ids without one official symbol: 1 (ENSG00000999999)" in out
    assert "disease ids without an association: 1 (EFO_3)" in out
    before = path.read_bytes()
    code, out, _ = genotex(*sources, "-o", path, "--json")
    assert code == 0 and path.read_bytes() == before
    assert json.loads(out)["related_genes"]["unmapped"] == ["ENSG00000999999"]
    code, out, _ = genotex(*sources, "--threshold", "0.6", "--score", "0.1", "--json")
    assert json.loads(out)["conditional"] == 6


def test_associations_by_data_source_get_a_warning(
    genotex: Run, sources: tuple[object, ...], tmp_path: Path
) -> None:
    part = tmp_path / "associations" / "part-0.json"
    part.write_text(part.read_text() * 2)
    code, _, err = genotex(*sources)
    assert code == 0 and "4 associations occur more than once" in " ".join(err.split())


def test_mistakes_end_in_a_message(
    genotex: Run, tasks: Path, sources: tuple[object, ...], tmp_path: Path
) -> None:
    run = on_one_line(genotex)
    ids = tmp_path / "ids.tsv"
    of_list = ("--task-info", tasks)
    wrong: dict[tuple[object, ...], str] = {
        ("list", *of_list, "--trait", "Astma"): "no trait 'Astma'; it has Asthma",
        ("list", *of_list, "--category", "cancr"): "no category 'cancr'; it has cancer",
        ("list", *of_list, "-o", tmp_path): "is a folder",
        ("list", *of_list, "-o", tasks): "holds the task list; write the problems to another",
        ("list", "--task-info", tmp_path / "no.json"): "cannot be read",
        ("list", *of_list, "--kind", "both"): "two-step",
        ("show", "Gout", *of_list): "no trait 'Gout'",
        ("show", "Asthma", *of_list, "--condition", "Gout"): "no trait 'Gout'",
        ("show", "Asthma", *of_list, "--condition", "Asthma"): "its own condition",
        ("stats", *of_list, "--traits", ids): "is not TOML",
        ("build",): "give --associations with --disease-ids, or --genes-from alone",
        ("build", "--genes-from", tasks, "--disease-ids", ids): "or --genes-from alone",
        ("build", "--genes-from", tasks, "-o", tasks): "write the built one to another file",
        ("build", "--genes-from", tasks, "--threshold", "2"): "2 is not a fraction",
        ("build", "--genes-from", tasks, "--score", "nan"): "nan is not a fraction",
        ("build", "--genes-from", tasks, "--traits", tmp_path / "traits.toml"): "lacks 1 of 3",
        ("build", "--associations", tmp_path): "no trait has a disease id",
        (*sources[1:5], ids, "-o", tmp_path): "is a folder",
    }
    before = tasks.read_bytes()
    for arguments, words in wrong.items():
        code, out, err = run("problems", *arguments)
        assert code == 2 and out == "" and words in err, (arguments, err)
    ids.write_text("Astma\tEFO_1\n")
    code, _, err = run(*sources)
    assert code == 2 and "lacks 1 of 1 traits: Astma (near to Astma: Asthma)" in err
    assert tasks.read_bytes() == before


@pytest.mark.parametrize("command", ["list", "show", "stats", "check", "build"])
def test_help_has_an_example(genotex: Run, command: str) -> None:
    code, out, _ = genotex("problems", command, "--help")
    assert code == 0 and f"genotex problems {command}" in out and "Example" in out
