"""Reports: the page and the table of a problem, and the page over all of its cohorts.

`write_report`, `write_unanswered_report` and `write_meta_report` read an output folder and write
files; the other names are the steps in between.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.reports.findings import Findings, ranked
    from genotex.reports.meta_report import build_meta_page, write_meta_report
    from genotex.reports.problem_page import (
        ReportPage,
        build_page,
        build_unanswered_page,
        render_page,
    )
    from genotex.reports.problem_report import write_report, write_unanswered_report
    from genotex.reports.sections import all_sections

__all__ = [
    "Findings",
    "ReportPage",
    "all_sections",
    "build_meta_page",
    "build_page",
    "build_unanswered_page",
    "ranked",
    "render_page",
    "write_meta_report",
    "write_report",
    "write_unanswered_report",
]

_HOMES = {
    "Findings": "findings",
    "ReportPage": "problem_page",
    "all_sections": "sections",
    "build_meta_page": "meta_report",
    "build_page": "problem_page",
    "build_unanswered_page": "problem_page",
    "ranked": "findings",
    "render_page": "problem_page",
    "write_meta_report": "meta_report",
    "write_report": "problem_report",
    "write_unanswered_report": "problem_report",
}


def __getattr__(name: str) -> Any:
    """Import a function when it is needed: workers that draw need none of them."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
