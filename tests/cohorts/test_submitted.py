"""Series whose matrix is empty take the submitter's table where its columns are their samples."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.formats import Evidence, read_evidence, read_gene_csv, read_linked
from genotex.layout import OutputFolder
from tests.geo_text import asthma, series_matrix, write_gz
from tests.rna_seq_text import GENE_IDS, SEQUENCING, count_rows, count_text, write_counted

ACCESSIONS = [f"GSM{1 + i}" for i in range(12)]
SYMBOLS = tuple(GENE_IDS)


def write_series(root: Path, lines: Sequence[str] = ()) -> Path:
    """Write a series of twelve samples without expression; `lines` are added to the header."""
    folder = root / "GEO" / "Asthma" / "GSE1"
    text = series_matrix(characteristics=asthma(12), series_type=SEQUENCING, ids=())
    head, begin, rest = text.partition("!series_matrix_table_begin")
    write_gz(folder / "GSE1_series_matrix.txt.gz", head + "".join(lines) + begin + rest)
    return folder


def line(key: str, cells: Sequence[str]) -> str:
    return "\t".join([f"!Sample_{key}", *(f'"{cell}"' for cell in cells)]) + "\n"


def table(samples: Sequence[str], values: object = None, sign: str = "\t") -> str:
    rows = count_rows(12) if values is None else values
    lines = [sign.join(["gene", *samples])]
    lines += [sign.join([g, *map(str, c)]) for g, c in rows.items()]  # type: ignore[attr-defined]
    return "\n".join(lines) + "\n"


def run(root: Path, **options: object) -> tuple[CohortOutcome, Evidence, OutputFolder]:
    output = OutputFolder(root / "output")
    chosen = PreprocessOptions(**options)  # type: ignore[arg-type]
    (outcome,) = preprocess(root / "input", output.root, options=chosen)
    return outcome, read_evidence(output.evidence("Asthma", "GSE1")), output


def test_the_same_counts_give_the_same_table_as_those_of_ncbi(tmp_path: Path) -> None:
    write_counted(tmp_path / "ncbi" / "input")
    own = write_series(tmp_path / "own" / "input")
    write_gz(own / "GSE1_raw_counts.txt.gz", table(ACCESSIONS))
    tables = []
    for root in (tmp_path / "ncbi", tmp_path / "own"):
        outcome, evidence, output = run(root)
        assert outcome.info is not None and outcome.info.is_usable
        tables.append((read_linked(output, "Asthma", "GSE1"), evidence))
    (ncbi, by_ncbi), (mine, by_own) = tables
    assert mine.genes == ncbi.genes
    assert np.array_equal(mine.expression, ncbi.expression)
    assert by_own.counts["factors"] == by_ncbi.counts["factors"]
    assert by_own.counts["file"] == "GSE1_raw_counts.txt.gz"
    note = next(n for n in by_own.notes if "submitter's" in n)
    assert "12 of its 12 samples found by the series' accession (12 exactly)" in note
    assert {"name": "GSE1_raw_counts.txt.gz", "used_for": "counts"}.items() <= next(
        {k: f[k] for k in ("name", "used_for")} for f in by_own.files if f["used_for"] == "counts"
    ).items()


@pytest.mark.parametrize(
    ("lines", "samples", "place"),
    [
        ([], [f"sample_GSM{1 + i}" for i in range(12)], "accession"),
        (
            [line("description", [f"processed data column: Lib{i}" for i in range(12)])],
            [f"Lib{i}" for i in range(12)],
            "description after the colon",
        ),
        (
            [line("title", [f"Blood, donor {i} [D-{i}]" for i in range(12)])],
            [f"D_{i}.bam" for i in range(12)],
            "title 2 in brackets",
        ),
        (
            [line("characteristics_ch1", [f"patient id: P{i:02}" for i in range(12)])],
            [f"p{i:02}" for i in range(12)],
            "characteristic patient id after the colon",
        ),
    ],
)
def test_columns_are_matched_by_what_the_series_states(
    tmp_path: Path, lines: list[str], samples: list[str], place: str
) -> None:
    folder = write_series(tmp_path / "input", lines)
    write_gz(folder / "GSE1_counts.csv.gz", table(samples, sign=","))
    outcome, evidence, output = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    assert any(f"by the series' {place}" in note for note in evidence.notes)
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    assert list(genes.samples) == ACCESSIONS


def test_values_that_are_not_counts_are_taken_as_values(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    values = {g: [round(c / 7.3, 3) for c in row] for g, row in count_rows(12).items()}
    write_gz(folder / "GSE1_FPKM.txt.gz", table(ACCESSIONS, values))
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    assert not evidence.counts
    assert evidence.mapping["value_kind"] == "reads"
    assert evidence.mapping["scale"] == "linear"


def test_of_several_tables_the_one_with_most_samples_then_counts(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    few = {g: row[:6] for g, row in count_rows(12).items()}
    values = {g: [c / 7.3 for c in row] for g, row in count_rows(12).items()}
    write_gz(folder / "GSE1_a_counts.txt.gz", table(ACCESSIONS[:6], few))
    write_gz(folder / "GSE1_b_fpkm.txt.gz", table(ACCESSIONS, values))
    write_gz(folder / "GSE1_c_counts.txt.gz", table(ACCESSIONS))
    write_gz(folder / "GSE1_d_other.txt.gz", table([f"x{i}y" for i in range(12)]))
    _, evidence, _ = run(tmp_path)
    assert evidence.counts["file"] == "GSE1_c_counts.txt.gz"
    left = [note for note in evidence.notes if " is not " in note and note.startswith("GSE1")]
    assert [note.partition(":")[0] for note in left] == [
        "GSE1_a_counts.txt.gz is not used",
        "GSE1_d_other.txt.gz is not read",
        "GSE1_b_fpkm.txt.gz is not read",
    ]


def test_counts_of_ncbi_are_preferred(tmp_path: Path) -> None:
    folder = write_counted(tmp_path / "input")
    write_gz(folder / "GSE1_counts.txt.gz", table(ACCESSIONS))
    _, evidence, _ = run(tmp_path)
    assert evidence.counts["file"].endswith("_NCBI.tsv.gz")


def test_a_table_of_other_samples_is_not_used_and_the_reason_is_stated(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    write_gz(folder / "GSE1_counts.txt.gz", table([f"x{i}y" for i in range(12)]))
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and not outcome.info.is_gene_available
    words = "GSE1_counts.txt.gz is not used: no sample of the series"
    assert any(words in note for note in evidence.notes)


def test_raw_files_alone_name_the_tools_and_the_way_back(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    for name in ("GSE1_RAW.tar", "GSM1.idat.gz", "GSM2.idat.gz", "GSM1_htseq.txt.gz"):
        (folder / name).write_bytes(b"raw")
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and not outcome.info.is_gene_available
    (note,) = [n for n in evidence.notes if "holds no expression table" in n]
    assert (
        "GSM1.idat.gz and 1 more: the raw scans are not read here: take the series' table" in note
    )
    assert "in R, read.idat of limma" in note
    assert "GSE1_RAW.tar is not used: ends too early" in note
    assert "is not a table with several columns" in note
    assert "genotex de TABLE SAMPLES OUTPUT" in note


def test_the_procedure_benchmark_does_not_use_them(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    write_gz(folder / "GSE1_counts.txt.gz", table(ACCESSIONS))
    outcome, evidence, _ = run(tmp_path, procedure="benchmark")
    assert outcome.info is not None and not outcome.info.is_gene_available
    assert not evidence.counts


def test_a_new_table_in_the_folder_is_noticed(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    assert not run(tmp_path)[0].info.is_gene_available  # type: ignore[union-attr]
    write_gz(folder / "GSE1_counts.txt.gz", count_text(count_rows(12), ACCESSIONS))
    outcome, _, _ = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_gene_available


def test_a_sample_sheet_in_the_folder_is_no_expression(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    rows = "".join(f"{name},{i % 2},{40 + i}\n" for i, name in enumerate(ACCESSIONS))
    (folder / "sheet.csv").write_text("sample,group,age\n" + rows)
    values = {g: [c / 7.3 for c in row] for g, row in count_rows(12).items()}
    write_gz(folder / "GSE1_fpkm.txt.gz", table(ACCESSIONS, values))
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_gene_available
    assert any(note.startswith("sheet.csv is not used") for note in evidence.notes)


def test_a_name_may_be_a_word_of_the_title(tmp_path: Path) -> None:
    titles = [f"RNA-seq of blood, donor D{i}, run {1 + i % 2}" for i in range(12)]
    folder = write_series(tmp_path / "input", [line("description", titles)])
    order = list(range(12))[::-1]
    rows = {g: [row[i] for i in order] for g, row in count_rows(12).items()}
    write_gz(folder / "GSE1_counts.txt.gz", table([f"D{i}" for i in order], rows))
    outcome, evidence, output = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    assert any("description, in which it is a word (12 exactly)" in n for n in evidence.notes)
    genes = read_gene_csv(output.gene_csv("Asthma", "GSE1"))
    assert list(genes.samples) == ACCESSIONS
    totals = evidence.counts["totals"]
    assert list(totals.values()) == [sum(r[i] for r in count_rows(12).values()) for i in range(12)]


def test_a_table_that_fits_in_two_ways_is_refused_with_both(tmp_path: Path) -> None:
    names = [f"S{i}" for i in range(12)]
    texts = [
        line("description", names),
        line("characteristics_ch1", [f"run: {n}" for n in names[::-1]]),
    ]
    folder = write_series(tmp_path / "input", texts)
    write_gz(folder / "GSE1_counts.txt.gz", table(names))
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and not outcome.info.is_gene_available
    assert any(
        "'description' and 'characteristic run after the colon'" in n for n in evidence.notes
    )


def test_another_file_may_be_chosen(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    values = {g: [c / 7.3 for c in row] for g, row in count_rows(12).items()}
    write_gz(folder / "GSE1_counts.txt.gz", table(ACCESSIONS))
    write_gz(folder / "GSE1_fpkm.txt.gz", table(ACCESSIONS, values))
    _, evidence, _ = run(tmp_path, values_from="GSE1_fpkm.txt.gz")
    assert not evidence.counts and evidence.mapping["scale"] == "linear"
    assert evidence.options["values_from"] == "GSE1_fpkm.txt.gz"
    outcome, _, _ = run(tmp_path, values_from="GSE1_other.txt.gz")
    assert "has no file 'GSE1_other.txt.gz'" in str(outcome)


def test_cells_in_columns_are_added_up_by_the_sample_in_their_names(tmp_path: Path) -> None:
    folder = write_series(tmp_path / "input")
    cells = [f"{''.join('ACGT'[j >> 2 * k & 3] for k in range(10))}-1" for j in range(3)]
    names = [f"{cell}_GSM{12 - i}" for i in range(12) for cell in cells]
    rows = {
        g: [part for i in range(12) for part in (row[11 - i] - 3, 2, 1)]
        for g, row in count_rows(12).items()
    }
    write_gz(folder / "GSE1_umi_counts.txt.gz", table(names, rows))
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and outcome.info.is_usable
    sums = [sum(r[i] for r in count_rows(12).values()) for i in range(12)]
    assert list(evidence.counts["totals"].values()) == sums
    write_gz(
        folder / "GSE1_umi_counts.txt.gz",
        table([n.partition("_")[0] for n in names[:3]] * 12, rows),
    )
    outcome, evidence, _ = run(tmp_path)
    assert outcome.info is not None and not outcome.info.is_gene_available
