import ast
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genotex.agents import (
    Task,
    action_unit,
    action_units,
    plan_units,
    toolkit_functions,
    write_code,
)
from genotex.agents.rules.geo import coded
from genotex.agents.rules.source_text import comment, converter_text, literal
from genotex.errors import UsageError
from genotex.simulate import SimulatedStudy
from tests.agents.conftest import cohort_task
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz


def steps(task: Task) -> list[str]:
    return [unit.name for unit in plan_units(task)]


def test_steps_that_a_series_does_not_need_are_left_out(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    whole = [unit.name for unit in action_units("geo")]
    probes = cohort_task(study.folder, tmp_path, "Simulated_Arthritis", "GSE90000001", "sound")
    assert steps(probes) == whole
    methylation = cohort_task(study.folder, tmp_path, "Simulated_Carcinoma", "GSE90000006", "sound")
    assert steps(methylation) == ["load_data", "read_clinical_features", "task_completed"]
    write_asthma(tmp_path / "in")
    symbols = cohort_task(tmp_path / "in", tmp_path, "Asthma", "GSE1", "sound")
    assert steps(symbols) == [s for s in whole if s not in ("read_annotation", "map_gene_ids")]
    absent = cohort_task(study.folder, tmp_path, "Simulated_Diabetes", "TCGA", "sound")
    assert steps(absent) == ["load_data", "task_completed"]


def test_problem_without_a_cohort_has_no_step_to_take(tmp_path: Path) -> None:
    task = Task("statistics", "Asthma", str(tmp_path), str(tmp_path))
    assert steps(task) == ["task_completed"]


def defined(tree: ast.Module) -> set[str]:
    """Return all names that code defines: variables, functions, their arguments, imports."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.alias):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return found


def test_code_uses_the_toolkit_and_earlier_variables_alone(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    known = {"task", "print", "list", "float", "int", "str", "ValueError", "sorted"}
    for trait, cohort in (("Simulated_Arthritis", "GSE90000003"), ("Simulated_Carcinoma", "TCGA")):
        task = cohort_task(study.folder, tmp_path, trait, cohort, "benchmark")
        names = known | set(toolkit_functions())
        for unit in plan_units(task):
            tree = ast.parse(write_code(task, unit))
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            names |= defined(tree)
            assert used <= names, (unit.name, used - names)
            called = {
                node.func.id
                for node in ast.walk(tree)
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            }
            assert called & set(toolkit_functions()) <= set(unit.functions), unit.name


def test_decisions_are_in_the_code_where_a_reviewer_can_judge_them(
    study: SimulatedStudy, tmp_path: Path
) -> None:
    task = cohort_task(study.folder, tmp_path, "Simulated_Arthritis", "GSE90000001", "sound")
    code = write_code(task, action_unit("geo", "read_clinical_features"))
    assert "def convert_trait(cell: str) -> float | None:" in code
    assert '"simulated arthritis": 1,' in code and '"healthy control": 0,' in code
    assert '"disease state: healthy control": "healthy control",' in code
    assert "gene_available = True" in code
    mapping = write_code(task, action_unit("geo", "map_gene_ids"))
    assert 'id_column="ID", gene_column="Gene Symbol"' in mapping


def test_files_that_change_are_read_again(tmp_path: Path) -> None:
    path = write_asthma(tmp_path / "in")
    task = cohort_task(tmp_path / "in", tmp_path, "Asthma", "GSE1", "sound")
    unit = action_unit("geo", "read_clinical_features")
    assert "gender = None" not in write_code(task, unit)
    write_gz(path, series_matrix(characteristics=asthma()[:2]))
    assert "gender = None" in write_code(task, unit)


def test_step_of_another_kind_is_refused(tmp_path: Path) -> None:
    task = Task("statistics", "Asthma", str(tmp_path), str(tmp_path))
    with pytest.raises(UsageError, match="load_data is a step of geo"):
        write_code(task, action_unit("geo", "load_data"))


def test_series_text_never_leaves_its_comment_or_its_quotes(tmp_path: Path) -> None:
    evil = 'asthma"\nimport os\x0bos._exit(3)\u2028os.abort() #'
    rows = asthma()
    rows[0] = [cell.replace("asthma", "asthma' + str(1/0) + '") for cell in rows[0]]
    text = series_matrix(characteristics=rows, title=evil.replace("\n", " "))
    write_gz(tmp_path / "in" / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    task = cohort_task(tmp_path / "in", tmp_path, "Asthma", "GSE1", "sound")
    for unit in plan_units(task):
        code = write_code(task, unit)
        called = {
            ast.unparse(node.func)
            for node in ast.walk(ast.parse(code))
            if isinstance(node, ast.Call)
        }
        assert not {"os._exit", "os.abort", "str"} & called


@settings(deadline=None)
@given(st.text(), st.text())
def test_comment_of_any_text_is_a_comment(first: str, second: str) -> None:
    assert ast.parse(comment(first, second)).body == []


@settings(deadline=None)
@given(st.text())
def test_literal_means_the_text_it_was_made_of(text: str) -> None:
    assert ast.literal_eval(literal(text)) == text


codes = st.dictionaries(
    st.text(max_size=10),
    st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, 1.0]),
    min_size=1,
    max_size=5,
)


@settings(deadline=None)
@given(codes)
def test_table_of_codes_holds_what_was_decided(wanted: dict[str, float | None]) -> None:
    (function,) = ast.parse(converter_text("convert_trait", wanted)).body
    assert isinstance(function, ast.FunctionDef)
    table = next(node for node in ast.walk(function) if isinstance(node, ast.Dict))
    found = ast.literal_eval(table)
    bare = "partition" in ast.unparse(function)
    for cell, code in wanted.items():
        assert found[cell.partition(":")[2].strip() if bare else cell] == code


def run(text: str, cell: str) -> Any:
    """Call a function of ours; its text was made by `converter_text` from the codes given here."""
    names: dict[str, Any] = {"re": __import__("re")}
    exec(text, names)
    return names["convert"](cell)


@pytest.mark.parametrize(
    ("cells", "sign"),
    [
        ({f"age: {n}": float(n) for n in range(30, 40)}, "float(value)"),
        ({f"age: {n} years": float(n) for n in range(30, 40)}, "years?"),
        ({f"age: {n}-{n + 4}": float(n) for n in range(30, 40)}, r'"\d+", cell.partition'),
        ({f"{n}": float(n) for n in range(30, 40)}, "float(cell)"),
        ({f"-{n}": n / 365.25 for n in range(9000, 9010)}, "/ 365.25"),
        ({f"age: {n}": float(n + n % 2) for n in range(30, 40)}, "codes.get(value)"),
        ({"age: 61": 61.0, "age: n/a": None}, "codes.get(value)"),
        ({"age: 1": 1.0, "day: 1": None}, "codes.get(cell)"),
    ],
)
def test_simplest_rule_that_fits_is_written(cells: dict[str, float | None], sign: str) -> None:
    text = converter_text("convert", cells)
    assert sign in text
    assert {cell: run(text, cell) for cell in cells} == cells


def test_written_functions_code_the_labelled_cases_as_the_rules_do(shared_data: Path) -> None:
    from genotex.agents import SeriesText
    from genotex.agents.toolkit import encode_feature
    from genotex.clinical import apply_encoding, describe_series, rule_expert
    from genotex.cohorts import RawSeries
    from genotex.layout import GeoCohortFiles

    compared = 0
    with gzip.open(shared_data / "clinical" / "cases_dev.jsonl.gz", "rt") as lines:
        cases = [json.loads(line) for line in lines][::4]
    for case in cases:
        series = series_of(case)
        for procedure in ("sound", "benchmark"):
            reading = rule_expert(procedure).annotate(describe_series(series), case["trait"])
            task = Task("geo", case["trait"], "/in", "/out", procedure, cohort="GSE1")
            files = GeoCohortFiles(task.trait, "GSE1", Path("/in"), (), (), ())
            text = SeriesText(task, files, RawSeries(series, ()))
            for name in ("trait", "age", "gender"):
                encoding = getattr(reading, name)
                if (decided := coded(encoding, series, procedure)) is None:
                    continue
                function = converter_text("convert", decided.codes)
                found = encode_feature(
                    text,
                    name,
                    encoding.sample_field
                    if encoding.row is None
                    else [encoding.row, *encoding.shifted],
                    lambda cell, function=function: run(function, cell),
                    kind=encoding.kind,
                    roles=decided.roles,
                    key=encoding.key,
                    empty=decided.empty,
                )
                wanted = apply_encoding(encoding, series, procedure=procedure)
                np.testing.assert_array_equal(found.codes, wanted.codes)
                known = ~np.isnan(wanted.codes)
                assert np.array_equal(
                    np.array(found.encoded.roles)[known], np.array(wanted.roles)[known]
                )
                compared += 1
    assert compared > 200


def series_of(case: dict[str, Any]) -> Any:
    """Return a series with one sample for each of the unique values of a case's rows."""
    from genotex.formats import Series

    rows = {int(number): cells for number, cells in case["sample_characteristics"].items()}
    size = max((len(cells) for cells in rows.values()), default=0)
    empty = [None] * size
    cells = tuple(
        tuple([*rows.get(number, []), *empty][:size]) for number in range(max(rows, default=-1) + 1)
    )
    texts = {
        name: (text,) if isinstance(text, str) else tuple(text or ())
        for name, text in case["background"].items()
    }
    samples = tuple(f"GSM{number}" for number in range(size))
    return Series(Path("case"), samples, texts, {"characteristics_ch1": cells})


def test_controls_in_another_row_keep_their_group() -> None:
    from genotex.clinical import RuleExpert, describe_series
    from genotex.formats import Series

    rows = (
        ("disease state: HCM",) * 3 + ("age: 40",) * 3,
        ("age: 60",) * 3 + ("sample type: control",) * 3,
    )
    texts, trait = {"title": ("Hypertrophic cardiomyopathy (HCM)",)}, "Hypertrophic_Cardiomyopathy"
    samples = tuple(f"GSM{number}" for number in range(6))
    series = Series(Path("GSE1"), samples, texts, {"characteristics_ch1": rows})
    found = coded(RuleExpert().annotate(describe_series(series), trait).trait, series, "sound")
    assert found is not None and found.encoding.shifted == (1,)
    known = {cell: code for cell, code in found.codes.items() if code is not None}
    assert known == {"disease state: HCM": 1, "sample type: control": 0}
