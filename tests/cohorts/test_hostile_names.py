"""Names inside a series that look like paths."""

from pathlib import Path

from genotex.cohorts import preprocess
from genotex.layout import OutputFolder
from tests.geo_text import asthma, series_matrix, write_gz


def test_accession_and_samples_that_look_like_paths_write_nothing_elsewhere(
    tmp_path: Path,
) -> None:
    text = series_matrix("../../../evil", characteristics=asthma(24), platform="/etc/GPL1")
    text = text.replace('GSM1"', '../../GSM1"')
    source, target = tmp_path / "a" / "b" / "in", tmp_path / "a" / "b" / "out"
    write_gz(source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    preprocess(source, target)
    assert OutputFolder(target).linked_csv("Asthma", "GSE1").is_file()
    written = {path for path in tmp_path.rglob("*") if path.is_file()}
    inside = {path for folder in (source, target) for path in folder.rglob("*") if path.is_file()}
    assert written == inside
    names = {path.name.partition(".")[0] for path in inside}
    assert names <= {"GSE1", "GSE1_series_matrix", "cohort_info", ""}
