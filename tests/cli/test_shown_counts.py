"""Each number on a screen is that of its own word: objects whose every field differs, rendered."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from genotex.analysis import AnalysisResult, CohortFacts, Enrichment, MetaResult
from genotex.bench import ErrorClass, ProblemRecord, RunSummary
from genotex.cli import screen
from genotex.cli.benchmark import bench, problems_screen
from genotex.cli.data import fetch, fetch_screen, verify
from genotex.cli.genes import analysed, results
from genotex.errors import FetchError
from genotex.fetch import CheckedFile, Fetched, FileState, Outcome
from genotex.genes import GeneSource
from genotex.problems import (
    CategoryCount,
    ConditionFacts,
    Finding,
    GeneCount,
    PairComparison,
    PairDifference,
    PairRule,
    Problem,
    ProblemCounts,
    ProblemKind,
    RelatedGenes,
    RuleCount,
    TraitInfo,
)
from genotex.workflows import Combined
from tests.cli.conftest import Shown
from tests.cli.test_shown_screens import tables_on

# ------------------------------------------------------------------------------- problems


def facts(condition: str, kind: ProblemKind, jaccard: float | None, shared: int) -> ConditionFacts:
    genes = tuple(f"S{i}" for i in range(shared))
    return ConditionFacts(condition, kind, True, genes, jaccard, f"why {condition}")


def test_conditions_of_a_trait(shown: Shown) -> None:
    genes = [f"G{i}" for i in range(1016)]
    given = [
        facts("Age", ProblemKind.ONE_STEP, None, 0),
        facts("Obesity", ProblemKind.TWO_STEP, 0.0, 0),
        facts("Eczema", ProblemKind.TWO_STEP, 0.25, 3),
    ]
    screen_, _ = shown(problems_screen.show_trait, "Asthma", "Immune system", genes, given)
    assert "Asthma (Immune system)" in screen_ and "\n3 conditions\n" in screen_
    assert f"1,016 related genes: {', '.join(genes[:15])}, ...\n" in screen_
    (rows,) = tables_on(screen_)
    assert [list(row.values()) for row in rows] == [
        ["Age", "one-step", "-", "-", "why Age"],
        ["Obesity", "two-step", "0", "0", "why Obesity"],
        ["Eczema", "two-step", "0.25", "3", "why Eczema"],
    ]
    assert list(rows[0]) == ["condition", "kind", "Jaccard", "shared genes", "why"]
    whole, _ = shown(problems_screen.show_trait, "Gout", None, genes[:15], given)
    assert whole.startswith("Gout (not in the trait list)\n15 related genes: G0,")
    assert whole.splitlines()[1].endswith("G14")


def test_one_condition_of_a_trait(shown: Shown) -> None:
    given = facts("Eczema", ProblemKind.TWO_STEP, 0.123456, 16)
    screen_, _ = shown(problems_screen.show_condition, "Asthma", 1200, 345, given)
    assert screen_.splitlines()[:2] == [
        "Asthma given Eczema: a problem of this list (two-step)",
        "related genes: 1,200 of the trait, 345 of the condition, 16 of both; Jaccard 0.1235",
    ]
    assert "shared: S0, S1" in screen_ and "S14, ...\n" in screen_ and "S15" not in screen_
    assert screen_.endswith("by the rules: why Eczema\n")


def test_counts_of_a_task_list(shown: Shown) -> None:
    kinds = dict(zip(ProblemKind, (11, 1022, 2033), strict=True))
    names = tuple(f"N{i}" for i in range(9))
    counts = ProblemCounts(
        1234, kinds, GeneCount(least=2, most=3456, median=1007.5, distinct=45678), names,
        names[:8], {f"C{i}": 90 - i for i in range(9)},
        (CategoryCount("cancer", "Cancer", 21, 322, 301, 17.5),),
    )  # fmt: skip
    screen_, _ = shown(problems_screen.show_counts, counts)
    assert screen_.splitlines()[:6] == [
        "1,234 traits",
        "3,066 problems: 11 unconditional, 3,055 conditional (1,022 one-step, 2,033 two-step)",
        "related genes per trait: 2 to 3,456, median 1,007.5; 45,678 different genes",
        "traits without related genes: 9 (N0, N1, N2, N3, N4, N5, N6, N7, ...)",
        "traits without conditions: 8 (N0, N1, N2, N3, N4, N5, N6, N7)",
        "most frequent conditions: C0 90, C1 89, C2 88, C3 87, C4 86, C5 85, C6 84, C7 83",
    ]
    assert tables_on(screen_)[-1] == [{
        "category": "cancer", "traits": "21", "problems": "322", "conditional": "301",
        "median genes": "17.5", "title": "Cancer",
    }]  # fmt: skip
    told = problems_screen.counts_json(counts)
    assert (told["traits"], told["problems"], told["conditional"]) == (1234, 3066, 3055)
    assert told["genes_per_trait"] == {"least": 2, "most": 3456, "median": 1007.5,
                                       "distinct": 45678}  # fmt: skip
    for name, wanted in (("genes", 9), ("conditions", 8)):
        assert len(told[f"traits_without_{name}"]) == wanted


def test_findings_are_counted_by_severity(shown: Shown) -> None:
    many = tuple(f"T{i}" for i in range(4))
    found = [
        Finding("warning", many[:2], "odd", "look"),
        Finding("error", many, "wrong", "mend"),
        Finding("warning", many[:3], "strange", "ask"),
    ]
    screen_, said = shown(problems_screen.show_findings, Path("list.json"), found)
    assert screen_ == "list.json: errors 1, warnings 2\n"
    assert said.splitlines() == [
        "warning T0, T1: odd (look)",
        "error T0, T1 and 2 more: wrong (mend)",
        "warning T0, T1 and 1 more: strange (ask)",
    ]


def test_what_was_built_and_how_it_compares(shown: Shown) -> None:
    pairs = [Problem(f"T{i}", f"C{i}") for i in range(60)]
    only = tuple(PairDifference(each, f"why {each.trait}") for each in pairs)
    rules = (RuleCount(PairRule.JACCARD, 9, 8, 7, 6), RuleCount(PairRule.CANCERS, 0, 0, 0, 0))
    compared = [
        PairComparison(0.1, tuple(pairs[:3]), only[:41], only[50:52], rules),
        PairComparison(0.2, tuple(pairs[:4]), only[:4], only[:12], rules),
    ]
    built = {
        "A": TraitInfo(("G",), ("Age", "Gender")),
        "B": TraitInfo((), ("Age",)),
        "C": TraitInfo(("G",), ()),
    }
    related = RelatedGenes({}, 5678, ("E1",), ("W1", "W2"), ("D1", "D2", "D3"))
    screen_, _ = shown(problems_screen.show_built, built, 0.1, related, compared)
    for line in (
        "5,678 associations; 2 of 3 traits have related genes",
        "Ensembl ids without one official symbol: 1 (E1)",
        "traits without a disease id: 2 (W1, W2)",
        "disease ids without an association: 3 (D1, D2, D3)",
        "3 traits, 3 trait-condition pairs at threshold 0.1",
        "of 9 possible pairs 5 are published; 3 agree, 41 are only built, 2 only published",
        "... and 1 more; --json prints all",
    ):
        assert f"{line}\n" in screen_, line
    assert tables_on(screen_)[-1] == [
        {"threshold": "0.1", "built": "44", "agreeing": "3", "only built": "41",
         "only published": "2", "precision": "0.0682", "recall": "0.6"},
        {"threshold": "0.2", "built": "8", "agreeing": "4", "only built": "4",
         "only published": "12", "precision": "0.5", "recall": "0.25"},
    ]  # fmt: skip
    (decided,) = (table for table in tables_on(screen_) if "decided by" in table[0])
    assert decided == [{"possible pairs": "9", "similar enough": "8", "built": "7",
                        "published": "6", "decided by": PairRule.JACCARD.value}]  # fmt: skip
    (first, *_) = (table for table in tables_on(screen_) if "given" in table[0])
    assert first[0] == {"only built": "T0", "given": "C0", "why": "why T0"}
    told = problems_screen.built_json(built, 0.1, related, compared)
    assert (told["traits"], told["conditional"], told["threshold"]) == (3, 3, 0.1)
    assert (len(told["only_built"]), len(told["only_published"])) == (41, 2)
    assert told["only_published"][0] == {"trait": "T50", "condition": "C50", "why": "why T50"}
    assert [(row["candidates"], row["published"]) for row in told["thresholds"]] == [
        (9, 5),
        (9, 16),
    ]


# ------------------------------------------------------------------------------- fetch, bench run


def test_outcome_of_each_file(shown: Shown) -> None:
    outcomes = [
        Outcome("a", Fetched(Path("x/a"), "aa", 1_234_567_890, True)),
        Outcome("b", Fetched(Path("x/b"), "bb", 60_000, False)),
        Outcome("c", error=FetchError("down")),
        Outcome("d", Fetched(Path("x/d"), "dd", 0, True)),
        Outcome("e"),
    ]
    screen_, _ = shown(fetch_screen.show_outcomes, outcomes)
    (rows,) = tables_on(screen_)[:1]
    assert [list(row.values()) for row in rows] == [
        ["fetched", "a", "1,234.6", "-"],
        ["was there", "b", "0.1", "-"],
        ["failed", "c", "-", "down"],
        ["fetched", "d", "0.0", "-"],
        ["not asked", "e", "-", "-"],
    ]
    assert list(rows[0]) == ["state", "file", "MB", "why"]
    assert screen_.splitlines()[-1] == "2 fetched, 1 was there, 1 failed, 1 not asked"
    first, _, third, *_ = fetch_screen.outcomes_json(outcomes)
    assert first == {"path": "a", "state": "fetched", "size": 1_234_567_890, "sha256": "aa",
                     "error": None}  # fmt: skip
    assert third == {"path": "c", "state": "failed", "size": None, "sha256": None, "error": "down"}


def test_files_that_are_not_as_they_should_be(shown: Shown) -> None:
    checked = [CheckedFile(f"f{i}", FileState.MISSING, f"d{i}") for i in range(20)]
    checked += [CheckedFile(f"o{i}", FileState.OK) for i in range(3)]
    checked += [CheckedFile(f"u{i}", FileState.UNREADABLE, f"e{i}") for i in range(21)]
    checked += [CheckedFile("more", FileState.NOT_LISTED)]
    screen_, _ = shown(verify._show_checked, checked)
    missing, unreadable, other = tables_on(screen_)[:3]
    assert missing[19] == {"state": "missing", "file": "f19", "detail": "d19"}
    assert (len(missing), len(unreadable), len(other)) == (20, 20, 1)
    assert screen_.count("... and") == 1 and "... and 1 more\n" in screen_
    assert screen_.splitlines()[-1] == "3 ok, 20 missing, 21 unreadable, 1 not listed"
    told = verify._checked_json(Path("in"), checked)
    counts = {"ok": 3, "missing": 20, "unreadable": 21, "not listed": 1}
    assert (told["counts"], told["wrong"], told["folder"]) == (counts, True, "in")
    assert verify._checked_json(Path("in"), checked[20:23] + checked[-1:])["wrong"] is False


def test_genes_that_were_fetched(shown: Shown) -> None:
    source = GeneSource("NCBI", "2026-05-06", "ff", 12_345, 67_890)
    files = [Fetched(Path(f"m/{i}"), f"{i}{i}", 1_100_000 * i, i == 1) for i in (1, 2, 3, 4)]
    table = SimpleNamespace(source=source, symbols=lambda _: dict.fromkeys(range(1234)))
    found = SimpleNamespace(
        gene_info=files[0], synonyms=files[1], table=tuple(files[2:]), genes=table
    )
    (rows,) = tables_on(shown(fetch._show_genes, found)[0])[:1]
    assert [list(row.values()) for row in rows] == [
        ["fetched", "m/1", "1.1", "NCBI's of 2026-05-06"],
        ["was there", "m/2", "2.2", "1,234 names in capitals -> official symbols"],
        ["was there", "m/4", "4.4", "12,345 genes, 67,890 accessions"],
    ]
    told = fetch._genes_json(found)  # type: ignore[arg-type]
    assert told["files"][2] == {"path": "m/3", "size": 3_300_000, "sha256": "33"}
    del told["files"]
    assert told == {
        "state": "fetched", "date": "2026-05-06", "genes": 12_345, "accessions": 67_890,
        "names": 1234, "gene_table": "m/4",
    }  # fmt: skip


def test_only_a_long_pause_is_announced(shown: Shown) -> None:
    said = [shown(fetch_screen.note_pause, "busy", seconds)[1] for seconds in (1.99, 2.0, 3600.4)]
    assert said == ["", "waiting busy; next attempt in 2 s\n",
                    "waiting busy; next attempt in 3,600 s\n"]  # fmt: skip


def test_outcome_of_a_run_of_the_benchmark(shown: Shown) -> None:
    summary = RunSummary(
        problems=9, answered=5,
        by_kind={"unconditional": {"problems": 6, "answered": 4},
                 "one-step": {"problems": 3, "answered": 1}},
        by_error_class={"no cohort": 3, "crashed": 1},
        cohorts={"read": 8, "usable": 7}, cohorts_not_read={"Gout/GSE1": "broken\nfile"},
        seconds={"total": 99.0, "median": 1.2345, "longest": 67.89, "cohorts": 45.6},
        peak_memory_mb=2345.6,
    )  # fmt: skip
    failed = [ProblemRecord(Problem(name), ErrorClass.CRASHED, f"why\n{name}") for name in "ABC"]
    screen_, said = shown(
        bench._show_run, summary, [ProblemRecord(Problem("Z")), *failed], Path("out"), 2
    )
    assert [list(row.values()) for row in tables_on(screen_)[0]] == [
        ["unconditional", "6", "4"], ["one-step", "3", "1"], ["all", "9", "5"],
    ]  # fmt: skip
    assert list(tables_on(screen_)[0][0]) == ["kind", "problems", "answered"]
    assert screen_.splitlines()[-1] == (
        "8 cohorts, 7 usable; 1.23 s a problem (median), 67.9 s the longest; peak memory 2,346 MB"
    )
    assert said.splitlines() == [
        "not read Gout/GSE1: broken file", "no cohort 3 problems", "crashed 1 problem",
        "not answered A: why A", "not answered B: why B", "not answered C: why C",
        "7 of the problems were finished before",
        "results are in out/regress, the outcome of each problem in out/run",
    ]  # fmt: skip
    four = [*failed, ProblemRecord(Problem("D"), ErrorClass.CRASHED, "x")]
    assert "not answered" not in shown(bench._show_run, summary, four, Path("out"), 9)[1]
    assert "finished before" not in shown(bench._show_run, summary, four, Path("out"), 9)[1]


# ------------------------------------------------------------------------------- results


def combined(cohorts: int) -> Combined:
    rows = [
        {"Variable": f"G{i}", "Combined Effect": 0.5 + i, "CI Lower": 0.25 + i,
         "CI Upper": 0.75 + i, "p": 0.001 * (i + 1), "q": 0.0101 * (i + 1),
         "Random p": 0.0303 * (i + 1) if cohorts > 2 else None,
         "I2": 10.5 + i, "Replication q": 0.0404 * (i + 1), "Replicates": i < 2,
         "Replication": 0.912 - 0.01 * i, "Q p": 0.5,
         "Significant": i < 3}
        for i in range(12)
    ]  # fmt: skip
    facts = tuple(
        CohortFacts(f"GSE{i}", "", 10, 20, 5, counts="voom" if i == 1 else "")
        for i in range(cohorts)
    )
    genes = pl.DataFrame(rows)
    each = {f"GSE{c} Effect": pl.lit(0.5 + c) for c in range(cohorts)}
    each |= {f"GSE{c} p": pl.lit(0.001) for c in range(cohorts)}
    effects = genes.select("Variable", **each)
    method = {"options": {"q_cut": 0.07}, "kind": "binary"}
    result = MetaResult("Lung_Cancer", None, genes, effects, facts, {}, ("of Lung_Cancer",), method)
    return Combined(Problem("Lung_Cancer"), result, Path("page.html"))


@pytest.mark.parametrize("cohorts", [2, 3])
def test_genes_of_all_cohorts(shown: Shown, cohorts: int) -> None:
    screen_, said = shown(results.show_combined, combined(cohorts))
    names = ", ".join(f"GSE{i}" for i in range(cohorts))
    assert (
        f"{cohorts} cohorts together ({names}): 2 of 12 genes replicate, "
        "3 are significant at q < 0.07\nGSE1: voom\n"
    ) in screen_
    rows = next(table for table in tables_on(screen_) if len(table[0]) > 7)
    assert len(rows) == 10 and rows[1] == {
        "gene": "G1", "effect": "1.5", "95 % interval": "1.25 to 1.75", "p": "0.002",
        "q": "0.0202", **({"strict p": "0.0606"} if cohorts == 3 else {}), "I2": "11.5",
        "replication q": "0.0808", "replicates": "yes", "next cohort": "0.902",
    }  # fmt: skip
    assert [row["replicates"] for row in rows[:3]] == ["yes", "yes", "no"]
    last = f"GSE{cohorts - 1}"
    assert f"\nG1: up in {cohorts} of {cohorts}, p 0.0020; strongest in {last}; rep" in screen_
    assert said == "warning of Lung Cancer\n" and "report over all cohorts: page.html" in screen_
    why = Combined(Problem("Gout"), why="one cohort")
    assert shown(results.show_combined, why) == ("", "not combined one cohort\n")


SETS: dict[str, Any] = {
    "Gene Set": "SET", "Tested Genes": 31, "Direction": "up", "Fry Direction": "down",
    "Shift": 4.56, "Inter-gene Correlation": 0.0123,
    "p": 0.0001, "q": 0.0011, "Fry p": 0.0002, "Fry q": 0.0022,
    "Mixed p": 0.0003, "Mixed q": 0.0033, "Enrichment Score": 0.6, "Normalised Score": 1.77,
    "Leading Edge": "A B C D", "Significant Genes": 7, "Expected": 2.34, "Overlap": "X Y",
}  # fmt: skip


@pytest.mark.parametrize(("test", "change"), [("camera", "up"), ("fry", "down")])
def test_gene_sets_of_a_trait(shown: Shown, test: str, change: str) -> None:
    rows = [SETS, SETS | {"Leading Edge": None}, SETS | {"Leading Edge": "A B C"}, *[SETS] * 14]
    record = {
        "gene_sets": {"sets": 5555, "tested": 1017, "genes": 6666, "genes_tested": 4444},
        "options": {"min_size": 12, "max_size": 345, "q_cut": 0.06, "test": test},
        "cohort": "GSE7", "notes": ["mind this"],
        "significant": {"camera": {"up": 8, "down": 3}, "fry": {"up": 9, "down": 4},
                        "fry-mixed": 21},
    }  # fmt: skip
    given = Enrichment("Lung_Cancer", None, pl.DataFrame(rows), record)
    screen_, said = shown(analysed._show, given)
    assert (
        "1,017 of 5,555 gene sets have 12 to 345 tested genes; 4,444 of the 6,666 genes in the "
        "file were tested in GSE7\n"
    ) in screen_
    for name, found in (
        ("camera", "8 higher, 3 lower with Lung Cancer"), ("fry", "9 higher, 4 lower with Lung"),
        ("fry-mixed", "21\n"),
    ):  # fmt: skip
        (line,) = (
            x for x in screen_.splitlines(keepends=True) if x.split(" ")[0].strip(",") == name
        )
        assert f"q < 0.06: {found}" in line and ("(decides)" in line) == (name == test)
    (table,) = tables_on(screen_)[-1:]
    assert len(table) == 15 and table[0] == {
        "gene set": "SET", "genes": "31", "change": change, "shift": "4.56",
        "fry q": "0.0022", "camera q": "0.0011", "mixed q": "0.0033", "score": "1.77",
        "significant": "7 (by chance 2.3)", "first genes": "A B C ...",
    }  # fmt: skip
    assert [row["first genes"] for row in table[1:3]] == ["X Y", "A B C"]
    assert said == "note mind this\n"


METHOD: dict[str, Any] = {
    "filter": {"tested": 4321}, "options": {"q_cut": 0.06, "model": "all", "min_effect": 0.25},
    "contrast": {"text": "8 cases against 9 controls", "kind": "binary"}, "ranked_by": "p",
    "hidden": {"used": 0},
    "adjusted_for": ["Age", "Batch"], "significant": 2, "without_covariates": 17,
    "interaction": {"condition": "Age", "tested": 4320, "significant": 1, "q_cut": 0.07,
                    "top": [{"Variable": "G5"}, {"Variable": "G6"}]},
    "two_step": {"condition": "Heart_rate", "regressors": ["R1", "R2", "R3"], "cohort": "GSE8",
                 "score_name": "accuracy", "score": 0.777},
}  # fmt: skip


def solved(method: dict[str, Any], departure: float | None = None) -> AnalysisResult:
    genes = pl.DataFrame(
        {"Variable": f"G{i}", "Coefficient": 1.5 + i, "p": 0.001 * (i + 1), "q": 0.002 * (i + 1),
         "Mixed p": 0.01 * (i + 1), "Mixed q": 0.0303 * (i + 1), "Departure q": departure,
         "Replication": 0.9 - 0.01 * i, "Grade": "masked" if departure else None,
         "Significant": i < 2}
        for i in range(12)
    )  # fmt: skip
    return AnalysisResult("Gout", None, genes, {}, method, ("of Gout",), "GSE7")


def test_genes_of_one_cohort(shown: Shown) -> None:
    screen_, said = shown(results.show_result, solved(METHOD))
    assert screen_.splitlines()[:4] == [
        "2 of 4321 genes significant at q < 0.06 for effects beyond 0.25 in GSE7: 8 cases "
        "against 9 controls",
        "Heart rate is predicted from 3 genes of GSE8 (accuracy 0.78); they are not tested.",
        "Without covariates (Age, Batch), 17 genes would be significant.",
        "The interaction with Age is significant at q < 0.07 for 1 of 4,320 genes (G5).",
    ]
    (rows,) = tables_on(screen_)[-1:]
    assert len(rows) == 10 and said == "warning of Gout\n"
    assert rows[1] == {"gene": "G1", "effect": "2.5", "p": "0.002", "q": "0.004",
                       "replication": "0.89", "mixed q": "0.0606"}  # fmt: skip
    mixed = METHOD | {"ranked_by": "Mixed p", "two_step": None, "without_covariates": None}
    mixed |= {"options": {"q_cut": 0.06, "model": "mixed"}, "interaction": None}
    screen_, _ = shown(results.show_result, solved(mixed, departure=0.5))
    assert screen_.startswith("2 of 4321 genes significant at q < 0.06 in GSE7: 8 cases")
    assert tables_on(screen_)[-1][1] == {
        "gene": "G1", "effect": "2.5", "mixed p": "0.02", "mixed q": "0.0606",
        "replication": "0.89", "grade": "masked", "departure q": "0.5",
    }  # fmt: skip
    chosen = {"procedure": "benchmark", "filter": {"tested": 4321}, "rotated": True,
              "solver": {"lambda": 0.01234}, "contrast": METHOD["contrast"]}  # fmt: skip
    screen_, _ = shown(results.show_result, solved(chosen))
    assert screen_.startswith(
        "2 of 4321 genes selected by the rotated Lasso at lambda 0.01234 in GSE7: 8 cases against"
    )
    assert tables_on(screen_)[-1][1] == {"gene": "G1", "coefficient": "2.5"}
    screen_, _ = shown(results.show_result, solved(chosen | {"rotated": False}))
    assert "selected by the Lasso at" in screen_


@pytest.mark.parametrize(("without", "told"), [(0, True), (1, False), (3, False), (4, True)])
def test_covariates_are_told_where_half_of_the_genes_change(without: int, told: bool) -> None:
    found = solved(METHOD | {"without_covariates": without}).covariates_summary
    assert found.startswith("Without covariates (Age, Batch), ") is told


def test_levels_with_their_samples_and_pairs() -> None:
    levels = {
        "treatment": "factor", "samples": {"1": 8, "2": 9, "3": 7},
        "pairs": [{"pair": "2 - 1", "significant": 1234}, {"pair": "3 - 1", "significant": 5}],
    }  # fmt: skip
    text = solved(METHOD | {"levels": levels}).levels_summary
    assert text.startswith("Gout has 3 levels (1: 8, 2: 9, 3: 7 samples), tested as a factor")
    assert "at q < 0.06: 2 - 1: 1,234, 3 - 1: 5." in text
    ordered = {"treatment": "ordered", "departure": {"significant": 21, "tested": 4300}}
    text = solved(METHOD | {"levels": levels | ordered}).levels_summary
    assert "the trend along a line; 21 of 4,300 genes depart from it at q < 0.06." in text


def test_elapsed_and_left_are_those_of_a_bar() -> None:
    column = screen._CountAndTimes()
    task = SimpleNamespace(total=9, completed=3.0, elapsed=3725.9, time_remaining=59.2)
    assert column.render(task).plain == "3/9 elapsed 1:02:05, left 0:00:59"  # type: ignore[arg-type]
    task = SimpleNamespace(total=None, completed=0, elapsed=7.0, time_remaining=None)
    assert column.render(task).plain == "elapsed 0:00:07"  # type: ignore[arg-type]
