"""Anybody's own method: a command line, or a Python entry point."""

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from genotex.bench import (
    BenchmarkRun,
    ErrorClass,
    ProblemRecord,
    RunFolder,
    choose_method,
    run_benchmark,
)
from genotex.errors import UsageError
from genotex.formats import read_cohort_info, read_linked_csv
from genotex.layout import OutputFolder
from genotex.options import MethodOptions
from genotex.problems import Problem, TaskInfo

from .conftest import RELATED, digests, make_tasks

EXAMPLE = Path(__file__).parents[3] / "examples" / "t_test_agent.py"
ASTHMA = Problem("Asthma")


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> TaskInfo:
    conditions = {"Asthma": ("Age", "Obesity"), "Obesity": (), "Gout": ()}
    return make_tasks(tmp_path_factory.mktemp("tasks"), conditions)


def script(folder: Path, text: str) -> str:
    path = folder / "an agent.py"
    path.write_text(text)
    return f"{sys.executable} '{path}'"


ANSWER = """
import json, os, sys, time
from pathlib import Path
problem = json.load(sys.stdin)
result = Path(problem["result"])
result.parent.mkdir(parents=True)
def answer(**more):
    genes = {"Variable": ["TP53"]}
    result.write_text(json.dumps({"significant_genes": genes, **more}))
"""


def run(
    target: Path,
    tasks: TaskInfo,
    problems: Sequence[Problem],
    options: MethodOptions,
    reference: Path | None = None,
    source: Path | None = None,
    jobs: int = 2,
) -> tuple[ProblemRecord, ...]:
    method = choose_method(options)
    plan = BenchmarkRun(target, tasks, problems, method, source, reference)
    return run_benchmark(plan, jobs=jobs).records


def told(output: Path, problem: Problem) -> dict[str, object]:
    """Return what the agent wrote beside the genes."""
    path = OutputFolder(output).significant_genes(problem.trait, problem.condition)
    content: dict[str, object] = json.loads(path.read_text())
    return content


def test_command_is_told_the_problem(tasks: TaskInfo, reference: Path, tmp_path: Path) -> None:
    command = script(tmp_path, ANSWER + "answer(problem=problem)")
    problems = [ASTHMA, Problem("Asthma", "Obesity")]
    out = tmp_path / "out"
    records = run(out, tasks, problems, MethodOptions(command=command), reference)
    assert all(record.success for record in records)
    first, second = (told(out, problem)["problem"] for problem in problems)
    assert isinstance(first, dict) and isinstance(second, dict)
    work = out / "run" / "work"
    output = Path(first["output"])
    assert output.is_relative_to(work) and Path(first["scratch"]).is_relative_to(work)
    assert first == {
        "format": 1,
        "trait": "Asthma",
        "condition": None,
        "kind": "unconditional",
        "input": None,
        "preprocessed": str(reference / "preprocess"),
        "output": str(output),
        "result": str(output / "regress/Asthma/significant_genes_condition_None.json"),
        "scratch": str(output.parent / "scratch"),
        "task_info": str(tasks.path),
        "related_genes": list(RELATED),
        "condition_related_genes": None,
        "procedure": "sound",
        "seed": 42,
        "threads": first["threads"],
        "time_limit": None,
    }
    assert (second["condition"], second["kind"]) == ("Obesity", "two-step")
    assert second["condition_related_genes"] == list(RELATED)


def test_environment_is_clean_but_for_what_is_passed(
    tasks: TaskInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTHER_SECRET", "do-not-pass-this")
    monkeypatch.setenv("MODEL_KEY", "sk-123456-abcdef")
    command = script(
        tmp_path,
        ANSWER + "key = os.environ['MODEL_KEY']; print('with', key); answer(length=len(key),"
        "names=sorted(os.environ), home=os.environ['HOME'], scratch=problem['scratch'])",
    )
    options = MethodOptions(command=command, pass_env=("MODEL_KEY",))
    out = tmp_path / "out"
    [record] = run(out, tasks, [ASTHMA], options)
    assert record.success
    found = told(out, ASTHMA)
    assert set(found["names"]) - {"LC_CTYPE"} == {  # type: ignore[call-overload]
        "PATH",
        "HOME",
        "TMPDIR",
        "LANG",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "POLARS_MAX_THREADS",
        "MODEL_KEY",
    }
    assert found["home"] == found["scratch"] and found["length"] == 16
    assert RunFolder(out).log(ASTHMA).read_text() == "with [MODEL_KEY]\n"
    assert not any(b"sk-123456" in path.read_bytes() for path in out.rglob("*") if path.is_file())


def test_key_in_a_result_is_refused(
    tasks: TaskInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-123456-abcdef")
    command = script(tmp_path, ANSWER + "answer(note=os.environ['MODEL_KEY'])")
    options = MethodOptions(command=command, pass_env=("MODEL_KEY",))
    [record] = run(tmp_path / "out", tasks, [ASTHMA], options)
    assert record.error_class is ErrorClass.BAD_OUTPUT
    kept = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert kept and not any(b"sk-123456" in path.read_bytes() for path in kept)


MISTAKES = {
    "Writes_nothing": ("", ErrorClass.NO_ANSWER, "the method ended without writing regress/"),
    "Exits": ("sys.exit(4)", ErrorClass.CRASHED, "the command ended with exit code 4"),
    "Is_killed": ("os.kill(os.getpid(), 9)", ErrorClass.KILLED, "was ended by SIGKILL"),
    "Is_ended_by_a_number": ("os.kill(os.getpid(), 40)", ErrorClass.CRASHED, "by signal 40"),
    "Names_an_odd_file": (
        "(result.parent / 'odd\\udcff').write_text('')",
        ErrorClass.BAD_OUTPUT,
        "odd\\udcff",
    ),
    "Aborts": ("os.abort()", ErrorClass.CRASHED, "the command was ended by SIGABRT"),
    "Links": ("result.symlink_to('/etc/hostname')", ErrorClass.BAD_OUTPUT, "is a link"),
    "Writes_text": ("result.write_text('TP53')", ErrorClass.BAD_OUTPUT, "is not JSON"),
}


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ProblemRecord]:
    """Run a command that makes the mistake that the trait names."""
    folder = tmp_path_factory.mktemp("mistakes")
    texts = {trait: text for trait, (text, _, _) in MISTAKES.items()}
    command = script(folder, ANSWER + f"exec({texts!r}[problem['trait']])")
    problems = [Problem(trait) for trait in MISTAKES]
    tasks = make_tasks(folder, dict.fromkeys(MISTAKES, ()))
    records = run(folder / "out", tasks, problems, MethodOptions(command=command))
    assert not (folder / "out" / "regress").exists()
    return {record.problem.trait: record for record in records}


@pytest.mark.parametrize("trait", MISTAKES)
def test_mistakes_of_a_command(mistaken: dict[str, ProblemRecord], trait: str) -> None:
    _, kind, error = MISTAKES[trait]
    assert mistaken[trait].error_class is kind
    assert error in mistaken[trait].error


def test_command_runs_where_it_was_given(
    tasks: TaskInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script(tmp_path, ANSWER + "answer(where=os.getcwd())")
    monkeypatch.chdir(tmp_path)
    options = MethodOptions(command=f"{sys.executable} 'an agent.py'")
    run(tmp_path / "out", tasks, [ASTHMA], options)
    assert told(tmp_path / "out", ASTHMA)["where"] == str(tmp_path)


OWN_COHORTS = (
    ANSWER
    + """
assert problem["preprocessed"] is None
time.sleep(0.5 if problem["condition"] is None else 0)
flags = ("is_usable", "is_gene_available", "is_trait_available", "is_available")
record = dict.fromkeys(flags, True)
trait, condition = problem["trait"], problem["condition"]
folder = Path(problem["output"], "preprocess", trait)
(folder / "gene_data").mkdir(parents=True)
(folder / ".hidden").touch()
size = 10 if condition is None else 20
mine = "GSE1" if condition is None else "GSE2"
info = {"GSE0": {**record, "sample_size": size}, mine: {**record, "sample_size": 5}}
(folder / "cohort_info.json").write_text(json.dumps(info))
for cohort in info:
    (folder / f"{cohort}.csv").write_text(f",{trait},TP53\\nGSM{size},1,2.5\\n")
    (folder / "gene_data" / f"{cohort}.csv").write_text(f",GSM{size}\\nTP53,2.5\\n")
if trait != "Obesity":
    answer()
"""
)


def test_key_in_the_name_of_a_file_is_not_repeated(
    tasks: TaskInfo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODEL_KEY", "sk-123456-abcdef")
    text = ANSWER + "answer(); Path(problem['output'], os.environ['MODEL_KEY']).touch()"
    options = MethodOptions(command=script(tmp_path, text), pass_env=("MODEL_KEY",))
    [record] = run(tmp_path / "out", tasks, [ASTHMA], options)
    assert record.error.startswith("it wrote [MODEL_KEY]; only regress/Asthma/")


def test_own_cohorts_are_merged_in_the_order_of_the_problems(
    tasks: TaskInfo, tmp_path: Path
) -> None:
    problems = [ASTHMA, Problem("Asthma", "Age"), Problem("Obesity")]
    options = MethodOptions(command=script(tmp_path, OWN_COHORTS), own_cohorts=True)
    out, again, raw = (tmp_path / name for name in ("out", "again", "raw"))
    (raw / "GEO").mkdir(parents=True)
    records = run(out, tasks, problems, options, source=raw, jobs=1)
    assert [record.error_class for record in records] == [None, None, ErrorClass.NO_ANSWER]
    output = OutputFolder(out)
    infos = read_cohort_info(output.cohort_info("Asthma"))
    assert {name: info.sample_size for name, info in infos.items()} == {
        "GSE0": 10,  # of the first problem
        "GSE1": 5,
        "GSE2": 5,
    }
    assert read_linked_csv(output.linked_csv("Asthma", "GSE0")).samples == ("GSM10",)
    assert read_linked_csv(output.linked_csv("Asthma", "GSE2")).samples == ("GSM20",)
    assert output.gene_csv("Asthma", "GSE1").exists()
    assert not list(out.rglob(".hidden"))
    assert output.linked_csv("Obesity", "GSE0").exists()
    # Side by side the second problem ends before the first: the same folder.
    run(again, tasks, problems, options, source=raw, jobs=3)
    assert digests(again) == digests(out)


def test_own_cohorts_need_raw_files(tasks: TaskInfo, tmp_path: Path) -> None:
    options = MethodOptions(command=script(tmp_path, ""), own_cohorts=True)
    with pytest.raises(UsageError, match="reads the raw files; give INPUT"):
        run(tmp_path / "out", tasks, [ASTHMA], options)


PLUG_IN = """
from genotex.bench import write_answer

def answer(problem, context):
    write_answer(context.output, problem, ["A" + problem.trait, "B2"], cohort="GSE1")

class Agent:
    def solve(self, problem, context):
        answer(problem, context)

class Broken:
    def solve(self):
        pass
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution with three entry points, as pip would."""
    site = tmp_path / "site"
    info = site / "my_agent-1.2.dist-info"
    info.mkdir(parents=True)
    (site / "my_agent.py").write_text(PLUG_IN)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-agent\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(
        "[genotex.methods]\nmine = my_agent:Agent\nfunction = my_agent:answer\n"
        "broken = my_agent:Broken\nlost = my_agent:nowhere\n"
    )
    monkeypatch.syspath_prepend(site)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("name", ["mine", "function"])
def test_entry_point_answers(tasks: TaskInfo, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    [record] = run(out, tasks, [ASTHMA], MethodOptions(method=name))
    assert (record.genes, record.cohort) == (2, "GSE1")
    settings = json.loads(RunFolder(out).settings.read_text())
    assert settings["method"] == name
    assert settings["options"]["from"] == "my-agent 1.2"
    assert "my_agent" not in sys.modules  # only the problem's own process imports it


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(("name", "error"), [("broken", "TypeError"), ("lost", "AttributeError")])
def test_broken_entry_point_is_a_crash(
    tasks: TaskInfo, tmp_path: Path, name: str, error: str
) -> None:
    [record] = run(tmp_path / "out", tasks, [ASTHMA], MethodOptions(method=name))
    assert record.error_class is ErrorClass.CRASHED
    assert record.error.startswith(error)


@pytest.mark.usefixtures("installed")
def test_unknown_method_is_answered_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="plug-ins: broken, function, lost, mine"):
        choose_method(MethodOptions(method="agent"))


def test_example_finds_what_random_genes_do_not(
    tasks: TaskInfo, reference: Path, tmp_path: Path
) -> None:
    problems = [ASTHMA, Problem("Asthma", "Age"), Problem("Gout")]
    options = MethodOptions(command=f"{sys.executable} '{EXAMPLE}'")
    out = tmp_path / "out"
    records = run(out, tasks, problems, options, reference)
    assert [record.cohort for record in records] == ["GSE2", "GSE2", None]
    assert records[2].error_class is ErrorClass.NO_ANSWER
    assert first_genes(out, ASTHMA, 5) == {"GENE0", "GENE1", "GENE2", "GENE3", "GENE4"}
    assert first_genes(out, problems[1], 5) == first_genes(out, ASTHMA, 5)
    random = MethodOptions(method="random", genes=60)
    run(tmp_path / "random", tasks, [ASTHMA], random)
    assert not first_genes(tmp_path / "random", ASTHMA, 60) & first_genes(out, ASTHMA, 5)


def first_genes(output: Path, problem: Problem, number: int) -> set[str]:
    genes = told(output, problem)["significant_genes"]
    assert isinstance(genes, dict)
    return set(genes["Variable"][:number])


def test_examples_t_is_that_of_a_t_test(tasks: TaskInfo, reference: Path, tmp_path: Path) -> None:
    options = MethodOptions(command=f"{sys.executable} '{EXAMPLE}'")
    run(tmp_path / "out", tasks, [ASTHMA], options, reference)
    table = read_linked_csv(OutputFolder(reference).linked_csv("Asthma", "GSE2"))
    case = table.trait_values == 1
    expected = stats.ttest_ind(table.expression[case], table.expression[~case]).statistic
    genes = told(tmp_path / "out", ASTHMA)["significant_genes"]
    assert isinstance(genes, dict)
    found = [genes["t"][genes["Variable"].index(name)] for name in table.genes]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_order_of_solving_does_not_show(tasks: TaskInfo, reference: Path, tmp_path: Path) -> None:
    problems = [ASTHMA, Problem("Asthma", "Age"), Problem("Obesity")]
    method = choose_method(MethodOptions(command=f"{sys.executable} '{EXAMPLE}'"))
    plan = BenchmarkRun(tmp_path / "one", tasks, problems, method, preprocessed=reference)
    run_benchmark(plan)
    run_benchmark(replace(plan, target=tmp_path / "three"), jobs=3)
    assert digests(tmp_path / "one") == digests(tmp_path / "three")
