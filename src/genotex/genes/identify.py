"""What the row ids of a matrix are: patterns narrow it down, the gene table decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from genotex.genes.symbols import official_symbols
from genotex.genes.table import GeneTable
from genotex.id_kinds import ID_KINDS, IdKind
from genotex.procedure import Procedure

_SAMPLE = 2000
_NOT_GENES = (
    (re.compile(r"cg\d{8}"), "methylation probes (cg...)"),
    (re.compile(r"rs\d+$"), "SNP ids (rs...)"),
    (
        re.compile(r"([a-z]{3}-)?(mir|let)-?\d|MIMAT\d+|(hsa|ebv|kshv|hcmv)-", re.IGNORECASE),
        "microRNA ids",
    ),
    (re.compile(r"hsa_circ"), "circular RNA ids"),
)
_PROBES = re.compile(
    r".*_(at|st)$|ILMN_\d+|A_\d+_P\d+|TC\w+\.hg\.\d+|PSR\w+|AFFX|\(\+\)E1A|\(-\)3xSLv1"
    r"|DarkCorner|GE_BrightCorner|ERCC-\d+",
    re.IGNORECASE,
)
_NAMED_BY_ID = re.compile(
    r"(?:(\d+|ENS[GT]\d{11}|[NX][MR]_\d+)|([A-Z]\d{5}|[A-Z]{2}\d{6})(?:_[a-z])?)_(?:at|st)$",
    re.IGNORECASE,
)
_ABSENT = frozenset({"", "?", "NA", "NAN", "NULL", "---"})


@dataclass(frozen=True)
class IdVerdict:
    """What a list of ids is."""

    kind: IdKind
    """The kind of id that most of them are."""
    needs_mapping: bool
    """False only for gene symbols (and if there are no ids)."""
    reason: str
    """The evidence, for a reader."""


def sample_evenly(ids: Sequence[str], size: int = _SAMPLE) -> list[str]:
    """Return up to `size` ids, evenly spaced."""
    if len(ids) <= size:
        return list(ids)
    return [ids[i] for i in np.linspace(0, len(ids) - 1, size).astype(int)]


def without_probe_suffix(ids: Iterable[str]) -> dict[str, str]:
    """Return the database id before ``_at`` for probe sets that are called by one."""
    # BrainArray's chip definitions have Entrez, Ensembl or RefSeq ids (``10000_at``,
    # ``ENSG00000000003_at``, ``NM_000014_at``), Affymetrix' first arrays those of GenBank
    # (``D00723_at``, ``D00408_s_at``; not ``X56253_rna1_at``, one gene of several).
    return {i: match[1] or match[2] for i in ids if (match := _NAMED_BY_ID.match(i))}


def identify_ids(ids: Sequence[str], table: GeneTable) -> IdVerdict:
    """Decide what the row ids of a matrix are.

    `ids`: Row ids; long lists are judged by 2,000 of them, evenly spaced. `table`: the genes that
    are known. Returns the kind, whether the ids must be mapped to symbols, and why.
    """
    given = [i for i in ids if i.strip().upper() not in _ABSENT]
    if not given:
        return IdVerdict(IdKind.UNKNOWN, False, "there are no row ids")
    some = sample_evenly(given)
    for pattern, what in _NOT_GENES:
        share = sum(pattern.match(i) is not None for i in some) / len(some)
        if share > 0.5:
            return IdVerdict(IdKind.UNKNOWN, True, f"{share:.0%} of the ids are {what}: not genes")
    symbols = official_symbols(some, table, Procedure.SOUND)
    shared = table.shared_aliases
    known = (
        symbol or name.upper() in shared for symbol, name in zip(symbols.symbols, some, strict=True)
    )
    share = (sum(map(bool, known)) + len(symbols.lost_dates)) / len(some)
    probes = sum(_PROBES.match(i) is not None for i in some) / len(some)
    if share >= 0.5 and share > probes:
        return IdVerdict(IdKind.SYMBOL, False, f"{share:.0%} of the ids are known gene symbols")
    numeric = _numeric(given, some, table)
    if numeric is not None:
        return numeric
    return _by_shape(some, table) or _probe_or_unknown(some, probes, share)


def _by_shape(some: list[str], table: GeneTable) -> IdVerdict | None:
    for kind, ids in ID_KINDS.items():
        shaped = [i for i in some if ids.shape.match(i.strip())]
        if ids.is_number or len(shaped) <= 0.5 * len(some):
            continue
        if not ids.in_gene_table:
            why = f"{ids.label or f'{kind} ids'} by their form; the gene table holds none"
            return IdVerdict(kind, True, f"{len(shaped) / len(some):.0%} of the ids are {why}")
        known = len(table.lookup(kind, shaped)) / len(shaped)
        why = f"{len(shaped) / len(some):.0%} of the ids have the form of {kind} ids"
        return IdVerdict(kind, True, f"{why}, {known:.0%} of these are in the gene table")
    return None


def _probe_or_unknown(some: list[str], probes: float, symbols: float) -> IdVerdict:
    if probes > 0.5:
        return IdVerdict(IdKind.PROBE, True, f"{probes:.0%} of the ids have the form of probe ids")
    why = f"only {symbols:.0%} of the ids are known symbols, and they are not database ids"
    return IdVerdict(IdKind.PROBE, True, f"{why}: taken as probe ids of a platform")


def _numeric(given: list[str], some: list[str], table: GeneTable) -> IdVerdict | None:
    """Distinguish Entrez ids from running or array numbers of probes."""
    # Numbers below 30,000 are so often Entrez ids by chance that their share in the table means
    # little for a series without gaps: real Entrez ids skip the numbers that are not genes.
    numbers = _entrez_numbers(given, at_least=0.9 * len(given))
    if numbers is None:
        return None
    known = len(table.lookup(IdKind.ENTREZ, some)) / len(set(some))
    distinct = np.unique(numbers)
    steps = np.diff(distinct)
    running = float(np.mean(steps == 1)) if len(steps) else 0.0
    expected = _density(int(distinct[0]), int(distinct[-1]), table)
    if known >= 0.85 and known >= expected + 0.15:
        why = f"{known:.0%} of the numbers are Entrez ids, where chance would give {expected:.0%}"
        return IdVerdict(IdKind.ENTREZ, True, why)
    why = f"numbers, of which {known:.0%} are Entrez ids (chance would give {expected:.0%})"
    if running > 0.5:
        why += f" and {running:.0%} are consecutive"
    return IdVerdict(IdKind.PROBE, True, f"{why}: probe numbers of a platform")


def _entrez_numbers(ids: Sequence[str], at_least: float) -> list[int] | None:
    """Return the numbers among the ids, None (after a few of them) if there are too few."""
    shape = ID_KINDS[IdKind.ENTREZ].shape
    numbers = []
    for seen, text in enumerate(ids):
        if match := shape.match(text.strip()):
            numbers.append(int(match[1]))
        elif len(numbers) + len(ids) - seen - 1 < at_least:
            return None
    return numbers


def _density(low: int, high: int, table: GeneTable) -> float:
    """Return the share of the numbers from `low` to `high` that are Entrez ids."""
    ids = table.genes["gene_id"].drop_nulls().to_numpy()
    return float(np.count_nonzero((ids >= low) & (ids <= high))) / (high - low + 1)
