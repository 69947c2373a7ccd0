"""Dataset filtering against labels, worked out by hand."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.bench import FeatureLabel, Label, LabelledCase
from genotex.bench.evaluation.labels.evaluating import (
    Availability,
    filtering_figures,
    filtering_scores,
    judge_availability,
    read_flags,
)
from genotex.layout import OutputFolder

from .labelled import labelled

YES, NO = Label(True, FeatureLabel(0, {"a": 1})), Label(True)


def put_flags(output: OutputFolder, trait: str, **available: bool) -> None:
    path = output.cohort_info(trait)
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = ("is_usable", "is_gene_available", "is_trait_available", "is_available")
    path.write_text(
        json.dumps({cohort: dict.fromkeys(fields, flag) for cohort, flag in available.items()})
    )


@pytest.mark.parametrize(
    ("pairs", "figures"),
    [
        # Of three available cohorts two are found, and one is taken that is not available.
        ([(1, 1), (1, 1), (1, 0), (0, 1), (0, 0)], (200 / 3, 200 / 3, 200 / 3, 60.0)),
        ([(1, 1), (1, 0), (1, 0)], (100.0, 100 / 3, 50.0, 100 / 3)),
        ([(0, 0), (0, 0)], (100.0, 100.0, 100.0, 100.0)),
        ([(1, 0), (0, 0)], (0.0, 0.0, 0.0, 50.0)),
        ([(0, 1), (0, 0)], (0.0, 0.0, 0.0, 50.0)),
    ],
)
def test_score_of_one_trait(
    pairs: list[tuple[int, int]], figures: tuple[float, float, float, float]
) -> None:
    (score,) = filtering_scores(
        Availability("Asthma", f"GSE{n}", bool(label), bool(said))
        for n, (label, said) in enumerate(pairs)
    )
    found = (score.precision, score.recall, score.f1, score.accuracy)
    assert found == pytest.approx(figures, abs=1e-12)


@pytest.fixture
def cases() -> list[LabelledCase]:
    no_genes = Label(False, YES.trait)
    return [
        labelled(1, reading=YES, benchmark=YES),
        labelled(2, reading=NO, benchmark=YES),
        labelled(3, reading=no_genes, benchmark=no_genes),
        labelled(4, "Gout", reading=YES, benchmark=YES),
        labelled(5, "Gout", benchmark=YES),
    ]


def test_prediction_is_scored_trait_by_trait_against_each_set(
    tmp_path: Path, cases: list[LabelledCase]
) -> None:
    output = OutputFolder(tmp_path)
    put_flags(output, "Asthma", GSE1=True, GSE2=True, GSE99=True)  # GSE3 has no record
    put_flags(output, "Gout", GSE4=True, GSE5=False)
    flags, missing = read_flags(output, ["Asthma", "Gout"])
    assert missing == ()
    reading = list(judge_availability(cases, "reading", flags).values())
    assert [one.cohort for one in reading] == ["GSE1", "GSE2", "GSE3", "GSE4"]
    asthma, gout = filtering_scores(reading)
    assert (asthma.precision, asthma.recall) == (50.0, 100.0)
    assert asthma.accuracy == pytest.approx(200 / 3)
    assert (gout.trait, gout.accuracy) == ("Gout", 100.0)
    benchmark = list(judge_availability(cases, "benchmark", flags).values())
    assert filtering_figures(benchmark) == pytest.approx(
        {
            "filtering_precision": 100.0,
            "filtering_recall": (100 + 50) / 2,
            "filtering_f1": (100 + 200 / 3) / 2,
            "filtering_accuracy": (100 + 50) / 2,
        }
    )


@pytest.mark.parametrize(
    ("content", "why"), [(None, "missing"), ("{", "not valid JSON"), ("[]", "a JSON object")]
)
def test_trait_without_a_readable_record_scores_0(
    tmp_path: Path, cases: list[LabelledCase], content: str | None, why: str
) -> None:
    output = OutputFolder(tmp_path)
    if content is not None:
        output.cohort_info("Asthma").parent.mkdir(parents=True)
        output.cohort_info("Asthma").write_text(content)
    flags, (missing,) = read_flags(output, ["Asthma"])
    assert (missing.task, missing.item) == ("filtering", "Asthma")
    assert why in missing.why
    asthma = [case for case in cases if case.trait == "Asthma"]
    # Nothing is available by this label either, and still nothing was filtered.
    for found in (asthma, [labelled(1, reading=NO)]):
        judged = list(judge_availability(found, "reading", flags).values())
        assert set(filtering_figures(judged).values()) == {0.0}


@given(st.dictionaries(st.integers(1, 9), st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_missing_record_never_helps(flags: dict[int, tuple[bool, bool]]) -> None:
    cases = [labelled(n, reading=YES if label else NO) for n, (label, _) in flags.items()]
    said = {"Asthma": {f"GSE{n}": predicted for n, (_, predicted) in flags.items()}}
    whole = filtering_figures(list(judge_availability(cases, "reading", said).values()))
    none = filtering_figures(list(judge_availability(cases, "reading", {"Asthma": None}).values()))
    assert all(none[name] <= whole[name] for name in whole)


@given(st.dictionaries(st.integers(1, 9), st.booleans(), min_size=1))
def test_labels_score_100_against_themselves(flags: dict[int, bool]) -> None:
    cases = [labelled(n, reading=YES if flag else NO) for n, flag in flags.items()]
    said = {"Asthma": {f"GSE{n}": flag for n, flag in flags.items()}}
    judged = list(judge_availability(cases, "reading", said).values())
    assert set(filtering_figures(judged).values()) == {100.0}
