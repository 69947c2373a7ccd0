"""The views of an atlas in SQL, for DuckDB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from genotex.atlas.store import AtlasFolder, Manifest
from genotex.errors import UsageError

__all__ = ["VIEWS_FILE", "open_views", "views_sql"]

VIEWS_FILE = "views.sql"

_VIEWS = {
    "results": """\
-- Views of this atlas. In its folder: duckdb -init views.sql
CREATE OR REPLACE VIEW results AS SELECT * FROM read_parquet({results});
""",
    "groups": """\
CREATE OR REPLACE VIEW groups AS SELECT * FROM read_parquet({groups});
""",
    "genes": """\
CREATE OR REPLACE VIEW effects AS
SELECT g.gene, r.trait, r.condition, r.cohort, g.effect, g.error, g.standardised,
       g.standardised_error, power(10, g.log10_p::DOUBLE) AS p, power(10, g.log10_q::DOUBLE) AS q,
       g.samples, g.rank, g.significant, g.status, r.kind, r.comparison, r.procedure, r.platform,
       r.tissue, g.result
FROM read_parquet({genes}, hive_partitioning = false) g JOIN results r USING (result);
""",
    "combined": """\
CREATE OR REPLACE VIEW combined AS
SELECT g.gene, t.trait, t.condition, g.cohorts, g.samples, g.effect, g.error, g.ci_low, g.ci_high,
       g.z, power(10, g.log10_p::DOUBLE) AS p, power(10, g.log10_q::DOUBLE) AS q, g.i2, g.agreeing,
       g.rank, g.significant, "group"
FROM read_parquet({combined}, hive_partitioning = false) g JOIN groups t USING ("group");
""",
}
"""By what they are of; nothing may be combined."""


def views_sql(manifest: Manifest, front: str = "") -> str:
    """Return the statements that make the views; `front` goes before the names of files."""
    places = {
        "results": [manifest.file("results-")],
        "groups": [manifest.file("groups-")],
        "genes": [name for name in manifest.files if name.startswith("genes/")],
        "combined": [name for name in manifest.files if name.startswith("combined/")],
    }
    lists = {key: [_quoted(front + name) for name in names] for key, names in places.items()}
    return "".join(
        view.format(**{key: f"[{', '.join(names)}]" for key, names in lists.items()})
        for key, view in _VIEWS.items()
        if lists[key]
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def open_views(root: Path) -> Any:
    """Open the views in a DuckDB connection, in memory.

    Raises
    ------
    UsageError
        If DuckDB is not installed, or there is no atlas.
    """
    manifest = AtlasFolder(root).finished()
    try:
        import duckdb
    except ImportError as error:
        msg = "SQL needs the package duckdb: pip install 'genotex[atlas]'"
        raise UsageError(msg) from error
    connection = duckdb.connect()
    connection.execute(views_sql(manifest, f"{root.resolve()}/"))
    return connection
