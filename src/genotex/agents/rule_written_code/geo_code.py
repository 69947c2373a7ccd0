"""The code of each step of a GEO notebook, as the built-in rules write it."""

from __future__ import annotations

from collections.abc import Callable

from genotex.agents.rule_written_code.converters import converter_text, literal
from genotex.agents.rule_written_code.geo_decisions import Coded, GeoDecisions, decide_geo
from genotex.agents.rule_written_code.wording import cell_of, comment, one_line
from genotex.agents.task import Task
from genotex.clinical import FeatureEncoding, tell_place, why_no_trait
from genotex.cohorts import no_table

__all__ = ["FINISH", "geo_steps", "write_geo_code"]

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

_ANNOTATION = """\
annotation = read_annotation(series)
print(annotation)
print(preview(annotation))
"""


def geo_steps(task: Task) -> tuple[str, ...]:
    """Return the names of the steps that the rules take for a series, in order."""
    found = decide_geo(task)
    steps = ["load_data", "read_clinical_features"]
    if found.genes_end != "series":
        steps.append("extract_gene_data")
    if found.counted:
        steps.append("normalise_and_link")
    elif found.genes_end not in ("series", "table"):
        steps.append("review_gene_ids")
        steps += ["read_annotation"] if found.gene_column is not None else []
        steps += ["map_gene_ids"] if _needs_mapping(found) else []
        steps += [] if _ends_in_mapping(found) else ["normalise_and_link"]
    return (*steps, "task_completed")


def write_geo_code(task: Task, step: str) -> str:
    """Return the code of one step.

    Raises
    ------
    FormatError
        If a file of the series that is needed cannot be read.
    """
    if step == "load_data":
        return _LOAD
    if step == "read_annotation":
        return _ANNOTATION
    return _WRITERS[step](decide_geo(task))


def _needs_mapping(found: GeoDecisions) -> bool:
    return found.ids is not None and found.ids.needs_mapping


def _ends_in_mapping(found: GeoDecisions) -> bool:
    return found.genes_end == "mapping" and _needs_mapping(found)


def _clinical(found: GeoDecisions) -> str:
    reading = found.reading
    available = found.genes_end != "series"
    reason = reading.gene.reason if available else found.why_no_genes
    parts = [
        comment(f"Gene expression: {reason}") + f"gene_available = {available}\n",
        _feature("trait", found.trait, why_no_trait(reading) if reading.trait is None else ""),
        _feature("age", found.age, reading.untold.get("age", "")),
        _feature("gender", found.gender, reading.untold.get("gender", "")),
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


def _feature(name: str, coded: Coded | None, why_not: str) -> str:
    if coded is None:
        return comment(f"{name.capitalize()} is not told: {why_not or 'no row says it'}") + (
            f"{name} = None\n"
        )
    encoding = coded.encoding
    place = tell_place(encoding.row, encoding.key, encoding.sample_field)
    told = encoding.evidence
    if not any(place in text for text in told):
        told = (place, *told)
    why = comment(f"{name.capitalize()}: {told[0]}", *told[1:])
    function = converter_text(f"convert_{name}", coded.codes)
    return f"{why}{function}\n\n{_encode_call(name, encoding, coded)}"


def _encode_call(name: str, encoding: FeatureEncoding, coded: Coded) -> str:
    place = encoding.row if encoding.row is not None else literal(encoding.sample_field)
    lines = [f'series, "{name}", row={place}, convert=convert_{name}, kind="{encoding.kind}"']
    if encoding.key != _default_key(encoding, coded):
        lines.append(f"key={literal(encoding.key)}")
    if coded.roles:
        entries = (f"        {literal(c)}: {literal(r)},\n" for c, r in coded.roles.items())
        lines.append(f"roles={{\n{''.join(entries)}    }}")
    arguments = "".join(f"    {line},\n" for line in lines)
    return f"{name} = encode_feature(\n{arguments})\nprint({name})\n"


def _default_key(encoding: FeatureEncoding, coded: Coded) -> str | None:
    """Return the key that `encode_feature` finds itself; None where it has to be told."""
    if encoding.row is None:
        return ""
    keys = {cell.partition(":")[0].strip() if ":" in cell else "" for cell in coded.codes}
    return keys.pop() if len(keys) == 1 else None


def _record(found: GeoDecisions) -> str:
    why = literal(one_line(found.why_no_genes))
    return (
        "\n# Without genes there is nothing more to do.\n"
        f"why_no_genes = {why}\n"
        "print(save_cohort_info(task, clinical=clinical, why_no_genes=why_no_genes))\n"
    )


def _extract(found: GeoDecisions) -> str:
    # The same for every series, so that it may be taken over from one to the other.
    why = no_table(found.procedure)
    return (
        "expression = read_expression(series)\nprint(expression)\n"
        "print(list(expression.rows[:20]))\n"
        "if not expression.rows:\n"
        "    # Without genes there is nothing more to do.\n"
        "    gene_available = False\n"
        f"    why_no_genes = {literal(one_line(why))}\n"
        "    print(save_cohort_info(task, clinical=clinical, why_no_genes=why_no_genes))\n"
    )


def _review(found: GeoDecisions) -> str:
    assert found.ids is not None
    such = ", ".join(found.first_ids)
    return (
        "verdict = identify_rows(expression)\nprint(verdict)\n\n"
        + comment(f"Row ids such as {such}: {found.ids.reason}")
        + f"needs_mapping = {found.ids.needs_mapping}\n"
    )


def _map(found: GeoDecisions) -> str:
    if found.genes_end == "mapping":
        return comment(found.why_no_genes) + "gene_available = False\n" + _record(found)
    why = comment(*found.map_notes)
    if found.gene_column is None or found.id_column is None:
        return f"{why}mapped = map_probes(expression)\nprint(mapped)\n"
    columns = f"id_column={literal(found.id_column)}, gene_column={literal(found.gene_column)}"
    if found.platform != found.own_platform and found.platform is not None:
        columns += f", platform={literal(found.platform)}"
    return f"{why}mapped = map_probes(\n    expression, annotation, {columns}\n)\nprint(mapped)\n"


def _finish(found: GeoDecisions) -> str:
    rows = "mapped" if _needs_mapping(found) else "expression"
    rows += ", clinical" if found.counted else ""
    if found.genes_end == "mapping":
        return comment(found.why_no_genes) + "gene_available = False\n" + _record(found)
    return (FINISH if found.trait is not None else _FINISH_WITHOUT_TRAIT).format(rows=rows)


_WRITERS: dict[str, Callable[[GeoDecisions], str]] = {
    "read_clinical_features": _clinical,
    "extract_gene_data": _extract,
    "review_gene_ids": _review,
    "map_gene_ids": _map,
    "normalise_and_link": _finish,
}
