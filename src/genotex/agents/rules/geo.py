"""GEO notebooks of the built-in rules: what they decide, and the code of each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from genotex.agents.rules.source_text import (
    cell_of,
    comment,
    converter_text,
    literal,
    number,
    one_line,
)
from genotex.agents.task import Task
from genotex.clinical import (
    NO_CELL,
    ClinicalAnnotation,
    FeatureEncoding,
    apply_encoding,
    cells_to_code,
    describe_series,
    encode_with_role,
    place_text,
    rule_expert,
    why_no_trait,
)
from genotex.cohorts.geo.cohort import rows_need_mapping
from genotex.cohorts.geo.files import RawSeries, SubmittedValues, no_table, read_raw_series
from genotex.cohorts.geo.other_files import other_genes, other_values
from genotex.errors import FormatError
from genotex.features import simple_key
from genotex.formats import ExpressionMatrix, Role, Series
from genotex.genes import GeneTable, IdVerdict, RowGenes, check_rows, genes_of_rows, identify_ids
from genotex.procedure import Procedure

GenesEnd = Literal["", "series", "table", "mapping"]


@dataclass(frozen=True)
class _Coded:
    """How one feature is coded."""

    encoding: FeatureEncoding
    # Raw cell -> code, for all cells that a written function will see.
    codes: Mapping[str, float | None]
    roles: Mapping[str, Role]  # Raw cell -> role, for the controls of a binary trait

    @property
    def empty(self) -> float | None:
        """Code of samples without a cell."""
        return self.encoding.values.get(NO_CELL)


@dataclass(frozen=True)
class _GeoDecisions:
    """Everything that the code of a series depends on."""

    reading: ClinicalAnnotation  # How the rules read the series
    # The features; None where they are not recorded.
    trait: _Coded | None
    age: _Coded | None
    gender: _Coded | None
    # Where it turns out that there are no genes: ``series`` (its texts), ``table`` (it is
    # empty), ``mapping`` (nothing identifies the genes of its rows); empty where there are genes.
    genes_end: GenesEnd
    why_no_genes: str  # Why
    ids: IdVerdict | None  # What the row ids are; None without rows
    first_ids: tuple[str, ...]  # Some of them
    # id_column, gene_column, platform: Columns of the annotation, and whose it is; None where
    # none is needed.
    id_column: str | None
    gene_column: str | None
    platform: str | None
    own_platform: str | None  # First platform at hand
    map_notes: tuple[str, ...]  # Why these columns
    from_other_files: bool  # Whether the values are of other files than the matrix


def _decide_geo(task: Task) -> _GeoDecisions:
    """Annotate a series as the pipeline without agents does, and return all decisions."""
    return _decide(task, _state_of(task.input_folder))


def _state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes and times of the files of a folder, by which changes are noticed."""
    found = sorted(path for path in folder.iterdir() if path.is_file())
    stats = [(path.name, path.stat()) for path in found]
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in stats)


@lru_cache(maxsize=8)
def _decide(task: Task, state: tuple[tuple[str, int, int], ...]) -> _GeoDecisions:
    table = GeneTable.load()
    raw, reading = _read(task, table)
    other = _other_genes(task, raw.series, reading, table)
    rows, end, why = (None, *other) if other else _genes(raw, reading, task.procedure, table)
    ids = raw.series.expression.ids if raw.series.expression is not None else ()
    verdict = identify_ids(ids, table) if ids and rows is None else None
    first = raw.platforms[0] if raw.platforms else None
    return _GeoDecisions(
        reading=reading,
        trait=coded(reading.trait, raw.series, task.procedure),
        age=coded(reading.age, raw.series, task.procedure),
        gender=coded(reading.gender, raw.series, task.procedure),
        genes_end=end,
        why_no_genes=why,
        ids=verdict if rows is None else rows.verdict,
        first_ids=tuple(ids[:3]),
        id_column=None if rows is None else rows.id_column,
        gene_column=None if rows is None else rows.gene_column,
        platform=None if rows is None else rows.platform,
        own_platform=None if first is None else first.accession or first.path.name,
        map_notes=() if rows is None else rows.notes,
        from_other_files=other is not None and end != "table",
    )


def read_geo(task: Task) -> ClinicalAnnotation:
    """Annotate trait, age and gender of a series as the pipeline without agents does."""
    return _read(task, GeneTable.load())[1]


def _read(task: Task, table: GeneTable) -> tuple[RawSeries, ClinicalAnnotation]:
    """Read a series but for its numbers, on which nothing of what is decided depends."""
    raw = read_raw_series(
        task.geo_files, needs_mapping=lambda series: rows_need_mapping(series, table), numbers=False
    )
    description = describe_series(raw.series, raw.platforms)
    return raw, rule_expert(task.procedure).annotate(description, task.trait)


def _other_genes(
    task: Task, series: Series, reading: ClinicalAnnotation, table: GeneTable
) -> tuple[GenesEnd, str] | None:
    """Return where genes of other files than the matrix end, and why; None without such files."""
    if not reading.gene.available:
        return None
    codes = None
    if reading.trait is not None:
        codes = apply_encoding(reading.trait, series, procedure=task.procedure).codes
    binary = reading.trait is not None and reading.trait.kind == "binary"
    found = other_genes(
        task.geo_files, series, codes, binary=binary, table=table, procedure=task.procedure,
        how=SubmittedValues(),
    )  # fmt: skip
    if found is None:
        return None
    if found.genes is not None:
        return "", ""
    values = other_values(task.geo_files, series, table, task.procedure)
    return ("mapping" if isinstance(values, ExpressionMatrix) else "table"), found.why_no_genes


def _genes(
    raw: RawSeries, reading: ClinicalAnnotation, procedure: Procedure, table: GeneTable
) -> tuple[RowGenes | None, GenesEnd, str]:
    if not reading.gene.available:
        return None, "series", reading.gene.reason
    matrix = raw.series.expression
    if matrix is None or not matrix.ids:
        return None, "table", no_table(procedure)
    try:
        rows = genes_of_rows(
            matrix.ids, raw.platforms, procedure=procedure, table=table, own=raw.series.platform
        )
        check_rows(rows, procedure=procedure, table=table)
    except FormatError as error:
        return None, "mapping", f"rows cannot be mapped to genes: {error}"
    return rows, "", ""


def coded(encoding: FeatureEncoding | None, series: Series, procedure: Procedure) -> _Coded | None:
    """Return how every cell of a feature is coded; None where none has a code."""
    if encoding is None:
        return None
    listed = {simple_key(cell) for cell in encoding.values}
    codes: dict[str, float | None] = {}
    roles: dict[str, Role] = {}
    for cell, first_choice in cells_to_code(encoding, series, procedure).items():
        code, role = encode_with_role(encoding, cell, procedure)
        codes[cell] = code if first_choice or simple_key(cell) in listed else None
        if encoding.feature == "trait" and encoding.kind == "binary" and codes[cell] == 0:
            roles[cell] = role
    known = any(code is not None for code in codes.values())
    return _Coded(encoding, codes, roles) if known else None


FINISH = """\
genes = normalise_symbols({rows})
print(genes)
print(save_table(genes))

linked = link(clinical, genes)
print(linked)
filled = handle_missing_values(linked)
print(filled)
judged = judge_bias(filled)
print(judged)
if judged.is_usable:
    print(save_table(judged))
print(save_cohort_info(task, clinical=clinical, genes=genes, linked=judged))
"""
"""From rows to a finished cohort."""

_FINISH_WITHOUT_TRAIT = """\
genes = normalise_symbols({rows})
print(genes)
print(save_table(genes))

# Without the trait nothing is linked.
print(save_cohort_info(task, clinical=clinical, genes=genes))
"""

_LOAD = """\
files = find_files(task)
print(files)

series = read_series(files)
print(series)
print(series.background)
for row, values in unique_values(series).items():
    print(row, values)
"""

_EXTRACT = """\
expression = read_expression(series)
print(expression)
print(list(expression.rows[:20]))
if not expression.rows:
    # Without genes there is nothing more to do.
    gene_available = False
    why_no_genes = expression.why_empty
    print(save_cohort_info(task, clinical=clinical, why_no_genes=why_no_genes))
"""

_ANNOTATION = """\
annotation = read_annotation(series)
print(annotation)
print(preview(annotation))
"""


_FIXED = {"load_data": _LOAD, "extract_gene_data": _EXTRACT, "read_annotation": _ANNOTATION}
"""Code that is the same for every series, so that it may be taken over from one to the other."""


def geo_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps that the rules take for a series, in order."""
    found = _decide_geo(task)
    steps = ["load_data", "read_clinical_features"]
    if found.genes_end != "series":
        steps.append("extract_gene_data")
    if found.from_other_files:
        steps.append("normalise_and_link")
    elif found.genes_end not in ("series", "table"):
        steps.append("review_gene_ids")
        steps += ["read_annotation"] if found.gene_column is not None else []
        steps += ["map_gene_ids"] if _needs_mapping(found) else []
        ends_there = found.genes_end == "mapping" and _needs_mapping(found)
        steps += [] if ends_there else ["normalise_and_link"]
    return (*steps, "task_completed")


def write_geo_code(task: Task, step: str) -> str:
    """Return the code of one step."""
    return _FIXED[step] if step in _FIXED else _WRITERS[step](_decide_geo(task))


def _needs_mapping(found: _GeoDecisions) -> bool:
    return found.ids is not None and found.ids.needs_mapping


def _clinical(found: _GeoDecisions) -> str:
    reading = found.reading
    available = found.genes_end != "series"
    reason = reading.gene.reason if available else found.why_no_genes
    parts = [
        comment(f"Gene expression: {reason}") + f"gene_available = {available}\n",
        _feature("trait", found.trait, why_no_trait(reading) if reading.trait is None else ""),
        _feature("age", found.age, reading.unavailable.get("age", "")),
        _feature("gender", found.gender, reading.unavailable.get("gender", "")),
    ]
    if found.trait is None:
        why = literal(one_line(why_no_trait(reading)) if reading.trait is None else "")
        table = "clinical = clinical_table(\n    series, trait, age, gender, "
        table += f"why_no_trait={why}\n)\nprint(clinical)\n"
    else:
        table = "clinical = clinical_table(series, trait, age, gender)\n"
        table += "print(clinical)\nprint(save_table(clinical))\n"
    parts.append(table + ("" if available else _record(found)))
    return cell_of(*parts)


def _feature(name: str, coded: _Coded | None, why_not: str) -> str:
    if coded is None:
        return comment(f"{name.capitalize()} is not recorded: {why_not or 'no row has it'}") + (
            f"{name} = None\n"
        )
    encoding = coded.encoding
    place = place_text(encoding.row, encoding.key, encoding.sample_field)
    reasons = encoding.evidence
    if not any(place in text for text in reasons):
        reasons = (place, *reasons)
    why = comment(f"{name.capitalize()}: {reasons[0]}", *reasons[1:])
    function = converter_text(f"convert_{name}", coded.codes)
    return f"{why}{function}\n\n{_encode_call(name, encoding, coded)}"


def _encode_call(name: str, encoding: FeatureEncoding, coded: _Coded) -> str:
    place = encoding.row if encoding.row is not None else literal(encoding.sample_field)
    if encoding.shifted:
        place = str([encoding.row, *encoding.shifted])
    lines = [f'series, "{name}", row={place}, convert=convert_{name}, kind="{encoding.kind}"']
    if encoding.key != _default_key(encoding, coded):
        lines.append(f"key={literal(encoding.key)}")
    if coded.roles:
        entries = (f"        {literal(c)}: {literal(r)},\n" for c, r in coded.roles.items())
        lines.append(f"roles={{\n{''.join(entries)}    }}")
    if coded.empty is not None:
        lines.append(f"empty={number(coded.empty)}")
    arguments = "".join(f"    {line},\n" for line in lines)
    return f"{name} = encode_feature(\n{arguments})\nprint({name})\n"


def _default_key(encoding: FeatureEncoding, coded: _Coded) -> str | None:
    """Return the key that `encode_feature` finds itself; None where it has to be given."""
    if encoding.row is None:
        return ""
    keys = {cell.partition(":")[0].strip() if ":" in cell else "" for cell in coded.codes}
    return keys.pop() if len(keys) == 1 else None


def _record(found: _GeoDecisions) -> str:
    why = literal(one_line(found.why_no_genes))
    return (
        "\n# Without genes there is nothing more to do.\n"
        f"why_no_genes = {why}\n"
        "print(save_cohort_info(task, clinical=clinical, why_no_genes=why_no_genes))\n"
    )


def _review(found: _GeoDecisions) -> str:
    assert found.ids is not None
    such = ", ".join(found.first_ids)
    return (
        "verdict = identify_rows(expression)\nprint(verdict)\n\n"
        + comment(f"Row ids such as {such}: {found.ids.reason}")
        + f"needs_mapping = {found.ids.needs_mapping}\n"
    )


def _map(found: _GeoDecisions) -> str:
    if found.genes_end == "mapping":
        return comment(found.why_no_genes) + "gene_available = False\n" + _record(found)
    why = comment(*found.map_notes)
    if found.gene_column is None or found.id_column is None:
        return f"{why}mapped = map_probes(expression)\nprint(mapped)\n"
    columns = f"id_column={literal(found.id_column)}, gene_column={literal(found.gene_column)}"
    if found.platform != found.own_platform and found.platform is not None:
        columns += f", platform={literal(found.platform)}"
    return f"{why}mapped = map_probes(\n    expression, annotation, {columns}\n)\nprint(mapped)\n"


def _finish(found: _GeoDecisions) -> str:
    rows = "mapped" if _needs_mapping(found) else "expression"
    rows += ", clinical" if found.from_other_files else ""
    if found.genes_end == "mapping":
        return comment(found.why_no_genes) + "gene_available = False\n" + _record(found)
    return (FINISH if found.trait is not None else _FINISH_WITHOUT_TRAIT).format(rows=rows)


_WRITERS: dict[str, Callable[[_GeoDecisions], str]] = {
    "read_clinical_features": _clinical,
    "review_gene_ids": _review,
    "map_gene_ids": _map,
    "normalise_and_link": _finish,
}
