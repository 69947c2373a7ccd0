from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.errors import FormatError, UsageError
from genotex.formats import ExpressionMatrix, Platform
from genotex.genes import check_rows, genes_of_rows, map_to_genes, official_rows
from genotex.id_kinds import IdKind

SAMPLES = ("GSM1", "GSM2")


def matrix(ids, values):
    return ExpressionMatrix(tuple(ids), SAMPLES, np.asarray(values, dtype=float))


def platform(accession="GPL1", **columns):
    return Platform(Path(f"{accession}.txt"), accession, {}, pl.DataFrame(columns))


PROBES = platform(
    ID=["p1_at", "p2_at", "p3_at", "p4_at", "p5_at", "p6_at"],
    **{"Gene Symbol": ["TP53", "P53", "DDR1 /// MIR4640", "SHARED", "NOSUCH", None]},
)
LOG2 = [[8, 9], [10, np.nan], [6, 4], [7, 7], [5, 5], [3, 3]]
IDS = ("P1_AT", "p2_at", "p3_at", "p4_at", "p5_at", "p6_at")  # trap 18: another case


def test_sound_drops_rows_of_several_genes_and_averages(small):
    found = map_to_genes(matrix(IDS, LOG2), [PROBES], procedure="sound", table=small)
    assert found.expression.ids == ("TP53",)
    # The first probe is 1.5 below the second on average, and weighs 2^-1.5 of it.
    weight = 2**-1.5
    np.testing.assert_allclose(
        found.expression.values, [[(8 * weight + 10) / (1 + weight), 9.0]], rtol=1e-12
    )
    assert found.counts == {
        "rows": 6,
        "rows_with_symbol": 5,
        "rows_several_genes": 1,
        "genes_mapped": 2,
        "ambiguous_aliases": 1,
        "unknown_symbols": 1,
        "symbols_updated": 1,
        "dates_restored": 0,
        "dates_lost": 0,
        "genes": 1,
    }
    assert (found.id_kind, found.id_column, found.gene_column) == (
        IdKind.PROBE,
        "ID",
        "Gene Symbol",
    )
    assert found.scale == "log2"
    assert "1 rows belong to several genes and were dropped" in found.notes
    assert "1 aliases belong to several genes and were dropped" in found.notes


@pytest.mark.parametrize(
    ("procedure", "counted"),
    [
        ("sound", [("TP53",), ("TP53",), (), (), (), ()]),
        ("benchmark", [("TP53",), ("TP53",), ("DDR1", "MIR4640"), ("OTHER",), (), ()]),
    ],
)
def test_rows_count_for_the_genes_that_come_of_them(small, procedure, counted):
    found = genes_of_rows(IDS, [PROBES], procedure=procedure, table=small)
    assert official_rows(found, procedure=procedure, table=small) == counted


def test_benchmark_divides_sums_then_averages_official_symbols(small):
    found = map_to_genes(matrix(IDS, LOG2), [PROBES], procedure="benchmark", table=small)
    # A row of two genes is halved; TP53 and P53 meet in TP53 and are averaged, missing as 0 before
    assert found.expression.ids == ("DDR1", "MIR4640", "OTHER", "TP53")
    assert found.expression.values.tolist() == [[3, 2], [3, 2], [7, 7], [9, 4.5]]
    assert found.mapped == found.counts["genes_mapped"] == 6
    assert found.counts["rows_several_genes"] == 1
    assert found.counts["unknown_symbols"] == 1


def test_a_fragment_still_halves_the_value(small):
    # spec/preprocessing.md, step 6: TMEM189-UBE2V1 gives TMEM189- and UBE2V1
    gene = platform(ID=["p1_at", "p2_at"], Symbol=["TMEM189-UBE2V1", "TP53"])
    found = map_to_genes(
        matrix(["p1_at", "p2_at"], [[8, 6], [1, 1]]), [gene], procedure="benchmark", table=small
    )
    values = dict(zip(found.expression.ids, found.expression.values.tolist(), strict=True))
    assert values == {"UBE2V1": [4, 3], "TP53": [1, 1]}
    assert found.mapped == 3


def test_linear_values_are_log2_transformed_in_sound_alone(small):
    linear = matrix(["p1_at", "p2_at"], [[1024.0, 256.0], [256.0, -1.0]])
    found = map_to_genes(linear, [PROBES], procedure="sound", table=small)
    np.testing.assert_allclose(found.expression.values, [[(10 + 8 / 2) / 1.5, 8.0]], rtol=1e-12)
    assert found.scale == "linear"
    assert any("log2 transformed; 1 values at or below 0" in note for note in found.notes)
    kept = map_to_genes(linear, [PROBES], procedure="benchmark", table=small)
    assert kept.expression.values.tolist() == [[640.0, 127.5]]


def test_the_scale_can_be_given(small):
    values = matrix(["p1_at"], [[1024.0, 256.0]])
    found = map_to_genes(values, [PROBES], procedure="sound", table=small, scale="log2")
    assert found.expression.values.tolist() == [[1024.0, 256.0]]
    with pytest.raises(UsageError, match="log10"):
        map_to_genes(values, [PROBES], procedure="sound", table=small, scale="log10")


def test_symbol_rows_need_no_platform(small):
    ids = ["tp53", "P53", "7-Sep", "1-Mar", "?", "SHARED", "DDR1"]
    values = np.arange(14).reshape(7, 2)
    found = map_to_genes(matrix(ids, values), [], procedure="sound", table=small)
    assert found.expression.ids == ("DDR1", "SEPTIN7", "TP53")
    assert found.expression.values.tolist() == [[12, 13], [4, 5], [1.6, 2.6]]
    assert (found.id_kind, found.id_column) == (IdKind.SYMBOL, None)
    assert any("restored: 7-Sep" in note for note in found.notes)
    assert any("beyond recovery: 1-Mar" in note for note in found.notes)


def test_benchmark_averages_symbol_rows_and_keeps_missing(small):
    values = [[2, np.nan], [4, np.nan], [1, 1]]
    found = map_to_genes(
        matrix(["TP53", "P53", "A2M"], values), [], procedure="benchmark", table=small
    )
    expected = [[1, 1], [3, np.nan]]
    assert np.array_equal(found.expression.values, expected, equal_nan=True)


def test_the_platform_that_holds_the_ids_is_used(small):
    other = platform("GPL2", ID=["x1_at", "x2_at"], Symbol=["A2M", "DDR1"])
    for candidates in ([other, PROBES], [PROBES, other]):
        found = map_to_genes(matrix(IDS, LOG2), candidates, procedure="sound", table=small)
        assert any("GPL1" in note for note in found.notes)
        assert found.expression.ids == ("TP53",)


def test_platform_with_entrez_ids_alone(small):
    entrez = platform(ID=["p1", "p2", "p3"], ENTREZ_GENE_ID=["7157", "780 /// 100616237", "2.0"])
    values = matrix(["p1", "p2", "p3"], [[8, 8], [6, 6], [4, 4]])
    found = map_to_genes(values, [entrez], procedure="sound", table=small)
    assert found.expression.ids == ("A2M", "TP53")
    found = map_to_genes(values, [entrez], procedure="benchmark", table=small)
    assert found.expression.ids == ("A2M", "DDR1", "MIR4640", "TP53")
    assert found.expression.values[1].tolist() == [3, 3]


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (["ENSG00000141510.17", "ENSG00000175899.14"], IdKind.ENSEMBL),
        (["7157_at", "2_at"], IdKind.PROBE),
        (["ENSG00000141510_at", "ENSG00000175899_at"], IdKind.PROBE),
        (["NM_000546.6", "NM_000014"], IdKind.REFSEQ),
    ],
)
def test_ids_of_databases_are_mapped_by_the_gene_table(packaged, ids, kind):
    found = map_to_genes(matrix(ids, [[8, 8], [6, 6]]), [], procedure="sound", table=packaged)
    assert found.expression.ids == ("A2M", "TP53")
    assert found.expression.values.tolist() == [[6, 6], [8, 8]]
    assert found.id_kind is kind
    assert any("gene table" in note for note in found.notes)


def test_entrez_rows(packaged):
    ids = ["1", "2", "3", "9", "10", "12", "13", "14", "15", "16", "18", "19"]
    values = np.full((len(ids), 2), 5.0)
    found = map_to_genes(matrix(ids, values), [], procedure="benchmark", table=packaged)
    assert {"A1BG", "A2M", "NAT1"} <= set(found.expression.ids)


def test_gene_assignment_counts_distinct_genes_once(small):
    cells = ["NM_1 // TP53 // x /// NM_2 // TP53 // y", "NM_3 // DDR1 // x /// NM_4 // A2M // y"]
    gene = platform(ID=["7896736", "7896738"], gene_assignment=cells)
    values = matrix(["7896736", "7896738"], [[8, 8], [6, 6]])
    found = map_to_genes(values, [gene], procedure="sound", table=small)
    assert found.expression.ids == ("TP53",)
    assert found.counts["rows_several_genes"] == 1


def test_an_ambiguous_alias_next_to_its_gene_changes_nothing(small):
    gene = platform(ID=["p1_at", "p2_at"], Symbol=["SHARED /// A2M", "SHARED /// TP53"])
    found = map_to_genes(
        matrix(["p1_at", "p2_at"], [[8, 8], [6, 6]]), [gene], procedure="sound", table=small
    )
    assert found.expression.ids == ("A2M",)
    assert found.counts["rows_several_genes"] == 1


@pytest.mark.parametrize("candidates", [[], [platform(ID=["x1"], SEQUENCE=["ACGT"])], [PROBES]])
def test_ids_that_nothing_can_map(small, candidates):
    with pytest.raises(FormatError, match="cannot be mapped"):
        map_to_genes(matrix(["q1", "q2"], LOG2[:2]), candidates, procedure="sound", table=small)


def test_no_gene_is_left(small):
    gene = platform(ID=["p1_at", "p2_at"], Symbol=["DDR1 /// A2M", "NOSUCH"])
    with pytest.raises(FormatError, match="no row could be mapped"):
        map_to_genes(matrix(["p1_at", "p2_at"], LOG2[:2]), [gene], procedure="sound", table=small)


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
@pytest.mark.parametrize(
    "symbols",
    [
        ["DDR1 /// A2M", "NOSUCH"],
        ["NOSUCH", "DDR1 /// A2M"],
        ["NOSUCH", "SHARED"],
        ["NOSUCH", "P53"],
        ["SHARED /// TP53", "NOSUCH"],
        ["SHARED /// A2M", "NOSUCH"],
        ["NOSUCH", "NOSUCH /// TP53"],
    ],
)
def test_rows_are_refused_as_when_they_are_made_rows_of_genes(small, symbols, procedure):
    gene = platform(ID=["p1_at", "p2_at"], Symbol=symbols)
    ids = ["p1_at", "p2_at"]
    found = genes_of_rows(ids, [gene], procedure=procedure, table=small)
    try:
        map_to_genes(matrix(ids, LOG2[:2]), [gene], procedure=procedure, table=small)
    except FormatError as refused:
        with pytest.raises(FormatError) as caught:
            check_rows(found, procedure=procedure, table=small)
        assert str(caught.value) == str(refused)
    else:
        check_rows(found, procedure=procedure, table=small)


def test_micro_rna_rows_are_no_genes(packaged):
    ids = ["hsa-let-7a-3p", "hsa-miR-21-5p"]
    with pytest.raises(FormatError, match="microRNA"):
        map_to_genes(matrix(ids, LOG2[:2]), [], procedure="sound", table=packaged)


def test_a_matrix_without_rows(small):
    empty = ExpressionMatrix((), SAMPLES, np.empty((0, 2)))
    with pytest.raises(FormatError, match="no row ids"):
        map_to_genes(empty, [PROBES], procedure="sound", table=small)


def test_one_sample_and_a_value_missing_everywhere(small):
    one = ExpressionMatrix(("TP53", "A2M"), ("GSM1",), np.array([[8.0], [np.nan]]))
    found = map_to_genes(one, [], procedure="sound", table=small)
    assert np.array_equal(found.expression.values, [[np.nan], [8.0]], equal_nan=True)


def test_a_platform_without_a_table_is_passed_over(small):
    found = map_to_genes(
        matrix(IDS, LOG2), [platform("GPL9"), PROBES], procedure="sound", table=small
    )
    assert found.expression.ids == ("TP53",)


def test_place_holders_are_no_symbols(small):
    gene = platform(ID=["p1_at", "p2_at", "p3_at"], Symbol=["TP53", "---", ""])
    values = matrix(["p1_at", "p2_at", "p3_at"], [[8, 8], [6, 6], [4, 4]])
    found = map_to_genes(values, [gene], procedure="benchmark", table=small)
    assert found.counts["rows_with_symbol"] == 1


NUMBERS = [str(number) for number in range(1, 31)]
THIRTY = np.arange(60, dtype=float).reshape(30, 2) / 10


def numbered(accession, gene, ids=NUMBERS):
    """Platform whose rows all name one gene, so that the gene shows which table was used."""
    other = ["A2M" if gene == "TP53" else "TP53", "DDR1"]
    return platform(accession, ID=ids, Symbol=[*other, *[gene] * (len(ids) - 2)])


def test_own_platform_lacks_a_row_that_a_foreign_one_has(small):
    ours, foreign = numbered("GPL1", "TP53", NUMBERS[:-1]), numbered("GPL2", "A2M")
    for own in (None, "GPL1"):
        found = map_to_genes(
            matrix(NUMBERS, THIRTY), [ours, foreign], procedure="sound", table=small, own=own
        )
        rows = dict(zip(found.expression.ids, found.expression.values.tolist(), strict=True))
        assert rows["A2M"] == [0, 0.1]  # its row in GPL1; in GPL2 it is every row but two
        assert any(n.startswith("platform GPL1:") and "96.7%" in n for n in found.notes)
        assert not any("not the series' own" in n for n in found.notes)


def test_own_platform_of_an_id_that_others_hold_better(small):
    ids = [f"{n}_at" for n in range(1000, 1030)]
    ours, foreign = numbered("GPL1", "TP53", ids[:20]), numbered("GPL2", "A2M", ids)
    for candidates in ([ours, foreign], [foreign, ours]):
        found = map_to_genes(
            matrix(ids, THIRTY), candidates, procedure="sound", table=small, own="GPL1"
        )
        assert any(n.startswith("platform GPL1:") for n in found.notes)
    few = numbered("GPL1", "TP53", ids[:10])
    # Few of its cells are known genes: better a column of genes in another platform's table.
    unsure = platform("GPL1", ID=ids[:27], gene=["TP53", "A2M", *[f"X{i}Q" for i in range(25)]])
    for ours in (few, unsure):
        found = map_to_genes(
            matrix(ids, THIRTY), [ours, foreign], procedure="sound", table=small, own="GPL1"
        )
        assert any("GPL2 is not the series' own GPL1" in n for n in found.notes)
    found = map_to_genes(
        matrix(ids, THIRTY), [few, foreign], procedure="sound", table=small, own="GPL1"
    )
    assert any("fewer than half" in n for n in found.notes)


def test_of_two_tables_of_the_own_platform_the_one_that_holds_more_ids(small):
    part, whole = numbered("GPL1", "TP53", NUMBERS[:20]), numbered("GPL1", "A2M")
    for tables in ([part, whole], [whole, part]):
        found = map_to_genes(matrix(NUMBERS, THIRTY), tables, procedure="sound", table=small)
        assert any("; all row ids found there" in n for n in found.notes)


def test_a_foreign_platform_of_specific_ids_is_used_and_named(small):
    found = map_to_genes(matrix(IDS, LOG2), [PROBES], procedure="sound", table=small, own="GPL571")
    assert found.expression.ids == ("TP53",)
    assert (
        "platform GPL1 is not the series' own GPL571: the table of GPL571 is not available"
        in found.notes
    )
    assert any("; all row ids found there" in note for note in found.notes)


@pytest.mark.parametrize(
    "ids",
    [
        NUMBERS,
        [f"{n}.0" for n in range(1, 31)],
        [f"probe_{n}" for n in range(1, 31)],
        [f"{n // 6 + 1}_{n % 6 + 1}" for n in range(30)],
        [f"{'ABCDE'[n // 6]}{n % 6 + 1}" for n in range(30)],
    ],
)
def test_numbers_are_never_looked_up_in_a_foreign_platform(small, ids):
    foreign = numbered("GPL2", "A2M", ids)
    with pytest.raises(FormatError, match=r"GPL2, which is not the series' own GPL1") as caught:
        map_to_genes(matrix(ids, THIRTY), [foreign], procedure="sound", table=small, own="GPL1")
    assert "put the GPL table of GPL1" in str(caught.value)
    nameless = numbered("", "A2M", ids)  # a plain table in the folder was put there on purpose
    found = map_to_genes(
        matrix(ids, THIRTY), [nameless], procedure="sound", table=small, own="GPL1"
    )
    assert "A2M" in found.expression.ids


def test_entrez_rows_with_a_foreign_platform_of_numbers(packaged):
    ids = ["1", "2", "3", "9", "10", "12", "13", "14", "15", "16", "18", "19"]
    foreign = platform("GPL2", ID=ids, Symbol=["TP53", "DDR1", *["EGFR"] * 10])
    values = np.full((len(ids), 2), 5.0)
    found = map_to_genes(
        matrix(ids, values), [foreign], procedure="sound", table=packaged, own="GPL1"
    )
    assert {"A1BG", "A2M", "NAT1"} <= set(found.expression.ids)


def test_part_of_the_rows_is_never_called_all_of_them(small):
    ids = [f"{n}_at" for n in range(5000)]
    gene = platform("GPL1", ID=ids[:-1], Symbol=["TP53", "A2M", "DDR1"] * 1666 + ["TP53"])
    values = np.ones((5000, 2))
    found = map_to_genes(matrix(ids, values), [gene], procedure="sound", table=small)
    assert any("; 99.9% of the row ids found there" in note for note in found.notes)


def test_control_probes_count_for_no_gene_in_sound_alone(small):
    ids = ["p1_at", "AFFX-P53/X_at", "ERCC-00002", "AFFX-BioB_at"]
    probes = platform("GPL1", ID=ids, Symbol=[*["TP53"] * 3, None])
    values = matrix(ids, [[8.0, 9.0], [12, 3], [13, 2], [7, 7]])
    found = map_to_genes(values, [probes], procedure="sound", table=small)
    assert found.expression.values.tolist() == [[8.0, 9.0]]
    assert "2 control probes of a gene were left out" in found.notes
    kept = map_to_genes(values, [probes], procedure="benchmark", table=small)
    assert kept.expression.values.tolist() == [[33.0, 14.0]]


def test_spreadsheet_dates_and_old_symbols_are_mended_and_counted(small):
    names = ("7-Sep", "P53", "1-Mar", "A2M")
    found = map_to_genes(matrix(names, [[8, 9]] * 4), [], procedure="sound", table=small)
    assert found.expression.ids == ("A2M", "SEPTIN7", "TP53")
    counts = {
        name: found.counts[name] for name in ("symbols_updated", "dates_restored", "dates_lost")
    }
    # 1-Mar may have been MARCH1 or MARC1.
    assert counts == {"symbols_updated": 1, "dates_restored": 1, "dates_lost": 1}
