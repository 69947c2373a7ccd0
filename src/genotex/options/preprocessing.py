"""Options of preprocessing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from genotex.option_field import Option
from genotex.options.words import CONTROLS, ChosenProcedure, Controls, Scale, groups
from genotex.procedure import Procedure


@dataclass(frozen=True)
class PreprocessChoices:
    """What the command line offers about preprocessing; see `genotex.cohorts.PreprocessOptions`."""

    procedure: ChosenProcedure = Procedure.SOUND
    samples: Annotated[
        Path | None,
        groups(
            "Sample sheet (.csv, .tsv, .xlsx) with the group of each sample, made by 'genotex "
            "clinical sheet' and edited in a spreadsheet."
        ),
    ] = None
    cases: Annotated[
        tuple[str, ...],
        groups(
            "Samples that are cases: 'key=value', 'key~part of the value', or a bare value; keys "
            "are those of the characteristics, title, source, description and sample. Repeat for "
            "several; any of them is enough.",
            "--case",
        ),
    ] = ()
    controls: Annotated[
        tuple[str, ...], groups("Samples that are controls, chosen like cases.", "--control")
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        groups("Samples to leave out: an id (GSM...), 'key=value' or 'key~part'; repeat."),
    ] = ()
    pairs: Annotated[
        Path | None,
        groups("Table with the columns sample and pair: samples of the same person or match."),
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
            "Encoding file of 'genotex clinical show --save', for programs; people use --samples."
        ),
    ] = None
    control_roles: Annotated[Controls, CONTROLS] = "auto"
    scale: Annotated[Scale, Option("Scale of the expression values (sound only).")] = "auto"
    gene_table: Annotated[
        Path | None,
        Option(
            "NCBI gene_info, gene_synonym.json, or the genes.parquet of 'genotex fetch genes', to "
            "use instead of the packaged gene table.",
        ),
    ] = None
    vocabulary: Annotated[
        Path | None,
        Option(
            "Your own vocabulary for recognising traits; start with 'genotex clinical words'.",
        ),
    ] = None
    least_certainty: Annotated[
        float,
        Option(
            "Treat the trait as not available if its annotation is less certain than this.",
            least=0.0,
            most=1.0,
        ),
    ] = 0.0
