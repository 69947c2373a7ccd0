"""Tables of tested genes of DESeq2 1.38.3, edgeR 3.40.2 and limma 3.54.1, as R writes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genotex.cohorts import read_gene_results
from genotex.errors import FormatError, UsageError

DESEQ2 = """"","baseMean","log2FoldChange","lfcSE","stat","pvalue","padj"
"TP53",35.58,-1.0931,0.3744,-2.9197,0.003504,0.04043
"EGFR",215.98,2.5041,0.36036,6.949,3.678e-12,1.1e-09
"MYC",1.2,0.5,0.9,0.55,0.58,NA
"BRCA1",900.1,0.1,0.2,NA,NA,NA
"""
EDGER = """logFC\tlogCPM\tF\tPValue\tFDR
ENSG00000141510.18\t-1.1\t5.2\t8.5\t0.004\t0.02
ENSG00000146648\t2.4\t11.1\t40.5\t3.1e-08\t9.3e-06
"""
LIMMA = """"","logFC","AveExpr","t","P.Value","adj.P.Val","B"
"TP53",-1.0,5.1,-2.8,0.006,0.04,-1.2
"EGFR",2.4,10.6,6.5,7.4e-08,2.2e-05,8.0
"""
OURS = "gene,log2_fold_change,ci_low,ci_high,mean,t,p,q\nTP53,-1,-2,0,5,-2.8,.006,.04\n"


def written(folder: Path, text: str, name: str = "found.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "name", "tool"),
    [
        (DESEQ2, "found.csv", "DESeq2"),
        (EDGER, "found.tsv", "edgeR"),
        (LIMMA, "found.csv", "limma"),
        (OURS, "genes.csv", "genotex"),
    ],
)
def test_each_tool_is_known_by_its_columns(tmp_path: Path, text: str, name: str, tool: str) -> None:
    found = read_gene_results(written(tmp_path, text, name))
    assert (found.tool, found.name, found.genes[0]) == (tool, name.partition(".")[0], "TP53")
    assert found.effect[0] == pytest.approx(-1, abs=0.11)
    assert any(f"results of {tool}" in note for note in found.notes)


def test_numbers_of_deseq2_and_genes_without_a_p_value(tmp_path: Path) -> None:
    found = read_gene_results(written(tmp_path, DESEQ2))
    assert found.genes == ("TP53", "EGFR", "MYC")
    assert found.error.tolist() == [0.3744, 0.36036, 0.9]
    assert found.statistic.tolist() == [-2.9197, 6.949, 0.55]
    np.testing.assert_array_equal(found.q, [0.04043, 1.1e-09, np.nan])
    assert found.mean[1] == pytest.approx(np.log2(216.48))
    assert any("1 gene without p-value left out" in note for note in found.notes)


def test_ids_become_symbols_and_the_highest_row_of_a_gene_stays() -> None:
    table = pd.DataFrame(
        {
            "gene_id": ["ENSG00000141510", "ENSG00000141510.3", "ENSG00000146648", "no_gene"],
            "logFC": [1.0, 2.0, 3.0, 4.0],
            "logCPM": [2.0, 8.0, 5.0, 5.0],
            "PValue": [0.01, 0.02, 0.03, 0.04],
            "FDR": [0.02, 0.03, 0.04, 0.05],
        }
    )
    found = read_gene_results(table)
    assert dict(zip(found.genes, found.effect.tolist(), strict=True)) == {"TP53": 2.0, "EGFR": 3.0}
    assert np.isnan(found.statistic).all() and np.isnan(found.error).all()
    assert any("1 row of a gene that another row has" in note for note in found.notes)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("gene,s1,s2\nTP53,1,2\n", "is no table of tested genes: it has the columns gene, s1, s2"),
        (DESEQ2.replace("0.58,NA", "1.58,NA"), "the p-value 1.58 in 'pvalue' is not between 0"),
        (DESEQ2.replace("0.003504", "small"), "column 'pvalue' holds texts"),
        ("logFC,P.Value,adj.P.Val\n1,.5,.5\n", "has no column that names the genes"),
        ("gene,logFC,PValue,FDR\nTP53,1,NA,NA\n", "no gene has a p-value"),
    ],
)
def test_other_tables_are_refused_with_what_is_needed(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_gene_results(written(tmp_path, text))


def test_a_data_frame_that_is_no_table_of_results_is_a_mistake_of_use() -> None:
    with pytest.raises(UsageError, match="DESeq2: log2FoldChange, pvalue, padj"):
        read_gene_results(pd.DataFrame({"gene": ["TP53"], "value": [1.0]}))
