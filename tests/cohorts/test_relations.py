"""Relations between samples, from the titles of a series to its record, sheet and analysis."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from genotex.analysis import solve_problem
from genotex.clinical import rule_expert
from genotex.cohorts import (
    PreprocessOptions,
    RawSeries,
    preprocess,
    propose_sheet,
    read_series_file,
)
from genotex.errors import FormatError, UsageError
from genotex.formats import Evidence, read_evidence
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.problems import Problem
from tests.geo_text import series_matrix, write_gz

STATES = ["disease state: asthma", "disease state: healthy"]


def write_titled(folder: Path, titles: Sequence[str], *rows: Sequence[str]) -> Path:
    """A series of asthma with titles; cases and controls alternate."""
    number = len(titles)
    states = [STATES[n % 2] for n in range(number)]
    text = series_matrix(characteristics=[states, *rows])
    old = next(line for line in text.splitlines() if line.startswith("!Sample_title"))
    new = "\t".join(["!Sample_title", *(f'"{title}"' for title in titles)])
    path = folder / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    return write_gz(path, text.replace(old, new))


def record(source: Path, output: Path, **options: object) -> Evidence:
    given = PreprocessOptions(**options)  # type: ignore[arg-type]
    preprocess(source, output, traits=["Asthma"], options=given)
    return read_evidence(OutputFolder(output).evidence("Asthma", "GSE1"))


def sheet(path: Path) -> list[dict[str, str]]:
    raw = RawSeries(read_series_file(path), ())
    return propose_sheet("GSE1", raw, "Asthma", rule_expert("sound"), PreprocessOptions()).rows


LESIONS = [f"Patient {n // 2 + 1}, {'spared' if n % 2 else 'asthma'} side" for n in range(16)]
TREATED = [f"Blood {n + 1}, {'untreated' if n // 2 % 2 else 'DMSO'}, day 7" for n in range(16)]


def test_record_holds_what_titles_state(tmp_path: Path) -> None:
    write_titled(tmp_path / "input", TREATED)
    found = record(tmp_path / "input", tmp_path / "output")
    groups = {group["value"]: len(group["samples"]) for group in found.relations["treatment group"]}
    assert groups == {"control treatment": 8, "untreated": 8}
    [time] = found.relations["time point"]
    assert time["value"] == "day 7" and time["place"] == "title" and len(time["samples"]) == 16
    assert "other disease" not in set(found.roles.values())


def test_record_of_a_series_that_states_nothing_is_as_before(tmp_path: Path) -> None:
    write_titled(tmp_path / "input", [f"sample {n}" for n in range(16)])
    record(tmp_path / "input", tmp_path / "output")
    path = OutputFolder(tmp_path / "output").evidence("Asthma", "GSE1")
    assert '"relations"' not in path.read_text()


def test_samples_are_excluded_by_what_only_titles_state(tmp_path: Path) -> None:
    write_titled(tmp_path / "input", TREATED)
    found = record(tmp_path / "input", tmp_path / "output", exclude=("treatment=untreated",))
    assert len(found.reading["excluded"]) == 8
    with pytest.raises(UsageError, match="treatment group"):
        record(tmp_path / "input", tmp_path / "again", exclude=("treatment=aspirin",))


def test_people_in_titles_are_offered_as_pairs(tmp_path: Path) -> None:
    path = write_titled(tmp_path / "input", LESIONS)
    record(tmp_path / "input", tmp_path / "output")
    output, problem = OutputFolder(tmp_path / "output"), Problem("Asthma", None)
    assert any("--pair donor" in w for w in solve_problem(output, problem).warnings)
    paired = solve_problem(output, problem, AnalysisOptions(pair="donor"))
    assert paired.method["pair"]["blocks"] == 8
    rows = sheet(path)
    assert [row["pair"] for row in rows[:4]] == ["patient 1", "patient 1", "patient 2", "patient 2"]
    assert "donor: patient 1 (title: 'Patient 1')" in rows[0]["why"]


def test_sheet_proposes_to_leave_out_pools_and_technical_replicates(tmp_path: Path) -> None:
    titles = [f"sample {n}" for n in range(14)]
    titles += ["sample 0, technical replicate 2", "pool of 5 donors"]
    rows = sheet(write_titled(tmp_path / "input", titles))
    assert [row["sample"] for row in rows if row["exclude"]] == ["GSM15", "GSM16"]
    assert rows[14]["why"].startswith("proposed: technical replicate of GSM1; ")
    assert rows[15]["why"].startswith("proposed: a pool; ")
    assert not any(row["pair"] for row in rows)


def test_vehicle_control_of_the_same_patients_has_no_other_disease(tmp_path: Path) -> None:
    agents = [f"agent: {'IL-13' if n % 2 else 'vehicle'}" for n in range(16)]
    states = ["disease state: asthma"] * 8 + ["disease state: healthy"] * 8
    text = series_matrix(characteristics=[states, agents])
    write_gz(tmp_path / "input/GEO/Asthma/GSE1/GSE1_series_matrix.txt.gz", text)
    chosen = {"cases": ("agent=IL-13",), "controls": ("agent=vehicle",)}
    found = record(tmp_path / "input", tmp_path / "output", **chosen)
    assert "other disease" not in set(found.roles.values())


def test_damaged_relations_are_refused(tmp_path: Path) -> None:
    write_titled(tmp_path / "input", TREATED)
    record(tmp_path / "input", tmp_path / "output")
    path = OutputFolder(tmp_path / "output").evidence("Asthma", "GSE1")
    path.write_text(path.read_text().replace('"place": "title"', '"place": 3'))
    with pytest.raises(FormatError, match="place: must be a text"):
        read_evidence(path)
