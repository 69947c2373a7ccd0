"""`genotex solve` and `clinical sheet` without a trait: what a series compares."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, on_one_line
from tests.geo_text import series_matrix, write_gz


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    agents = [f"treatment: {agent}" for agent in ("DMSO", "JQ1") for _ in range(4)]
    text = series_matrix(characteristics=[agents], title="JQ1 in cells")
    write_gz(tmp_path / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    return Path("GSE1")


def test_sheet_of_a_comparison_is_given_back_to_solve(genotex: Run, source: Path) -> None:
    code, out, _ = genotex("clinical", "sheet", source, "-o", "s.csv")
    command = "genotex solve GSE1 OUTPUT --compare JQ1_vs_DMSO --samples s.csv"
    assert code == 0 and command in out
    sheet = Path("s.csv")
    header, first, *rest = sheet.read_text().splitlines()
    assert "treatment,group,age,sex,pair,batch,exclude,certainty,why" in header
    assert first.startswith("GSE1,GSM1,") and ",DMSO,control," in first
    assert "treatment: DMSO" in first
    # The first sample is left out by hand.
    sheet.write_text("\n".join([header, first.replace(",control,", ",,"), *rest]) + "\n")
    code, out, err = genotex(*command.split()[1:])
    assert code == 0 and "4 against 3 samples; treatment, as in s.csv" in " ".join(err.split())
    assert (Path("OUTPUT") / "report").is_dir()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "GSE1", "out", "--compare", "99"), "no comparison '99'; those found"),
        (
            ("solve", "GSE1", "out", "--compare", "tumor_vs_normal"),
            "no comparison 'tumor_vs_normal'",
        ),
        (("solve", "GSE1", "out", "--compare", "1", "--trait", "Gout"), "leave --trait out"),
        (("clinical", "sheet", "GSE1", "--compare", "99"), "no comparison '99'; those found"),
        (("clinical", "sheet", "GSE1", "--trait", "Gout", "--compare", "1"), "leave --trait out"),
        (("clinical", "sheet", "GSE2"), "GSE2 is not a folder"),
    ],
)
def test_mistakes_leave_nothing_behind(
    genotex: Run, source: Path, words: tuple[str, ...], message: str
) -> None:
    code, _, err = on_one_line(genotex)(*words)
    assert code == 2 and message in err
    assert [path.name for path in Path().iterdir()] == ["GSE1"]
