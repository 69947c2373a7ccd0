"""Series whose matrix is empty take NCBI's counts, with a note; others are unchanged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import CohortOutcome, PreprocessOptions, count_genes, preprocess, tmm_factors
from genotex.errors import FormatError
from genotex.formats import (
    Evidence,
    LinkedTable,
    read_evidence,
    read_gene_csv,
    read_linked,
    read_series_matrix,
)
from genotex.genes import GeneTable
from genotex.layout import OutputFolder, geo_cohort_files
from tests.geo_text import asthma, write_asthma, write_gz
from tests.rna_seq_text import COUNT_FILE, GENE_IDS, count_rows, count_text, write_counted


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "input"


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "output")


def run(source: Path, output: OutputFolder, **options: object) -> CohortOutcome:
    chosen = PreprocessOptions(**options)  # type: ignore[arg-type]
    (outcome,) = preprocess(source, output.root, options=chosen)
    return outcome


def linked_of(output: OutputFolder) -> LinkedTable:
    return read_linked(output, "Asthma", "GSE1")


def evidence_of(output: OutputFolder) -> Evidence:
    return read_evidence(output.evidence("Asthma", "GSE1"))


def by_id(rows: dict[str, list[int]]) -> dict[str, list[int]]:
    return {GENE_IDS[symbol]: counts for symbol, counts in rows.items()}


def test_linked_table_holds_log2_counts_per_million_of_effective_libraries(
    source: Path, output: OutputFolder
) -> None:
    write_counted(source)
    outcome = run(source, output)
    assert outcome.info is not None and outcome.info.is_usable
    assert not any("no counts" in n or "not in the series" in n for n in evidence_of(output).notes)
    table, counts = linked_of(output), np.array(list(count_rows(12).values()), dtype=float)
    # No gene has few counts, so the libraries are whole.
    sizes = counts.sum(axis=0) * tmm_factors(counts, counts.sum(axis=0))
    expected = np.log2((counts + 0.5) / (sizes + 1) * 1e6).T
    order = [list(GENE_IDS).index(gene) for gene in table.genes]
    np.testing.assert_allclose(table.expression, expected[:, order], rtol=1e-12)
    assert set(table.genes) == set(GENE_IDS)


def test_record_names_files_filter_and_libraries(source: Path, output: OutputFolder) -> None:
    rows = by_id(count_rows(12)) | {"21": [0] * 11 + [3], "22": [1] * 12}
    write_counted(source, rows=rows, annotation={"1": "A1BG"})
    run(source, output)
    evidence = evidence_of(output)
    assert [(f["name"], f["used_for"]) for f in evidence.files] == [
        ("GSE1_series_matrix.txt.gz", "matrix"),
        ("GSE1_raw_counts_GRCh38.p13_NCBI.tsv.gz", "counts"),
        ("Human.GRCh38.p13.annot.tsv.gz", "annotation"),
    ]
    counts = evidence.counts
    assert (counts["genes"], counts["filtered"], counts["kept"]) == (14, 2, 12)
    assert counts["rule"] == (
        "at least 10 counts, brought to a library of median size, in 6 samples or more (edgeR's "
        "filterByExpr)"
    )
    assert counts["totals"]["GSM1"] == sum(row[0] for row in rows.values())
    kept = sum(row[0] for row in count_rows(12).values())
    effective = counts["effective_library_sizes"]["GSM1"]
    assert effective == pytest.approx(kept * counts["factors"]["GSM1"])
    assert evidence.mapping["scale"] == "counts" and evidence.mapping["id_kind"] == "entrez"


def test_rows_of_one_symbol_are_added_and_withdrawn_ids_named_by_the_annotation(
    source: Path, output: OutputFolder
) -> None:
    rows = by_id(count_rows(12))
    # The table does not know these two: one is A2M by its annotation, the other of no gene.
    rows |= {"990000001": [1000] * 12, "990000002": [500] * 12}
    write_counted(source, rows=rows, annotation={"990000001": "A2M", "990000002": "NOBODY1"})
    run(source, output)
    evidence = evidence_of(output)
    assert evidence.counts["totals"]["GSM1"] == sum(row[0] for row in rows.values())
    assert evidence.mapping["rows"] == 14 and evidence.mapping["genes"] == 12
    notes = "\n".join(evidence.notes)
    assert "1 GeneIDs are not in the gene table; named by the annotation" in notes
    assert "1 of 14 GeneIDs have no official symbol; dropped" in notes
    assert "1 rows share a symbol with another; their counts were added" in notes
    size = evidence.counts["effective_library_sizes"]["GSM1"]
    expected = np.log2((rows["2"][0] + 1000 + 0.5) / (size + 1) * 1e6)
    table = linked_of(output)
    assert table.expression[0, table.genes.index("A2M")] == pytest.approx(expected)


def test_samples_of_one_file_alone_are_left_out_and_reported(
    source: Path, output: OutputFolder
) -> None:
    samples = [f"GSM{3 + i}" for i in range(12)]
    write_counted(source, samples=samples)
    outcome = run(source, output)
    assert outcome.info is not None and outcome.info.sample_size == 10
    notes = evidence_of(output).notes
    assert f"2 samples of {COUNT_FILE.format('GSE1')} are not in the series matrix" in notes
    assert "2 samples of the series have no counts" in notes
    assert "2 samples without expression left out" in notes
    assert linked_of(output).samples == tuple(samples[:10])


def test_second_count_file_is_named_as_not_used(source: Path, output: OutputFolder) -> None:
    folder = write_counted(source)
    other = COUNT_FILE.format("GSE1").replace("GRCh38.p13", "GRCh37.p9")
    write_gz(folder / other, count_text(by_id(count_rows(12)), [f"GSM{1 + i}" for i in range(12)]))
    run(source, output)
    notes = [note for note in evidence_of(output).notes if "not used" in note]
    assert notes == [f"{COUNT_FILE.format('GSE1')} is not used, {other} is"]


def test_library_without_a_read_is_left_out(source: Path, output: OutputFolder) -> None:
    rows = {gene: [0, *counts[1:]] for gene, counts in by_id(count_rows(12)).items()}
    write_counted(source, rows=rows)
    run(source, output)
    assert "GSM1" not in linked_of(output).samples
    assert "GSM1 has no reads at all and is left out" in evidence_of(output).notes


def test_sample_without_the_trait_changes_nothing_for_the_others(
    source: Path, tmp_path: Path
) -> None:
    rows = by_id(count_rows(12))
    known = asthma(12)
    known[0][0] = "disease state: unknown"
    tables = []
    for name, last in (("a", rows), ("b", {g: [9 * c[0], *c[1:]] for g, c in rows.items()})):
        write_counted(source / name, rows=last, characteristics=known)
        output = OutputFolder(tmp_path / f"output_{name}")
        run(source / name, output)
        tables.append(linked_of(output).expression)
    np.testing.assert_array_equal(*tables)


def test_notes_report_the_fate_of_the_genes(source: Path, output: OutputFolder) -> None:
    write_counted(source, rows=by_id(count_rows(12)) | {"21": [0] * 12})
    run(source, output)
    assert (
        "RNA-seq counts: 1 of 13 genes have too few and are left out (kept: at least 10 counts, "
        "brought to a library of median size, in 6 samples or more (edgeR's filterByExpr)); 12 as "
        "log2 counts per million, TMM-normalised"
    ) in evidence_of(output).notes


@pytest.mark.parametrize(
    ("part", "value"),
    [("totals", None), ("effective_library_sizes", {"GSM1": "many"}), ("kept", "12")],
)
def test_damaged_record_of_counts_is_named(
    source: Path, output: OutputFolder, part: str, value: object
) -> None:
    write_counted(source)
    run(source, output)
    path = output.evidence("Asthma", "GSE1")
    record = json.loads(path.read_text())
    record["counts"][part] = value
    path.write_text(json.dumps(record))
    with pytest.raises(FormatError, match=rf"counts\.{part}.*preprocess it again"):
        read_evidence(path)
    run(source, output)
    assert evidence_of(output).counts["kept"] == 12


def test_series_in_which_no_gene_has_enough_counts(source: Path, output: OutputFolder) -> None:
    write_counted(source, rows={gene: [1, 0] * 6 for gene in ("1", "2", "9")})
    outcome = run(source, output)
    assert outcome.info is not None and not outcome.info.is_gene_available
    assert "no gene has enough counts (at least 10 counts" in outcome.why_not_usable


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<html><body>Service unavailable</body></html>", "HTML"),
        (count_text({"1": [1.5] * 12}, [f"GSM{1 + i}" for i in range(12)]), "not a whole number"),
        (count_text({"1": [7]}, ["GSM999"]), "holds none of the samples of GSE1_series_matrix"),
        (count_text({"990000009": [7] * 12}, [f"GSM{1 + i}" for i in range(12)]), "no GeneID"),
        (count_text({"1": [0] * 12}, [f"GSM{1 + i}" for i in range(12)]), "has a single read"),
    ],
    ids=["page", "fraction", "other series", "unknown genes", "no reads"],
)
def test_count_file_of_no_use_stops_the_cohort_and_names_itself(
    source: Path, output: OutputFolder, text: str, message: str
) -> None:
    write_counted(source, text=text)
    outcome = run(source, output)
    assert outcome.info is None and outcome.error is not None
    assert message in outcome.error and COUNT_FILE.format("GSE1") in outcome.error
    assert not output.evidence("Asthma", "GSE1").exists()


def test_empty_matrix_without_counts_names_what_to_fetch(
    source: Path, output: OutputFolder
) -> None:
    folder = write_counted(source)
    (folder / COUNT_FILE.format("GSE1")).unlink()
    outcome = run(source, output)
    assert "no expression table" in outcome.why_not_usable
    assert COUNT_FILE.format("GSE...") in outcome.why_not_usable
    assert "'genotex fetch geo'" in outcome.why_not_usable


def test_counts_that_come_later_are_taken(source: Path, output: OutputFolder) -> None:
    folder = write_counted(source)
    path = folder / COUNT_FILE.format("GSE1")
    content = path.read_bytes()
    path.unlink()
    assert not run(source, output).info.is_usable  # type: ignore[union-attr]
    path.write_bytes(content)
    outcome = run(source, output)
    assert outcome.info is not None and outcome.info.is_usable and not outcome.unchanged
    assert run(source, output).unchanged


def test_procedure_benchmark_takes_no_counts(source: Path, output: OutputFolder) -> None:
    write_counted(source)
    outcome = run(source, output, procedure="benchmark")
    assert outcome.info is not None and not outcome.info.is_gene_available
    assert outcome.why_not_usable == (
        "gene data not available: the matrix holds no expression table (as in RNA-seq series)"
    )


def test_matrix_with_values_is_not_replaced_by_counts(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    run(source, output)
    before = (linked_of(output), output.evidence("Asthma", "GSE1").read_text())
    counts = count_text(by_id(count_rows(12)), [f"GSM{1 + i}" for i in range(12)])
    write_gz(source / "GEO" / "Asthma" / "GSE1" / COUNT_FILE.format("GSE1"), counts)
    run(source, output)
    np.testing.assert_array_equal(linked_of(output).expression, before[0].expression)
    assert '"counts"' not in before[1]
    assert not evidence_of(output).counts


def test_gene_table_of_the_cohort_is_what_was_linked(source: Path, output: OutputFolder) -> None:
    write_counted(source)
    run(source, output)
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    assert genes.ids == tuple(sorted(GENE_IDS))
    np.testing.assert_allclose(genes.values.T, linked_of(output).expression, rtol=1e-12)


def test_continuous_trait_filters_by_the_largest_leverage(source: Path) -> None:
    rows = by_id(count_rows(12)) | {"21": [0] * 8 + [50] * 4}
    folder = write_counted(source, rows=rows)
    files = geo_cohort_files("Asthma", folder)
    series = read_series_matrix(files.matrices[0])
    table = GeneTable.load()
    counted = count_genes(files, series, np.arange(12.0), binary=False, table=table)
    # Leverage of an end point of 12 equally spaced levels: 1/12 + 5.5^2 / 143, the inverse 3.39.
    assert "in 4 samples or more" in counted.record["rule"]
    assert counted.record["kept"] == 13
    unknown = count_genes(files, series, None, binary=False, table=table)
    # One group of 12: 10 and 70 % of the two above.
    assert "in 12 samples or more" in unknown.record["rule"]
    assert unknown.record["kept"] == 12
