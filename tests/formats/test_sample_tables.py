"""Tables of single samples are joined by their ids; what can be read in two ways is refused."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from genotex.errors import FormatError, GenotexError
from genotex.formats import SeriesFile, join_samples, listed_files
from genotex.outside import stored_file


def write(folder: Path, files: Mapping[str, str]) -> list[SeriesFile]:
    for name, text in files.items():
        (folder / name).write_text(text)
    return listed_files(stored_file(folder / name) for name in files)


def test_ids_that_some_samples_lack_are_left_out_and_counted(tmp_path: Path) -> None:
    rows = [f"G{i}\t{i}" for i in range(20)]
    files = {"GSM1_a.txt": "\n".join(rows), "GSM2_b.txt": "\n".join(rows[1:])}
    table = join_samples(write(tmp_path, {k: v + "\n" for k, v in files.items()}))
    assert table.header == ("ID", "GSM1", "GSM2") and table.columns.height == 19
    assert "1 ids that some samples lack were left out" in table.notes


def test_tables_of_other_annotations_are_refused(tmp_path: Path) -> None:
    one = "".join(f"G{i}\t{i}\n" for i in range(20))
    other = "".join(f"G{i}\t{i}\n" for i in range(10, 30))
    with pytest.raises(FormatError, match="share only 10 of up to 20 ids"):
        join_samples(write(tmp_path, {"GSM1_a.txt": one, "GSM2_b.txt": other}))


def test_two_tables_of_a_sample_that_fit_are_refused_with_both(tmp_path: Path) -> None:
    text = "G1\t1\nG2\t2\n"
    names = ("GSM1_x_1.txt", "GSM1_x_2.txt", "GSM2_y_1.txt", "GSM2_y_2.txt")
    with pytest.raises(FormatError, match=r"GSM1_x_1\.txt, GSM1_x_2\.txt"):
        join_samples(write(tmp_path, dict.fromkeys(names, text)))


@pytest.mark.parametrize(
    ("share", "words", "total"),
    [(0.02, "antisense-strand", 98), (0.98, "sense-strand", 98), (0.5, "unstranded", 100)],
)
def test_the_strand_of_star_is_the_one_of_all_libraries(
    tmp_path: Path, share: float, words: str, total: int
) -> None:
    sense = round(100 * share)
    text = (
        f"N_unmapped\t9\t9\t9\nG1\t100\t{sense}\t{100 - sense}\nG2\t100\t{sense}\t{100 - sense}\n"
    )
    files = {f"GSM{i}_ReadsPerGene.out.tab": text for i in (1, 2)}
    table = join_samples(write(tmp_path, files))
    assert f"STAR's {words} counts" in table.notes
    assert table.columns["c1"].to_list() == pytest.approx([total, total], abs=2 * (total < 100))


def test_libraries_of_different_strands_give_the_counts_of_both(tmp_path: Path) -> None:
    one, other = "G1\t100\t98\t2\nG2\t50\t49\t1\n", "G1\t100\t2\t98\nG2\t50\t1\t49\n"
    names = {"GSM1_ReadsPerGene.out.tab": one, "GSM2_ReadsPerGene.out.tab": other}
    table = join_samples(
        write(tmp_path, {k: "N_unmapped\t1\t1\t1\n" + v for k, v in names.items()})
    )
    assert "STAR's unstranded counts" in table.notes


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gene\ta\tb\nG1\t1\t2\nG2\t1\t2\n", "several columns that may be its values: a, b"),
        ("gene\tname\nG1\tx\nG2\ty\n", "no column of values"),
        ("ProbeName\tgProcessedSignal\trProcessedSignal\nA\t1\t2\n", "two-colour"),
    ],
)
def test_what_is_not_one_value_of_each_gene_is_refused(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(GenotexError, match=words):
        join_samples(write(tmp_path, {"GSM1_a.txt": text, "GSM2_b.txt": text}))


def test_transcripts_are_added_up_by_a_map(tmp_path: Path) -> None:
    text = "Name\tLength\tEffectiveLength\tTPM\tNumReads\n"
    text += "".join(f"ENST{i:011}.3\t9\t9\t1\t{i}\n" for i in range(6))
    table = join_samples(
        write(tmp_path, {"GSM1_quant.sf": text, "GSM2_quant.sf": text}),
        {f"ENST{i:011}": "AB"[i // 3] for i in range(6)},
    )
    assert dict(zip(*table.columns.select("c0", "c1"), strict=True)) == {"A": 3, "B": 12}
    assert np.array_equal(table.columns["c1"], table.columns["c2"])
