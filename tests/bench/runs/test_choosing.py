"""Methods by name, and options that have no effect with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from genotex.bench import BUILT_IN, FromCohorts, choose_method, read_gene_answers
from genotex.errors import FormatError, UsageError
from genotex.options import MethodOptions
from genotex.problems import Problem


@pytest.mark.parametrize(
    ("name", "procedure", "options"),
    [
        ("rules", "sound", {"procedure": "sound"}),
        ("lasso", "benchmark", {"fixed_lambda": 0.1, "batch_correction": False}),
        ("no-bec", "benchmark", {"fixed_lambda": None, "batch_correction": False}),
        ("mixed-model", "sound", {"procedure": "sound", "model": "mixed"}),
    ],
)
def test_methods_on_cohorts(name: str, procedure: str, options: dict[str, Any]) -> None:
    chosen = choose_method(MethodOptions(method=name))
    assert isinstance(chosen.method, FromCohorts)
    assert (chosen.name, chosen.procedure, chosen.reads) == (name, procedure, "cohorts")
    found = chosen.method.options.as_json()
    assert {key: found[key] for key in options} == options


def test_rules_is_the_usual_method_and_follows_the_procedure() -> None:
    chosen = choose_method(MethodOptions(procedure="benchmark"))
    assert isinstance(chosen.method, FromCohorts)
    assert chosen.method.options.procedure == chosen.procedure == "benchmark"


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "rules", "genes": 5}, "--genes has no effect with the method rules"),
        ({"method": "random", "procedure": "sound"}, "--procedure has no effect"),
        ({"method": "lasso", "pass_env": ("KEY",)}, "--pass-env has no effect"),
        ({"method": "lasso", "own_cohorts": True}, "--own-cohorts has no effect"),
        ({"answers": Path("a"), "genes": 2}, "--genes, --answers have no effect"),
        ({"method": "no-bec", "procedure": "sound"}, "uses the procedure benchmark"),
        ({"method": "mixed-model", "procedure": "benchmark"}, "uses the procedure sound"),
        ({"method": "zero-shot"}, "give --answers FILE"),
        ({"method": "random", "genes": 0}, "0 genes cannot be drawn"),
        ({"method": "random", "genes": 10**6}, "1000000 genes cannot be drawn"),
        ({"method": "magic"}, "unknown method 'magic'; use rules, lasso"),
        ({"method": "lasso", "command": "cat"}, "exclude each other"),
        ({"command": "no-such-program-here x"}, "program 'no-such-program-here' not found"),
        ({"command": "cat 'open"}, "cannot be read: No closing quotation"),
        ({"command": " "}, "--command is empty"),
        ({"command": "cat", "pass_env": ("NOT_SET_HERE",)}, "NOT_SET_HERE: not set"),
    ],
)
def test_mistakes_are_told_before_anything_is_done(options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as error:
        choose_method(MethodOptions(**options))
    assert told in str(error.value)


def test_command_line_is_split_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-123456")
    chosen = choose_method(MethodOptions(command="cat 'a b' $HOME;x", pass_env=("MODEL_KEY",)))
    assert chosen.method.words == ("cat", "a b", "$HOME;x")  # type: ignore[attr-defined]
    assert chosen.secrets == ("MODEL_KEY",)
    assert "sk-123456" not in json.dumps(dict(chosen.record))


def test_names_of_the_issue_are_there() -> None:
    assert tuple(BUILT_IN) == ("rules", "lasso", "mixed-model", "no-bec", "random", "zero-shot")


def answers_file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_answers_by_problem(tmp_path: Path) -> None:
    path = answers_file(
        tmp_path,
        '{"trait": "Crohn\'s Disease", "condition": null, "genes": ["NOD2"]}',
        "",
        '{"trait": "Asthma", "condition": "age", "genes": []}',
    )
    assert read_gene_answers(path) == {
        Problem("Crohns_Disease"): ("NOD2",),
        Problem("Asthma", "Age"): (),
    }


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("TP53", "Expecting value"),
        ("[1]", "is [1], not an object"),
        ('{"trait": "Gout", "genes": []}', "has no 'condition'"),
        ('{"trait": 1, "condition": null, "genes": []}', "must be names"),
        ('{"trait": "Gout", "condition": null, "genes": "TP53"}', "must be a list of symbols"),
        ('{"trait": "Asthma", "condition": null, "genes": []}', "answers Asthma a second time"),
        ('{"trait": "Gout", "condition": "Gout", "genes": []}', "cannot be its own condition"),
    ],
)
def test_mistake_in_the_answers_names_its_line(tmp_path: Path, line: str, told: str) -> None:
    first = '{"trait": "Asthma", "condition": "None", "genes": ["IL13"]}'
    path = answers_file(tmp_path, first, line)
    with pytest.raises(FormatError) as error:
        read_gene_answers(path)
    assert str(error.value).startswith(f"{path}, line 2: ")
    assert told in str(error.value)


def test_empty_file_of_answers(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the file is empty"):
        read_gene_answers(answers_file(tmp_path, "", " "))
