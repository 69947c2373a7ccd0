"""The procedures: their names, their decisions, and what becomes of a wrong name."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path

import pytest

from genotex.agents import Task, set_up_code
from genotex.bench import choose_method
from genotex.clinical import rule_expert
from genotex.cohorts import PreprocessOptions
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence, read_evidence, write_evidence
from genotex.genes import GeneTable
from genotex.options import AnalysisOptions, MethodOptions
from genotex.procedure import Decisions, Procedure

ROOT = Path(__file__).parent.parent
NAMES = ("sound", "benchmark")


def shown(choice: object) -> str:
    """Return a choice as the table of the docs shows it."""
    if isinstance(choice, bool):
        return "yes" if choice else "no"
    return "none" if choice is None else f"{choice:g}" if isinstance(choice, float) else str(choice)


def test_the_members_are_their_names() -> None:
    assert tuple(Procedure) == NAMES
    for name in NAMES:
        procedure = Procedure(name)
        assert procedure == name and hash(procedure) == hash(name)
        assert f"{procedure}" == str(procedure) == name
        assert repr(procedure) == repr(name)
        assert Procedure(procedure) is procedure


@pytest.mark.parametrize("procedure", Procedure)
def test_a_procedure_is_written_as_its_name_and_read_back(procedure: Procedure) -> None:
    assert json.dumps({procedure: [procedure]}) == f'{{"{procedure}": ["{procedure}"]}}'
    assert pickle.loads(pickle.dumps(procedure)) is procedure
    assert copy.deepcopy(procedure) is procedure


@pytest.mark.parametrize("name", ["Benchmark", "", "quick", None])
def test_a_wrong_name_lists_the_right_ones(name: str | None) -> None:
    with pytest.raises(UsageError, match=f"^procedure {name!r} is not known; use sound or bench"):
        Procedure(name)


def test_every_decision_differs_between_the_procedures_and_is_explained() -> None:
    decisions = Procedure.decisions()
    assert len(decisions) > 10
    for name, decision in decisions.items():
        choices = [getattr(procedure, name) for procedure in Procedure]
        assert choices == [decision.choices[each] for each in NAMES]
        assert choices[0] != choices[1], name
        assert decision.meaning.endswith(".") and len(decision.meaning) > 20, name
        assert getattr(Procedure, name) is decision is getattr(Decisions, name)


def test_the_docs_have_one_row_for_each_decision() -> None:
    text = (ROOT / "docs" / "benchmark-procedure.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    wanted = [
        (name, decision.meaning, *(shown(decision.choices[each]) for each in NAMES))
        for name, decision in Procedure.decisions().items()
    ]
    assert rows == wanted


def test_every_decision_is_asked_for_somewhere() -> None:
    package = ROOT / "src" / "genotex"
    files = [*package.rglob("*.py"), *package.rglob("*.j2")]
    text = "\n".join(p.read_text(encoding="utf-8") for p in files if p.name != "procedure.py")
    unused = [name for name in Procedure.decisions() if not re.search(rf"\.{name}\b", text)]
    assert unused == []


def test_no_code_asks_for_the_name_of_the_procedure() -> None:
    asking = re.compile(
        r"""(procedure\W*(?:==|!=|\bis\b(?!\s+None\b|\s+not\s+None\b)|\bin\b)[^\n]*
        (?:["'](?:sound|benchmark)["']|Procedure\.(?:SOUND|BENCHMARK)))
        |Literal\[["'](?:sound|benchmark)["'],\s*["'](?:sound|benchmark)["']\]""",
        re.VERBOSE,
    )
    package = ROOT / "src" / "genotex"
    files = [*package.rglob("*.py"), *package.rglob("*.j2")]
    found = {p.name: asking.findall(p.read_text(encoding="utf-8")) for p in files}
    assert {name: hits for name, hits in found.items() if hits} == {}


@pytest.mark.parametrize("name", NAMES)
def test_names_become_procedures_where_they_come_in(name: str, tmp_path: Path) -> None:
    evidence = Evidence("T", "GSE1", name, "GEO", "0.1.0")  # type: ignore[arg-type]
    write_evidence(tmp_path / "evidence.json", evidence)
    made = [
        AnalysisOptions(procedure=name).procedure,  # type: ignore[arg-type]
        PreprocessOptions(procedure=name).procedure,  # type: ignore[arg-type]
        choose_method(MethodOptions(procedure=name)).procedure,  # type: ignore[arg-type]
        Task("geo", "Asthma", "/in", "/out", name, cohort="GSE1").procedure,  # type: ignore[arg-type]
        read_evidence(tmp_path / "evidence.json").procedure,
    ]
    assert all(each is Procedure(name) for each in made)


def test_a_wrong_name_is_refused_where_it_comes_in() -> None:
    with pytest.raises(UsageError, match="procedure 'quick' is not known; use sound or benchmark"):
        AnalysisOptions(procedure="quick")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown procedure 'quick'; use sound, benchmark"):
        PreprocessOptions(procedure="quick")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="procedure 'quick' is not known"):
        choose_method(MethodOptions(procedure="quick"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="procedure 'quick' is not known"):
        rule_expert("quick")
    with pytest.raises(UsageError, match="procedure 'quick' is not known"):
        GeneTable.load().symbols("quick")


def test_an_unknown_procedure_in_a_record_names_the_file_and_the_field(tmp_path: Path) -> None:
    path = tmp_path / "evidence.json"
    write_evidence(path, Evidence("T", "GSE1", Procedure.SOUND, "GEO", "0.1.0"))
    path.write_text(path.read_text(encoding="utf-8").replace('"sound"', '"quick"'))
    with pytest.raises(FormatError, match="procedure 'quick' is not known") as error:
        read_evidence(path)
    assert error.value.path == path and error.value.field == "procedure"


def test_generated_code_names_the_procedure_as_a_text() -> None:
    task = Task("geo", "Asthma", "/in", "/out", Procedure.BENCHMARK, cohort="GSE1")
    assert "    procedure='benchmark',\n" in set_up_code(task)
    assert type(task.to_json()["procedure"]) is str
