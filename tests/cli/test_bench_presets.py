"""`genotex bench run --preset`: agents as any benchmark run, with the built-in rules."""

import csv
import json
from pathlib import Path

import pytest

from genotex.agents import RulesModel
from genotex.errors import WrongKeyError
from genotex.models import Reply
from tests.cli.conftest import Run, on_one_line
from tests.cli.test_agent import files
from tests.geo_text import write_asthma

PROBLEMS = {"Asthma": {"related_genes": ["A2M", "ABO"], "conditions": ["Age"]}}
MODEL = ("--model", "rules", "--sandbox", "best")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an input of one series, and a task list."""
    place = tmp_path_factory.mktemp("presets")
    write_asthma(place / "in", "GSE1", number=24)
    (place / "tasks.json").write_text(json.dumps(PROBLEMS))
    return place


def bench(genotex: Run, place: Path, out: str, *options: object) -> tuple[int, str, str]:
    target, tasks = place / out, place / "tasks.json"
    source = "-" if "--preprocessed" in options else place / "in"
    return on_one_line(genotex)("bench", "run", source, target, "--task-info", tasks, *options)


def test_agents_leave_what_the_direct_road_leaves_and_one_table_reads_all(
    place: Path, genotex: Run
) -> None:
    assert bench(genotex, place, "rules", "--preset", "rules")[0] == 0
    expected = files(place / "rules")
    for preset in ("full", "codeact", "structured"):
        code, out, err = bench(genotex, place, preset, "--preset", preset, *MODEL)
        assert code == 0, err
        assert out.splitlines()[3].split() == ["all", "2", "2"]
        assert "calls; 0 tokens in, 0 out; $0" in out
        assert files(place / preset) == expected
    assert bench(genotex, place, "zero-shot", "--preset", "zero-shot", *MODEL[:2])[0] == 0
    runs = [place / name for name in ("full", "codeact", "structured", "zero-shot", "rules")]
    code, out, err = genotex("bench", "table", *runs, "-r", place / "rules", "--json")
    rows = json.loads(out)["rows"]
    assert code == 0, err
    # The reference is the run of the rules itself, so that whoever does the same scores 100.
    assert [row["f1"] for row in rows] == [100.0, 100.0, 100.0, rows[3]["f1"], 100.0]
    assert rows[3]["f1"] < 100 and rows[3]["start"] == "no data"
    assert [row["cost"] for row in rows] == [0.0, 0.0, 0.0, 0.0, None]
    assert [row["tokens_in"] for row in rows] == [0.0, 0.0, 0.0, 0.0, None]
    assert all(row["seconds"] > 0 for row in rows)


def test_run_is_gone_on_with_by_the_same_command_and_by_agent_resume(
    place: Path, genotex: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Reply:
        msg = "the account is used up"
        raise WrongKeyError(msg)

    first = ("--preset", "no-reviewer", *MODEL, "--trait", "Asthma", "--sample", 1)
    with monkeypatch.context() as patched:
        patched.setattr(RulesModel, "answer", refuse)
        code, _, err = bench(genotex, place, "stopped", *first)
    assert code == 3
    assert "the account is used up; resume with: genotex agent resume" in err
    assert not (place / "stopped/run/problems.csv").exists()
    code, out, _ = bench(genotex, place, "stopped", *first, "--json")
    told = json.loads(out)
    assert (code, told["stopped"], told["summary"]["answered"]) == (0, None, 1)
    assert told["usage"]["total"]["cost_usd"] == {"known": "0", "unknown_calls": 0}
    with (place / "stopped/run/problems.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["tokens_in"], row["cost"]) == ("0", "0")
    assert genotex("agent", "resume", place / "stopped")[0] == 0
    code, out, _ = genotex("agent", "show", place / "stopped", "GSE1", "--json")
    assert json.loads(out)["tally"]["reviews"] == 0
    code, _, err = bench(genotex, place, "stopped", *first, "--preset", "full")
    assert code == 2 and "options preset was no-reviewer, is full" in err


@pytest.mark.everyday
def test_analysis_alone_is_that_of_the_direct_road(place: Path, genotex: Run) -> None:
    bench(genotex, place, "prepared", "--preset", "rules", "--sample", 1)
    for preset in ("no-planning", "codeact"):
        out = f"alone-{preset}"
        options = ("--preset", preset, *MODEL, "--preprocessed", place / "prepared", "--sample", 1)
        code, _, err = bench(genotex, place, out, *options)
        assert code == 0, err
        results = {n: c for n, c in files(place / "prepared").items() if n.startswith("regress")}
        assert results and files(place / out) == results


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--preset", "full"), "no model given: add --model rules"),
        (("--preset", "zero-shot"), "or --answers FILE"),
        (("--preset", "best"), "there is no preset 'best'; use full, no-planning"),
        (("--preset", "full", "--method", "rules"), "--method has no effect with the preset full"),
        (("--preset", "lasso", "--model", "rules"), "--model has no effect with the method lasso"),
        (
            ("--model", "rules", "--max-cost", 1),
            "--model, --max-cost have no effect with the method",
        ),
        (
            ("--preset", "no-planning", "--model", "rules", "--model.planner", "rules"),
            "--model.planner has no effect with the preset no-planning",
        ),
        (
            ("--preset", "structured", "--model", "rules", "--preprocessed", "x"),
            "raw cohorts alone",
        ),
        (("--preset", "full", "--model", "rules", "--time-limit", 0), "0 is not a time"),
        (("--preset", "full", "--model", "rules", "--cell-time", 0), "give seconds above 0"),
        (("--preset", "full", "--model", "gpt-4o"), "unknown model 'gpt-4o'"),
        (("--preset", "full", "--model", "rules", "--sample", 9), "of 2 problems"),
    ],
)
def test_wrong_use_is_told_before_anything_is_written(
    place: Path,
    genotex: Run,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[object, ...],
    told: str,
) -> None:
    monkeypatch.delenv("GENOTEX_MODEL", raising=False)
    code, _, err = bench(genotex, place, "wrong", *options)
    assert code == 2
    assert told in err
    assert not (place / "wrong").exists()


def test_help_names_the_presets(genotex: Run) -> None:
    code, out, _ = genotex("bench", "run", "--help")
    assert code == 0
    for word in ("--preset", "no-reviewer", "codeact", "--max-cost", "--model.planner"):
        assert word in out
