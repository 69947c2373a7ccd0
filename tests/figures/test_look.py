"""Colours that mean different things differ for everybody."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from genotex.figures import LOOKS

# Machado, Oliveira and Fernandes (2009), table 1, severity 1.0: linear RGB as it is seen.
SEEN = {
    "everybody": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                            [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                              [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                            [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, seen: np.ndarray) -> np.ndarray:
    """Return a colour as it is seen, in CIELAB."""
    rgb = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = TO_XYZ @ np.clip(seen @ linear, 0, 1) / [0.9505, 1.0, 1.089]
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eyes", SEEN)
def test_groups_of_samples_differ_in_colour_and_in_shape(eyes: str) -> None:
    groups = [LOOKS[key] for key in ("case", "control", "other", "unknown")]
    for one, two in combinations(groups, 2):
        assert np.linalg.norm(lab(one.colour, SEEN[eyes]) - lab(two.colour, SEEN[eyes])) > 25
        assert one.shape != two.shape
