"""The columns of the tables of genes, declared once."""

from genotex.analysis import GENE_TABLE, RESULT_COLUMNS


def test_the_short_table_has_a_place_for_each_of_its_columns() -> None:
    places = sorted(column.short for column in GENE_TABLE if column.short)
    assert places == list(range(1, len(RESULT_COLUMNS) + 1))


def test_the_short_table_is_that_of_the_documentation() -> None:
    assert list(RESULT_COLUMNS) == [
        "gene", "log2_fold_change", "ci_low", "ci_high", "mean", "t", "p", "q",
    ]  # fmt: skip
