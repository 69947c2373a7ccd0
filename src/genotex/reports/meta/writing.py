"""Write the page over all cohorts of a problem, and its table."""

from __future__ import annotations

from pathlib import Path

from genotex.analysis.meta import read_meta
from genotex.layout import OutputFolder, trait_folder_name
from genotex.reports.meta.building import build_meta_page
from genotex.reports.meta.table import meta_csv_frame
from genotex.reports.page_files import check_page_name, write_page_files
from genotex.reports.rendering import render_template

__all__ = ["write_meta_report"]


def write_meta_report(
    output: OutputFolder,
    trait: str,
    condition: str | None,
    path: Path | None = None,
    *,
    written: str | None = None,
) -> Path:
    """Write the report over all cohorts of a problem, and all genes as CSV beside it.

    Parameters
    ----------
    output : OutputFolder
        Folder with the result over all cohorts (`genotex.analysis.meta.write_meta`).
    trait : str
        The trait.
    condition : str or None
        The problem's condition.
    path : Path, optional
        Where to write the page; `OutputFolder.meta_report` by default.
    written : str, optional
        Date to print on the page.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    AnalysisError
        If the cohorts of the problem have not been combined.
    FormatError
        If a file of the result is not what it should be.
    UsageError
        If the page would have the name of its own table.
    """
    trait = trait_folder_name(trait)
    path = path if path is not None else output.meta_report(trait, condition)
    check_page_name(path)
    result = read_meta(output, trait, condition)
    page = build_meta_page(result, csv_name=path.with_suffix(".csv").name, written=written)
    html = render_template("meta.html.j2", page)
    return write_page_files(html, path, meta_csv_frame(result))
