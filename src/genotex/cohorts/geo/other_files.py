"""Values of a series whose matrix is empty: NCBI's counts, or what the submitter added."""

from __future__ import annotations

from genotex.arrays import Floats
from genotex.cohorts.geo.files import (
    SubmittedValues,
    counts_of_species,
    takes_counts,
    takes_submitted,
)
from genotex.cohorts.geo.rna_seq import CountedGenes, count_genes
from genotex.formats import ExpressionMatrix, Series, read_raw_counts
from genotex.genes import GeneTable
from genotex.layout import GeoCohortFiles
from genotex.procedure import Procedure


def other_values(
    files: GeoCohortFiles, series: Series, table: GeneTable, procedure: Procedure
) -> ExpressionMatrix | str | None:
    """Return the values that `other_genes` reads of a human series, or why it finds none.

    None where no other file may hold them.
    """
    files = counts_of_species(files, "")
    if takes_counts(files, series, procedure):
        counts = read_raw_counts(files.counts[0])
        return ExpressionMatrix(counts.genes, counts.samples, counts.counts)
    if not takes_submitted(files, series, procedure):
        return None
    from genotex.cohorts.geo.submitted import submitted_genes, submitted_values

    how = SubmittedValues()
    found = _scanned(files, series, table, how)
    if found is None:
        values = submitted_values(files, series, table, how)
        if values is not None:
            return values[1]
        found = submitted_genes(files, series, None, binary=False, table=table, how=how)
    if found is None or found.genes is None:
        return None if found is None else found.why_no_genes
    return found.genes.expression


def other_genes(
    files: GeoCohortFiles,
    series: Series,
    trait: Floats | None,
    *,
    binary: bool,
    table: GeneTable,
    procedure: Procedure,
    how: SubmittedValues,
) -> CountedGenes | None:
    """Return genes of NCBI's counts, scans of two-colour arrays, or a submitter's table.

    `trait`: its codes, by which genes with few counts are left out. None where no other file than
    the matrix may hold values.
    """
    files = counts_of_species(files, how.species)
    if takes_counts(files, series, procedure, how.chosen):
        return count_genes(files, series, trait, binary=binary, table=table, species=how.species)
    if not takes_submitted(files, series, procedure, how.chosen):
        return None
    from genotex.cohorts.geo.submitted import submitted_genes

    found = _scanned(files, series, table, how)
    if found is not None:
        return found
    return submitted_genes(files, series, trait, binary=binary, table=table, how=how)


def _scanned(
    files: GeoCohortFiles, series: Series, table: GeneTable, how: SubmittedValues
) -> CountedGenes | None:
    """Return the genes of two-colour arrays; None where the series has no scans of them."""
    from genotex.cohorts.geo.two_colour import is_two_colour, two_colour_genes

    if not is_two_colour(series) or how.chosen or how.species:
        return None
    return two_colour_genes(files, series, table)
