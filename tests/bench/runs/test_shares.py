"""What problems took, with their share of the cohorts; expected values are computed by hand."""

from fractions import Fraction
from types import SimpleNamespace
from typing import cast

from genotex.bench import ErrorClass, ProblemRecord
from genotex.bench.runs.summary import divide, summarise
from genotex.journal import Journal
from genotex.problems import Problem

ASTHMA, GIVEN_AGE = Problem("Asthma"), Problem("Asthma", "Age")
GIVEN_GOUT, LUPUS = Problem("Asthma", "Gout"), Problem("Lupus")


def test_a_cohort_is_divided_among_the_problems_that_need_its_trait() -> None:
    cohorts = {
        ("Asthma", "GSE1"): {"cohort_seconds": Fraction(6), "tokens_in": Fraction(900)},
        ("Asthma", "GSE2"): {"cohort_seconds": Fraction(3), "tokens_in": Fraction(100)},
        ("Gout", "GSE3"): {"cohort_seconds": Fraction(5), "tokens_in": Fraction(7)},
    }
    own = {ASTHMA: {"tokens_in": Fraction(10)}, GIVEN_GOUT: {"tokens_in": Fraction(1)}}
    cells = divide([ASTHMA, GIVEN_AGE, GIVEN_GOUT], cohorts, own)
    assert cells == {
        # 10 + 1000 / 3
        ASTHMA: {"cohort_seconds": "3", "tokens_in": "343.333"},
        GIVEN_AGE: {"cohort_seconds": "3", "tokens_in": "333.333"},
        # 9 / 3 + 5 seconds, 1 + 1000 / 3 + 7 tokens
        GIVEN_GOUT: {"cohort_seconds": "8", "tokens_in": "341.333"},
    }


def test_what_a_cohort_does_not_tell_no_problem_that_needs_it_tells() -> None:
    cohorts = {
        ("Asthma", "GSE1"): {"cost": None},
        ("Asthma", "GSE2"): {"cost": Fraction(1)},
        ("Lupus", "GSE4"): {"cost": Fraction("0.000000125")},
    }
    cells = divide([ASTHMA, GIVEN_AGE, LUPUS], cohorts)
    assert [cells[problem]["cost"] for problem in (ASTHMA, GIVEN_AGE, LUPUS)] == [
        "",
        "",
        "0.000000125",
    ]


def test_what_a_problem_does_not_tell_of_itself_is_not_told() -> None:
    cells = divide([ASTHMA, LUPUS], {}, {ASTHMA: {"cost": None}, LUPUS: {"cost": Fraction(2)}})
    assert (cells[ASTHMA]["cost"], cells[LUPUS]["cost"]) == ("", "2")


def test_run_without_cohorts_and_models_has_no_such_columns() -> None:
    assert divide([ASTHMA], {}) == {ASTHMA: {}}


def test_counts_times_and_reasons_of_a_run() -> None:
    failed = [ErrorClass.CRASHED, ErrorClass.NO_COHORT, ErrorClass.NO_COHORT]
    given = zip("ABC", failed, (9.0, 1.0, 2.0), (50.0, None, 70.0), strict=True)
    records = [
        ProblemRecord(Problem(name), why, "x", seconds=seconds, peak_memory_mb=peak)
        for name, why, seconds, peak in given
    ]
    records.append(ProblemRecord(Problem("A", "Age"), seconds=1.5, peak_memory_mb=60.0))
    entry = {"step": "cohort", "trait": "A", "error": "", "seconds": 0.25}
    entries = [
        entry | {"cohort": "GSE1", "error": "broken", "seconds": 7.0},
        entry | {"cohort": "GSE2", "error": "lost", "seconds": None},
        entry | {"cohort": "GSE1"},
        {"step": "problem"},
    ]
    found = summarise(records, cast("Journal", SimpleNamespace(entries=entries)), None)
    assert (found.problems, found.answered, found.peak_memory_mb) == (4, 1, 70.0)
    assert found.seconds == {"total": 13.5, "median": 1.75, "longest": 9.0, "cohorts": 0.25}
    assert list(found.by_error_class.items()) == [("no cohort", 2), ("crashed", 1)]
    assert found.by_kind == {
        "unconditional": {"problems": 3, "answered": 0},
        "one-step": {"problems": 1, "answered": 1},
    }
    assert found.cohorts_not_read == {"A/GSE2": "lost"}
    assert found.cohorts == {"read": 0, "usable": 0}
