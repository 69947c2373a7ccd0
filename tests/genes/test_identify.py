import pytest

from genotex.genes import identify_ids, sample_evenly, without_probe_suffix
from genotex.id_kinds import IdKind

SYMBOLS = ["A1BG", "A1CF", "A2M", "TP53", "GAPDH", "BRCA1", "EGFR", "MYC"]


@pytest.mark.parametrize(
    ("ids", "kind", "needs_mapping"),
    [
        (SYMBOLS, IdKind.SYMBOL, False),
        (["7A5", "A1BG", "A26C3", "A2BP1", "A2LD1"], IdKind.SYMBOL, False),  # outdated ones
        ([s.lower() for s in SYMBOLS], IdKind.SYMBOL, False),
        (["A1BG|1", "?|100130426", "?|100133144", "TP53|7157"], IdKind.SYMBOL, False),
        ([*SYMBOLS, "?", "?", "?"], IdKind.SYMBOL, False),
        (["A2M-mRNA", "ABL1-mRNA", "ADA-mRNA"], IdKind.SYMBOL, False),
        (["1-Dec", "1-Sep", "10-Mar", "11-Sep", "A1BG"], IdKind.SYMBOL, False),
        (["1007_s_at", "1053_at", "117_at"], IdKind.PROBE, True),
        (["2824546_st", "2824549_st"], IdKind.PROBE, True),
        (["TC0100006437.hg.1", "TC0100006476.hg.1"], IdKind.PROBE, True),
        (["ILMN_1343291", "ILMN_1343295"], IdKind.PROBE, True),
        (["A_23_P100001", "A_23_P100022", "(+)E1A_r60_1"], IdKind.PROBE, True),
        (["10000_at", "100009676_at"], IdKind.PROBE, True),
        (["RTS0020877", "RTS0020879"], IdKind.PROBE, True),
        ([str(i) for i in range(1, 45_000)], IdKind.PROBE, True),
        ([str(i) for i in range(12, 45_000, 2)], IdKind.PROBE, True),
        ([str(i) for i in range(12, 24)], IdKind.PROBE, True),
        (["7892501", "7892502", "7892503"], IdKind.PROBE, True),
        (["1", "2", "3", "9", "10", "12", "13", "14", "15", "16", "18", "19"], IdKind.ENTREZ, True),
        (["7157", "2597", "100616237", "780", "5982"], IdKind.ENTREZ, True),
        (["ENSG00000141510", "ENSG00000175899"], IdKind.ENSEMBL, True),
        (["ENSG00000141510.17", "ENSG00000182378.14_PAR_Y"], IdKind.ENSEMBL, True),
        (["ENST00000269305.9", "ENST00000356531"], IdKind.ENSEMBL, True),
        (["NM_000546.6", "NR_046018"], IdKind.REFSEQ, True),
        (["AB000409", "AB000463", "M87338", "X69699.1"], IdKind.GENBANK, True),
        (["uc001abc.1", "uc001qor.2"], IdKind.UCSC, True),
        (["hsa-let-7a-3p", "hsa-miR-21-5p"], IdKind.UNKNOWN, True),
        (["cg00000292", "cg00002426"], IdKind.UNKNOWN, True),
        (["rs10096633", "rs10109480"], IdKind.UNKNOWN, True),
        ([], IdKind.UNKNOWN, False),
        (["", "?", "nan"], IdKind.UNKNOWN, False),
    ],
)
def test_kinds_of_ids(packaged, ids, kind, needs_mapping):
    verdict = identify_ids(ids, packaged)
    assert (verdict.kind, verdict.needs_mapping) == (kind, needs_mapping), verdict.reason
    assert verdict.reason


@pytest.mark.parametrize(
    ("ids", "reason"),
    [
        (["ENSG00000141510", "ENSG99999999999"], "50% of these are in the gene table"),
        ([str(i) for i in range(12, 24)], "100% are consecutive: probe numbers"),
        (["7157", "2597", "100616237", "780", "5982"], "100% of the numbers are Entrez ids"),
    ],
)
def test_reason_states_the_shares(packaged, ids, reason):
    assert reason in identify_ids(ids, packaged).reason


def test_all_entrez_ids_of_the_table_are_entrez_ids(packaged):
    ids = [str(i) for i in packaged.genes["gene_id"].to_list()]
    assert identify_ids(ids, packaged).kind is IdKind.ENTREZ


def test_symbols_are_found_by_the_table_not_by_looks(small):
    looks = ["QQQ1", "QQQ2", "QQQ3", "QQQ4"]
    assert identify_ids(looks, small).needs_mapping
    assert not identify_ids(["TP53", "A2M", "DDR1"], small).needs_mapping


def test_long_lists_are_sampled_from_end_to_end():
    ids = [str(i) for i in range(10_000)]
    some = sample_evenly(ids, 100)
    assert (len(some), some[0], some[-1]) == (100, "0", "9999")


def test_ids_of_re_annotated_and_of_the_first_arrays():
    ids = ["10000_at", "ENSG00000000003_at", "NM_000014_at", "1007_s_at", "AFFX-BioB-3_at"]
    ids += ["D00723_at", "AB000114_at", "D00408_s_at", "X56253_rna1_at", "HG1078-HT1078_at"]
    bare = without_probe_suffix(ids)
    assert bare == {
        "10000_at": "10000",
        "ENSG00000000003_at": "ENSG00000000003",
        "NM_000014_at": "NM_000014",
        "D00723_at": "D00723",
        "AB000114_at": "AB000114",
        "D00408_s_at": "D00408",
    }
