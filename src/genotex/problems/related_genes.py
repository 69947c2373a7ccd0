"""Related genes of traits (GenoTEX paper, appendix E.2), and how many of them two traits share.

They come from target-disease associations as the Open Targets Platform publishes them: the data
set "associationByOverallDirect", called "association_overall_direct" in newer releases, as JSON
lines or Parquet, in one file or a folder of parts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from genotex.errors import FileLimitError, FormatError, UsageError
from genotex.formats import read_bytes
from genotex.genes import GeneTable
from genotex.id_kinds import IdKind
from genotex.outside import PARQUET_MAGIC, read_parquet

TARGET, DISEASE, SCORE = "targetId", "diseaseId", "score"
NEWER_SCORE = "associationScore"
SCHEMA = {TARGET: pl.String, DISEASE: pl.String, SCORE: pl.Float64, NEWER_SCORE: pl.Float64}
ENDINGS = (".parquet", ".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
HINT = "give the folder or a file of associationByOverallDirect, JSON lines or Parquet"


@dataclass(frozen=True)
class Associations:
    """Associations of some diseases."""

    # ``targetId`` (an Ensembl gene), ``diseaseId``, ``score``: one row for each pair, sorted by
    # disease and target
    table: pl.DataFrame
    found: frozenset[str]  # Diseases with any association, regardless of its score
    rows: int  # Rows of the files
    # Rows left out because the same pair has another row with at least the same score. The data set
    # of overall scores has none; one by data source has many.
    repeated: int


def _association_files(path: Path) -> tuple[Path, ...]:
    """Return the files of a data set, sorted."""
    if not path.is_dir():
        return (path,)
    found = (
        part
        for part in path.rglob("*")
        if part.name.lower().endswith(ENDINGS)
        and not part.name.startswith((".", "_"))
        and part.is_file()
        # A part without rows is an empty file.
        and part.stat().st_size
    )
    if not (parts := tuple(sorted(found))):
        msg = f"{path} holds no .json or .parquet file; {HINT}"
        raise UsageError(msg)
    return parts


def read_associations(
    path: Path,
    diseases: Collection[str],
    above: float,
    progress: Callable[[str, int], None] | None = None,
) -> Associations:
    """Read the associations of some diseases with a score above a bound.

    Parameters
    ----------
    path : Path
        A file, or a folder with parts. Further columns are ignored.
    diseases : collection of str
        Ids as in the files, such as ``EFO_0000270``.
    above : float
        Only associations with a higher score are kept.
    progress : callable, optional
        Called after each file with its name and the number of files.

    Raises
    ------
    FormatError
        If a file cannot be read, is neither JSON lines nor Parquet, or lacks a column or a value.
    UsageError
        If a folder has no such file.
    """
    files = _association_files(path)
    kept: list[pl.DataFrame] = []
    found: set[str] = set()
    rows = 0
    for part in files:
        table = _read_part(part)
        rows += table.height
        of_interest = table.filter(pl.col(DISEASE).is_in(list(diseases)))
        found.update(of_interest[DISEASE].unique())
        kept.append(of_interest.filter(pl.col(SCORE) > above))
        if progress is not None:
            progress(part.name, len(files))
    every = pl.concat(kept)
    best = every.group_by(DISEASE, TARGET).agg(pl.col(SCORE).max())
    table = best.select(TARGET, DISEASE, SCORE).sort(DISEASE, TARGET)
    return Associations(table, frozenset(found), rows, every.height - table.height)


def _read_part(path: Path) -> pl.DataFrame:
    """Read ids and scores of one file, with the score under its older name."""
    table = _read_parquet(path) if _is_parquet(path) else _read_json_lines(path)
    score = [name for name in (SCORE, NEWER_SCORE) if name in table.columns]
    missing = [name for name in (TARGET, DISEASE) if name not in table.columns]
    missing += [] if score else [SCORE]
    if missing:
        msg = f"has no {' and no '.join(missing)}"
        raise FormatError(msg, path=path, hint=HINT)
    table = table.select(TARGET, DISEASE, pl.coalesce(score).alias(SCORE))
    for name in table.columns:
        if lacking := table[name].null_count():
            msg = f"{lacking} of {table.height} rows have no {name}"
            raise FormatError(msg, path=path, hint=HINT)
    return table


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as handle:
            return handle.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    except OSError as error:
        msg = f"cannot be read: {error.strerror or error}"
        raise FormatError(msg, path=path, hint=HINT) from error


def _read_parquet(path: Path) -> pl.DataFrame:
    try:
        table = read_parquet(path, columns=tuple(SCHEMA))
        return table.cast({name: SCHEMA[name] for name in table.columns})
    except (FormatError, pl.exceptions.PolarsError) as error:
        if isinstance(error, FileLimitError):
            raise
        msg = f"not a valid Parquet file: {_first_line(error)}"
        raise FormatError(msg, path=path, hint=HINT) from error


def _read_json_lines(path: Path) -> pl.DataFrame:
    content = read_bytes(path)
    try:
        table = pl.read_ndjson(content, schema=SCHEMA)
    except pl.exceptions.PolarsError as error:
        msg = f"not a valid JSON Lines file: {_first_line(error)}"
        raise FormatError(msg, path=path, hint=HINT) from error
    # A field that no line has is a column without any value.
    return table.select(name for name in table.columns if table[name].null_count() < table.height)


def _first_line(error: Exception) -> str:
    text = error.message if isinstance(error, FormatError) else str(error)
    return (text.splitlines() or [type(error).__name__])[0][:200]


@dataclass(frozen=True)
class RelatedGenes:
    """Related genes of traits, and what could not be found."""

    # trait -> official symbols, those with the highest score first
    genes: Mapping[str, tuple[str, ...]]
    associations: int  # associations of the traits' diseases that were read
    # Ensembl ids among them that the gene table does not know or knows for several genes, sorted
    unmapped: tuple[str, ...]
    without_id: tuple[str, ...]  # traits without a disease id; they have no related genes
    # disease ids without any association in the files, in the order of the traits
    absent: tuple[str, ...]


def find_related_genes(
    diseases: Mapping[str, tuple[str, ...]], associations: Associations, table: GeneTable
) -> RelatedGenes:
    """Find the genes related to each trait."""
    targets = associations.table["targetId"].unique().to_list()
    symbols = {ensembl: s for ensembl, s in table.lookup(IdKind.ENSEMBL, targets).items() if s}
    mapped = associations.table.with_columns(
        pl.col("targetId").replace_strict(symbols, default=None, return_dtype=pl.String)
    ).drop_nulls()
    by_disease: dict[str, list[tuple[str, float]]] = {}
    for symbol, disease, score in mapped.iter_rows():
        by_disease.setdefault(disease, []).append((symbol, score))
    ids = dict.fromkeys(disease for listed in diseases.values() for disease in listed)
    return RelatedGenes(
        {trait: _ranked(listed, by_disease) for trait, listed in diseases.items()},
        associations.table.height,
        tuple(sorted(set(targets) - set(symbols))),
        tuple(trait for trait, listed in diseases.items() if not listed),
        tuple(disease for disease in ids if disease not in associations.found),
    )


def _ranked(
    diseases: tuple[str, ...], by_disease: Mapping[str, list[tuple[str, float]]]
) -> tuple[str, ...]:
    best: dict[str, float] = {}
    for disease in diseases:
        for symbol, score in by_disease.get(disease, ()):
            best[symbol] = max(score, best.get(symbol, score))
    return tuple(sorted(best, key=lambda symbol: (-best[symbol], symbol)))


class GeneOverlap:
    """The related genes of traits, set against each other.

    Parameters
    ----------
    genes
        Trait -> its related genes; a trait that is not there has none.
    """

    def __init__(self, genes: Mapping[str, Collection[str]]) -> None:
        self._genes = {trait: frozenset(listed) for trait, listed in genes.items()}
        self._known: dict[tuple[str, str], float] = {}

    def shared(self, a: str, b: str) -> frozenset[str]:
        """Return the genes related to both traits."""
        none: frozenset[str] = frozenset()
        return self._genes.get(a, none) & self._genes.get(b, none)

    def jaccard(self, a: str, b: str) -> float:
        """Return the genes related to both over those related to either; 0 where there are none.

        The same for both orders of the traits.
        """
        key = (a, b) if a <= b else (b, a)
        if key not in self._known:
            shared = len(self.shared(a, b))
            either = sum(len(self._genes.get(trait, ())) for trait in key) - shared
            self._known[key] = shared / either if either else 0.0
        return self._known[key]
