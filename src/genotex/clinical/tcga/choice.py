"""Which TCGA study a trait means, if any: never a proxy, always with the reason in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from genotex.clinical.tcga.studies import TcgaStudy, tcga_studies

__all__ = ["TcgaChoice", "choose_tcga_study"]

MOST_TOLD = 4
"""So many studies at most are told as proxies."""


@dataclass(frozen=True)
class TcgaChoice:
    """The folder that means the trait.

    Attributes
    ----------
    folder : str or None
        Its name; None when none of them means the trait.
    reason : str
        Why it does, or why none does.
    """

    folder: str | None
    reason: str


def choose_tcga_study(trait: str, folders: Mapping[str, str | None]) -> TcgaChoice:
    """Choose the folder whose cancer is the trait.

    A trait is looked up by code, abbreviation, name or synonym of a study, in any order of words.
    A study of something wider or narrower, or of a tumour that the trait leads to, is a proxy and
    never chosen.

    Parameters
    ----------
    trait : str
        Name of a trait or of its folder.
    folders : mapping of str to str or None
        Folder name to study code (`tcga_study_code`); None where it is not known, so that only the
        folder's own words count. Of two folders of one study the first is taken.

    Returns
    -------
    TcgaChoice
        With the reason in words, also where there is no folder.
    """
    studies = tcga_studies()
    shown = " ".join(trait.replace("_", " ").split())
    study = studies.named(trait)
    name = studies.read_name(trait)
    fitting = [
        folder
        for folder, code in folders.items()
        if (study is not None and code == study.code)
        or (code is None and studies.read_name(folder).means(name))
    ]
    if not fitting:
        reason = f"no TCGA folder means {shown}: {_why_none(trait, study, folders)}"
        return TcgaChoice(None, reason)
    first, *others = fitting
    what = "it is called the same" if folders[first] is None else f"it holds {study}"
    rest = f"; so do {', '.join(others)}, which are left" if others else ""
    return TcgaChoice(first, f"TCGA folder {first} means {shown}: {what}{rest}")


def _why_none(trait: str, study: TcgaStudy | None, folders: Mapping[str, str | None]) -> str:
    studies = tcga_studies()
    if study is not None:
        return _why_not_at_hand(study, folders)
    name = studies.read_name(trait)
    if not name.words:
        return "it is wider than any TCGA study"
    near = studies.overlapping(trait)
    if near:
        return f"no TCGA study is of just this; {_proxies(near)}"
    risks = studies.after(trait)
    if risks:
        return f"no TCGA study is of it; of tumours that it may lead to, {_proxies(risks)}"
    return "no TCGA study is of it" + ("" if name.tumour else ", TCGA studied cancers only")


def _why_not_at_hand(study: TcgaStudy, folders: Mapping[str, str | None]) -> str:
    absent = f"that is {study}, of which there is no folder"
    there = set(folders.values())
    parts = [name for name, code in folders.items() if code in study.parts]
    if len(parts) > 1:
        return f"{absent}; {', '.join(parts)} are parts of it and fit equally well"
    if parts:
        return f"{absent}; {parts[0]} is only a part of it"
    studies = tcga_studies().by_code.values()
    wider = [union for union in studies if study.code in union.parts and union.code in there]
    return f"{absent}; {_list(wider)} is wider" if wider else absent


def _proxies(studies: Sequence[TcgaStudy]) -> str:
    return f"{_list(studies)} would be {'a proxy' if len(studies) == 1 else 'proxies'}"


def _list(studies: Sequence[TcgaStudy]) -> str:
    *most, last = [str(study) for study in dict.fromkeys(studies)]
    if len(most) >= MOST_TOLD:
        return f"{', '.join(most[: MOST_TOLD - 1])} and {len(most) - MOST_TOLD + 2} others"
    return f"{', '.join(most)} and {last}" if most else last
