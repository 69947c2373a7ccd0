"""The atlas in Python."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import genotex as gx
from tests.atlas.conftest import ASTHMA
from tests.atlas.result_folders import GENES, write_cohort

UP = [gene for gene, size in ASTHMA.items() if size > 0]
DOWN = [gene for gene, size in ASTHMA.items() if size < 0]


@pytest.fixture
def atlas(tmp_path: Path) -> gx.Atlas:
    """An atlas of two traits."""
    for seed, trait in enumerate(("Asthma", "Asthma", "Eczema")):
        write_cohort(tmp_path / f"out{seed}", trait, f"GSE{seed}", seed=seed, changed=ASTHMA)
    return gx.Atlas.build(tmp_path, tmp_path / "atlas")


def test_questions_are_answered_as_data_frames(atlas: gx.Atlas) -> None:
    assert atlas.gene(GENES[1])["cohort"].nunique() == 3
    by_trait = atlas.gene(GENES[1], by="trait").set_index("trait")
    assert by_trait.loc["Asthma", "cohorts"] == 2
    genes = atlas.trait("Asthma")
    assert genes.index[0] in ASTHMA and genes.attrs["cohorts"] == ["GSE0", "GSE1"]
    hits = atlas.similar(UP, DOWN)
    assert hits["direction"].tolist() == ["similar", "similar"]
    matrix = atlas.traits()
    assert isinstance(matrix, pd.DataFrame) and list(matrix.index) == list(matrix.columns)
    assert atlas.trait_pairs()["similarity"].iloc[0] > 0.1
    assert len(atlas.results) == 3 and atlas.symbols == sorted(GENES)


def test_wrong_arguments_are_refused(atlas: gx.Atlas) -> None:
    with pytest.raises(gx.UsageError, match="one text"):
        atlas.similar("IL6")
    with pytest.raises(gx.UsageError, match="use 'cohort' or 'trait'"):
        atlas.gene(GENES[0], by="gene")  # type: ignore[arg-type]


def test_the_views_can_be_asked_in_sql(atlas: gx.Atlas) -> None:
    pytest.importorskip("duckdb")
    found = atlas.sql(f"SELECT trait, p FROM combined WHERE gene = '{GENES[1]}' ORDER BY trait")
    expected = atlas.gene(GENES[1], by="trait").sort_values("trait")
    assert found["trait"].tolist() == ["Asthma", "Eczema"]
    assert found["p"].tolist() == pytest.approx(expected["p"].tolist())
    assert atlas.sql("SELECT count(*) AS n FROM effects")["n"].tolist() == [3 * len(GENES)]
