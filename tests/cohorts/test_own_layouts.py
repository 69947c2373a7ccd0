"""Own tables: layouts, ids and scales of the programs that people use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from genotex.cohorts import OwnTables, read_own_tables
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.genes import GeneTable
from tests.own_tables import GENES, SAMPLES, count_values, log2_values, write_samples, write_table


def _read(tmp_path: Path, expression: Path, **options: object) -> OwnTables:
    return read_own_tables(expression, write_samples(tmp_path / "samples.csv"), **options)


def _ensembl() -> list[str]:
    genes = GeneTable.load().genes.filter(pl.col("symbol").is_in(GENES)).sort("symbol")
    return [cell.split("|")[0] for cell in genes["ensembl"].to_list()]


def _entrez() -> list[str]:
    genes = GeneTable.load().genes.filter(pl.col("symbol").is_in(GENES)).sort("symbol")
    return [str(number) for number in genes["gene_id"].to_list()]


def _noted(tables: OwnTables, words: str) -> bool:
    return any(words in note for note in tables.notes)


def test_featurecounts(tmp_path: Path) -> None:
    before = {
        "Chr": ["chr1;chr1"] * 16,
        "Start": ["100;200", *map(str, range(15))],
        "End": range(16),
        "Strand": ["+;+"] * 16,
        "Length": range(1000, 1016),
    }
    path = write_table(
        tmp_path / "counts.txt",
        count_values(),
        genes=[f"{gene}.7" for gene in _ensembl()],
        samples=[f"/data/run 1/{name}.sorted.bam" for name in SAMPLES],
        sign="\t",
        corner="Geneid",
        before=before,
        comment='# Program:featureCounts v2.0.3; Command:"featureCounts" "-a" "genes.gtf"\n',
    )
    tables = _read(tmp_path, path)
    assert (tables.genes, tables.samples) == (GENES, SAMPLES)
    assert tables.raw_counts is not None
    assert np.array_equal(tables.raw_counts, count_values().T)
    assert _noted(tables, "left out: End, Length")
    assert _noted(tables, "6 without path and file ending")


def test_expected_counts_with_gene_names_in_a_second_column(tmp_path: Path) -> None:
    counts = count_values() + 0.0
    counts[:8] += 0.37
    path = write_table(
        tmp_path / "salmon.merged.gene_counts.tsv",
        counts,
        genes=[f"{gene}.12" for gene in _ensembl()],
        sign="\t",
        corner="gene_id",
        before={"gene_name": GENES},
    )
    tables = _read(tmp_path, path)
    assert tables.genes == GENES
    assert _noted(tables, "expected counts (RSEM, salmon)")
    assert tables.raw_counts is not None
    assert tables.raw_counts == pytest.approx(counts.T)


def test_a_table_of_tximport_gives_its_counts(tmp_path: Path) -> None:
    quantities = ("abundance", "counts", "length")
    samples = [f"{quantity}.{name}" for quantity in quantities for name in SAMPLES]
    values = np.hstack([log2_values(), count_values(), log2_values() * 100])
    before = {"countsFromAbundance": ["no"] * 16}
    path = write_table(tmp_path / "txi.csv", values, samples=samples, before=before)
    tables = _read(tmp_path, path)
    assert tables.samples == SAMPLES
    assert tables.raw_counts is not None
    assert np.array_equal(tables.raw_counts, count_values().T)


def test_rows_of_htseq_and_star_that_are_no_genes(tmp_path: Path) -> None:
    genes = (*GENES[:13], "__no_feature", "__ambiguous", "N_unmapped")
    tables = _read(
        tmp_path, write_table(tmp_path / "c.tsv", count_values(), genes=genes, sign="\t")
    )
    assert tables.genes == GENES[:13]
    assert tables.counts["totals"]["S1"] == count_values()[:13, 0].sum()
    assert _noted(
        tables, "rows that are no gene were left out: __no_feature, __ambiguous, N_unmapped"
    )


def test_illumina_with_detection_p_values(tmp_path: Path) -> None:
    values = np.empty((16, 12))
    values[:, ::2], values[:, 1::2] = np.exp2(log2_values()), 0.01
    names = [name for s in SAMPLES for name in (f"{s}.AVG_Signal", "Detection Pval")]
    path = write_table(tmp_path / "t.txt", values, samples=names, sign="\t")
    tables = _read(tmp_path, path)
    assert tables.samples == SAMPLES
    assert _noted(tables, "6 columns of detection p-values were left out")


def test_genes_centred_at_0_are_noted_and_z_scores_warned_of(tmp_path: Path) -> None:
    values = log2_values() - log2_values().mean(axis=1, keepdims=True)
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", values))
    assert _noted(tables, "centred at 0")
    values /= values.std(axis=1, ddof=1, keepdims=True)
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", values))
    assert any("z-scores" in warning for warning in tables.warnings)


def test_swapped_tables(tmp_path: Path) -> None:
    expression = write_table(tmp_path / "e.csv", log2_values())
    with pytest.raises(UsageError, match="swapped"):
        read_own_tables(write_samples(tmp_path / "s.csv"), expression)


def test_an_unknown_scale(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values())
    with pytest.raises(UsageError, match="'ln' is unknown: use auto, log2, linear, counts"):
        _read(tmp_path, path, scale="ln")


def test_a_series_matrix_of_geo(tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "GSE1_series_matrix.txt",
        log2_values(),
        sign="\t",
        corner='"ID_REF"',
        comment='!Series_title\t"x"\n\n!series_matrix_table_begin\n',
    )
    path.write_text(path.read_text() + "!series_matrix_table_end\n")
    assert _read(tmp_path, path).genes == GENES


def test_one_sample_of_rsem(tmp_path: Path) -> None:
    names = ("length", "effective_length", "expected_count", "TPM", "FPKM")
    path = write_table(tmp_path / "S1.genes.results", count_values(samples=5), samples=names)
    with pytest.raises(FormatError, match=r"holds one sample .*join the samples"):
        _read(tmp_path, path)


@pytest.mark.parametrize(
    "names",
    [
        ("baseMean", "log2FoldChange", "lfcSE", "stat", "pvalue", "padj"),
        ("logFC", "AveExpr", "t", "P.Value", "adj.P.Val", "B"),
        ("logFC", "logCPM", "F", "PValue", "FDR", "rank"),
    ],
)
def test_a_table_of_test_results(tmp_path: Path, names: tuple[str, ...]) -> None:
    path = write_table(tmp_path / "results.csv", log2_values(), samples=names, corner="")
    with pytest.raises(FormatError, match=r"table of test results \(.*not of expression"):
        _read(tmp_path, path)


def test_test_results_next_to_the_samples_are_left_out(tmp_path: Path) -> None:
    values = log2_values(samples=8)
    path = write_table(tmp_path / "t.csv", values, samples=("logFC", "P.Value", *SAMPLES))
    tables = _read(tmp_path, path)
    assert np.array_equal(tables.expression, values[:, 2:].T)
    assert _noted(tables, "left out: logFC, P.Value")


def test_running_numbers_in_front_of_the_genes(tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "t.csv",
        log2_values(),
        genes=[str(i) for i in range(16)],
        corner="",
        before={"symbol": GENES},
    )
    assert _read(tmp_path, path).genes == GENES


def test_entrez_ids(tmp_path: Path) -> None:
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=_entrez()))
    assert tables.genes == GENES


def test_old_symbols_and_dates_of_spreadsheets(tmp_path: Path) -> None:
    genes = ("MARCH3", "2-Sep", "SEPT9", "2024-03-05", "1-Mar", *GENES[5:])
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=genes))
    assert {"MARCHF3", "SEPTIN2", "SEPTIN9", "MARCHF5"} <= set(tables.genes)
    assert "1-Mar" not in tables.genes
    assert any("may be several genes; left out: 1-Mar" in w for w in tables.warnings)
    assert _noted(tables, "2 symbols had been turned into dates and were restored: 2-Sep, 2024")
    assert not _noted(tables, "a gene with another")


def test_ids_without_a_symbol_are_kept(tmp_path: Path) -> None:
    genes = (*GENES[:14], "NOVELGENE1", "MSTRG.1234")
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=genes))
    assert {"NOVELGENE1", "MSTRG.1234"} <= set(tables.genes)
    assert _noted(tables, "2 of 16 ids have no official symbol and are kept as they are")


def test_rows_of_one_gene_are_averaged_and_counts_added(tmp_path: Path) -> None:
    genes = ("TP53", *GENES[1:])
    values, counts = log2_values(), count_values()
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", values, genes=genes))
    place = tables.genes.index("TP53")
    weights = 2.0 ** (values[[0, 14]].mean(axis=1) - values[[0, 14]].mean(axis=1).max())
    mean = weights @ values[[0, 14]] / weights.sum()
    assert tables.expression[:, place] == pytest.approx(mean)
    assert _noted(tables, "1 row shares a gene with another; their values were averaged, those of")
    tables = _read(tmp_path, write_table(tmp_path / "c.csv", counts, genes=genes))
    assert tables.raw_counts is not None
    assert np.array_equal(tables.raw_counts[:, tables.genes.index("TP53")], counts[0] + counts[14])


def test_protein_groups_of_maxquant(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lfq = np.round(2 ** random.normal(27, 2, (16, 6)))
    lfq[2, :3] = 0
    names = [f"S{j + 1}" for j in range(6)]
    other = {
        "Protein IDs": [f"P{i};Q{i}" for i in range(13)] + ["CON__P1", "REV__P2", "P15"],
        "Majority protein IDs": [f"P{i}" for i in range(13)] + ["CON__P1", "REV__P2", "P15"],
        "Gene names": [f"{GENES[0]};NOSUCH", *GENES[1:12], "", *GENES[13:]],
        "Peptides": range(16),
    }
    other |= {f"Intensity {s}": 2 * lfq[:, j] for j, s in enumerate(names)}
    other |= {f"LFQ intensity {s}": lfq[:, j] for j, s in enumerate(names)}
    other |= {"Reverse": [""] * 14 + ["+", ""], "Potential contaminant": [""] * 13 + ["+", "", "+"]}
    pl.DataFrame(other).write_csv(tmp_path / "proteinGroups.txt", separator="\t")
    tables = _read(tmp_path, tmp_path / "proteinGroups.txt")
    genes = (*GENES[:12], "P12")  # a protein without a gene keeps its own name
    assert tables.raw_counts is None and set(tables.genes) == set(genes)
    found = tables.expression[:, [tables.genes.index(gene) for gene in genes]].T
    expected = np.where(lfq[:13] == 0, np.nan, np.log2(np.where(lfq[:13] == 0, 1, lfq[:13])))
    np.testing.assert_allclose(found, expected)
    assert _noted(tables, "3 decoys, contaminants and the like were left out")
    assert _noted(tables, "0 is not detected, and missing")
    assert tables.kind == "proteins"


def test_normalised_reads_are_known_as_such_also_their_logarithms(tmp_path: Path) -> None:
    counts = count_values()
    cpm = counts / counts.sum(axis=0) * 1e6
    for values in (cpm, np.log2(cpm + 0.5)):
        tables = _read(tmp_path, write_table(tmp_path / "cpm.csv", values))
        assert tables.kind == tables.record["scale"]["kind"] == "reads"
    assert _read(tmp_path, write_table(tmp_path / "t.csv", log2_values())).kind == ""


def test_rows_of_which_nothing_is_known_are_warned_of(tmp_path: Path) -> None:
    counts = count_values()
    ids = tuple(f"TraesCS1A02G{i:06d}" for i in range(16))
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", np.round(counts + 40), genes=ids))
    (unclear,) = (w for w in tables.warnings if w.startswith("nothing is known of the ids"))
    assert "taken as intensities" in unclear and unclear.endswith("--scale counts")


@pytest.mark.parametrize("name", ["Sum", "TOTAL", "Grand Total", "total reads", "mean", "Average"])
def test_a_row_of_sums_or_means_is_no_gene(tmp_path: Path, name: str) -> None:
    values = log2_values()
    values[-1] = values[:-1].sum(axis=0) * 30
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", values, genes=(*GENES[:15], name)))
    assert name not in tables.genes and len(tables.genes) == 15
    assert _noted(tables, f"rows that are no gene were left out: {name}")
    assert tables.expression.max() < 20  # the scale is that of the genes


def test_genes_of_another_organism_are_kept(tmp_path: Path) -> None:
    genes = [gene.capitalize() for gene in GENES]
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=genes))
    assert set(tables.genes) == set(genes)
    assert _noted(tables, "another organism")
    # In people, too, some official symbols have small letters.
    human = (*GENES[:4], *(f"C1orf{n}" for n in (21, 35, 43, 50, 52, 54, 56, 68, 74, 87, 94, 105)))
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=human))
    assert not _noted(tables, "another organism")


PROBES = tuple(f"{200000 + 13 * i}_at" for i in range(16))


def test_probes_without_annotation_are_kept_with_a_warning(tmp_path: Path) -> None:
    tables = _read(tmp_path, write_table(tmp_path / "t.csv", log2_values(), genes=PROBES))
    assert set(tables.genes) == set(PROBES)
    assert any("Affymetrix probe sets" in w and "--platform" in w for w in tables.warnings)


def test_probes_with_symbols_in_a_second_column(tmp_path: Path) -> None:
    path = write_table(
        tmp_path / "t.csv", log2_values(), genes=PROBES, before={"Gene Symbol": GENES}
    )
    assert _read(tmp_path, path).genes == GENES


@pytest.mark.parametrize(
    ("name", "head", "sign"),
    [
        ("map.csv", "probe,symbol\n", ","),
        ("map.tsv", "probe\tsymbol\n", "\t"),
        ("anything.annotation", "ID\tGene Symbol\n", "\t"),
        ("GPL96-57554.txt", "#ID = probe\n#Gene Symbol = gene\nID\tGene Symbol\n", "\t"),
        ("GPL96_family.soft", "^PLATFORM = GPL96\n!platform_table_begin\nID\tSymbol\n", "\t"),
        ("semicolons.txt", "probe;gene\n", ";"),
    ],
)
def test_platforms_in_any_usual_form(tmp_path: Path, name: str, head: str, sign: str) -> None:
    rows = "".join(f"{p}{sign}{g}\n" for p, g in zip(PROBES, GENES, strict=True))
    end = "!platform_table_end\n" if "soft" in name else ""
    (tmp_path / name).write_text(head + rows + end)
    expression = write_table(tmp_path / "t.csv", log2_values(), genes=PROBES)
    tables = _read(tmp_path, expression, platform=tmp_path / name)
    assert tables.genes == GENES
    assert tables.record["files"][-1]["used_for"] == "platform"


def test_a_platform_of_other_probes(tmp_path: Path) -> None:
    (tmp_path / "map.csv").write_text("probe,symbol\nX1,TP53\nX2,MYC\n")
    expression = write_table(tmp_path / "t.csv", log2_values(), genes=PROBES)
    with pytest.raises(GenotexError, match=r"cannot be mapped"):
        _read(tmp_path, expression, platform=tmp_path / "map.csv")


@pytest.mark.parametrize(
    ("name", "change", "scale", "words"),
    [
        ("e.csv", lambda x: x, "log2", "log2"),
        ("e.csv", lambda x: np.exp2(x), "linear", "intensities"),
        ("e.csv", lambda x: np.exp2(x) / np.exp2(x).sum(0) * 1e6, "linear", "TPM or CPM"),
        ("e.csv", lambda x: np.where(x < 7, 0, np.exp2(x)), "linear", "FPKM"),
        ("c.csv", lambda x: np.floor(np.exp2(x)), "counts", "whole numbers"),
        ("norm_tpm.csv", lambda x: np.floor(np.exp2(x)), "linear", "normalised"),
    ],
)
def test_scales(tmp_path: Path, name: str, change: object, scale: str, words: str) -> None:
    values = change(log2_values())  # type: ignore[operator]
    tables = _read(tmp_path, write_table(tmp_path / name, values))
    assert tables.record["scale"]["scale"] == scale
    assert _noted(tables, words)


def test_the_scale_can_be_given(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", np.floor(np.exp2(log2_values())))
    tables = _read(tmp_path, path, scale="linear")
    assert tables.raw_counts is None
    assert tables.expression == pytest.approx(np.log2(np.floor(np.exp2(log2_values())).T))


def test_missing_counts_are_taken_as_0_and_counted(tmp_path: Path) -> None:
    path = write_table(tmp_path / "c.csv", count_values())
    lines = path.read_text().splitlines()
    lines[1] = "ACTB,NA,,1,2,3,4"
    lines[3] = "CDK4,NA,5,1,2,3,4"
    path.write_text("\n".join(lines) + "\n")
    tables = _read(tmp_path, path)
    assert "3 counts of 2 rows are missing and are taken as 0" in tables.warnings
    assert tables.raw_counts is not None
    assert tables.raw_counts[:, tables.genes.index("ACTB")].tolist() == [0, 0, 1, 2, 3, 4]


def test_values_at_or_below_0_that_become_missing_are_counted(tmp_path: Path) -> None:
    values = np.exp2(log2_values())
    path = write_table(tmp_path / "e.csv", values)
    assert not _noted(_read(tmp_path, path), "at or below 0")
    values[0, 0] = -1
    tables = _read(tmp_path, write_table(tmp_path / "e.csv", values), scale="linear")
    assert _noted(tables, "; 1 values at or below 0 became missing")
    assert not any("at or below 0" in warning for warning in tables.warnings)
    values[1:, 0] *= -1
    tables = _read(tmp_path, write_table(tmp_path / "e.csv", values), scale="linear")
    assert any(
        warning.startswith("17% of the values are at or below 0") for warning in tables.warnings
    )


def test_negative_counts(tmp_path: Path) -> None:
    values = count_values()
    values[2, 1] = -4
    path = write_table(tmp_path / "e.csv", values)
    with pytest.raises(FormatError, match="CDK4 in S2 is -4"):
        _read(tmp_path, path, scale="counts")


def test_text_in_place_of_a_number(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values())
    lines = path.read_text().splitlines()
    cells = lines[5].split(",")
    lines[5] = ",".join([*cells[:3], "high", *cells[4:]])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(
        FormatError, match=r"e\.csv, line 6: 1 cell is not a number: 'high' for EGFR in S3"
    ):
        _read(tmp_path, path)


def test_missing_values_stay_missing(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values())
    lines = path.read_text().splitlines()
    lines[1] = "ACTB,NA,,1,2,3,n/a"
    lines[2] = "BRCA1,,,,,,"
    path.write_text("\n".join(lines) + "\n")
    tables = _read(tmp_path, path)
    assert np.isnan(tables.expression[[0, 1, 5], 0]).all()
    assert "BRCA1" not in tables.genes
    assert any("1 gene without any value left out: BRCA1" in w for w in tables.warnings)


def test_infinite_values(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values())
    path.write_text(path.read_text().replace("TP53,", "TP53,-Inf,", 1).replace("VEGFA,", "VEGFA,"))
    lines = path.read_text().splitlines()
    lines[15] = ",".join(lines[15].split(",")[:7])
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(FormatError, match=r"line 16: the value of TP53 in S1 is infinite"):
        _read(tmp_path, path)


def test_samples_that_occur_twice(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values(), samples=("S1", *SAMPLES[:5]))
    with pytest.raises(FormatError, match="samples occur more than once: S1"):
        _read(tmp_path, path)


def test_a_table_without_a_header(tmp_path: Path) -> None:
    path = write_table(tmp_path / "e.csv", log2_values())
    path.write_text("\n".join(path.read_text().splitlines()[1:]) + "\n")
    with pytest.raises(FormatError, match="is the header missing"):
        _read(tmp_path, path)


def test_a_sample_without_any_value(tmp_path: Path) -> None:
    values = count_values()
    values[:, 4] = 0
    tables = _read(tmp_path, write_table(tmp_path / "c.csv", values))
    assert "S5" not in tables.samples
    assert tables.sample_table.height == tables.expression.shape[0] == 5
    assert any("1 sample without any read, left out: S5" in w for w in tables.warnings)
