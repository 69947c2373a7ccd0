"""The gene sets that are associated with the trait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from genotex.analysis import TEST_COLUMNS, Enrichment
from genotex.reports.genes.findings import Findings
from genotex.words import counted, number, readable, sentence

_ROWS = 15
_GENES = 8


@dataclass(frozen=True)
class _GeneSetRow:
    """A gene set: written numbers, and its first genes of the kind that is listed.

    `direction` is that of the test that decides, and `significant` is by it; `found` are its
    significant genes and how many are expected by chance.
    """

    name: str
    description: str
    size: str
    direction: str
    shift: str
    correlation: str
    q: str
    fry_q: str
    mixed_q: str
    score: str
    found: str
    genes: str
    more: int
    significant: bool


@dataclass(frozen=True)
class GeneSetsView:
    """The gene sets that are associated with the trait.

    They were `tested`, `ranked` by scores along the ranking, and `listed` where their overlap with
    the significant genes was counted; `decides` is the test ``camera``, ``fry`` or ``fry-mixed``.
    """

    sentences: tuple[str, ...]
    tested: bool
    ranked: bool
    listed: bool
    decides: str
    rows: tuple[_GeneSetRow, ...]
    meaning: str
    genes_label: str
    notes: tuple[str, ...]
    file: str
    methods: str = ""


def view_gene_sets(
    enrichment: Enrichment | None, findings: Findings, file: str
) -> GeneSetsView | None:
    """Return the short table of gene sets, lowest p-value first; None where there are none."""
    if enrichment is None:
        return None
    record = enrichment.record
    ranked, listed = record["ranking"] is not None, record["over_representation"] is not None
    ends = _ends(findings)
    significant = set(enrichment.significant["Gene Set"])
    rows = enrichment.sets.head(_ROWS).iter_rows(named=True)
    return GeneSetsView(
        sentences=tuple(_sentences(record, ends)),
        tested=record["tests"] is not None,
        ranked=ranked,
        listed=listed,
        decides=record["options"]["test"],
        rows=tuple(_row(row, record, row["Gene Set"] in significant) for row in rows),
        meaning=f"normalised enrichment score, positive for genes {ends[0]}",
        genes_label="Genes that make the score" if ranked else "Significant genes of the set",
        notes=tuple(sentence(note) for note in record["notes"]),
        file=file,
        methods=_methods(record),
    )


def _sentences(record: dict[str, Any], ends: tuple[str, str]) -> list[str]:
    sets, options, hits = record["gene_sets"], record["options"], record["significant"]
    sentences = [
        f"{counted(sets['tested'], 'gene set')} of {sets.get('file', 'the file')} with "
        f"{options['min_size']} to {options['max_size']} tested genes."
    ]
    if record["tests"] is None:
        return sentences
    at = f"q < {options['q_cut']:g}"
    camera, fry = hits["camera"], hits["fry"]
    found = {
        "camera": f"Changed more than the other genes ({at}, camera): "
        f"{counted(camera['up'], 'set')} with genes {ends[0]}, {camera['down']:,} with genes "
        f"{ends[1]}.",
        "fry": f"Changed at all in one direction ({at}, fry): {counted(fry['up'], 'set')} with "
        f"genes {ends[0]}, {fry['down']:,} with genes {ends[1]}.",
        "fry-mixed": f"Changed at all in either direction ({at}, fry, mixed): "
        f"{counted(hits['fry-mixed'], 'set')}.",
    }
    return [*sentences, found.pop(options["test"]), *found.values()]


def _methods(record: dict[str, Any]) -> str:
    """Return what was done, in the past tense of a methods section."""
    sets, options = record["gene_sets"], record["options"]
    taken = (
        f"Of the {counted(sets['sets'], 'gene set')} in {sets.get('file', 'a file of gene sets')}, "
        f"those with {options['min_size']} to {options['max_size']} tested genes "
        f"({sets['tested']:,}) were "
    )
    if "collection" in sets:
        taken = (
            "Gene sets were the terms of Gene Ontology (Ashburner et al. 2000; Gene Ontology "
            f"Consortium 2021; {sets['licence']}), each with the human genes annotated by "
            f"{sets['annotated']} to it or to a term below it by is_a and part_of. {taken}"
        )
    described = " and ".join(t for t in (_score_methods(record), _overlap_methods(record)) if t)
    if record["tests"] is None:
        return f"{taken}described by {described}; they were not tested."
    missing = record["tests"]["genes_with_missing_values"]
    without = f" ({counted(missing, 'gene')} with missing values left out)" if missing else ""
    moderated = "; the variances of set means were moderated over the sets (Smyth 2004)"
    moderated = moderated if record["tests"].get("moderated") else ""
    decides = {"camera": "camera", "fry": "fry (directional)", "fry-mixed": "fry (mixed)"}
    return (
        f"{taken}tested on the {counted(record['tests']['genes'], 'tested gene')}{without} with "
        "the design and weights of the analysis: for a larger change than that of the other genes "
        "by camera, with the correlation between the genes of each set estimated from the "
        "residuals (Wu and Smyth 2012), and for any change, directional or mixed, by rotation "
        f"(fry; Wu et al. 2010){moderated}. "
        "The q-values of each test were those of Benjamini and Hochberg (1995) over the sets; sets "
        f"with q < {options['q_cut']:g} by {decides[options['test']]} were called significant."
        + (f" The sets were further described by {described}." if described else "")
    )


def _score_methods(record: dict[str, Any]) -> str:
    if (ranking := record["ranking"]) is None:
        return ""
    statistic = "t of the mixed model" if ranking["column"] == "Mixed t" else "moderated t"
    options, version = record["options"], record.get("versions", {}).get("gseapy")
    return (
        f"the normalised enrichment score along the {statistic} of "
        f"{counted(ranking['genes'], 'gene')} (Subramanian et al. 2005, weight 1; "
        f"gseapy{f' {version}' if version else ''}, {options['permutations']:,} random sets of "
        f"each size, seed {options['seed']})"
    )


def _overlap_methods(record: dict[str, Any]) -> str:
    if (chosen := record["over_representation"]) is None:
        return ""
    return (
        f"their overlap with the {counted(chosen['significant_genes'], 'significant gene')} among "
        f"the {chosen['background']:,} tested (hypergeometric, which takes genes as independent)"
    )


def _ends(findings: Findings) -> tuple[str, str]:
    """Return descriptions of the genes at the two ends of the ranking."""
    if findings.design is not None:
        return findings.design.sides
    if findings.trait_kind == "binary":
        return "higher in cases", "lower in cases"
    trait = readable(findings.result.trait)
    return f"rising with {trait}", f"falling with {trait}"


def _row(row: dict[str, Any], record: dict[str, Any], significant: bool) -> _GeneSetRow:
    found = row["Significant Genes"]
    genes = (row["Leading Edge" if record["ranking"] is not None else "Overlap"] or "").split()
    correlation = row["Inter-gene Correlation"]
    return _GeneSetRow(
        name=row["Gene Set"].replace("_", " "),
        description=row["Description"] or "",
        size=f"{row['Tested Genes']:,}",
        direction=row[TEST_COLUMNS[record["options"]["test"]][0]] or "none",
        shift=number(row["Shift"], "signed"),
        correlation="" if correlation is None else f"{correlation:.2f}",
        q=number(row["q"], "p"),
        fry_q=number(row["Fry q"], "p"),
        mixed_q=number(row["Mixed q"], "p"),
        score=number(row["Normalised Score"], "signed"),
        found="" if found is None else f"{found:,} ({row['Expected']:.1f})",
        genes=" ".join(genes[:_GENES]),
        more=max(0, len(genes) - _GENES),
        significant=significant,
    )
