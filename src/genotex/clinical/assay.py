"""Does a series hold human gene expression? The verdict, with its reasons."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from genotex.clinical.description import SeriesDescription
from genotex.clinical.encoding import GeneVerdict

__all__ = ["judge_expression"]

HUMAN_TAXID = "9606"

NOT_HUMAN = "the organism is not human"
"""How the reason of a verdict begins when the samples are not human."""

_ID_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (what, re.compile(pattern, re.IGNORECASE))
    for what, pattern in (
        ("microRNA", r"(?:[a-z]{3,4}-)?(?:mir|let)-?\w+.*|mimat\d+.*|dmr_\d+|miRNA.*"),
        ("microRNA or snoRNA", r"(?:hsa-)?(?:14q\(?[0i]|14qi|hbii|ena?c[ab]?-|aca\d|u\d+[a-z]?_x?_?st).*"),
        ("DNA methylation", r"c[gh]\d{6,}.*|ch\.\d+\.\d+[fr]"),
        ("SNP genotypes", r"rs\d{3,}.*|snp_a-\d+|exm-?\w*\d+|cnvi?\d+|kgp\d+"),
        ("circular RNA", r"(?:hsa_?)?circ\w*.*|asc(?:rp)?\d+.*"),
        ("protein", r"hce\d{6}|sl\d{6}|seq\.\d+.*|\d{4,5}-\d{1,3}_\d"),
        ("copy number", r"a_1[48]_p\d+.*"),
        ("mouse or rat genes", r"ens(?:mus|rno)[gt]\d+.*"),
    )
)  # fmt: skip

# Number ranges of Affymetrix probe sets, for tables that come without their platform.
_NUMBER_RANGES = (
    (1415670, 1460999, "_at", "mouse genes (Affymetrix Mouse 430)"),
    (1367452, 1399999, "_at", "rat genes (Affymetrix Rat 230)"),
    (10338001, 10608999, "", "mouse genes (Affymetrix MoGene 1.0 ST)"),
    (17210850, 17552999, "", "mouse genes (Affymetrix MoGene 2.0 ST)"),
    (10700001, 10940999, "", "rat genes (Affymetrix RaGene 1.0 ST)"),
    (20500000, 20540000, "", "microRNA (Affymetrix miRNA 4.0)"),
)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_COLUMNS = (
    ("microRNA", _any(r"mirna(?:_id|_list|_name)?", "mature.?mirna", "mirbase.*")),
    ("circular RNA", _any(r"circ_?rna.*")),
    ("SNP genotypes", _any("snp", "snp_?id", "dbsnp.*", "ilmn strand", "customer strand")),
    (
        "DNA methylation",
        _any(r"ucsc_cpg.*", r"relation_to_.*cpg.*", r"infinium_design.*", r"probe_snps.*"),
    ),
    ("protein", _any("targetfullname", "somaid", "uniprot_?id_list", "antibody.*")),
)
_SPECIES_COLUMN = _any("species(?: scientific name)?", "organism")
_SYMBOL_COLUMN = _any(
    "(?:gene[ _])?symbol", "ilmn_gene", "gene_assignment", "mrna_assignment", "range_gb"
)
_PLAIN_SYMBOL_COLUMN = _any("gene[ _]?symbol", "ilmn_gene", "entrez.*symbol.*")
_RODENT_TEXT = re.compile(
    r"ENS(?:MUS|RNO)[GT]\d+|Mus musculus|Rattus norvegicus"
    r"|\bNC_0000(?:6[7-9]|7\d|8[0-7])\."  # RefSeq chromosomes of the mouse
)
_RODENT_SYMBOL = re.compile(r"[A-Z][a-z][a-z0-9]*[a-z0-9]\d*")
_BINOMIAL = re.compile(r"[A-Z][a-z]+ [a-z]+")

_TEXT_RULES = (
    ("circular RNA", _any("circular rna", "circrna")),
    (
        "DNA methylation",
        _any("methylation profil", "methylome", "genome-wide methylation", "450k", "epic array"),
    ),
    (
        "SNP genotypes",
        _any(
            r"\bsnps?\b", "genotyping", "exome", r"gwas\b", "genome-wide association", "copy number"
        ),
    ),
    ("microRNA", _any(r"\bmi(?:cro)?-?rnas?\b")),
    ("protein", _any("proteom", "protein array", "antibody array")),
    ("viral probes", _any("virochip")),
)
_EXPRESSION_TEXT = _any(
    "gene[- ]expression", "transcriptom", "mrna", "rna-?seq", "gene profil", "transcriptional",
    "expression (?:profil|data|analysis|array|signature)", "differentially expressed",
    "single[- ]cell",
)  # fmt: skip
_PRIMATES = _any(r"\bpapio\b", r"\bbaboons?\b", r"\bmacaques?\b", r"\bnon-?human primates?\b")
_OTHER_SPECIES = _any(r"\b(?:rhesus|zebrafish|drosophila|porcine|canine|bovine)\b")
_STRAIN = _any(
    r"c57\s?bl", "balb/?c", "fvb", r"cd-?1\b", "129s", "nod/", "sprague", "wistar", "dba/"
)
_HUMAN_TEXT = _any(r"\b(?:humans?|patients?|donors?|subjects?|individuals|volunteers|women|men)\b")
_SAYS_HUMAN = _any(r"(?<!non)(?<!non[- ])\bhumans?\b")

_MAJORITY = 0.5


def judge_expression(description: SeriesDescription) -> GeneVerdict:
    """Judge whether a series holds human gene (mRNA) expression.

    Organism and series type as GEO states them come first; then the shape of the row ids and the
    platform's columns; the submitter's texts decide only when these say nothing.

    Parameters
    ----------
    description : SeriesDescription
        What is known of the series.

    Returns
    -------
    GeneVerdict
    """
    for judge in (_by_organism, _by_ids, _by_annotation, _by_series_type, _by_text):
        verdict = judge(description)
        if verdict is not None:
            return verdict
    evidence = ("nothing speaks against it: " + _what_speaks_for(description),)
    return GeneVerdict(True, "human gene expression", evidence)


def _no(what: str, *evidence: str) -> GeneVerdict:
    return GeneVerdict(False, what, evidence)


def _by_organism(description: SeriesDescription) -> GeneVerdict | None:
    if description.taxids and HUMAN_TAXID not in description.taxids:
        names = ", ".join(description.organisms) or f"taxid {', '.join(description.taxids)}"
        return _no(f"{NOT_HUMAN}: {names}", f"taxids {description.taxids}")
    if description.organisms and "Homo sapiens" not in description.organisms:
        names = ", ".join(description.organisms)
        return _no(f"{NOT_HUMAN}: {names}", f"organism {names}")
    return None


def _by_series_type(description: SeriesDescription) -> GeneVerdict | None:
    types = description.series_type
    if not types:
        return None
    if any(t.casefold().startswith("expression profiling") for t in types):
        return GeneVerdict(True, "human gene expression", (f"series type: {'; '.join(types)}",))
    if all(t.casefold() in {"other", "third-party reanalysis"} for t in types):
        return None
    said = "; ".join(types)
    what = "circular RNA" if _TEXT_RULES[0][1].search(description.title) else said
    return _no(f"the series is no gene expression: {what}", f"series type: {said}")


def _by_ids(description: SeriesDescription) -> GeneVerdict | None:
    ids = [i for i in description.first_ids if i and not i.startswith(("AFFX", "("))]
    if not ids:
        return None
    found = Counter(kind for i in ids for kind in [_kind_of_id(i)] if kind)
    if not found:
        return None
    kind, count = found.most_common(1)[0]
    if count <= _MAJORITY * len(ids):
        return None
    what = f"{NOT_HUMAN}: {kind}" if kind.startswith(("mouse", "rat")) else f"the rows are {kind}"
    return _no(what, f"row ids look like it: {', '.join(ids[:3])}")


def _kind_of_id(row_id: str) -> str | None:
    for kind, pattern in _ID_SHAPES:
        if pattern.fullmatch(row_id):
            return kind
    number = re.fullmatch(r"(\d{7,8})(_(?:PM_)?(?:[asx]_)?at)?", row_id)
    if number:
        for low, high, suffix, kind in _NUMBER_RANGES:
            if low <= int(number[1]) <= high and bool(suffix) == bool(number[2]):
                return kind
    return None


def _by_annotation(description: SeriesDescription) -> GeneVerdict | None:
    columns = description.annotation_columns
    for kind, pattern in _COLUMNS:
        hit = next((c for c in columns if pattern.fullmatch(c)), None)
        symbols = any(_PLAIN_SYMBOL_COLUMN.fullmatch(c) for c in columns)
        if hit is not None and not symbols:
            return _no(f"the platform measures {kind}", f"annotation column {hit!r}")
    preview = description.annotation_preview
    for name, cells in preview.items():
        known = [c for c in cells if c and _BINOMIAL.fullmatch(c)]
        if not _SPECIES_COLUMN.fullmatch(name) or not known or "Homo sapiens" in known:
            continue
        if not _SAYS_HUMAN.search(description.title):
            return _no(f"{NOT_HUMAN}: {known[0]}", f"annotation column {name!r}")
    rodent = _rodent_cells(preview.items())
    if rodent and not _SAYS_HUMAN.search(description.title):
        return _no(f"{NOT_HUMAN}: genes of mouse or rat", f"annotation: {rodent}")
    return None


def _rodent_cells(columns: Iterable[tuple[str, Iterable[str | None]]]) -> str | None:
    for name, cells in columns:
        known = [c for c in cells if c and c.strip("- ")]
        if not known or not _SYMBOL_COLUMN.fullmatch(name):
            continue
        hits = [c for c in known if _RODENT_TEXT.search(c) or _RODENT_SYMBOL.fullmatch(c)]
        if len(hits) > max(1, _MAJORITY * len(known)):
            return hits[0][:60]
    return None


def _by_text(description: SeriesDescription) -> GeneVerdict | None:
    text = description.text
    primate = _PRIMATES.search(f"{description.title} {description.overall_design}")
    if primate:
        return _no(NOT_HUMAN, f"title or design speak of {primate[0]}")
    other = _OTHER_SPECIES.search(text)
    if other and not _HUMAN_TEXT.search(text):
        return _no(NOT_HUMAN, f"the texts speak of {other[0]}")
    strain = next(
        (c for row in description.characteristics for c in row if c and _STRAIN.search(c)), None
    )
    if strain and not _HUMAN_TEXT.search(text):
        return _no(NOT_HUMAN, f"characteristics name a strain: {strain}")
    if description.first_ids and description.annotation_columns:
        return None
    for kind, pattern in _TEXT_RULES:
        hit = pattern.search(description.title) or (
            pattern.search(text) if not _EXPRESSION_TEXT.search(text) else None
        )
        if hit and not _EXPRESSION_TEXT.search(description.title):
            return _no(f"the series is about {kind}", f"the texts speak of {hit[0]!r}")
    return None


def _what_speaks_for(description: SeriesDescription) -> str:
    if description.series_type:
        return "; ".join(description.series_type)
    if description.first_ids:
        return f"row ids such as {', '.join(description.first_ids[:3])}"
    hit = _EXPRESSION_TEXT.search(description.text)
    return f"the texts speak of {hit[0]!r}" if hit else "no row ids and no platform to judge by"
