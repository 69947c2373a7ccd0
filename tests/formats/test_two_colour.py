"""Files of two-colour scanners: GenePix and Agilent, and what is neither."""

from pathlib import Path

import pytest

from genotex.errors import FormatError
from genotex.formats import read_two_colour

AGILENT = """\
TYPE\ttext\tfloat
FEPARAMS\tProtocol_Name\tScan_Date
DATA\tGE2_107\t01-02-2010
*
TYPE\tinteger\ttext\tfloat\tfloat\tfloat\tfloat
FEATURES\tFeatureNum\tProbeName\tgMeanSignal\trMeanSignal\tgBGMedianSignal\trBGMedianSignal
DATA\t1\tA_23_P26810\t500.5\t1200\t40\t60
DATA\t2\tA_23_P26810\t510\t1190\t41\t61
DATA\t3\tA_23_P10205\t80\t90\t40\t62
"""
GENEPIX = (
    'ATF\t1.0\n1\t6\n"Type=GenePix Results 3"\n'
    '"Block"\t"ID"\t"F635 Mean"\t"B635 Median"\t"F532 Mean"\t"B532 Median"\n'
    '1\t"p1"\t300\t50\t200\t40\n1\t"empty"\t60\t50\t45\t40\n1\t"p2"\t900\t55\t1800\t42\n'
)


def test_agilent_text_keeps_repeated_probes(tmp_path: Path) -> None:
    path = tmp_path / "GSM1.txt"
    path.write_text(AGILENT)
    scan = read_two_colour(path)
    assert scan.ids == ("A_23_P26810", "A_23_P26810", "A_23_P10205")
    assert scan.red.tolist() == [1200, 1190, 90] and scan.green.tolist() == [500.5, 510, 80]
    assert scan.red_background.tolist() == [60, 61, 62]


def test_genepix_result_leaves_empty_spots_out(tmp_path: Path) -> None:
    path = tmp_path / "GSM1.gpr"
    path.write_text(GENEPIX)
    scan = read_two_colour(path)
    assert scan.ids == ("p1", "p2")
    assert scan.red.tolist() == [300, 900] and scan.green_background.tolist() == [40, 42]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (AGILENT.replace("rMeanSignal", "other"), "no column rMeanSignal: not a two-colour array"),
        ("gene\tvalue\nTP53\t3\n", "neither a GenePix result nor an Agilent"),
        (GENEPIX.replace("300", "x").replace("900", "y"), "its spots have no numbers"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "GSM1.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=words):
        read_two_colour(path)
