from pathlib import Path

import pytest

from genotex.errors import FormatError, UsageError
from genotex.models import Limits
from genotex.problems import Problem
from genotex.runs.team.trace import find_notebook, overview, trace
from tests.runs.team.conftest import Played


def test_finished_run_is_told_from_its_folder_alone(played: Played) -> None:
    played.run()
    calls, sessions = len(played.calls.requests), len(played.sessions)
    rows = overview(played.root)
    assert [row.state for row in rows] == ["done", "done", "done"]
    assert sum(row.usage.calls for row in rows) == calls
    found = trace(played.root, rows[0].task)
    assert found.notebook is not None
    assert found.notebook.tally.retractions == 1
    assert [step.unit.name for step in found.notebook.context.steps] == [
        "load_data",
        "read_clinical_features",
        "extract_gene_data",
        "normalise_and_link",
    ]
    assert (len(played.calls.requests), len(played.sessions)) == (calls, sessions)


@pytest.mark.parametrize(("tokens", "written"), [(110, False), (220, True), (330, False)])
def test_notebook_under_way_is_told_as_far_as_it_came(
    played: Played, tokens: int, written: bool
) -> None:
    played.run(limits=Limits(max_tokens=tokens))
    rows = overview(played.root)
    assert [row.state for row in rows] == ["under way", "not begun", "not begun"]
    found = trace(played.root, rows[0].task)
    assert found.notebook is not None
    assert found.notebook.ending is None
    assert found.usage.total().tokens.known == tokens
    # Calls of 110 tokens each: the plan; the code of the step; its review, which ends it.
    assert (found.notebook.under_way is not None) == written
    assert len(found.notebook.context.steps) == (tokens == 330)


def test_journal_of_another_program_is_named(played: Played) -> None:
    played.run()
    path = played.root / "run/notebooks/Asthma/GSE1.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], *lines[2:]]))
    with pytest.raises(FormatError, match=r"GSE1.jsonl.*Asthma GSE1: entry 2"):
        trace(played.root, overview(played.root)[0].task)


@pytest.mark.parametrize(
    ("name", "found"),
    [("GSE2", "GSE2"), ("Asthma/GSE1", "GSE1"), ("Asthma/Age", "")],
)
def test_notebook_is_found_by_the_name_that_a_person_uses(
    played: Played, name: str, found: str
) -> None:
    played.run(limits=Limits(max_tokens=110))
    assert find_notebook(played.root, name).cohort == found


def test_cohort_of_two_traits_needs_its_trait(played: Played, source: Path) -> None:
    (source / "GEO" / "Gout" / "GSE1").mkdir(parents=True)
    played.problems = (Problem("Asthma", "Age"), Problem("Gout", "Age"))
    played.run(limits=Limits(max_tokens=110))
    with pytest.raises(UsageError, match="say Asthma/GSE1 or Gout/GSE1"):
        find_notebook(played.root, "GSE1")
