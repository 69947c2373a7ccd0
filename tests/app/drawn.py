"""What a figure holds that the workbench sends."""

from __future__ import annotations

from typing import Any


def series_of(figure: dict[str, Any], kind: str = "points") -> dict[str, dict[str, Any]]:
    """Return the series of one kind in all panels, by what they mean."""
    panels = [panel for row in figure["rows"] for panel in row]
    return {s["meaning"]: s for panel in panels for s in panel["series"] if s["kind"] == kind}


def marks_of(figure: dict[str, Any], kind: str = "points", name: str = "ids") -> list[Any]:
    """Return what the marks of one kind are, of all series."""
    return [each for series in series_of(figure, kind).values() for each in series[name]]
