"""CEL and CDF files: of R's affxparser (`python -m benchmarks golden_rma`), and damaged ones."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError
from genotex.formats import read_cdf, read_cel, read_library
from genotex.outside import stored_file
from tests.affymetrix_files import cdf, cel, console_cel

GOLDEN = Path(__file__).parents[1] / "fixtures" / "rma"


def of(path: Path, data: bytes):
    path.write_bytes(data)
    return stored_file(path)


def test_text_and_binary_scans_hold_the_same() -> None:
    text = read_cel(stored_file(GOLDEN / "GSM1_text.CEL.gz"))
    binary = read_cel(stored_file(GOLDEN / "GSM1_binary.CEL.gz"))
    assert text.chip == binary.chip == "Made-Chip"
    np.testing.assert_array_equal(text.intensities.astype("f4"), binary.intensities)
    assert text.columns == binary.columns == 36 and text.intensities.min() >= 5


def test_text_and_binary_layouts_hold_the_same() -> None:
    text = read_cdf(stored_file(GOLDEN / "Made-Chip.cdf.gz"))
    binary = read_cdf(stored_file(GOLDEN / "Made-Chip.xda.cdf.gz"))
    assert text.probe_sets == binary.probe_sets and text.probe_sets[4] == "200005_s_at"
    np.testing.assert_array_equal(text.cells, binary.cells)
    assert text.sizes[:6].tolist() == binary.sizes[:6].tolist() == [11, 8, 16, 5, 1, 2]


def library() -> list:
    return [stored_file(GOLDEN / f"Made-Chip.{end}.gz") for end in ("pgf", "clf", "mps")]


def test_library_files_of_a_gene_array_hold_the_cells_of_the_layout() -> None:
    text = read_cdf(stored_file(GOLDEN / "Made-Chip.cdf.gz"))
    found = read_library(*library())
    assert (found.chip, found.columns, found.rows) == ("Made-Chip", 36, 36)
    assert found.probe_sets == text.probe_sets
    np.testing.assert_array_equal(found.sizes, text.sizes)
    np.testing.assert_array_equal(found.cells, text.cells)


@pytest.mark.parametrize(
    ("order", "message"),
    [((1, 0, 2), "probe_id|has no column"), ((2, 1, 0), "has no column"), ((0, 1, 1), "no column")],
)
def test_library_files_in_each_others_place_are_refused(order, message: str) -> None:
    files = library()
    with pytest.raises(FormatError, match=message):
        read_library(*(files[i] for i in order))


@pytest.mark.parametrize("cut", ["pgf", "clf", "mps"])
@pytest.mark.parametrize("share", [0.0, 0.2, 0.5])
def test_library_file_cut_short_is_refused(tmp_path: Path, cut: str, share: float) -> None:
    ends = ("pgf", "clf", "mps")
    files = dict(zip(ends, library(), strict=True))
    whole = gzip.decompress((GOLDEN / f"Made-Chip.{cut}.gz").read_bytes())
    files[cut] = of(tmp_path / f"a.{cut}", whole[: int(share * len(whole))])
    with pytest.raises(FormatError):
        read_library(*files.values())


def test_scan_of_command_console(tmp_path: Path) -> None:
    values = np.arange(12) + 0.5
    scan = read_cel(of(tmp_path / "a.CEL", console_cel(values, 4)))
    assert (scan.chip, scan.columns, scan.rows) == ("Made-Chip", 4, 3)
    np.testing.assert_array_equal(scan.intensities, values)


@pytest.mark.parametrize("name", ["GSM1_text.CEL", "GSM1_binary.CEL", "console"])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.5, 0.999])
def test_scan_cut_short_is_refused(tmp_path: Path, name: str, share: float) -> None:
    whole = console_cel(np.ones(900), 30)
    if name != "console":
        whole = gzip.decompress((GOLDEN / f"{name}.gz").read_bytes())
        whole = whole.partition(b"[MASKS]")[0].rstrip()
    with pytest.raises(FormatError):
        read_cel(of(tmp_path / "a.CEL", whole[: int(share * len(whole))]))


@pytest.mark.parametrize("share", [0.0005, 0.01, 0.2, 0.999])
def test_binary_layout_cut_short_is_refused(tmp_path: Path, share: float) -> None:
    whole = gzip.decompress((GOLDEN / "Made-Chip.xda.cdf.gz").read_bytes())
    with pytest.raises(FormatError, match=r"too early|not a CDF"):
        read_cdf(of(tmp_path / "a.cdf", whole[: int(share * len(whole))]))


def test_sizes_that_the_file_cannot_hold_are_refused(tmp_path: Path) -> None:
    whole = bytearray(cel(np.ones(9), 3))
    whole[8:20] = (2**15).to_bytes(4, "little") * 2 + (2**30).to_bytes(4, "little")
    with pytest.raises(FormatError, match="too early"):
        read_cel(of(tmp_path / "a.CEL", bytes(whole)))
    with pytest.raises(FormatError, match="number of 0 or more"):
        read_cel(of(tmp_path / "b.CEL", cel(np.array([1, np.nan, 2, 3]), 2)))


def test_layout_with_cells_outside_or_of_no_use_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="outside its 4 x 3"):
        read_cdf(of(tmp_path / "a.cdf", cdf(["a_at"], [[3, 13]], 4, 3)))
    with pytest.raises(FormatError, match="several probe sets of one name"):
        read_cdf(of(tmp_path / "b.cdf", cdf(["a_at", "a_at"], [[3], [4]], 4, 3)))
    with pytest.raises(FormatError, match="no perfect-match cells"):
        read_cdf(of(tmp_path / "c.cdf", cdf([], [], 4, 3)))
