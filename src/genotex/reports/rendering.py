"""From a page to HTML."""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from genotex.reports.page import ReportPage, UnansweredPage

__all__ = ["render_page", "render_template"]


def render_page(page: ReportPage | UnansweredPage) -> str:
    """Return the page as one self-contained HTML document."""
    name = "report.html.j2" if isinstance(page, ReportPage) else "unanswered.html.j2"
    return render_template(name, page)


def render_template(name: str, page: object) -> str:
    """Return a page as one self-contained HTML document of a template.

    Everything is escaped but the figures, whose SVG escapes its own text, and JSON for the page's
    script, which holds no ``<``.

    Parameters
    ----------
    name : str
        File name of the template.
    page : object
        What the template knows as ``page``.
    """
    return _environment().get_template(name).render(page=page)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("genotex.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["trusted_svg"] = Markup
    environment.filters["trusted_json"] = Markup
    return environment
