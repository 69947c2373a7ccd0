from pathlib import Path
from typing import Any

import pytest

from genotex.agents import find_notebook, overview, trace
from genotex.errors import FormatError, UsageError
from genotex.journal import open_journal, read_journal
from genotex.models import SpendingLimits
from genotex.problems import Problem
from tests.agents.team.conftest import Played


def test_finished_run_is_reported_from_its_folder_alone(played: Played) -> None:
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
def test_notebook_under_way_is_reported_as_far_as_it_came(
    played: Played, tokens: int, written: bool
) -> None:
    played.run(limits=SpendingLimits(max_tokens=tokens))
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


def without(entry: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return an entry of a journal as a version wrote it that did not know the last of the keys."""
    inner = entry
    for key in keys[:-1]:
        inner = inner.get(key, {})
    inner.pop(keys[-1], None)
    return entry


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("run/journal.jsonl", ("notebook", "tally")),
        ("run/notebooks/Asthma/GSE1.jsonl", ("reply", "usage")),
    ],
)
def test_journal_of_another_version_is_named(
    played: Played, name: str, keys: tuple[str, ...]
) -> None:
    played.run()
    path = played.root / name
    entries = read_journal(path)
    path.unlink()
    with open_journal(path) as journal:
        for entry in entries:
            journal.add(without(entry, *keys))
    with pytest.raises(FormatError, match=f"{path.name}.*another version"):
        overview(played.root)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("GSE2", "GSE2"),
        ("gse2", "GSE2"),
        ("Asthma/GSE1", "GSE1"),
        ("Asthma/Age", ""),
        ("asthma / age", ""),
        ("Asthma GSE1", "GSE1"),
        ("Asthma condition_Age", ""),
        ("Asthma given Age", ""),
    ],
)
def test_notebook_is_found_by_the_name_that_a_person_uses(
    played: Played, name: str, found: str
) -> None:
    played.run(limits=SpendingLimits(max_tokens=110))
    assert find_notebook(played.root, name).cohort == found


def test_trait_is_found_by_its_name_with_spaces(played: Played, source: Path) -> None:
    (source / "GEO" / "Crohns_Disease" / "GSE7").mkdir(parents=True)
    played.problems = (Problem("Crohn's Disease"),)
    played.run(limits=SpendingLimits(max_tokens=110))
    assert find_notebook(played.root, "Crohn's Disease").kind == "statistics"
    assert find_notebook(played.root, "Crohn's Disease/GSE7").cohort == "GSE7"


def test_misspelt_notebook_is_reported_the_one_that_was_meant(played: Played) -> None:
    played.run(limits=SpendingLimits(max_tokens=110))
    with pytest.raises(UsageError, match="no notebook 'Astma/GSE1'; did you mean Asthma/GSE1"):
        find_notebook(played.root, "Astma/GSE1")
    with pytest.raises(UsageError, match="no notebook 'other'; it has Asthma/GSE1, Asthma/GSE2"):
        find_notebook(played.root, "other")


def test_cohort_of_two_traits_needs_its_trait(played: Played, source: Path) -> None:
    (source / "GEO" / "Gout" / "GSE1").mkdir(parents=True)
    played.problems = (Problem("Asthma", "Age"), Problem("Gout", "Age"))
    played.run(limits=SpendingLimits(max_tokens=110))
    with pytest.raises(UsageError, match="write Asthma/GSE1 or Gout/GSE1"):
        find_notebook(played.root, "GSE1")
