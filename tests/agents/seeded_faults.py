"""Seeded faults: what goes wrong in generated code, put into code that is right."""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable

from genotex.agents import ActionUnit, toolkit_functions
from genotex.errors import UsageError

__all__ = ["FAULTS", "faults_of", "with_fault"]

_HEADER = re.compile(r'^( +)value = cell\.partition\(":"\)\[2\]\.strip\(\)$', re.M)
_ROW = re.compile(r"(encode_feature\(\n +series, \"(\w+)\", row=)(\d+|\"\w+\")")
_COLUMN = re.compile(r"((?:gene_column|age_column|gender_column) ?= ?\")([^\"]+)(\")")
_CONVERTER = re.compile(
    r"^(def convert_\w+\(cell: str\) -> float \| None:\n)(?: .*\n|\n(?= ))+", re.M
)
_SAVED = re.compile(r"^( *)print\(save_table\((\w+)\)\)$", re.M)

_LEFT_BEHIND = re.compile(
    r"^(series|columns|clinical|expression|needs_mapping|annotation|mapped|age_column)(?= = )", re.M
)

_KEYWORDS = ("fit_intercept=True", "normalize=True", "inplace=True", "axis=0")
_UNDEFINED = ("cohort_frame", "clinical_df", "gene_matrix", "sample_labels")


def _crash(code: str, draw: random.Random) -> str:
    """Use an undefined name."""
    return f"{code}\nprint({draw.choice(_UNDEFINED)}.shape)\n"


def _endless_loop(code: str, draw: random.Random) -> str:
    """Wait for something that never comes."""
    condition = draw.choice(("not done", "done is False", "tries >= 0"))
    return f"done, tries = False, 0\nwhile {condition}:\n    tries += 1\n\n{code}"


def _header_not_stripped(code: str, draw: random.Random) -> str:
    """Compare values with the header still in front (paper, appendix G, listing 10)."""
    places = list(_HEADER.finditer(code))
    if not places:
        return code
    place = draw.choice(places)
    return f"{code[: place.start()]}{place[1]}value = cell{code[place.end() :]}"


def _unknown_keyword(code: str, draw: random.Random) -> str:
    """Call a function with a keyword that it does not have (paper, appendix H, listing 14)."""
    known = set(toolkit_functions())
    calls = [
        node
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in known
    ]
    if not calls:
        return code
    call = draw.choice(calls)
    lines = code.encode().split(b"\n")
    assert call.end_lineno is not None and call.end_col_offset is not None
    # The place of the closing bracket, in bytes as Python counts them.
    end = sum(len(line) + 1 for line in lines[: call.end_lineno - 1]) + call.end_col_offset - 1
    before, after = code.encode()[:end].decode(), code.encode()[end:].decode()
    comma = "" if before.rstrip().endswith((",", "(")) else ", "
    return f"{before}{comma}{draw.choice(_KEYWORDS)}{after}"


def _placeholder_conversion(code: str, draw: random.Random) -> str:
    """Put a stand-in where the conversion should be (paper, appendix G, listing 9)."""
    places = list(_CONVERTER.finditer(code))
    if not places:
        return code
    place = draw.choice(places)
    body = (
        "    # This is a placeholder for the actual conversion.\n    return cell.strip().lower()\n"
    )
    return f"{code[: place.start()]}{place[1]}{body}{code[place.end() :]}"


def _wrong_file_reading(code: str, draw: random.Random) -> str:
    """Read a file of GEO or TCGA as if it were a plain CSV (paper, appendix G, listing 8)."""
    if "files = find_files(" not in code:
        return code
    separator = draw.choice(('","', '"\\t"'))
    return (
        f"{code}\nimport polars as pl\n\n"
        "path = next(paths[0] for paths in files.by_purpose.values() if paths)\n"
        f"table = pl.read_csv(path, separator={separator})\n"
        'print(table["sample_id"])\n'
    )


def _wrong_row(code: str, draw: random.Random) -> str:
    """Read the trait from another row."""
    places = sorted(_ROW.finditer(code), key=lambda place: place[2] != "trait")
    if not places:
        return code
    place = places[0]
    others = [other[3] for other in places[1:] if other[3] != place[3]]
    row = draw.choice(others or ["17", "29"])
    return f"{code[: place.start(3)]}{row}{code[place.end(3) :]}"


def _wrong_column(code: str, draw: random.Random) -> str:
    """Name a column that is not there."""
    places = list(_COLUMN.finditer(code))
    if not places:
        return code
    place = draw.choice(places)
    wrong = draw.choice((f"{place[2]}_id", f"{place[2]} (HUGO)"))
    return f"{code[: place.start(2)]}{wrong}{code[place.end(2) :]}"


def _missing_table(code: str, draw: random.Random) -> str:
    """Record the cohort without having written one of its tables."""
    places = list(_SAVED.finditer(code))
    if not places or "save_cohort_info" not in code:
        return code
    place = draw.choice(places)
    return f"{code[: place.start()]}{place[1]}print({place[2]}){code[place.end() :]}"


def _lost_variable(code: str, draw: random.Random) -> str:
    """Give a result, which later steps build on, a name of its own: it runs, to no use."""
    names = sorted({found[1] for found in _LEFT_BEHIND.finditer(code)})
    if not names:
        return code
    return _renamed(code, draw.choice(names))


def _renamed(code: str, name: str) -> str:
    """Return code with a variable called otherwise; attributes and keywords keep their names."""
    tree = ast.parse(code)
    lines = code.encode().split(b"\n")
    places = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
    # From the end, so that earlier places stay where they are.
    for place in sorted(places, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        line, start = lines[place.lineno - 1], place.col_offset
        lines[place.lineno - 1] = line[:start] + b"my_" + line[start:]
    return b"\n".join(lines).decode()


_MAKERS: dict[str, Callable[[str, random.Random], str]] = {
    "crash": _crash,
    "endless_loop": _endless_loop,
    "header_not_stripped": _header_not_stripped,
    "unknown_keyword": _unknown_keyword,
    "placeholder_conversion": _placeholder_conversion,
    "wrong_file_reading": _wrong_file_reading,
    "wrong_row": _wrong_row,
    "wrong_column": _wrong_column,
    "missing_table": _missing_table,
    "lost_variable": _lost_variable,
}

FAULTS = tuple(_MAKERS)
"""Names of all faults."""


def faults_of(code: str) -> tuple[str, ...]:
    """Return the faults that can be put into this code."""
    return tuple(name for name, make in _MAKERS.items() if make(code, random.Random(0)) != code)


def with_fault(code: str, unit: ActionUnit, fault: str, seed: int) -> str:
    """Put a fault into code that the rules wrote.

    Parameters
    ----------
    code : str
        What `write_code` gave.
    unit : ActionUnit
        Its step.
    fault : str
        One of `FAULTS`; see `faults_of` for those that this code can have.
    seed : int
        Chooses among the places and forms that the fault may have.

    Raises
    ------
    UsageError
        If there is no such fault, or no place for it in this code.
    """
    if fault not in _MAKERS:
        msg = f"there is no fault {fault!r}; use {', '.join(FAULTS)}"
        raise UsageError(msg)
    changed = _MAKERS[fault](code, random.Random(seed))
    if changed == code:
        msg = f"the code of {unit.title} has no place for the fault {fault!r}"
        raise UsageError(msg)
    return changed
