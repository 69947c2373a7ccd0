"""The files of an atlas: the manifest that names them, and Parquet files in blocks of genes.

A gene belongs to a block by the checksum of its symbol. Each build adds a segment: one file in each
block, sorted by gene. Nothing is changed in place, and the manifest is replaced last, so an atlas
is readable at any moment of a build, also of one that was killed.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from genotex.atlas.result_files import EFFECTS, Stamp
from genotex.errors import FormatError, UsageError
from genotex.extras import load_extra
from genotex.formats import read_json_object, sha256
from genotex.io import atomic_write
from genotex.outside import check_parquet, read_array, read_parquet
from genotex.records import Check, InsidePath, Sha256, checked

BLOCKS = 64
"""Blocks of genes: about 300 genes in each."""

MOST_SEGMENTS = 8
"""Above so many files per block they are merged, and rows of removed results are dropped."""

_NAME = re.compile(r"(?:\w[\w=-]*/)*\w[\w=.-]*\.(?:parquet|npy)")
"""Names of files below an atlas: no other path of a manifest is opened."""

_ROWS = 16_384
"""Of a row group, the smallest piece that is read."""

_FORMAT, _VERSION = "genotex atlas", 1
MANIFEST = "manifest.json"
_BUILD_AGAIN = "build the atlas again, in a new folder"

Table = Literal["genes", "combined"]

COMBINED: dict[str, Any] = {
    "gene": pl.String,
    "group": pl.UInt32,
    "cohorts": pl.UInt16,
    "samples": pl.UInt32,
    "effect": pl.Float32,
    "error": pl.Float32,
    "ci_low": pl.Float32,
    "ci_high": pl.Float32,
    "z": pl.Float32,
    "log10_p": pl.Float32,
    "log10_q": pl.Float32,
    "i2": pl.Float32,
    "agreeing": pl.UInt16,
    "rank": pl.UInt32,
    "significant": pl.Boolean,
}
"""Columns of the genes over the cohorts of a trait and condition."""

_COLUMNS: dict[Table, dict[str, Any]] = {"genes": EFFECTS, "combined": COMBINED}
_OWNER: dict[Table, str] = {"genes": "result", "combined": "group"}

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


_FILE = re.compile(
    r"(results|groups|symbols)-\d{6}\.parquet|(cohort|trait)-ranks-\d{6}\.npy"
    r"|(genes|combined)/block=\d{2}/\d{6}-(\d{4}|merged)\.parquet",
    re.ASCII,
)
"""Files of an atlas. They are named in SQL, so a manifest names no others."""


def _why_no_file(name: str) -> str:
    return "" if _FILE.fullmatch(name) else f"is no file of an atlas: {name[:80]!r}"


def _why_no_segment(name: str) -> str:
    return "" if re.fullmatch(r"[0-9]{6}-([0-9]{4}|merged)", name) else "is no segment of an atlas"


@dataclass(frozen=True)
class Seal:
    """Size and digest of a file of the atlas."""

    bytes: int
    sha256: Sha256


@dataclass(frozen=True)
class Source:
    """A result that is in the atlas: its stamp when it was read, and the ids of its cohorts."""

    stamp: Stamp
    results: tuple[int, ...]


@dataclass(frozen=True)
class AtlasManifest:
    """What the atlas holds; only files that it names belong to it."""

    format: str = _FORMAT
    version: int = _VERSION
    generation: int = 0
    blocks: int = BLOCKS
    next_result: int = 0
    next_group: int = 0
    sources: Mapping[str, Mapping[InsidePath, Source]] = field(default_factory=dict)
    """By folder, and record in it."""
    unreadable: Mapping[str, str] = field(default_factory=dict)
    """Records that could not be read, and why."""
    segments: tuple[Annotated[str, Check(_why_no_segment)], ...] = ()
    dead: int = 0
    """Results removed since segments were merged; their rows are still in the files."""
    files: Mapping[Annotated[str, Check(_why_no_file)], Seal] = field(default_factory=dict)

    def file(self, start: str) -> str:
        """Return the name of the file of this generation that begins so."""
        for name in self.files:
            if name.startswith(start):
                return name
        msg = f"names no file {start}*"
        raise FormatError(msg, field="files", hint=_BUILD_AGAIN)


@contextmanager
def _replaced_as_error() -> Iterator[None]:
    """Say so where a build has removed files of the atlas while it was asked."""
    try:
        yield
    except FileNotFoundError as error:
        msg = "the atlas was brought up to date while it was asked; ask again"
        raise UsageError(msg) from error


class AtlasFolder:
    """An atlas on disk."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.manifest_file = root / MANIFEST
        self._checked: set[Path] = set()

    def exists(self) -> bool:
        """Return whether there is an atlas."""
        return self.manifest_file.is_file()

    def manifest(self) -> AtlasManifest:
        """Read the manifest; a UsageError if there is none, a FormatError if it is another."""
        if not self.exists():
            msg = f"{self.root} holds no atlas; make one with: genotex atlas build RESULTS -o ATLAS"
            raise UsageError(msg)
        content = read_json_object(self.manifest_file, _BUILD_AGAIN)
        if (content.get("format"), content.get("version")) != (_FORMAT, _VERSION):
            msg = f"is not the manifest of an atlas of version {_VERSION}"
            raise FormatError(msg, path=self.manifest_file, hint=_BUILD_AGAIN)
        return checked(
            AtlasManifest, content, extra="forbid", path=self.manifest_file, hint=_BUILD_AGAIN
        )

    def finished(self) -> AtlasManifest:
        """Read the manifest of an atlas that can be asked; a UsageError if it was never built."""
        manifest = self.manifest()
        if not manifest.files:
            msg = f"the atlas {self.root} was never finished; run genotex atlas build again"
            raise UsageError(msg)
        return manifest

    def refuse_other_content(self) -> None:
        """Refuse a folder that is not empty and holds no atlas."""
        strangers = self.root.is_dir() and any(
            not path.name.startswith(".") for path in self.root.iterdir()
        )
        if not self.exists() and strangers:
            msg = f"{self.root} is not empty and holds no atlas; name a new or an empty folder"
            raise UsageError(msg)

    def commit(self, manifest: AtlasManifest) -> None:
        """Replace the manifest, then remove the files that only the earlier one named."""
        text = json.dumps(asdict(manifest), indent=1)
        with atomic_write(self.manifest_file) as part:
            part.write_text(text + "\n", encoding="utf-8")
        self.clean(manifest)

    def clean(self, manifest: AtlasManifest) -> None:
        """Remove the files of earlier or unfinished builds."""
        kept = {self.root / name for name in manifest.files}
        for pattern in ("*.parquet", "*.npy", "*/block=*/*.parquet", "**/.*.part"):
            for path in self.root.glob(pattern):
                if path not in kept:
                    with suppress(FileNotFoundError):
                        path.unlink()

    def seal(self, names: Iterable[str]) -> dict[str, Seal]:
        """Return sizes and digests of files."""
        found = {}
        for name in names:
            path = self.root / name
            found[name] = Seal(path.stat().st_size, sha256(path))
        return found

    def read_table(self, name: str) -> pl.DataFrame:
        """Read a small table."""
        with _replaced_as_error(), self._damaged(name):
            return read_parquet(self.root / name, lists=True)

    def read_matrix(self, name: str) -> NDArray[np.float16]:
        """Return a matrix as a file in memory; pickles are refused."""
        with _replaced_as_error(), self._damaged(name):
            matrix: NDArray[np.float16] = read_array(self.root / name)
            return matrix

    @contextmanager
    def _damaged(self, name: str) -> Iterator[None]:
        """Name the file that cannot be read."""
        try:
            yield
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError) as error:
            msg = f"cannot be read: {str(error).partition(chr(10))[0]}"
            raise FormatError(msg, path=self.root / name, hint=_BUILD_AGAIN) from error

    def write_table(self, name: str, frame: pl.DataFrame) -> str:
        """Write a small table."""
        with atomic_write(self.root / name) as part, part.open("wb") as handle:
            frame.write_parquet(handle)
        return name

    def write_matrix(self, name: str, matrix: NDArray[np.float16]) -> str:
        """Write a matrix."""
        with atomic_write(self.root / name) as part, part.open("wb") as handle:
            np.save(handle, matrix)
        return name

    def write_segment(self, table: Table, segment: str, frame: pl.DataFrame) -> list[str]:
        """Write rows into the files of their blocks; returns the names of the files."""
        names = frame["gene"].unique()
        places = pl.DataFrame({"gene": names, "__block": [_block_of(g) for g in names]})
        split = frame.join(places, on="gene").partition_by("__block", as_dict=True)
        return [
            self._write_block(table, segment, int(block), rows.drop("__block"))
            for (block,), rows in sorted(split.items())
        ]

    def _write_block(self, table: Table, segment: str, block: int, rows: pl.DataFrame) -> str:
        name = f"{table}/block={block:02d}/{segment}.parquet"
        ordered = rows.select(_COLUMNS[table].keys()).sort("gene", _OWNER[table])
        with atomic_write(self.root / name) as part, part.open("wb") as handle:
            ordered.write_parquet(handle, row_group_size=_ROWS, compression_level=3)
        return name

    def read_gene(self, manifest: AtlasManifest, table: Table, gene: str) -> pl.DataFrame:
        """Return the rows of a gene, of removed results too."""
        front = f"{table}/block={_block_of(gene):02d}/"
        paths = [self.root / name for name in manifest.files if name.startswith(front)]
        with _replaced_as_error(), self._damaged(front):
            return self._scan(table, paths).filter(pl.col("gene") == gene).collect()

    def read_owned(
        self, manifest: AtlasManifest, table: Table, owners: Sequence[int]
    ) -> pl.DataFrame:
        """Return all rows of some results or groups."""
        wanted = pl.Series(list(owners), dtype=pl.UInt32)
        paths = [self.root / n for n in manifest.files if n.startswith(f"{table}/")]
        rows = self._scan(table, paths).filter(pl.col(_OWNER[table]).is_in(wanted.implode()))
        with _replaced_as_error(), self._damaged(table):
            return rows.collect()

    def _scan(self, table: Table, paths: Sequence[Path]) -> pl.LazyFrame:
        if not paths:
            return pl.LazyFrame(schema=_COLUMNS[table])
        for path in paths:
            self._check(path)
        return pl.scan_parquet(list(paths), hive_partitioning=False)

    def _check(self, path: Path) -> None:
        """Check a file once before it is searched."""
        if path in self._checked:
            return
        with _replaced_as_error(), path.open("rb") as handle:
            check_parquet(handle, path, is_table=False)
        self._checked.add(path)

    def merge(
        self, manifest: AtlasManifest, segment: str, alive: Mapping[Table, Sequence[int]]
    ) -> AtlasManifest:
        """Merge the segments, block by block, without the rows of what was removed."""
        written: list[str] = []
        for table, owners in alive.items():
            wanted = pl.Series(list(owners), dtype=pl.UInt32).implode()
            for block, paths in self._by_block(manifest, table):
                rows = self._scan(table, paths).filter(pl.col(_OWNER[table]).is_in(wanted))
                written.append(self._write_block(table, segment, block, rows.collect()))
        rest = {n: seal for n, seal in manifest.files.items() if "/block=" not in n}
        return replace(manifest, segments=(segment,), dead=0, files={**rest, **self.seal(written)})

    def _by_block(self, manifest: AtlasManifest, table: Table) -> Iterator[tuple[int, list[Path]]]:
        for block in range(manifest.blocks):
            front = f"{table}/block={block:02d}/"
            paths = [self.root / name for name in manifest.files if name.startswith(front)]
            if paths:
                yield block, paths


def _block_of(gene: str) -> int:
    """Return the block of a gene."""
    return zlib.crc32(gene.encode()) % BLOCKS


def views_sql(manifest: AtlasManifest, front: str = "") -> str:
    """Return the statements that make the views; `front` goes before the names of files."""
    places = {
        "results": [manifest.file("results-")],
        "groups": [manifest.file("groups-")],
        "genes": [name for name in manifest.files if name.startswith("genes/")],
        "combined": [name for name in manifest.files if name.startswith("combined/")],
    }
    lists = {
        key: ["'" + f"{front}{name}".replace("'", "''") + "'" for name in names]
        for key, names in places.items()
    }
    return "".join(
        view.format(**{key: f"[{', '.join(names)}]" for key, names in lists.items()})
        for key, view in _VIEWS.items()
        if lists[key]
    )


def open_views(root: Path) -> Any:
    """Open the views in a DuckDB connection, in memory.

    Raises
    ------
    UsageError
        If DuckDB is not installed, or there is no atlas.
    """
    manifest = AtlasFolder(root).finished()
    connection = load_extra("duckdb", "atlas", "SQL").connect()
    connection.execute(views_sql(manifest, f"{root.resolve()}/"))
    return connection
