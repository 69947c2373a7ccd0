"""Build an atlas from output folders, or bring it up to date: only what changed is read again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from genotex.atlas.combining import ResultGroup, combine_group, group_results
from genotex.atlas.ranks import RankColumn, RankMatrix, signed_size
from genotex.atlas.result_files import (
    TESTS_GENES,
    CohortEffects,
    ResultFile,
    Stamp,
    find_results,
    read_effects,
)
from genotex.atlas.store import (
    MOST_SEGMENTS,
    VIEWS_FILE,
    AtlasFolder,
    AtlasManifest,
    Seal,
    Source,
    views_sql,
)
from genotex.errors import GenotexError
from genotex.io import atomic_write, lock

Progress = Callable[[str, str, int], None]
"""Called with the stage, what is done, and how many there are."""

BATCH = 256
"""Results in memory at a time."""

RESULTS: dict[str, Any] = {
    "result": pl.UInt32,
    "trait": pl.String,
    "condition": pl.String,
    "cohort": pl.String,
    "procedure": pl.String,
    "origin": pl.String,
    "kind": pl.String,
    "comparison": pl.String,
    "samples": pl.UInt32,
    "genes": pl.UInt32,
    "tested": pl.UInt32,
    "significant": pl.UInt32,
    "ranked": pl.UInt32,
    "spread": pl.Float64,
    "platform": pl.String,
    "tissue": pl.String,
    "source": pl.String,
    "paired": pl.Boolean,
    "adjusted_for": pl.List(pl.String),
    "sample_ids": pl.List(pl.String),
    "warnings": pl.List(pl.String),
    "folder": pl.String,
    "record": pl.String,
}
"""Columns of the table of results: one cohort tested for one problem in each row.

``ranked`` and ``spread`` are those of its `RankColumn`, null where genes have no direction."""

GROUPS: dict[str, Any] = {
    "group": pl.UInt32,
    "trait": pl.String,
    "condition": pl.String,
    "kind": pl.String,
    "cohorts": pl.List(pl.String),
    "members": pl.List(pl.UInt32),
    "used": pl.List(pl.UInt32),
    "samples": pl.UInt32,
    "genes": pl.UInt32,
    "significant": pl.UInt32,
    "ranked": pl.UInt32,
    "spread": pl.Float64,
    "left_out": pl.String,
    "warnings": pl.List(pl.String),
}
"""Columns of the table of groups: all cohorts of one trait and condition in each row."""

_FOREIGN = (KeyError, TypeError, ValueError, AttributeError, pl.exceptions.PolarsError)
"""What reading a record fails with that has the right form, but strange content."""


@dataclass(frozen=True)
class BuildReport:
    """What a build did, and what the atlas holds now."""

    added: int
    removed: int
    unchanged: int
    results: int
    cohorts: int
    traits: int
    genes: int
    bytes: int
    unreadable: Mapping[str, str]


@dataclass(eq=False)
class _Changes:
    """Result files by what is to be done with them."""

    kept: dict[tuple[str, str], Source] = field(default_factory=dict)
    to_read: list[tuple[str, ResultFile, Stamp]] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)


def build_atlas(
    folders: Sequence[Path], root: Path, progress: Progress | None = None
) -> BuildReport:
    """Collect the results of output folders; folders that are not named keep their place.

    Where no result can be read, the atlas stays as it was, and the report has 0 results.

    Parameters
    ----------
    folders
        Output folders, or folders that hold some.
    root
        The atlas; made when missing.
    progress
        Called with each piece of work that is done.

    Raises
    ------
    UsageError
        If a folder holds no results, or `root` holds something else, or is being built.
    """
    found = [(folder.resolve(), find_results(folder.resolve())) for folder in folders]
    store = AtlasFolder(root)
    store.refuse_other_content()
    with lock(store.manifest_file, wait=False):
        if not store.exists():
            # So that what an interrupted first build leaves is known as an atlas.
            store.commit(AtlasManifest())
        before = store.manifest()
        store.clean(before)
        changes = _compare(before, found)
        work = _AtlasBuild(store, before, changes, progress or (lambda *_: None))
        if not (changes.to_read or changes.gone):
            return _report(store, before, work)
        try:
            after = work.run()
        except BaseException:
            store.clean(before)
            raise
        if after.files:
            store.commit(after)
            with atomic_write(store.root / VIEWS_FILE) as part:
                part.write_text(views_sql(after), encoding="utf-8")
        return _report(store, after, work)


def _report(store: AtlasFolder, manifest: AtlasManifest, work: _AtlasBuild) -> BuildReport:
    added, removed = len(work.added), len(work.changes.gone)
    if not manifest.files:
        return BuildReport(0, 0, 0, 0, 0, 0, 0, 0, manifest.unreadable)
    results = store.read_table(manifest.file("results-"))
    return BuildReport(
        added=added,
        removed=removed,
        unchanged=results.height - added,
        results=results.height,
        cohorts=results.filter(pl.col("cohort") != "")["cohort"].n_unique(),
        traits=results["trait"].n_unique(),
        genes=store.read_table(manifest.file("symbols-")).height,
        bytes=sum(seal.bytes for seal in manifest.files.values()),
        unreadable=manifest.unreadable,
    )


def _compare(before: AtlasManifest, found: Sequence[tuple[Path, list[ResultFile]]]) -> _Changes:
    changes = _Changes()
    named = {str(folder) for folder, _ in found}
    files = {(str(file.output.root), file.name): file for _, listed in found for file in listed}
    for folder, sources in before.sources.items():
        of_named = folder in named or str(Path(folder).parent) in named
        for name, source in sources.items():
            if not of_named:
                changes.kept[folder, name] = source
            elif (folder, name) not in files:
                changes.gone += source.results
    for (folder, name), file in files.items():
        stamp = Stamp.of(file)
        earlier = before.sources.get(folder, {}).get(name)
        if earlier is not None and stamp.same(earlier.stamp, file):
            changes.kept[folder, name] = replace(earlier, stamp=stamp)
            continue
        changes.gone += earlier.results if earlier is not None else ()
        changes.to_read.append((folder, file, stamp))
    return changes


class _AtlasBuild:
    """One build: the new tables, and the names of the files that were written."""

    def __init__(
        self, store: AtlasFolder, before: AtlasManifest, changes: _Changes, progress: Progress
    ) -> None:
        self.store = store
        self.before = before
        self.changes = changes
        self.report = progress
        self.generation = before.generation + 1
        self.segments: list[str] = []
        self.written: dict[str, Seal] = {}
        self.sources = dict(changes.kept)
        self.unreadable: dict[str, str] = {}
        self.added: list[dict[str, Any]] = []
        self.ranks: dict[int, RankColumn | None] = {}
        self.results = pl.DataFrame(schema=RESULTS)
        self.genes = pl.Series("gene", [], dtype=pl.String)

    def run(self) -> AtlasManifest:
        """Write all files but the manifest; one without files where there is no result."""
        old = self._old("results-", RESULTS).filter(
            ~pl.col("result").is_in(pl.Series(self.changes.gone, dtype=pl.UInt32).implode())
        )
        self.genes = self._old("symbols-", {"gene": pl.String})["gene"]
        self._read_all()
        self.results = pl.concat([old, pl.DataFrame(self.added, schema=RESULTS)])
        if self.results.is_empty():
            return AtlasManifest(unreadable=self.unreadable)
        after = replace(
            self.before,
            generation=self.generation,
            next_result=self.before.next_result + len(self.added),
            sources=self._sources(),
            unreadable=self.unreadable,
            dead=self.before.dead + len(self.changes.gone),
            files=self._block_files(),
        )
        old_groups = self._old("groups-", GROUPS)
        groups, columns, next_group = self._combine(after, old_groups)
        small = self._write_small(old_groups, groups, columns)
        segments = (*self.before.segments, *self.segments)
        after = replace(after, next_group=next_group, segments=segments, files=self._block_files())
        if len(segments) > MOST_SEGMENTS or after.dead > self.results.height:
            alive = {"genes": self.results["result"], "combined": groups["group"]}
            after = self.store.merge(after, f"{self.generation:06d}-merged", alive)  # type: ignore[arg-type]
        return replace(after, files={**after.files, **self.store.seal(small)})

    def _old(self, start: str, schema: Mapping[str, Any]) -> pl.DataFrame:
        if not self.before.files:
            return pl.DataFrame(schema=schema)
        return self.store.read_table(self.before.file(start))

    def _block_files(self) -> dict[str, Seal]:
        """Return the files in blocks, those of this build too."""
        earlier = {n: seal for n, seal in self.before.files.items() if "/block=" in n}
        return {**earlier, **self.written}

    def _sources(self) -> dict[str, dict[str, Source]]:
        by_folder: dict[str, dict[str, Source]] = {}
        for (folder, name), source in sorted(self.sources.items()):
            by_folder.setdefault(folder, {})[name] = source
        return by_folder

    def _segment(self) -> str:
        name = f"{self.generation:06d}-{len(self.segments):04d}"
        self.segments.append(name)
        return name

    def _read_all(self) -> None:
        """Read what is new or changed, and write its genes."""
        names: set[str] = set()
        held: list[pl.DataFrame] = []
        total = len(self.changes.to_read)
        for folder, file, stamp in self.changes.to_read:
            ids = []
            for effects in self._read(folder, file):
                result = self.before.next_result + len(self.added)
                ids.append(result)
                frame = effects.genes.with_columns(result=pl.lit(result, dtype=pl.UInt32))
                held.append(frame)
                names.update(frame["gene"].to_list())
                tests = effects.procedure in TESTS_GENES and effects.kind in (
                    "binary",
                    "continuous",
                )
                column = RankColumn.of(signed_size(frame)) if tests else None
                self.ranks[result] = column
                self.added.append(_row(result, folder, file, effects) | _rank_facts(column))
            if f"{folder}/{file.name}" not in self.unreadable:
                self.sources[folder, file.name] = Source(stamp, tuple(ids))
            if len(held) >= BATCH:
                held = self._write("genes", held)
            self.report("reading results", f"{file.trait}", total)
        self._write("genes", held)
        self.genes = pl.Series("gene", sorted({*self.genes.to_list(), *names}), dtype=pl.String)

    def _read(self, folder: str, file: ResultFile) -> list[CohortEffects]:
        try:
            return read_effects(file)
        except (GenotexError, OSError, *_FOREIGN) as error:
            self.unreadable[f"{folder}/{file.name}"] = str(error) or type(error).__name__
            return []

    def _write(self, table: Any, held: list[pl.DataFrame]) -> list[pl.DataFrame]:
        """Write rows as a segment; returns the empty list that follows."""
        if held:
            frame = pl.concat(held)
            names = self.store.write_segment(table, self._segment(), frame)
            self.written |= self.store.seal(names)
        return []

    def _combine(
        self, manifest: AtlasManifest, old: pl.DataFrame
    ) -> tuple[pl.DataFrame, dict[int, RankColumn | None], int]:
        """Combine the groups whose results changed; returns all groups and the new rank columns."""
        wanted = group_results(self.results)
        known = {
            (t, c, tuple(sorted(ids))): group
            for group, t, c, ids in old.select("group", "trait", "condition", "members").iter_rows()
        }
        kept = [
            g
            for group in wanted
            if (g := known.get((group.trait, group.condition, group.members))) is not None
        ]
        todo = [g for g in wanted if (g.trait, g.condition, g.members) not in known]
        facts: list[dict[str, Any]] = []
        columns: dict[int, RankColumn | None] = {}
        number = manifest.next_group
        rows = {row["result"]: row for row in self.results.iter_rows(named=True)}
        for batch in _batches(todo):
            members = [i for group in batch for i in group.members]
            genes = self.store.read_owned(manifest, "genes", members).partition_by(
                "result", as_dict=True
            )
            tables = {int(result): table for (result,), table in genes.items()}
            held = []
            for group in batch:
                combined = combine_group(group, rows, tables)
                frame = combined.genes.with_columns(group=pl.lit(number, dtype=pl.UInt32))
                values = frame.select("gene", pl.col("z").cast(pl.Float64).alias("value"))
                columns[number] = RankColumn.of(values.filter(pl.col("value").is_finite()))
                own = _rank_facts(columns[number])
                facts.append({"group": number, **combined.facts, **own})
                held.append(frame)
                number += 1
                self.report("combining cohorts", group.trait, len(todo))
            self._write("combined", held)
        groups = pl.concat(
            [
                old.filter(pl.col("group").is_in(pl.Series(kept, dtype=pl.UInt32).implode())),
                pl.DataFrame(facts, schema=GROUPS),
            ]
        )
        return groups, columns, number

    def _write_small(
        self,
        old_groups: pl.DataFrame,
        groups: pl.DataFrame,
        columns: Mapping[int, RankColumn | None],
    ) -> list[str]:
        """Write the tables of results, groups and genes, and the matrices of ranks."""
        mark = f"{self.generation:06d}"
        old_results = self._old("results-", RESULTS)["result"].to_list()
        ids, group_ids = self.results["result"].to_list(), groups["group"].to_list()
        store = self.store
        return [
            store.write_table(f"results-{mark}.parquet", self.results),
            store.write_table(f"groups-{mark}.parquet", groups),
            store.write_table(f"symbols-{mark}.parquet", self.genes.to_frame()),
            store.write_matrix(
                f"cohort-ranks-{mark}.npy",
                self._matrix("cohort-ranks-", old_results)
                .updated(self.genes, ids, self.ranks)
                .scores,
            ),
            store.write_matrix(
                f"trait-ranks-{mark}.npy",
                self._matrix("trait-ranks-", old_groups["group"].to_list())
                .updated(self.genes, group_ids, columns)
                .scores,
            ),
        ]

    def _matrix(self, start: str, owners: Sequence[int]) -> RankMatrix:
        if not self.before.files:
            return RankMatrix.empty()
        scores = self.store.read_matrix(self.before.file(start))
        return RankMatrix(self._old("symbols-", {})["gene"], tuple(owners), scores)


def _batches(groups: Sequence[ResultGroup]) -> Iterator[list[ResultGroup]]:
    """Give groups with about `BATCH` results together."""
    batch: list[ResultGroup] = []
    for group in groups:
        batch.append(group)
        if sum(len(each.members) for each in batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _rank_facts(column: RankColumn | None) -> dict[str, Any]:
    if column is None:
        return {"ranked": None, "spread": None}
    return {"ranked": column.ranked, "spread": column.spread}


def _row(result: int, folder: str, file: ResultFile, found: CohortEffects) -> dict[str, Any]:
    facts = {name: getattr(found, name, None) for name in RESULTS}
    tested = found.genes.filter(pl.col("log10_p").is_not_null()).height
    return facts | {
        "result": result,
        "genes": found.genes.height,
        "tested": tested,
        "significant": int(found.genes["significant"].fill_null(False).sum()),
        "adjusted_for": list(found.adjusted_for),
        "sample_ids": list(found.sample_ids),
        "warnings": list(found.warnings),
        "folder": folder,
        "record": file.name,
    }
