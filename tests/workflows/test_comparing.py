"""Series tested without a trait: listed, chosen, and tested as a design."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from genotex.clinical import (
    SampleSheet,
    load_sample_sheet,
    sheet_cells,
    sheet_headers,
    write_sheet_table,
)
from genotex.cohorts import PreprocessOptions
from genotex.errors import FormatError, GenotexError, UsageError
from genotex.formats import read_evidence
from genotex.layout import OutputFolder
from genotex.options import AnalysisOptions
from genotex.workflows import (
    SeriesComparisons,
    by_sheet,
    compare,
    comparisons_of,
    propose_comparison,
    series_in,
)
from tests.geo_text import GENES, series_matrix, write_gz
from tests.rna_seq_text import SEQUENCING

LINES = [f"cell line: {line}" for line in ("A375", "WM9") for _ in range(6)]
AGENTS = [f"treatment: {agent}" for _ in range(2) for agent in ("DMSO", "JQ1") for _ in range(3)]


def write(folder: Path, more: Sequence[Sequence[str]] = (), **fields: object) -> Path:
    values = np.random.default_rng(3).normal(8, 0.2, (len(GENES), 12))
    values[0] += np.array([agent.endswith("JQ1") for agent in AGENTS]) * 3.0
    values[:, 6:] += 2
    text = series_matrix(
        characteristics=[LINES, AGENTS, *more],
        values=values.tolist(),
        title="JQ1 in cells",
        **fields,
    )
    return write_gz(folder / "GSE1_series_matrix.txt.gz", text).parent


def test_chosen_comparison_is_tested_with_the_crossed_factor(tmp_path: Path) -> None:
    folder = write(tmp_path / "GSE1")
    (files,) = series_in(folder)
    series = comparisons_of(files, PreprocessOptions())
    chosen = series.chosen("jq1_vs_dmso")
    assert chosen == series.chosen("1")
    output = OutputFolder(tmp_path / "output")
    tested, _ = compare(series, chosen, PreprocessOptions(), AnalysisOptions(), output)
    (result,) = tested.results
    assert result.method["formula"]["formula"] == "~ group + cell_line"
    assert result.genes["Variable"][0] == GENES[0]
    assert result.genes["Coefficient"][0] == pytest.approx(3, abs=0.3)
    evidence = read_evidence(output.evidence("JQ1_vs_DMSO", "GSE1"))
    assert evidence.series["title"] == "JQ1 in cells"
    assert any("comparison found in the texts" in note for note in evidence.notes)


def test_excluded_samples_are_in_no_comparison(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    found = comparisons_of(files, PreprocessOptions(exclude=("cell line=WM9",))).chosen("1")
    assert set((*found.cases, *found.controls)) == {f"GSM{i}" for i in range(1, 7)}


def test_unknown_comparison_lists_those_found(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    with pytest.raises(UsageError, match="no comparison 'x'; those found: JQ1_vs_DMSO"):
        comparisons_of(files, PreprocessOptions()).chosen("x")


def test_input_folder_gives_the_series_that_are_named(tmp_path: Path) -> None:
    for name in ("GSE1", "GSE2"):
        write(tmp_path / "GEO" / "Melanoma" / name)
    assert [f.cohort for f in series_in(tmp_path)] == ["GSE1", "GSE2"]
    assert [f.cohort for f in series_in(tmp_path, ["GSE2"])] == ["GSE2"]
    with pytest.raises(UsageError, match="holds no series GSE3; it holds GSE1, GSE2"):
        series_in(tmp_path, ["GSE3"])


def test_accession_without_files_names_the_command_that_fetches_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="genotex fetch geo input --accession GSE42872"):
        series_in(tmp_path / "GSE42872")


def test_series_without_expression_is_refused(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1", organism="Danio rerio", taxid="7955"))
    series = comparisons_of(files, PreprocessOptions())
    with pytest.raises(FormatError, match="no gene expression"):
        compare(
            series, series.comparisons[0], PreprocessOptions(), AnalysisOptions(),
            OutputFolder(tmp_path / "output"),
        )  # fmt: skip


MOUSE = {"organism": "Mus musculus", "taxid": "10090", "platform": "GPL1261"}


def _mouse(folder: Path) -> tuple[list[str], list[str]]:
    """Write a series on mouse probes; return the probes and their genes."""
    from genotex.genes import packaged_platform

    rows = packaged_platform("GPL1261").table.head(len(GENES)).iter_rows()
    probes, genes = zip(*rows, strict=True)
    write(folder, ids=probes, **MOUSE)
    return list(probes), sorted(set(genes))


def test_mouse_series_is_tested_by_its_own_genes(tmp_path: Path) -> None:
    _, genes = _mouse(tmp_path / "GSE1")
    (files,) = series_in(tmp_path / "GSE1")
    series = comparisons_of(files, PreprocessOptions())
    output = OutputFolder(tmp_path / "output")
    tested, notes = compare(
        series, series.chosen("1"), PreprocessOptions(), AnalysisOptions(), output
    )
    assert sorted(tested.results[0].genes["Variable"]) == genes
    assert notes[0] == "genes of mouse, as they are named" and "GPL1261" in notes[1]


def test_mouse_genes_take_the_symbols_of_their_one_human_orthologue(tmp_path: Path) -> None:
    _, genes = _mouse(tmp_path / "GSE1")
    # The first gene has two orthologues and the last none.
    pairs = [(gene, GENES[i]) for i, gene in enumerate(genes[:-1])] + [(genes[0], "TP53")]
    (tmp_path / "pairs.csv").write_text("mouse,human\n" + "".join(f"{a},{b}\n" for a, b in pairs))
    (files,) = series_in(tmp_path / "GSE1")
    series = comparisons_of(files, PreprocessOptions())
    tested, notes = compare(
        series, series.chosen("1"), PreprocessOptions(), AnalysisOptions(),
        OutputFolder(tmp_path / "output"), orthologues=tmp_path / "pairs.csv",
    )  # fmt: skip
    assert sorted(tested.results[0].genes["Variable"]) == sorted(GENES[1 : len(genes) - 1])
    assert f"{len(genes) - 2} of {len(genes)} genes have one human orthologue" in notes[-1]


def _sequenced(folder: Path, species: str, rows: list[tuple[str, ...]], *, fpkm: bool = False):
    """Write a series whose counts are a table of the submitter; the first gene is induced."""
    text = series_matrix(
        characteristics=[LINES, AGENTS], ids=(), organism=species, series_type=SEQUENCING,
        title="JQ1 in cells",
    )  # fmt: skip
    write_gz(folder / "GSE1_series_matrix.txt.gz", text)
    stream = np.random.default_rng(3)
    values = stream.poisson(stream.uniform(150, 4000, (len(rows), 12))).astype(float)
    values[0] *= [8 if agent.endswith("JQ1") else 1 for agent in AGENTS]
    cells = values / 7.3 if fpkm else values
    titles = ["gene_id", "gene_name"][: len(rows[0])] + [f"GSM{i + 1}" for i in range(12)]
    lines = ["\t".join([*row, *(f"{v:g}" for v in c)]) for row, c in zip(rows, cells, strict=True)]
    write_gz(folder / "GSE1_counts.txt.gz", "\n".join(["\t".join(titles), *lines]) + "\n")


def _symbols(platform: str) -> list[str]:
    from genotex.genes import packaged_platform

    every = packaged_platform(platform).table["Gene Symbol"].unique(maintain_order=True)
    return every.head(60).to_list()


@pytest.mark.parametrize(
    ("species", "ids"),
    [*(("mouse", ids) for ids in ("symbols", "ensembl", "both", "fpkm")), ("rat", "symbols")],
)
def test_counts_of_animals_are_tested_by_the_genes_that_they_name(
    tmp_path: Path, species: str, ids: str
) -> None:
    symbols = _symbols({"mouse": "GPL1261", "rat": "GPL1355"}[species])
    prefix = {"mouse": "ENSMUSG", "rat": "ENSRNOG"}[species]
    ensembl = [f"{prefix}{7 * i + 1:011}.{i % 9}" for i in range(len(symbols))]
    rows = {"ensembl": [(e,) for e in ensembl], "both": list(zip(ensembl, symbols, strict=True))}
    organism = {"mouse": "Mus musculus", "rat": "Rattus norvegicus"}[species]
    given = rows.get(ids, [(symbol,) for symbol in symbols])
    _sequenced(tmp_path / "GSE1", organism, given, fpkm=ids == "fpkm")
    (files,) = series_in(tmp_path / "GSE1")
    series = comparisons_of(files, PreprocessOptions())
    output = OutputFolder(tmp_path / "output")
    tested, notes = compare(
        series, series.chosen("1"), PreprocessOptions(), AnalysisOptions(), output
    )
    (result,) = tested.results
    names = symbols if ids != "ensembl" else [name.partition(".")[0] for name in ensembl]
    assert set(result.genes["Variable"]) <= set(names)
    assert len(result.genes["Variable"]) > 0.9 * len(names)
    assert result.genes["Variable"][0] == names[0]
    assert result.genes["Coefficient"][0] == pytest.approx(3, abs=0.5)
    (said,) = [note for note in notes if f"genes of {species}, as they are named" in note]
    assert ("no symbols are at hand" in said) == (ids == "ensembl")
    evidence = read_evidence(output.evidence("JQ1_vs_DMSO", "GSE1"))
    assert bool(evidence.counts) == (ids != "fpkm")


@pytest.mark.parametrize("annotated", [True, False])
def test_counts_by_ncbi_of_a_mouse_series_take_the_symbols_of_their_annotation(
    tmp_path: Path, annotated: bool
) -> None:
    symbols, folder = _symbols("GPL1261"), tmp_path / "GSE1"
    ids = [str(11_000 + 13 * i) for i in range(len(symbols))]
    _sequenced(folder, "Mus musculus", [(name,) for name in ids])
    name = folder / "GSE1_raw_counts_GRCm39_NCBI.tsv.gz"
    (folder / "GSE1_counts.txt.gz").rename(name)
    write_gz(name, gzip.decompress(name.read_bytes()).decode().replace("gene_id", "GeneID", 1))
    if annotated:
        lines = [f"{i}\t{symbol}\n" for i, symbol in zip(ids, symbols, strict=True)]
        write_gz(folder / "Mouse.GRCm39.annot.tsv.gz", "GeneID\tSymbol\n" + "".join(lines))
    (files,) = series_in(folder)
    series = comparisons_of(files, PreprocessOptions())
    chosen, output = series.chosen("1"), OutputFolder(tmp_path / "output")
    if not annotated:
        with pytest.raises(GenotexError, match=r"put Mouse\.GRCm39\.annot\.tsv\.gz next to it"):
            compare(series, chosen, PreprocessOptions(), AnalysisOptions(), output)
        return
    tested, notes = compare(series, chosen, PreprocessOptions(), AnalysisOptions(), output)
    assert tested.results[0].genes["Variable"][0] == symbols[0]
    assert set(tested.results[0].genes["Variable"]) <= set(symbols)
    assert "genes of mouse, as NCBI's annotation names them" in notes
    evidence = read_evidence(output.evidence("JQ1_vs_DMSO", "GSE1"))
    assert evidence.counts["annotation"] == "Mouse.GRCm39.annot.tsv.gz"


def _edited(series: SeriesComparisons, path: Path, **cells: dict[str, str]) -> SampleSheet:
    """Write the proposed sheet, with some cells changed by sample, and load it."""
    rows = propose_comparison(series, series.chosen("1"), PreprocessOptions()).rows
    for column, changed in cells.items():
        for row in rows:
            row[column] = changed.get(row["sample"], row[column])
    headers = sheet_headers(rows)
    write_sheet_table(path, headers, sheet_cells(rows, headers))
    return load_sample_sheet(path)


def test_sheet_of_a_comparison_gives_it_back(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    series = comparisons_of(files, PreprocessOptions())
    found = series.chosen("1")
    same = by_sheet(series, found, _edited(series, tmp_path / "samples.csv"))
    assert set(same.cases) == set(found.cases) and set(same.controls) == set(found.controls)
    # The cell line, which is adjusted for, is the batch.
    lines = dict(zip((*found.cases, *found.controls), found.columns[0][1], strict=True))
    assert same.columns == (("batch", tuple(lines[s] for s in (*same.cases, *same.controls))),)


def test_edited_sheet_is_what_is_tested(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    series = comparisons_of(files, PreprocessOptions())
    changes = {"group": {"GSM1": ""}, "exclude": {"GSM4": "yes"}, "batch": {}}
    sheet = _edited(series, tmp_path / "samples.csv", **changes)
    options = PreprocessOptions(sheet=sheet)
    chosen = by_sheet(series, None, sheet)
    assert (len(chosen.cases), len(chosen.controls)) == (5, 5)
    output = OutputFolder(tmp_path / "output")
    tested, _ = compare(series, chosen, options, AnalysisOptions(), output)
    assert tested.results[0].method["formula"]["formula"] == "~ group + batch"
    assert tested.results[0].genes["Variable"][0] == GENES[0]


AGES = [f"age: {20 + i * 5 % 13}" for i in range(12)]


@pytest.mark.parametrize(
    ("sexes", "adjusted", "remark"),
    [
        ("MFMMFFMMFFMF", " + age + sex", ""),
        ("MMMFFFMMMFFF", " + age", "Gender is not adjusted for: it does not vary among the cases"),
    ],
)
def test_age_and_sex_are_adjusted_for_as_for_a_trait(
    tmp_path: Path, sexes: str, adjusted: str, remark: str
) -> None:
    people = [AGES, [f"sex: {sex}" for sex in sexes]]
    (files,) = series_in(write(tmp_path / "GSE1", more=people))
    series = comparisons_of(files, PreprocessOptions())
    chosen = series.chosen("jq1_vs_dmso")
    output = OutputFolder(tmp_path / "output")
    tested, _ = compare(series, chosen, PreprocessOptions(), AnalysisOptions(), output)
    formula = tested.results[0].method["formula"]["formula"]
    assert formula == f"~ group + cell_line{adjusted}"
    notes = read_evidence(output.evidence("JQ1_vs_DMSO", "GSE1")).notes
    assert not remark or any(remark in note for note in notes)


def test_age_of_an_edited_sheet_is_adjusted_for(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    series = comparisons_of(files, PreprocessOptions())
    ages = {f"GSM{i + 1}": text[5:] for i, text in enumerate(AGES)}
    sheet = _edited(series, tmp_path / "samples.csv", age=ages)
    output, options = OutputFolder(tmp_path / "output"), PreprocessOptions(sheet=sheet)
    chosen = by_sheet(series, None, sheet)
    tested, _ = compare(series, chosen, options, AnalysisOptions(), output)
    assert tested.results[0].method["formula"]["formula"] == "~ group + batch + age"


def test_pairs_of_a_sheet_make_a_paired_comparison(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    series = comparisons_of(files, PreprocessOptions())
    pairs = {f"GSM{i}": f"p{i % 3}{i > 6}" for i in range(1, 13)}
    empty = dict.fromkeys(pairs, "")
    sheet = _edited(series, tmp_path / "samples.csv", pair=pairs, batch=empty)
    chosen = by_sheet(series, series.chosen("1"), sheet)
    assert chosen.paired and [name for name, _ in chosen.columns] == ["pair"]
    del pairs["GSM3"]
    sheet = _edited(series, tmp_path / "samples.csv", pair=pairs, batch=empty)
    with pytest.raises(UsageError, match="the column pair is empty for GSM3; fill it in"):
        by_sheet(series, None, sheet)


def test_series_without_a_comparison_has_an_empty_sheet(tmp_path: Path) -> None:
    (files,) = series_in(write(tmp_path / "GSE1"))
    series = comparisons_of(files, PreprocessOptions())
    rows = propose_comparison(series, None, PreprocessOptions()).rows
    assert {row["group"] for row in rows} == {""} and len(rows) == 12


def test_a_series_matrix_is_a_series(tmp_path: Path) -> None:
    (path,) = write(tmp_path / "GSE1").iterdir()
    (files,) = series_in(path)
    assert comparisons_of(files, PreprocessOptions()).comparisons[0].name == "JQ1_vs_DMSO"
