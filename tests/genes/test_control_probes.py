"""What control probes tell of each sample."""

import numpy as np
import pytest

from genotex.formats import ExpressionMatrix
from genotex.genes import GeneTable, map_to_genes, measure_controls

SAMPLES = ("GSM1", "GSM2", "GSM3")


def measured(*rows: tuple[str, list[float]]) -> dict[str, dict[str, dict[str, float]]]:
    return measure_controls([name for name, _ in rows], np.array([v for _, v in rows]), SAMPLES)


@pytest.mark.parametrize(
    ("probe", "spike"),
    [
        ("AFFX-BioB-5_at", "biob"),
        ("AFFX-BioDn-3_at", "biod"),
        ("AFFX-r2-Ec-bioC-3_at", "bioc"),
        ("AFFX-r2-P1-cre-5_at", "cre"),
        ("AFFX-r2-Bs-dap-M_at", "dap"),
        ("AFFX-TrpnX-M_at", "trp"),
        ("ERCC-00002", "ercc"),
        ("(+)E1A_r60_3", "e1a"),
    ],
)
def test_spike_ins_of_each_maker_are_known(probe: str, spike: str) -> None:
    assert measured((probe, [1.0, 2.0, 3.0])) == {
        "spike-in probes": {spike: {"GSM1": 1.0, "GSM2": 2.0, "GSM3": 3.0}}
    }


def test_probes_of_one_spike_in_are_averaged() -> None:
    found = measured(("AFFX-BioB-5_at", [1, 2, 3]), ("AFFX-BioB-3_at", [3, 4, 8]))
    assert found["spike-in probes"]["biob"] == {"GSM1": 2.0, "GSM2": 3.0, "GSM3": 5.5}


def test_degradation_is_what_the_five_prime_end_lacks() -> None:
    found = measured(
        ("AFFX-HSAC07/X00351_3_at", [9, 9, 9]),
        ("AFFX-HSAC07/X00351_5_at", [8, 7, 9]),
        ("AFFX-HSAC07/X00351_M_at", [1, 2, 3]),
    )
    assert found == {"RNA degradation": {"ACTB": {"GSM1": 1.0, "GSM2": 2.0, "GSM3": 0.0}}}


@pytest.mark.parametrize(
    "rows",
    [
        [("1007_s_at", [1, 2, 3])],
        [("AFFX-HUMISGF3A/M97935_3_at", [1, 2, 3])],  # STAT1: a gene that diseases move
        [("AFFX-HUMGAPDH/M33197_3_at", [1, 2, 3])],  # one end alone
        [("AFFX-BioB-5_at", [2, 2, 2])],
        [("AFFX-BioB-5_at", [2, np.nan, 3])],
        [("ERCC1", [1, 2, 3])],  # a gene
    ],
)
def test_genes_and_controls_without_use_give_nothing(rows: list[tuple[str, list[float]]]) -> None:
    assert measured(*rows) == {}


def test_linear_values_are_measured_as_logarithms(packaged: GeneTable) -> None:
    genes = ("TP53", "BRCA1", "EGFR", "MYC")
    values = np.array([[64.0, 128.0, 256.0], *[[100.0, 300.0, 200.0]] * 4])
    matrix = ExpressionMatrix(("AFFX-BioB-5_at", *genes), SAMPLES, values)
    found = map_to_genes(matrix, (), procedure="sound", table=packaged, scale="linear")
    assert found.measures["spike-in probes"]["biob"] == {"GSM1": 6.0, "GSM2": 7.0, "GSM3": 8.0}
    assert found.expression.ids == tuple(sorted(genes))
