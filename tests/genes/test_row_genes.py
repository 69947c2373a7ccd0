"""Genes of rows by given columns."""

from pathlib import Path

import polars as pl
import pytest

from genotex.errors import FormatError
from genotex.formats import Platform
from genotex.genes import genes_by_columns, genes_of_rows

IDS = ("p1_at", "p2_at", "p3_at", "p4_at")


def platform(accession: str, **columns: list[str | None]) -> Platform:
    return Platform(Path(f"{accession}.txt"), accession, {}, pl.DataFrame(columns))


PROBES = platform(
    "GPL1",
    ID=[*IDS],
    Symbol=["TP53", "P53", "DDR1 /// MIR4640", None],
    Synonyms=["LFS1", "P53", "CAK", "A2MD"],
    Entrez=["7157", "7157", "780", "2"],
    Colour=["red", "red", "green", "green"],
)


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_columns_that_the_rules_would_choose_give_the_same(small, procedure):
    own = genes_of_rows(IDS, [PROBES], procedure=procedure, table=small)
    chosen = genes_by_columns(
        IDS, [PROBES], PROBES, "ID", "Symbol", procedure=procedure, table=small
    )
    assert chosen == own
    assert chosen.names == [("TP53",), ("P53",), ("DDR1", "MIR4640"), ()]
    assert (chosen.platform, chosen.id_column, chosen.gene_column) == ("GPL1", "ID", "Symbol")


def test_ids_of_a_database_and_synonyms_are_read_where_they_are_asked_for(small):
    entrez = genes_by_columns(IDS, [PROBES], PROBES, "ID", "Entrez", procedure="sound", table=small)
    assert entrez.names == [("TP53",), ("TP53",), ("DDR1",), ("A2M",)]
    # Never chosen by rule, as a synonym may mean another gene; a person may know better.
    synonyms = genes_by_columns(
        IDS, [PROBES], PROBES, "ID", "Synonyms", procedure="sound", table=small
    )
    assert synonyms.names == [("LFS1",), ("P53",), ("CAK",), ("A2MD",)]


def test_of_two_lines_for_one_probe_the_first_that_names_a_gene_counts(small):
    twice = platform(
        "GPL1",
        ID=[*IDS, "p1_at", "p2_at", "p4_at"],
        Symbol=["TP53", "---", "DDR1", None, "A2M", "A2M", "A2M"],
    )
    found = genes_of_rows(IDS, [twice], procedure="sound", table=small)
    assert found.names == [("TP53",), ("A2M",), ("DDR1",), ("A2M",)]


def test_uninformative_columns_are_refused(small):
    with pytest.raises(
        FormatError, match=r"'Colour' identifies no genes: it holds 'red'.*columns: ID"
    ):
        genes_by_columns(IDS, [PROBES], PROBES, "ID", "Colour", procedure="sound", table=small)
    with pytest.raises(FormatError, match=r"0\.0% of the row ids .* are in column 'ID'"):
        genes_by_columns(IDS, [PROBES], PROBES, "Colour", "Symbol", procedure="sound", table=small)


def test_numbers_are_not_looked_up_in_another_platform_even_when_it_is_chosen(small):
    ids = [str(number) for number in range(1, 31)]
    foreign = platform("GPL2", ID=[*ids], Symbol=["TP53", "A2M", "DDR1"] * 10)
    with pytest.raises(FormatError, match="GPL2, which is not the series' own GPL1"):
        genes_by_columns(
            ids, [foreign], foreign, "ID", "Symbol", procedure="sound", table=small, own="GPL1"
        )


def test_a_platform_that_the_series_names_is_not_called_none_given(small):
    with pytest.raises(FormatError, match="platforms: GPL7, whose table is not there") as found:
        genes_of_rows(IDS, [], procedure="sound", table=small, own="GPL7")
    assert "put the table of GPL7 or the family SOFT file" in str(found.value)
    with pytest.raises(FormatError, match="platforms: none given"):
        genes_of_rows(IDS, [], procedure="sound", table=small)
