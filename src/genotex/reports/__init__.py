"""Pages and tables that people read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from genotex.reports.meta import write_meta_report
    from genotex.reports.writing import write_report, write_unanswered_report

__all__ = ["write_meta_report", "write_report", "write_unanswered_report"]

_HOMES = {
    "write_meta_report": "genotex.reports.meta",
    "write_report": "genotex.reports.writing",
    "write_unanswered_report": "genotex.reports.writing",
}


def __getattr__(name: str) -> Any:
    """Import a function when it is asked for: workers that draw need none of them."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(_HOMES[name]), name)
