"""Choice of the TCGA folder of a trait."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from genotex.clinical import choose_tcga_study, tcga_study_code
from genotex.layout import TcgaCohortFiles

__all__ = ["FolderChoice", "choose_folder"]


@dataclass(frozen=True)
class FolderChoice:
    """The folder of the trait, or None, and the reason."""

    folder: TcgaCohortFiles | None
    reason: str


def choose_folder(trait: str, folders: Sequence[TcgaCohortFiles]) -> FolderChoice:
    """Choose the TCGA folder whose cancer is the trait.

    The study is identified by the folder's name, else by the names of its files
    (``TCGA.LUAD.sampleMap_...``). Of two folders of one study the first that has both a clinical
    matrix and expression is taken.

    Parameters
    ----------
    trait : str
        Trait name or trait folder name.
    folders : sequence of TcgaCohortFiles
        The available folders.

    See Also
    --------
    genotex.clinical.choose_tcga_study : How studies are matched with traits.
    """
    by_name = {folder.name: folder for folder in sorted(folders, key=_order)}
    choice = choose_tcga_study(trait, {name: _code(folder) for name, folder in by_name.items()})
    return FolderChoice(None if choice.folder is None else by_name[choice.folder], choice.reason)


def _order(folder: TcgaCohortFiles) -> tuple[bool, str]:
    expression = folder.expression or folder.expression_pancan
    return (folder.clinical is None or expression is None, folder.name)


def _code(folder: TcgaCohortFiles) -> str | None:
    files = (folder.clinical, folder.expression, folder.expression_pancan)
    names = [folder.name, *(path.name for path in files if path is not None)]
    return next((code for name in names if (code := tcga_study_code(name)) is not None), None)
