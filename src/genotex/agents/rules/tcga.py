"""TCGA notebooks of the built-in rules: what they decide, and the code of each step."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from genotex.agents.rules.geo import FINISH
from genotex.agents.rules.source_text import cell_of, comment, converter_text, literal, one_line
from genotex.agents.task import Task
from genotex.clinical import ClinicalAnnotation, EncodedFeature, FeatureEncoding, named_columns
from genotex.cohorts import PreprocessOptions, choose_folder
from genotex.cohorts.tcga.cohort import read_tcga_features
from genotex.cohorts.tcga.files import NO_EXPRESSION, read_raw_clinical
from genotex.layout import TcgaCohortFiles

_TRAIT = """\
# The last two digits of a barcode: 01 to 09 are tumours, 10 to 19 normal tissue.
def convert_trait(cell: str) -> float | None:
    code = int(cell)
    if 1 <= code <= 9:
        return 1
    if 10 <= code <= 19:
        return 0
    return {other}


trait = encode_feature(columns, "trait", "barcode", convert_trait)
print(trait)
"""


@dataclass(frozen=True)
class _Decisions:
    """What the rules decide about TCGA; without a folder all but the reason is empty."""

    folder: TcgaCohortFiles | None
    why: str
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    features: tuple[tuple[str, EncodedFeature], ...] = ()
    reading: ClinicalAnnotation | None = None

    def column(self, name: str) -> FeatureEncoding | None:
        """Return the encoding of age or gender."""
        return None if self.reading is None else getattr(self.reading, name)

    @property
    def has_expression(self) -> bool:
        """Whether the folder holds an expression table."""
        folder = self.folder
        return folder is not None and bool(folder.expression or folder.expression_pancan)


def tcga_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps that the rules take, in order."""
    if _decide(task).folder is None:
        return ("load_data", "task_completed")
    return (
        "load_data",
        "find_demographic_columns",
        "choose_demographic_columns",
        "build_features",
        "task_completed",
    )


def write_tcga_code(task: Task, step: str) -> str:
    """Return the code of one step."""
    return _WRITERS[step](task, _decide(task))


@lru_cache(maxsize=4)
def _decide(task: Task) -> _Decisions:
    choice = choose_folder(task.trait, task.studies)
    if choice.folder is None:
        return _Decisions(None, choice.reason)
    matrix = read_raw_clinical(choice.folder).matrix
    table = {name: matrix.table[name].to_list() for name in matrix.table.columns}
    options = PreprocessOptions(procedure=task.procedure)
    features, reading = read_tcga_features(matrix, choice.reason, options)
    names = (named_columns(table, "age"), named_columns(table, "gender"))
    return _Decisions(choice.folder, choice.reason, names, tuple(features.items()), reading)


def _load(task: Task, found: _Decisions) -> str:
    code = "from pathlib import Path\n\n"
    code += "for path in sorted(Path(task.folder).iterdir()):\n    print(path.name)\n\n"
    code += comment(found.why)
    if found.folder is None:
        why = literal(one_line(found.why))
        return f"{code}folder = None\n\nprint(save_cohort_info(task, why_no_genes={why}))\n"
    return (
        f"{code}folder = {literal(found.folder.name)}\n\n"
        "files = find_files(task, folder)\nprint(files)\n"
        "columns = read_clinical_matrix(files)\nprint(columns)\nprint(columns.names)\n"
    )


def _find(task: Task, found: _Decisions) -> str:
    ages, genders = found.names
    return (
        "# Columns that are called after age, in years or in days, and after gender.\n"
        f"age_candidates = {_list(ages)}\n"
        f"gender_candidates = {_list(genders)}\n"
        "print(preview(columns, names=age_candidates + gender_candidates))\n"
    )


def _list(names: tuple[str, ...]) -> str:
    return f"[{', '.join(map(literal, names))}]"


def _choose(task: Task, found: _Decisions) -> str:
    parts = []
    for name in ("age", "gender"):
        encoding = found.column(name)
        if encoding is None:
            parts.append(f"# No column has the {name}.\n{name}_column = None\n")
        else:
            why = comment(*encoding.evidence)
            column = f"{name}_column = {literal(encoding.key)}\n"
            parts.append(f"{why}{column}print(unique_values(columns, {name}_column))\n")
    return "\n".join(parts)


def _build(task: Task, found: _Decisions) -> str:
    other = task.procedure.other_sample_type_code
    parts = [_TRAIT.format(other="None" if other is None else f"{other:g}")]
    features = dict(found.features)
    parts += [_feature(name, features.get(name.capitalize())) for name in ("age", "gender")]
    parts.append(
        "clinical = clinical_table(columns, trait, age, gender)\n"
        "print(clinical)\nprint(save_table(clinical))\n"
    )
    if found.has_expression:
        parts.append(
            "expression = read_expression(columns)\nprint(expression)\n"
            + FINISH.format(rows="expression")
        )
    else:
        parts.append(
            f"why_no_genes = {literal(NO_EXPRESSION)}\n"
            "print(save_cohort_info(task, clinical=clinical, why_no_genes=why_no_genes))\n"
        )
    return cell_of(*parts)


def _feature(name: str, feature: EncodedFeature | None) -> str:
    if feature is None:
        return f"{name} = None\n"
    pairs = zip(feature.raw, feature.codes.tolist(), strict=True)
    codes = {c: None if math.isnan(code) else code for c, code in pairs if c is not None}
    if not any(code is not None for code in codes.values()):
        return f"# The column holds nothing that can be read.\n{name} = None\n"
    return (
        converter_text(f"convert_{name}", codes)
        + f'\n\n{name} = encode_feature(columns, "{name}", {name}_column, convert_{name})\n'
        + f"print({name})\n"
    )


_WRITERS: dict[str, Callable[[Task, _Decisions], str]] = {
    "load_data": _load,
    "find_demographic_columns": _find,
    "choose_demographic_columns": _choose,
    "build_features": _build,
}
