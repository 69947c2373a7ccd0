"""Pages as HTML and as files."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import polars as pl
from jinja2 import (
    Environment,
    FileSystemBytecodeCache,
    PackageLoader,
    StrictUndefined,
    select_autoescape,
)
from jinja2.bccache import Bucket
from markupsafe import Markup

from genotex import words
from genotex.errors import UsageError
from genotex.formats import inert_frame
from genotex.io import atomic_write


def render_template(name: str, page: object) -> str:
    """Return a page as one self-contained HTML document of a template.

    Everything is escaped but the figures, whose SVG escapes its own text, and JSON for the page's
    script, which holds no ``<``.
    """
    return _environment().get_template(name).render(page=page)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("genotex.reports"),
        bytecode_cache=_compiled(),
        autoescape=select_autoescape(default=True, disabled_extensions=("md.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "counted": words.counted,
        "trusted_svg": Markup,
        "trusted_json": Markup,
        "direction": words.direction,
        "file_size": words.file_size,
        "number": words.number,
        "sentence": words.sentence,
        "yes_or_no": words.yes_or_no,
        "thousands": "{:,}".format,
    }
    return environment


class _Compiled(FileSystemBytecodeCache):
    """Compiled templates, in a folder of temporary files that no other user can write."""

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template where that is possible."""
        with suppress(OSError):
            super().dump_bytecode(bucket)


def _compiled() -> FileSystemBytecodeCache | None:
    """Return where compiled templates are kept; None without a folder that is safe."""
    # Jinja compares the text of a template; its options are those of this file.
    try:
        return _Compiled(pattern=f"genotex-{Path(__file__).stat().st_mtime_ns}-%s")
    except (OSError, RuntimeError):
        return None


def checked_page(path: Path) -> Path:
    """Return the path of a page; refuse the name of its own table, which ends in ``.csv``."""
    if path.suffix.lower() == ".csv":
        msg = "a report cannot be named .csv: its gene table has that name"
        raise UsageError(msg)
    return path


def write_page_files(html: str, path: Path, genes: pl.DataFrame | None = None) -> Path:
    """Write a page, and the genes as CSV of the same stem, each whole or not at all.

    The page is written last: it never names a CSV file that does not exist.
    """
    if genes is not None:
        with atomic_write(path.with_suffix(".csv")) as part, part.open("wb") as handle:
            inert_frame(genes).write_csv(handle)
    with atomic_write(path) as part:
        part.write_text(html, encoding="utf-8")
    return path
