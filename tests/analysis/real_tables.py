"""Linked tables of the real series, preprocessed once in each process."""

import tempfile
from functools import cache
from pathlib import Path

from genotex.analysis import Contrast, choose_contrast
from genotex.cohorts import preprocess
from genotex.formats import LinkedTable, read_evidence, read_linked
from genotex.layout import OutputFolder


@cache
def real_table(shared_data: Path, trait: str, cohort: str) -> tuple[LinkedTable, Contrast]:
    with tempfile.TemporaryDirectory() as folder:
        output = OutputFolder(Path(folder))
        preprocess(shared_data / "input", output.root, traits=[trait], cohorts=[cohort])
        table = read_linked(output, trait, cohort)
        roles = read_evidence(output.evidence(trait, cohort)).roles
        return table, choose_contrast(table, roles, "auto")
