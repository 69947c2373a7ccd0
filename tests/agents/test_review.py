import pytest

from genotex.agents import Review, action_unit, plan_units, review_output
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import Run, assert_ran, cohort_task, notebook

LOAD = action_unit("geo", "load_data")
CLINICAL = action_unit("geo", "read_clinical_features")
MAP = action_unit("geo", "map_gene_ids")

LOADED = (
    "files = find_files(task)\nseries = read_series(files)\n"
    "print(series.background, unique_values(series))\n"
)
ENCODED = (
    "gene_available = True\ntrait = encode_feature(series, 'trait', 0, codes)\nage = None\n"
    "gender = None\nclinical = clinical_table(series, trait)\nprint(clinical)\n"
)


def test_what_the_rules_write_is_approved(
    study: SimulatedStudy, run_notebooks: Run, tmp_path_factory: pytest.TempPathFactory
) -> None:
    target = tmp_path_factory.mktemp("judged")
    cohorts = (
        ("Simulated_Arthritis", "GSE90000001"),
        ("Simulated_Arthritis", "GSE90000004"),  # without a trait
        ("Simulated_Carcinoma", "GSE90000006"),  # without genes
        ("Simulated_Carcinoma", "TCGA"),
        ("Simulated_Diabetes", "TCGA"),  # without a study
    )
    tasks = [cohort_task(study.folder, target, *cohort, "sound") for cohort in cohorts]
    notebooks = [notebook(task) for task in tasks]
    results = run_notebooks(notebooks)
    assert_ran(results)
    for task, written, cells in zip(tasks, notebooks, results, strict=True):
        codes = [cell["code"] for cell in written["cells"]]
        for unit, code, cell in zip(plan_units(task), codes[1:], cells[1:], strict=True):
            assert review_output(unit, code, cell["output"]) == Review(True, True), unit.name


def test_good_attempt_is_approved() -> None:
    assert review_output(LOAD, LOADED, "Title: asthma").approved


@pytest.mark.parametrize(
    ("output", "suggestion"),
    [
        (
            "Traceback (most recent call last):\n  File ...\nNameError: name 'df' is not defined\n",
            "NameError: name 'df' is not defined. Define it first",
        ),
        (
            # As IPython tells it.
            "-----\nKeyError                   Traceback (most recent call last)\n"
            "Cell In[2], line 1\nKeyError: 'Gene Symbol'",
            "KeyError: 'Gene Symbol'. Correct what raised it",
        ),
        (
            "Traceback (most recent call last):\ngenotex.errors.UsageError: link(): no trait",
            "The toolkit refused: link(): no trait",
        ),
        ("12 samples\nStopped at the limit of 60 s.", "Find the loop that does not end"),
        ("The session died: its process was ended by SIGKILL.\n", "did not run to its end"),
    ],
)
def test_attempt_that_failed_is_reported_why(output: str, suggestion: str) -> None:
    verdict = review_output(LOAD, LOADED, output)
    assert not verdict.runs and suggestion in verdict.suggestions[0]


def test_words_of_a_series_are_no_failure() -> None:
    output = (
        "Summary: muscle biopsies.\nThe session died away.\nStopped at the limit\n0 ['age: 61']"
    )
    assert review_output(LOAD, LOADED, output).approved


def test_failure_that_left_no_trace_is_one_where_it_is_known() -> None:
    assert not review_output(LOAD, LOADED, "", failed=True).runs
    assert review_output(LOAD, LOADED, "Stopped crying over errors", failed=False).approved


def test_code_that_is_no_python() -> None:
    assert "not Python" in review_output(LOAD, "files = ", "", failed=False).suggestions[0]


@pytest.mark.parametrize(
    ("code", "suggestion"),
    [
        (LOADED.replace("unique_values(series)", "1"), "asks for unique_values()"),
        (LOADED.replace("series = ", "text = "), "Later steps need the variable `series`"),
        (LOADED + "# TODO: read the rest\n", "placeholder ('TODO')"),
        (LOADED + "def convert(cell):\n    '''Convert.'''\n    pass\n", "convert does nothing"),
        (LOADED + "import pandas as pd\npd.read_csv(path)\n", "read by hand (read_csv)"),
    ],
)
def test_attempt_that_does_not_follow_the_instruction(code: str, suggestion: str) -> None:
    verdict = review_output(LOAD, code, "printed")
    assert verdict.runs and not verdict.follows
    assert any(suggestion in told for told in verdict.suggestions)


def test_step_that_prints_nothing_leaves_the_next_one_blind() -> None:
    assert "Nothing was printed" in review_output(LOAD, LOADED, "\n").suggestions[0]


def test_feature_that_is_missing_everywhere() -> None:
    output = "clinical features of 24 samples\n  Age: ; missing in 24 of 24 samples"
    (told,) = review_output(CLINICAL, ENCODED, output).suggestions
    assert told.startswith("Age is missing in all samples")
    some = "  Age: 35 to 70, mean 52; missing in 2 of 24 samples"
    assert review_output(CLINICAL, ENCODED, some).approved


def test_columns_by_which_next_to_no_row_finds_a_gene() -> None:
    code = "mapped = map_probes(expression, annotation, 'ID', 'Title')\nprint(mapped)\n"
    (told,) = review_output(MAP, code, "12 of 960 rows name a gene, 3 names").suggestions
    assert told == "Only 12 of 960 rows name a gene; choose other columns."
    assert review_output(MAP, code, "900 of 960 rows name a gene").approved


def test_step_that_records_that_there_are_no_genes_needs_nothing_more() -> None:
    code = "gene_available = False\nprint(save_cohort_info(task, clinical, why_no_genes='mRNA'))\n"
    assert review_output(MAP, code, "CohortInfo(...)").approved


def test_three_suggestions_at_most() -> None:
    verdict = review_output(CLINICAL, "pass", "")
    assert len(verdict.suggestions) == 3


def test_completed_task_needs_no_code() -> None:
    assert review_output(action_unit("geo", "task_completed"), "", "").approved
