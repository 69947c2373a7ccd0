"""The methods paragraph and the processing log: what is said of other cohorts and readings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from genotex.formats import Evidence
from genotex.reports import log_steps, methods_paragraph, model_methods
from tests.reports.report_cohort import make_evidence, make_table, vary
from tests.reports.report_steps import PAIR, plain, selected, with_mixed

EVIDENCE = make_evidence(*make_table(genes=120))
READING, LINKING, MAPPING = EVIDENCE.reading, EVIDENCE.linking, EVIDENCE.mapping


def told(evidence: Evidence, **method: Any) -> str:
    return methods_paragraph(evidence, vary(plain(), method=method), 120)


def trait(**fields: Any) -> dict[str, Any]:
    return {"reading": {**READING, "trait": {**READING["trait"], **fields}}}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "data of GEO series GSE55457 (GPL96, Affymetrix Human Genome U133A Array) were"),
        ({"source": "TCGA"}, "data of cohort GSE55457 from the UCSC Xena hub (GPL96, "),
        ({"series": {"platform": "GPL96"}}, "GEO series GSE55457 (GPL96) were processed"),
        ({"series": {}}, "GEO series GSE55457 were processed with genotex 0.1.0"),
        ({}, "became 12,988 official human gene symbols through the platform column 'Gene Symbol'"),
        ({}, "Values were on a linear scale and were log2-transformed."),
        ({"mapping": {**MAPPING, "offset": 1.5}}, "transformed to log2(value + 1.5)."),
        ({"mapping": {**MAPPING, "scale": "log2"}}, "Values were on the log2 scale as published."),
        ({}, "annotated from the sample characteristic 'clinical status' by the built-in rules."),
        ({"reading": {**READING, "by": "a model"}}, "'clinical status' by a model."),
        (trait(told_by="an agent"), "'clinical status' by an agent."),
        (trait(key="", told_by=None), "The trait was annotated by the built-in rules."),
        (
            trait(sample_field="sample", evidence=["from the paper", "by hand"]),
            "A person decided the groups of the samples (from the paper; by hand).",
        ),
        ({"reading": {**READING, "excluded": ["A", "B"]}}, "A person excluded 2 samples."),
        ({}, "112 genes missing in more than 20 % of samples were left out. "),
        (
            {"linking": {**LINKING, "samples_without_trait": 2, "samples_dropped": 1}},
            "2 samples without the trait, 112 genes missing in more than 20 % of samples and 1 "
            "sample missing more than 5 % of genes were left out.",
        ),
    ],
)
def test_methods_say_what_was_read(changed: dict[str, Any], words: str) -> None:
    assert words in told(replace(EVIDENCE, **changed))


def test_nothing_that_was_not_done_is_in_the_methods() -> None:
    text = told(replace(EVIDENCE, linking={**LINKING, "genes_dropped": 0}, mapping={}))
    assert "by the built-in rules. 23 samples were compared" in text
    assert "symbols" not in text and "person" not in text and "Not tested" not in text
    assert "with age as covariate." in told(EVIDENCE, adjusted_for=["Age"])
    assert "with age and gender as covariates." in told(EVIDENCE)
    assert "covariate" not in told(EVIDENCE, adjusted_for=[])


def test_values_in_the_log_are_written_in_words() -> None:
    linking = {"kept_all": True, "share": 0.12345, "none_of": [], "names": ["b", 1234],
               "by_group": {"case": 1000}, "absent": None}  # fmt: skip
    mapping = {**MAPPING, "offset": 0.5, "rows_with_symbol": None, "gene_column": None}
    evidence = replace(EVIDENCE, linking=linking, mapping=mapping)
    steps = {s.name: (s.value, s.remark) for s in log_steps(evidence, plain(), 120)}
    values = {name: value for name, (value, _) in steps.items()}
    assert [values[name] for name in ("Kept all", "Share", "None of", "Names", "By group",
                                      "Absent")] == [
        "yes", "0.1235", "none", "b and 1,234", "case: 1,000", "none",
    ]  # fmt: skip
    assert "Rows with a gene" not in steps and steps["Offset of the logarithm"][0] == "0.5"
    assert steps["Scale of the values"] == ("linear", "as detected or given")
    chosen = {s.name: s.value for s in log_steps(evidence, selected({"JUN": 0.1}), 119)}
    assert chosen["Genes to select from"] == "119" and "Genes tested" not in chosen


PRIOR = {"df": 3.5, "df_infinite": False, "trend": False, "robust": False}
COUNTS = {"weights": "voom", "normalisation": "TMM", "genes": 200, "filtered": 80, "kept": 120,
          "rule": "some counts"}  # fmt: skip
PANEL = {"model": "logistic regression, L1", "folds": 4}


@pytest.mark.parametrize(
    ("method", "words", "not_said"),
    [
        ({}, "the trait's coefficient was tested with limma's", "at most"),
        ({}, "moderated t statistic (Smyth 2004), with age", "degrees"),
        ({"options": {"min_effect": 0.5}}, "against effects of at most 0.5 (McCarthy", "F stat"),
        ({"levels": {"treatment": "factor"}}, "moderated F statistic", "trait's coefficient was"),
        ({"prior": PRIOR}, "(Smyth 2004; 3.5 prior degrees of freedom), with", "robust"),
        ({"prior": {**PRIOR, "df_infinite": True}}, "; infinite prior degrees of freedom)", "3.5"),
        ({"prior": {"trend": True}}, "(Smyth 2004, with a trend in mean expression)", "robust"),
        (
            {"prior": {"trend": True, "trend_because": "normalised reads"}},
            "(Smyth 2004, with a trend in mean expression as due for normalised reads)",
            "robust",
        ),
        ({"prior": {"robust": True}}, "2004; robust to hypervariable genes, Phip", "a trend in"),
        ({"weights": {"used": "sample"}}, "each sample weighted by its precision", "spread"),
        (
            {"weights": {"used": "group", "deviation": {"case": 1.25, "control": 0.8}}},
            "relative standard deviations: case 1.25 and control 0.80;",
            "each sample",
        ),
        ({"weights": {"used": "none"}}, "by ordinary least squares and the trait's", "weighted"),
        ({"counts": COUNTS}, "by weighted least squares with voom's precision", "ordinary"),
        ({"counts": {**COUNTS, "weights": "none"}}, "on the trait by ordinary least", "voom"),
        ({"filter": {"low": 3, "constant": 0}}, "Not tested were 3 genes low in nearly", "const"),
        ({"panel": PANEL}, "logistic model) on z-scored genes, with the covariates unp", "judged"),
        ({"panel": PANEL}, "4-fold cross-validation (Breiman et al. 1984).", "half-samples"),
        ({"panel": {**PANEL, "model": "linear"}}, "1996; linear model)", "logistic"),
        ({"panel": PANEL, "adjusted_for": []}, "on z-scored genes; its penalty", "unpenalised"),
        (
            {"panel": {**PANEL, "quality": {"auroc": 1.0}, "stability": {"pairs": 50}}},
            "judged by nested cross-validation. How often each gene was chosen was counted over 50",
            "linear model)",
        ),
        ({"interaction": {"tested": 0, "significant": 0}}, "were called significant.", "product"),
    ],
)
def test_methods_say_how_genes_were_tested(
    method: dict[str, Any], words: str, not_said: str
) -> None:
    text = told(EVIDENCE, **method)
    assert words in text and not_said not in text


PAIRED = {"design": "correlated", "samples": 23, "correlation": 0.35}


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({}, "Samples were compared within 10 pairs by 'donor', each with a level of its own"),
        (PAIRED, "Samples of the same 'donor' (10 people) were treated as correlated (r = 0.35, "),
        ({**PAIRED, "key": "detected"}, "Samples of one person, detected by the correlation of "),
        (
            {"design": "averaged", "samples": None},
            "the same 'donor' were averaged before any test. ",
        ),
    ],
)
def test_methods_say_how_pairs_were_compared(record: dict[str, Any], words: str) -> None:
    findings = vary(plain(), method={"pair": {**PAIR, **record}})
    assert words in model_methods(findings, 120)


@pytest.mark.parametrize(("ranks", "least"), [(True, 0.5), (True, 0.0), (False, 0.5)])
def test_a_least_change_is_a_rule_of_its_own_under_the_mixed_model(
    ranks: bool, least: float
) -> None:
    findings = vary(with_mixed(plain(), ranks=ranks), method={"options": {"min_effect": least}})
    text = model_methods(findings, 120)
    assert ("q < 0.05 and an absolute change of at least 0.5 were" in text) is (ranks and least > 0)
    assert ("q < 0.05 were called" in text) is not (ranks and least > 0)


ABC, SEX = ["A", "B", "C"], ["female", "male"]


def design(contrast: str, tested: list[str], **more: Any) -> Any:
    """Return the words of a contrast of 36 samples: group in three levels, sex in two."""
    asked = {
        "formula": "~ group * sex", "contrast": contrast, "compared": None, "variables": ["group"],
        "factors": {"group": ABC, "sex": SEX}, "tested": tested,
        "samples": [str(i) for i in range(36)], **more,
    }  # fmt: skip
    return vary(plain(), method={"formula": asked}).design


ONE = {"compared": "group", "levels": {"C": 1.0, "A": -1.0}}


@pytest.mark.parametrize(
    ("words", "predicate", "sides", "effect_kind"),
    [
        (
            design("group: trend | sex = male", ["group"], **ONE),
            "change along the levels of group where sex = male",
            ("rising along group", "falling along group"),
            "combination",
        ),
        (
            design("group: C - A", ["group"], **ONE),
            "differ between C and A (group)",
            ("higher in C", "lower in C"),
            "combination",
        ),
        (
            design("group: (B + C)/2 - A", ["g"], compared="group",
                   levels={"A": -1.0, "B": 0.5, "C": 0.5}),
            "differ between the mean of B and C, and A (group)",
            ("higher in the mean of B and C", "lower in the mean of B and C"),
            "combination",
        ),
        (
            design("group: C - 2 B + A", ["g"], compared="group",
                   levels={"A": 1.0, "B": -2.0, "C": 1.0}),
            "differ by the contrast group: C - 2 B + A",
            ("with a positive coefficient", "with a negative coefficient"),
            "combination",
        ),
        (
            design("group: B + C - A", ["g"], compared="group",
                   levels={"A": -1.0, "B": 1.0, "C": 1.0}),
            "differ by the contrast group: B + C - A",
            ("with a positive coefficient", "with a negative coefficient"),
            "combination",
        ),
        (
            design("group: B/4 + 3 C/4 - A", ["g"], compared="group",
                   levels={"A": -1.0, "B": 0.25, "C": 0.75}),
            "differ by the contrast group: B/4 + 3 C/4 - A",
            ("with a positive coefficient", "with a negative coefficient"),
            "combination",
        ),
        (
            design("age: 60 - 40", ["age"], compared="age", variables=["age"],
                   levels={"60": 1.0, "40": -1.0}),
            "differ between age 60 and age 40",
            ("higher at age 60", "lower at age 60"),
            "combination",
        ),
        (
            design("group[T.B]:sex[T.male]", ["group[T.B]:sex[T.male]"],
                   variables=["group", "sex"]),
            "show an interaction of group and sex",
            ("with a positive coefficient", "with a negative coefficient"),
            "unit",
        ),
        (
            design("age: trend", ["age^2"], variables=["age"]),
            "change with age^2",
            ("rising with age^2", "falling with age^2"),
            "unit",
        ),
        (
            design("group", ["group[T.B]", "group[T.C]"]),
            "differ among the levels of group",
            ("higher than in A", "lower than in A"),
            "differences",
        ),
        (
            design("group:sex", ["group[T.B]:sex[T.male]", "group[T.C]:sex[T.male]"],
                   variables=["group", "sex"]),
            "show an interaction of group and sex",
            ("with a positive largest coefficient", "with a negative one"),
            "coefficients",
        ),
        (
            design("age", ["age"], variables=["age"]),
            "change with age",
            ("rising with age", "falling with age"),
            "unit",
        ),
        (
            design("ns(age, 2)", ["ns(age, 2)[1]", "ns(age, 2)[2]"], variables=["age"]),
            "change with age",
            ("with a positive largest coefficient", "with a negative one"),
            "coefficients",
        ),
    ],
    ids=lambda value: getattr(value, "contrast", ""),
)  # fmt: skip
def test_a_contrast_in_words(
    words: Any, predicate: str, sides: tuple[str, str], effect_kind: str
) -> None:
    assert (words.predicate, words.sides) == (predicate, sides)
    assert words.column_kind == effect_kind


def test_tested_coefficients_in_words() -> None:
    levels = design("group", ["group[T.B]", "group[T.C]"])
    assert levels.coefficient_label("group[T.C]") == "C vs A"
    assert levels.coefficient_label("group[T.D]") == "group[T.D]", "no level of the factor"
    assert levels.coefficient_label("sex[T.male]") == "sex[T.male]", "not the factor tested"
    assert levels.coefficient_label("group[T.B]:sex[T.male]") == "B:male"
    assert levels.coefficient_label("group[T.B]:age") == "group[T.B]:age"
    assert levels.coefficient_label("sex[T.male]:group[T.B]") == "male:B"
    assert levels.short == "2 coefficients of group"
    assert levels.effect == "largest difference to A, log2"
    assert design("group: C - A", ["group"], **ONE).short == "contrast 'group: C - A'"


def test_a_difference_of_cases_and_controls() -> None:
    asked = {"formula": "~ status", "contrast": "status: case - control", "compared": "status",
             "levels": {"case": 1.0, "control": -1.0}, "variables": ["status"], "tested": ["s"],
             "factors": {"status": ["control", "case", "other"]},
             "samples": [str(i) for i in range(9)]}  # fmt: skip
    contrast = {"levels_compared": {"case": "case", "control": "control"},
                "group_sizes": {"case": 3, "control": 5}}  # fmt: skip
    method = {"formula": asked, "contrast": contrast, "standardised_effect": "Hedges' g"}
    words = vary(plain(), method=method).design
    assert words is not None and words.difference == ("case", "control")
    assert words.predicate == "differ between cases and controls (status)"
    assert words.sides == ("higher in cases", "lower in cases")
    assert words.column_kind == "levels"
    told = "3 cases against 5 controls, with 1 further sample in the design"
    assert words.compared_text() == told
    levels = {"levels_compared": {"case": "case", "control": "other"},
              "group_sizes": {"case": 3, "control": 6}}  # fmt: skip
    other = vary(plain(), method={**method, "contrast": levels}).design
    assert other is not None
    assert other.compared_text() == "3 samples of case against 6 samples of other"


def test_a_design_has_its_own_methods_and_log() -> None:
    asked = {"formula": "~ group", "contrast": "group", "compared": None, "variables": ["group"],
             "factors": {"group": ABC}, "tested": ["group[T.B]", "group[T.C]"],
             "groups": {"A": 12, "B": 11}, "samples": ["1"] * 23}  # fmt: skip
    text = told(EVIDENCE, formula=asked)
    assert "annotated" not in text and "covariate" not in text
    assert (
        "The design was ~ group (group with the levels A, B and C), the contrast group: 23 " in text
    )
    assert "on the design by ordinary least squares and the 2 coefficients of group were " in text
    assert "were together tested with limma's empirical-Bayes moderated F statistic" in text
    one = told(EVIDENCE, formula={**asked, "tested": ["group[T.B]"]})
    assert "the contrast 'group' was tested with limma's empirical-Bayes moderated t" in one
    findings = vary(plain(), method={"formula": asked})
    steps = {s.name: (s.value, s.remark) for s in log_steps(EVIDENCE, findings, 120)}
    assert steps["Samples compared"] == ("23", "those of the design")


def test_which_samples_a_contrast_compares() -> None:
    levels = design("group", ["b", "c"], groups={"A": 12, "B": 13})
    assert levels.compared_text() == "36 samples in the levels of group: A (12) and B (13)"
    both = design("group:sex", ["b", "c"], variables=["group", "sex"])
    assert both.compared_text() == "36 samples, for the interaction of group and sex"
    assert both.effect == "largest of the coefficients tested together"
    age = design("age", ["age"], variables=["age"])
    assert age.compared_text() == "36 samples along age" and age.measured == "age"
    assert design("x", ["x"], variables=[]).compared_text() == "36 samples along x"
    assert both.measured is None and design("x", ["x"], variables=[]).measured is None
    assert design("age:sex", ["a"], variables=["age", "sex"]).measured is None
    assert design("ns(age)", ["a", "b"], variables=["age"]).effect == both.effect
