"""The lines of a SOFT file: entities, attributes, and where tables begin and end."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["SoftEntity", "entity_line", "table_end"]

_TABLE_BEGIN = re.compile(r"!(\w*table)_begin", re.IGNORECASE)


@dataclass
class SoftEntity:
    """One ``^KIND = NAME`` and its ``!Kind_key = value`` lines."""

    kind: str  # ``PLATFORM``, ``SAMPLE``, ``SERIES``, ``ANNOTATION``, ``DATABASE``
    name: str  # accession
    line: int  # its line number
    fields: dict[str, list[str]] = field(default_factory=dict)

    def add(self, text: str) -> None:
        """Take in an attribute line."""
        label, _, value = text[1:].partition("=")
        label = label.strip()
        prefix, _, key = label.partition("_")
        name = key if key and prefix.upper() == self.kind else label
        self.fields.setdefault(name, []).append(value.strip())

    def first(self, name: str) -> str:
        """Return the first value of an attribute, empty if there is none."""
        return next(iter(self.fields.get(name, ())), "")

    def frozen_fields(self) -> dict[str, tuple[str, ...]]:
        """Return the attributes as plain data."""
        return {name: tuple(values) for name, values in self.fields.items()}


def entity_line(text: str, line: int) -> SoftEntity:
    """Return the entity that a ``^KIND = NAME`` line opens."""
    kind, _, name = text[1:].partition("=")
    return SoftEntity(kind.strip().upper(), name.strip(), line)


def table_end(text: str) -> str | None:
    """Return the end line of the table that `text` begins, None if it begins none."""
    found = _TABLE_BEGIN.fullmatch(text.strip(' \t"'))
    return f"!{found.group(1).lower()}_end" if found else None
