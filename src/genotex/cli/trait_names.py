"""Saying by whose words the traits that a person named are read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from genotex.cli import screen

if TYPE_CHECKING:
    from genotex.layout import InputFolder

__all__ = ["tell_names"]


def tell_names(
    traits: Sequence[str],
    vocabulary: Path | None,
    source: Path | None = None,
    cohorts: Sequence[str] = (),
) -> None:
    """Say what each name means where it is not the listed one, and what a file leaves as it is.

    Parameters
    ----------
    traits : sequence of str
        The names, as they were given.
    vocabulary : Path or None
        The user's own vocabulary file.
    source : Path, optional
        The input folder. A trait that is read from TCGA alone is read by barcodes, not by words, so
        nothing is said of its name.
    cohorts : sequence of str
        The cohorts that are read there; empty for all.

    Raises
    ------
    UsageError
        If a name is none, or an alias of several traits, or the input folder is none.
    """
    from genotex.clinical import load_vocabulary
    from genotex.layout import InputFolder

    words = load_vocabulary(vocabulary)
    for trait in traits:
        if source is not None and _is_tcga_alone(trait, InputFolder(source), cohorts):
            continue
        if told := words.named(trait).note:
            screen.tell(told, "note")
    beside = words.unused_tables(traits) if traits else ()
    if beside:
        many = ", ".join(beside)
        screen.tell(f"{vocabulary}: {many} is another trait than the one asked for", "note")


def _is_tcga_alone(trait: str, source: InputFolder, cohorts: Sequence[str]) -> bool:
    from genotex.cohorts import choose_folder

    series = [found.cohort for found in source.geo_cohorts(trait)]
    if any(name in cohorts for name in series) if cohorts else series:
        return False
    return choose_folder(trait, source.tcga_folders()).folder is not None
