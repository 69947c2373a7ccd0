"""Options of fetching and preprocessing series."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from genotex.options.annotating import AnnotatorChoices
from genotex.options.fields import CONTROLS, ChosenProcedure, Controls, Option, Scale, groups
from genotex.procedure import Procedure


@dataclass(frozen=True)
class GeoOptions:
    """What is fetched of a series; the fields are described by their help texts."""

    platform_only: Annotated[
        bool,
        Option(
            "Fetch the platform table, not the family SOFT, which can have gigabytes.",
            "--platform-only",
            label="Platform table in place of the family SOFT",
            common=True,
        ),
    ] = False
    any_assay: Annotated[
        bool,
        Option(
            "Also series that are not human gene expression according to their summary.",
            "--any-assay",
            label="Any kind of assay",
        ),
    ] = False
    values_from: Annotated[
        str,
        Option(
            "File of the series to take expression from, instead of the best one by --plan.",
            metavar="FILE",
            label="Expression from the file",
        ),
    ] = ""


@dataclass(frozen=True)
class PreprocessChoices(AnnotatorChoices):
    """What the command line offers about preprocessing; see `genotex.cohorts.PreprocessOptions`."""

    procedure: ChosenProcedure = Procedure.SOUND
    samples: Annotated[
        Path | None,
        groups(
            "Sample sheet (.csv, .tsv, .xlsx) with the group of each sample, made by 'genotex "
            "clinical sheet' and edited in a spreadsheet.",
            browser=False,
        ),
    ] = None
    cases: Annotated[
        tuple[str, ...],
        groups(
            "Samples that are cases: 'key=value', 'key~part of the value', or a bare value; keys "
            "are those of the characteristics, title, source, description and sample. Repeat for "
            "several; any of them is enough.",
            "--case",
            example="disease state=gout",
        ),
    ] = ()
    controls: Annotated[
        tuple[str, ...],
        groups(
            "Samples that are controls, chosen like cases.", "--control", example="title~healthy"
        ),
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        groups("Samples to leave out: an id (GSM...), 'key=value' or 'key~part'; repeat."),
    ] = ()
    pairs: Annotated[
        Path | None,
        groups(
            "Table with the columns sample and pair: samples of the same person or match.",
            browser=False,
        ),
    ] = None
    series_platform: Annotated[
        tuple[str, ...],
        groups(
            "Platform (GPL...) to use of a series with several, instead of the one with the most "
            "samples. Parts of the same array are joined; repeat to join several.",
            metavar="GPL",
        ),
    ] = ()
    encoding: Annotated[
        Path | None,
        groups(
            "Encoding file of 'genotex clinical show --save', for programs; people use --samples.",
            browser=False,
        ),
    ] = None
    control_roles: Annotated[Controls, CONTROLS] = "auto"
    values_from: Annotated[
        str,
        Option(
            "File of the series to take expression from, instead of the best one.",
            metavar="FILE",
            label="Expression from the file",
            only=Procedure.SOUND,
        ),
    ] = ""
    cell_type: Annotated[
        str,
        Option(
            "Of single cells with labels: add up only the cells with this one.",
            metavar="LABEL",
            label="Only cells of the type",
            only=Procedure.SOUND,
        ),
    ] = ""
    scale: Annotated[Scale, Option("Scale of the expression values (sound only).")] = "auto"
    gene_table: Annotated[
        Path | None,
        Option(
            "NCBI gene_info, gene_synonym.json, or the genes.parquet of 'genotex fetch genes', to "
            "use instead of the packaged gene table.",
            browser=False,
        ),
    ] = None
    vocabulary: Annotated[
        Path | None,
        Option(
            "Your own vocabulary for recognising traits; start with 'genotex clinical words'.",
            browser=False,
        ),
    ] = None
    least_certainty: Annotated[
        float,
        Option(
            "Treat the trait as not available if its annotation is less certain than this.",
            least=0.0,
            most=1.0,
            label="Least certainty",
        ),
    ] = 0.0
