"""The one folder that the server may use: what is in it, and nothing outside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from genotex.errors import UsageError
from genotex.layout import InputFolder, OutputFolder, trait_folder_name
from genotex.mcp.answers import is_plain
from genotex.studies import ANALYSES, FoundAnalysis, FoundInput, Workspace


class ConfinedFolder:
    """A folder whose paths never leave it, also not through links.

    Parameters
    ----------
    root : Path
        The folder.
    write : bool
        Whether new files may be made in it.

    Raises
    ------
    UsageError
        If it is not a folder.
    """

    def __init__(self, root: Path, *, write: bool = False) -> None:
        self.workspace = Workspace(root)
        self.root, self.write = self.workspace.root, write

    def inputs(self) -> Iterator[tuple[str, dict[str, list[str]], int]]:
        """Return name, series by trait and number of TCGA studies of each input folder."""
        for found in self.workspace.inputs():
            source = InputFolder(found.folder)
            series = {
                trait: [files.cohort for files in source.geo_cohorts(trait)
                        if self.workspace.holds(files.folder) and is_plain(files.cohort)]
                for trait in found.series
            }  # fmt: skip
            kept = {trait: names for trait, names in series.items() if names and is_plain(trait)}
            yield found.name, kept, found.tcga

    def analyses(self) -> dict[str, FoundAnalysis]:
        """Return the analyses by name, the newest first; names that hide text are left out."""
        found = {
            analysis_name(each): each
            for output in self.workspace.outputs()
            for each in output.analyses
        }
        return {name: each for name, each in found.items() if is_plain(name)}

    def problems(self) -> list[str]:
        """Return the results that cannot be read, and why."""
        return [text for output in self.workspace.outputs() for text in output.problems]

    def series(self, name: str, trait: str, wanted: Iterable[str]) -> tuple[FoundInput, list[str]]:
        """Return an input folder and the series of a trait in it, all of them if none is named."""
        inputs = {found.name: found for found in self.workspace.inputs()}
        if name not in inputs:
            raise UsageError(_unknown("input folder", name, inputs))
        found, folder = inputs[name], trait_folder_name(trait)
        there = found.of(folder)
        if not there:
            raise UsageError(_unknown("trait", trait, found.series))
        chosen = list(dict.fromkeys(wanted)) or there
        for series in chosen:
            if series not in there:
                raise UsageError(_unknown("series", series, there))
            self.check_tree(found.files(folder, series).folder)
        return found, chosen

    def analysis(self, name: str) -> tuple[FoundAnalysis, OutputFolder]:
        """Return an analysis by its name, and the folder that holds it."""
        found = self.analyses()
        if name not in found:
            raise UsageError(_unknown("analysis", name, found))
        output = self.workspace.output(found[name].output)
        if output is None:
            raise UsageError(_unknown("analysis", name, ()))
        for part in ("preprocess", "regress"):
            self.check_tree(output.root / part)
        return found[name], output

    def report(self, name: str) -> Path:
        """Return the report of an analysis."""
        found, output = self.analysis(name)
        path = self.workspace.file(output.report(found.trait, found.condition))
        if path is None:
            msg = f"the analysis {name!r} has no report; make it with 'genotex report'"
            raise UsageError(msg)
        return path

    def new_input(self, name: str) -> str:
        """Return the name of an input folder to fetch into, in the folder."""
        if name == ".":
            folder = self.root
        elif name in ("", "..", ANALYSES) or name.startswith(".") or set(name) & set("/\\\0"):
            msg = f"{name!r} cannot be an input folder; give the name of one folder, such as input"
            raise UsageError(msg)
        else:
            folder = self.root / name
        self.check_tree(folder)
        return name

    def need_write(self, tool: str) -> None:
        """Refuse what makes files where the server was started to read only."""
        if not self.write:
            msg = (
                f"{tool} writes files, and this server only reads; the user can allow it with "
                "'genotex mcp --root FOLDER --write'"
            )
            raise UsageError(msg)

    def check_tree(self, folder: Path) -> None:
        """Refuse a folder that is, or in which a link leads, outside the root."""
        if not self.workspace.holds(folder):
            raise UsageError(self._leads_out(folder))
        for place, folders, files in os.walk(folder):
            for name in (*folders, *files):
                path = Path(place, name)
                if path.is_symlink() and not self.workspace.holds(path):
                    raise UsageError(self._leads_out(path))

    def _leads_out(self, path: Path) -> str:
        where = path.relative_to(self.root).as_posix()
        return f"{where} leads out of the folder of this server; put the files into it instead"

    def without_root(self, text: str) -> str:
        """Return a message without the place of the folder on this machine."""
        return text.replace(f"{self.root}{os.sep}", "").replace(str(self.root), "the folder")


def analysis_name(found: FoundAnalysis) -> str:
    """Return what names an analysis: its output folder, trait and condition."""
    given = "" if found.condition is None else f":{found.condition}"
    return f"{found.output}:{found.trait}{given}"


def _unknown(what: str, name: str, known: Iterable[str]) -> str:
    names = list(known)
    shown = ", ".join(names[:10]) + (" ..." if len(names) > 10 else "")
    there = f"known are {shown}" if names else "there is none"
    return f"unknown {what} {name[:80]!r}; {there}; the tool 'list' shows all"
