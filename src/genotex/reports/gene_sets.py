"""The gene sets that the genes gather in, as the page shows them."""

from __future__ import annotations

from typing import Any

from genotex.analysis import Enrichment
from genotex.reports.findings import Findings
from genotex.reports.sections import GeneSetRow, GeneSetsView
from genotex.reports.words import counted, number, readable, sentence

__all__ = ["view_gene_sets"]

_ROWS = 15
_GENES = 8


def view_gene_sets(
    enrichment: Enrichment | None, findings: Findings, file: str
) -> GeneSetsView | None:
    """Return the short table of gene sets, lowest p-value first; None where none were tested.

    Parameters
    ----------
    enrichment : Enrichment or None
        The gene sets of this very result.
    findings : Findings
        The analysis.
    file : str
        Place of the table of all sets in the output folder.
    """
    if enrichment is None:
        return None
    record = enrichment.record
    ranked, listed = record["ranking"] is not None, record["over_representation"] is not None
    cut = record["options"]["q_cut"]
    ends = _ends(findings)
    rows = enrichment.sets.head(_ROWS).iter_rows(named=True)
    return GeneSetsView(
        sentences=tuple(_sentences(enrichment, ends)),
        ranked=ranked,
        listed=listed,
        rows=tuple(_row(row, cut, ranked=ranked) for row in rows),
        meaning=f"normalised enrichment score, positive for genes {ends[0]}",
        genes_label="Genes that make the score" if ranked else "Significant genes of the set",
        notes=tuple(sentence(note) for note in record["notes"]),
        file=file,
        methods=_methods(enrichment),
    )


def _sentences(enrichment: Enrichment, ends: tuple[str, str]) -> list[str]:
    record = enrichment.record
    sets, options, hits = record["gene_sets"], record["options"], record["significant"]
    at = f"at q < {options['q_cut']:g}"
    told = [
        f"{counted(sets['tested'], 'gene set')} of {sets.get('file', 'the file')} with "
        f"{options['min_size']} to {options['max_size']} tested genes."
    ]
    if (ranking := record["ranking"]) is not None:
        told.append(
            f"Along the ranking of {counted(ranking['genes'], 'gene')}, {at}: "
            f"{counted(hits['up'], 'set')} among the genes {ends[0]}, {hits['down']:,} among those "
            f"{ends[1]}."
        )
    if (listed := record["over_representation"]) is not None:
        told.append(
            f"Over-represented in the {counted(listed['significant_genes'], 'significant gene')}, "
            f"{at}: {counted(hits['over_represented'], 'set')}."
        )
    return told


def _methods(enrichment: Enrichment) -> str:
    """Return what was done, in the past tense of a methods section."""
    record = enrichment.record
    sets, options = record["gene_sets"], record["options"]
    tests = [text for text in (_ranking_methods(record), _list_methods(record)) if text]
    taken = "Both tests take" if len(tests) == 2 else "The test takes"
    return (
        f"Of the {counted(sets['sets'], 'gene set')} in {sets.get('file', 'a file of gene sets')}, "
        f"those with {options['min_size']} to {options['max_size']} tested genes "
        f"({sets['tested']:,}) were tested {' and '.join(tests)}. The q-values of each test were "
        f"those of Benjamini and Hochberg (1995) over the sets; sets with q < {options['q_cut']:g} "
        f"were called significant. {taken} genes as independent, so these q-values order the sets "
        "and hold no error rate (Wu and Smyth 2012)."
    )


def _ranking_methods(record: dict[str, Any]) -> str:
    if (ranking := record["ranking"]) is None:
        return ""
    statistic = "t of the mixed model" if ranking["column"] == "Mixed t" else "moderated t"
    options, version = record["options"], record.get("versions", {}).get("gseapy")
    return (
        f"along the ranking of all {counted(ranking['genes'], 'tested gene')} by the {statistic} "
        "(preranked gene set enrichment, Subramanian et al. 2005, weight 1; p-values by adaptive "
        f"multilevel sampling, Korotkevich et al. 2021; gseapy{f' {version}' if version else ''}, "
        f"{options['permutations']:,} random sets of each size, seed {options['seed']})"
    )


def _list_methods(record: dict[str, Any]) -> str:
    if (chosen := record["over_representation"]) is None:
        return ""
    return (
        f"for over-representation among the {counted(chosen['significant_genes'], 'gene')} of the "
        "list by the hypergeometric distribution, with the "
        f"{counted(chosen['background'], 'tested gene')} as background"
    )


def _ends(findings: Findings) -> tuple[str, str]:
    """Return what is true of the genes at the two ends of the ranking."""
    if findings.trait_kind == "binary":
        return "higher in cases", "lower in cases"
    trait = readable(findings.trait)
    return f"rising with {trait}", f"falling with {trait}"


def _row(row: dict[str, Any], cut: float, *, ranked: bool) -> GeneSetRow:
    score, found = row["Normalised Score"], row["Significant Genes"]
    genes = (row["Leading Edge" if ranked else "Overlap"] or "").split()
    return GeneSetRow(
        name=row["Gene Set"].replace("_", " "),
        description=row["Description"] or "",
        size=f"{row['Tested Genes']:,}",
        score=number(score, "signed"),
        q=number(row["q"], "p"),
        direction="none" if not score else "up" if score > 0 else "down",
        found="" if found is None else f"{found:,} ({row['Expected']:.1f})",
        found_q=number(row["Over-representation q"], "p"),
        genes=" ".join(genes[:_GENES]),
        more=max(0, len(genes) - _GENES),
        significant=any(
            row[name] is not None and row[name] < cut for name in ("q", "Over-representation q")
        ),
    )
