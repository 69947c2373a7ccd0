"""What the samples' characteristics tell of the species and of the assay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from genotex.clinical.assay.signs import Finding, compile_any, load_signs
from genotex.clinical.assay.verdicts import not_expression, not_human
from genotex.clinical.description import SeriesDescription

__all__ = ["by_sample_assay", "by_sample_species"]

_SPECIES = "species of the samples"
_ASSAY = "what the samples were measured by"

Row = tuple[str, list[str], bool]


def by_sample_species(description: SeriesDescription) -> Finding | None:
    """Judge by species, strain, embryonic stage and alleles; None when they do not tell.

    A strain may be the host of a human tumour, so words for xenografts forbid the verdict. One that
    only some samples have counts only in a series whose texts speak of no people.
    """
    rows = list(_rows(description))
    named = _by_species_row(rows)
    if named is not None:
        return named
    signs = load_signs()
    texts = [description.text, *(value for _, values, _ in rows for value in values)]
    if any(signs.pattern("samples", "xenograft").search(t) for t in texts):
        return None
    people = bool(signs.pattern("texts", "human_words").search(description.text))
    for key, values, complete in rows:
        if people and not complete:
            continue
        found = _strain(key, values) or _embryo(key, values, description)
        if found is not None:
            return found
    return None


def by_sample_assay(description: SeriesDescription) -> Finding | None:
    """Judge by rows such as ``molecule: miRNA`` or ``library strategy: ChIP-seq``.

    All values of the row must say that something else than messenger RNA was measured.
    """
    signs = load_signs()
    keys = signs.pattern("samples", "assay_keys")
    for key, values, complete in _rows(description):
        if not complete or not keys.fullmatch(key):
            continue
        for entry in signs.entries("samples", "assays"):
            pattern = compile_any(entry["patterns"])
            if all(pattern.fullmatch(v) for v in values):
                reason = f"the samples were measured for {entry['measures']}"
                return not_expression(_ASSAY, reason, f"characteristics: {key}: {values[0]}")
    return None


def _rows(description: SeriesDescription) -> Iterator[Row]:
    """Yield each row's key, its values, and whether every sample has this key."""
    for cells in description.characteristics:
        known = [c for c in cells if c and c.strip()]
        if not known:
            continue
        keys = {c.partition(":")[0].strip().casefold() for c in known if ":" in c}
        if len(keys) == 1:
            values = [c.partition(":")[2].strip() for c in known if ":" in c]
            complete = len(values) == len(cells)
            yield keys.pop(), values, complete
        else:
            yield "", [c.partition(":")[2].strip() or c for c in known], False


def _by_species_row(rows: Sequence[Row]) -> Finding | None:
    signs = load_signs()
    keys = signs.pattern("samples", "species_keys")
    animals = signs.pattern("samples", "animals")
    human = signs.pattern("samples", "human")
    for key, values, complete in rows:
        if not complete or not keys.fullmatch(key):
            continue
        if all(animals.search(v) and not human.search(v) for v in values):
            return not_human(_SPECIES, values[0], f"characteristics: {key}: {values[0]}")
    return None


def _strain(key: str, values: Sequence[str]) -> Finding | None:
    signs = load_signs()
    strains, short = (signs.pattern("samples", n) for n in ("strains", "short_strains"))
    under_strain = signs.pattern("samples", "strain_keys").fullmatch(key)
    hits = [v for v in values if strains.search(v) or (under_strain and short.search(v))]
    if not hits or not (under_strain or len(hits) == len(values)):
        return None
    return not_human(_SPECIES, "", f"characteristics name a strain: {key}: {hits[0]}")


def _embryo(key: str, values: Sequence[str], description: SeriesDescription) -> Finding | None:
    signs = load_signs()
    alleles = signs.pattern("samples", "alleles")
    mutant = next((v for v in values if alleles.search(v)), None)
    if mutant is not None and signs.pattern("samples", "animals").search(description.text):
        return not_human(_SPECIES, "", f"characteristics name an allele of mice: {key}: {mutant}")
    if not signs.pattern("samples", "stage_keys").fullmatch(key):
        return None
    embryos = signs.pattern("samples", "embryos")
    if all(embryos.fullmatch(v) for v in values):
        return not_human(_SPECIES, "", f"characteristics name embryonic days: {key}: {values[0]}")
    return None
