"""Series as submitters lay them out reach genes without a hand, and never silently wrong ones."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest

from genotex.cohorts import PreprocessOptions, preprocess
from genotex.formats import read_evidence, read_gene_csv
from genotex.layout import OutputFolder
from tests.laid_out_series import GSM, LaidOut, ids, laid_out, truth, write

FEWEST = 69


@dataclass(frozen=True)
class Reached:
    """What came of a series."""

    series: LaidOut
    genes: int  # 0 where it did not reach genes
    wrong: str  # why its values are not what was meant
    why: str  # of a refusal


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> list[Reached]:
    root = tmp_path_factory.mktemp("laid_out")
    made = {f"GSE{100 + i}": each for i, each in enumerate(laid_out(root))}
    for name, series in made.items():
        write(series, root / "input" / "GEO" / "Asthma" / name)
    output = OutputFolder(root / "output")
    outcomes = preprocess(root / "input", output.root, options=PreprocessOptions())
    assert [outcome.cohort for outcome in outcomes] == list(made)
    return [_reached(series, name, output) for name, series in made.items()]


def _reached(series: LaidOut, name: str, output: OutputFolder) -> Reached:
    evidence = read_evidence(output.evidence("Asthma", name))
    path = output.gene_csv("Asthma", name)
    if not path.exists():
        why = " ".join(evidence.notes)
        return Reached(series, 0, "", why)
    found = read_gene_csv(path)
    values = np.asarray(found.values)
    if evidence.mapping.get("scale") == "linear" and values.max() > 50:
        values = np.log2(values + 1)
    return Reached(
        series,
        len(found.ids),
        _wrong(series, found.ids, found.samples, values, bool(evidence.counts)),
        "",
    )


def _wrong(
    series: LaidOut, genes: object, samples: object, values: np.ndarray, counted: bool
) -> str:
    """Compare with what was meant: the kind of values, and each sample with its own true counts."""
    if series.holds == "nothing":
        return "should have been refused"
    if counted != (series.holds == "counts"):
        return f"taken as {'counts' if counted else 'values'}"
    place = {gene: i for i, gene in enumerate(ids())}
    common = [(i, place[g]) for i, g in enumerate(genes) if g in place]  # type: ignore[arg-type]
    mine, true = (list(side) for side in zip(*common, strict=True))
    logged = np.log2(truth()[1][true] + 1)
    logged -= logged.mean(axis=1, keepdims=True)
    own = values[mine] - values[mine].mean(axis=1, keepdims=True)
    for j, sample in enumerate(samples):  # type: ignore[arg-type]
        like = [np.corrcoef(own[:, j], logged[:, k])[0, 1] for k in range(len(GSM))]
        if GSM[int(np.argmax(like))] != sample or max(like) < 0.9:
            return f"{sample} looks like {GSM[int(np.argmax(like))]} ({max(like):.2f})"
    return ""


def test_at_least_nine_of_ten_reach_genes_and_none_is_wrong(
    reached: list[Reached], capsys: pytest.CaptureFixture[str]
) -> None:
    total = Counter(each.series.kind for each in reached)
    there = Counter(each.series.kind for each in reached if each.genes and not each.wrong)
    with capsys.disabled():
        print("\nkind                      series  reach genes")
        for kind, number in total.items():
            print(f"{kind:24}  {number:6}  {there[kind]:11}")
        print(f"{'all':24}  {len(reached):6}  {sum(there.values()):11}")
    assert [f"{r.series.kind}, {r.series.name}: {r.wrong}" for r in reached if r.wrong] == []
    assert len(reached) == 76 and len(total) == 13
    assert sum(there.values()) >= FEWEST


def test_each_refusal_names_the_cure(reached: list[Reached]) -> None:
    refused = [each for each in reached if not each.genes]
    missing = [
        f"{each.series.kind}, {each.series.name}: {each.why[:400]}"
        for each in refused
        if not (each.series.cure and re.search(each.series.cure, each.why))
    ]
    assert missing == []


def test_nearly_all_genes_are_there(reached: list[Reached]) -> None:
    few = [f"{r.series.name}: {r.genes}" for r in reached if 0 < r.genes < 0.9 * len(ids())]
    assert few == []
