import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genotex.clinical import GeneVerdict, annotation_from_json
from genotex.cohorts import CohortOutcome, PreprocessOptions, preprocess
from genotex.errors import UsageError
from genotex.formats import (
    read_cohort_info,
    read_evidence,
    read_linked,
    read_linked_csv,
    read_series_matrix,
    sample_quantiles,
)
from genotex.layout import OutputFolder
from genotex.parallel import Processes
from tests.geo_text import asthma, series_matrix, write_asthma, write_gz


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return tmp_path / "input"


@pytest.fixture
def output(tmp_path: Path) -> OutputFolder:
    return OutputFolder(tmp_path / "output")


def run(source: Path, output: OutputFolder, **options: object) -> dict[str, CohortOutcome]:
    given = {k: options.pop(k) for k in ("force", "jobs", "cohorts", "traits") if k in options}
    outcomes = preprocess(
        source,
        output.root,
        options=PreprocessOptions(**options),  # type: ignore[arg-type]
        **given,  # type: ignore[arg-type]
    )
    return {outcome.cohort: outcome for outcome in outcomes}


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in sorted(folder.rglob("*"))
        if p.is_file() and not p.name.endswith(".lock")
    }


@pytest.mark.parametrize("procedure", ["sound", "benchmark"])
def test_usable_cohort_writes_every_file(
    source: Path, output: OutputFolder, procedure: str
) -> None:
    write_asthma(source)
    outcome = run(source, output, procedure=procedure)["GSE1"]
    assert outcome.error is None and outcome.info is not None
    assert outcome.info.is_usable and outcome.info.sample_size == 12
    assert outcome.info.has_age and outcome.info.has_gender
    table = read_linked_csv(output.linked_csv("Asthma", "GSE1"))
    assert table.trait == "Asthma"
    assert table.trait_values.tolist() == [0, 1] * 6
    assert table.covariates["Age"].tolist() == list(range(30, 42))
    assert table.covariates["Gender"].tolist() == [0, 1, 1] * 4
    assert "A2M" in table.genes and len(table.genes) == 30
    assert output.gene_csv("Asthma", "GSE1").exists()
    assert output.clinical_csv("Asthma", "GSE1").exists()
    assert read_linked(output, "Asthma", "GSE1").samples == table.samples
    evidence = read_evidence(output.evidence("Asthma", "GSE1"))
    assert evidence.roles["GSM1"] == "healthy control" and evidence.roles["GSM2"] == "case"
    assert evidence.procedure == procedure
    assert read_cohort_info(output.cohort_info("Asthma"))["GSE1"] == outcome.info


def test_record_holds_the_values_of_each_sample_as_in_the_input(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    run(source, output)
    (matrix,) = (source / "GEO" / "Asthma" / "GSE1").glob("*series_matrix*")
    series = read_series_matrix(matrix)
    assert series.expression is not None
    given = read_evidence(output.evidence("Asthma", "GSE1")).distributions
    assert given["rows"] == len(series.expression.ids)
    assert tuple(given["by_sample"]) == series.expression.samples
    expected = sample_quantiles(series.expression.values)
    assert np.allclose(list(given["by_sample"].values()), expected, rtol=1e-4)


def test_note_holds_what_became_of_the_samples(source: Path, output: OutputFolder) -> None:
    rows = asthma(24)
    rows[0][:2] = ["disease state: unknown"] * 2
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        series_matrix(characteristics=rows),
    )
    outcome = run(source, output)["GSE1"]
    assert outcome.info is not None and outcome.info.sample_size == 22
    assert outcome.info.note == "2 samples without a known trait left out"


def test_one_sided_cohort_reports_its_balance(source: Path, output: OutputFolder) -> None:
    rows = asthma(24)
    rows[0] = ["disease state: healthy control"] + ["disease state: asthma"] * 23
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        series_matrix(characteristics=rows),
    )
    outcome = run(source, output)["GSE1"]
    assert outcome.info is not None and outcome.info.is_biased and not outcome.info.is_usable
    assert outcome.info.note == "trait too one-sided to study (0: 1 samples, 1: 23 samples)"
    assert not output.linked_csv("Asthma", "GSE1").exists()
    assert output.gene_csv("Asthma", "GSE1").exists()


def test_second_run_does_nothing_and_force_does_it_again(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    assert not run(source, output)["GSE1"].unchanged
    before = files(output.root)
    assert run(source, output)["GSE1"].unchanged
    assert files(output.root) == before
    assert not run(source, output, force=True)["GSE1"].unchanged
    assert files(output.root) == before


def test_other_options_do_it_again(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    run(source, output)
    assert not run(source, output, procedure="benchmark")["GSE1"].unchanged


def test_run_killed_before_the_evidence_was_written_starts_again(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    run(source, output)
    whole = files(output.root)
    output.evidence("Asthma", "GSE1").unlink()
    output.linked_csv("Asthma", "GSE1").write_text("half")
    assert not run(source, output)["GSE1"].unchanged
    assert files(output.root) == whole


def test_truncated_matrix_is_an_error_and_earlier_output_stays(
    source: Path, output: OutputFolder
) -> None:
    matrix = write_asthma(source)
    write_asthma(source, "GSE2", number=14)
    run(source, output)
    before = files(output.root)
    matrix.write_bytes(matrix.read_bytes()[:-200])
    outcomes = run(source, output)
    assert outcomes["GSE1"].info is None
    assert "GSE1_series_matrix.txt.gz" in str(outcomes["GSE1"].error)
    assert outcomes["GSE2"].unchanged
    assert files(output.root) == before


def test_truncated_matrix_leaves_nothing_of_a_new_cohort(
    source: Path, output: OutputFolder
) -> None:
    matrix = write_asthma(source)
    matrix.write_bytes(matrix.read_bytes()[:-200])
    assert run(source, output)["GSE1"].error is not None
    assert not output.root.exists() or files(output.root) == {}


def test_cohort_that_becomes_unusable_leaves_no_linked_table(
    source: Path, output: OutputFolder
) -> None:
    matrix = write_asthma(source)
    run(source, output)
    rows = asthma()
    rows[0] = ["disease state: asthma"] * 12
    write_gz(matrix, series_matrix(characteristics=rows))
    outcome = run(source, output)["GSE1"]
    assert outcome.info is not None and not outcome.info.is_usable
    assert not output.linked_csv("Asthma", "GSE1").exists()
    assert not output.linked_parquet("Asthma", "GSE1").exists()
    assert not read_cohort_info(output.cohort_info("Asthma"))["GSE1"].is_usable
    assert any("trait not available" in note for note in outcome.notes)


def test_methylation_series_keeps_its_clinical_features(source: Path, output: OutputFolder) -> None:
    write_asthma(
        source,
        title="DNA methylation in asthma",
        series_type="Methylation profiling by array",
        ids=[f"cg{i:08d}" for i in range(30)],
    )
    outcome = run(source, output)["GSE1"]
    assert outcome.info is not None
    assert not outcome.info.is_gene_available and outcome.info.is_trait_available
    assert outcome.info.note is None and outcome.info.sample_size is None
    assert any("gene data not available" in note for note in outcome.notes)
    assert output.clinical_csv("Asthma", "GSE1").exists()
    assert not output.gene_csv("Asthma", "GSE1").exists()


def test_mouse_series_is_not_available(source: Path, output: OutputFolder) -> None:
    write_asthma(source, taxid="10090", organism="Mus musculus", title="Asthma in mouse lung")
    outcome = run(source, output)["GSE1"]
    assert outcome.info is not None and not outcome.info.is_gene_available


def test_empty_expression_table_is_not_available(source: Path, output: OutputFolder) -> None:
    write_asthma(source, ids=[], series_type="Expression profiling by high throughput sequencing")
    outcome = run(source, output)["GSE1"]
    assert outcome.error is None and outcome.info is not None
    assert not outcome.info.is_gene_available and outcome.info.is_trait_available


@pytest.mark.parametrize(("procedure", "found"), [("sound", True), ("benchmark", False)])
def test_groups_in_titles_are_read_by_the_sound_procedure_alone(
    source: Path, output: OutputFolder, procedure: str, found: bool
) -> None:
    text = series_matrix(characteristics=[["tissue: blood"] * 12])
    for number in range(1, 13):
        name = f"asthma {number}" if number % 2 else f"healthy donor {number}"
        text = text.replace(f'"sample GSM{number}"', f'"{name}"')
    write_gz(source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    outcome = run(source, output, procedure=procedure)["GSE1"]
    assert outcome.info is not None and outcome.info.is_trait_available is found
    if found:
        table = read_linked_csv(output.linked_csv("Asthma", "GSE1"))
        assert table.trait_values.tolist() == [1, 0] * 6
        assert any("inferred from the sample titles: 'asthma 1'" in n for n in outcome.notes)


def test_matrix_with_the_most_samples_is_used(source: Path, output: OutputFolder) -> None:
    folder = source / "GEO" / "Asthma" / "GSE1"
    for platform, number in (("GPL96", 12), ("GPL570", 16), ("GPL97", 16)):
        text = series_matrix(characteristics=asthma(number), platform=platform)
        write_gz(folder / f"GSE1-{platform}_series_matrix.txt.gz", text)
    outcome = run(source, output)["GSE1"]
    evidence = read_evidence(output.evidence("Asthma", "GSE1"))
    assert evidence.series["platform"] == "GPL97"  # a tie goes to the lowest number
    assert outcome.info is not None and outcome.info.sample_size == 16
    assert any("GSE1-GPL570" in note and "GSE1-GPL96" in note for note in outcome.notes)


def test_super_series_is_reported(source: Path, output: OutputFolder) -> None:
    text = series_matrix(characteristics=[["a"]]).split("!Sample_title")[0]
    text = text.rstrip("\n") + '\n!Series_relation\t"SuperSeries of: GSE2"\n'
    path = source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz"
    write_gz(path, text)
    outcome = run(source, output)["GSE1"]
    assert outcome.info is None and "SuperSeries" in str(outcome.error)


def test_folder_without_matrix_or_soft(source: Path, output: OutputFolder) -> None:
    (source / "GEO" / "Asthma" / "GSE1").mkdir(parents=True)
    outcome = run(source, output)["GSE1"]
    assert "no series matrix" in str(outcome.error)


def test_groups_chosen_by_hand(source: Path, output: OutputFolder) -> None:
    rows = [["group: A", "group: B", "group: C"] * 6, *asthma(18)[1:]]
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        series_matrix(characteristics=rows, title="Groups"),
    )
    outcome = run(source, output, cases=("A",), controls=("B",))["GSE1"]
    assert outcome.info is not None and outcome.info.sample_size == 12
    table = read_linked(output, "Asthma", "GSE1")
    assert table.trait_values.tolist() == [1, 0] * 6


def test_groups_chosen_by_hand_that_do_not_occur(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    outcome = run(source, output, cases=("Q",), controls=("healthy control",))["GSE1"]
    assert outcome.info is None and "Q" in str(outcome.error)


def test_reading_given_by_hand_is_used(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    run(source, output)
    reading = annotation_from_json(read_evidence(output.evidence("Asthma", "GSE1")).reading)
    assert reading.trait is not None
    codes = reading.trait.values
    swapped = {raw: None if code is None else 1 - code for raw, code in codes.items()}
    edited = replace(reading, trait=replace(reading.trait, values=swapped), age=None)
    outcome = run(source, output, readings={"GSE1": edited})["GSE1"]
    assert outcome.info is not None and outcome.info.has_age is False
    assert read_linked(output, "Asthma", "GSE1").trait_values.tolist() == [1, 0] * 6


def test_healthy_controls_only(source: Path, output: OutputFolder) -> None:
    rows = asthma(18)
    rows[0] = ["disease state: asthma", "disease state: healthy control", "disease state: COPD"] * 6
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        series_matrix(characteristics=rows),
    )
    everyone = run(source, output)["GSE1"]
    assert everyone.info is not None and everyone.info.sample_size == 18
    roles = read_evidence(output.evidence("Asthma", "GSE1")).roles
    assert roles["GSM3"] == "other disease"
    healthy = run(source, output, control_roles="healthy")["GSE1"]
    assert healthy.info is not None and healthy.info.sample_size == 12


def test_two_processes_give_what_one_gives(tmp_path: Path, source: Path) -> None:
    for i, number in enumerate((12, 14, 16)):
        write_asthma(source, f"GSE{i + 1}", number=number)
    one, two = OutputFolder(tmp_path / "one"), OutputFolder(tmp_path / "two")
    run(source, one)
    run(source, two, jobs=2)
    for path in (one.cohort_info("Asthma"), one.linked_csv("Asthma", "GSE2")):
        twin = two.root / path.relative_to(one.root)
        assert path.read_bytes() == twin.read_bytes()
    assert list(json.loads(two.cohort_info("Asthma").read_text())) == ["GSE1", "GSE2", "GSE3"]


def test_record_that_cannot_be_written_ends_the_processes_at_once(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    ended = []

    class Noticing(Processes):
        def run(self, *given: Any) -> Iterator[Any]:
            try:
                yield from super().run(*given)
            finally:
                ended.append(True)

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    # The exception keeps all frames, as one does on the way out of a program.
    with pytest.raises(OSError, match="No space") as caught:
        preprocess(source, output.root, executor=Noticing(), progress=full_disk)
    assert ended and caught.tb is not None


def test_what_is_done_before_keeps_its_place_among_the_rest(
    source: Path, output: OutputFolder
) -> None:
    for i in (1, 2, 3):
        write_asthma(source, f"GSE{i}", number=12)
    run(source, output, cohorts=["GSE2"])
    found = run(source, output)
    assert list(found) == ["GSE1", "GSE2", "GSE3"]
    assert [outcome.unchanged for outcome in found.values()] == [False, True, False]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"traits": ["Eczema"]}, "no cohorts of Eczema"),
        ({"cohorts": ["GSE9"]}, "no cohort GSE9"),
        ({"readings": {"GSE9": None}}, "GSE9"),
    ],
)
def test_names_that_do_not_exist(
    source: Path, output: OutputFolder, arguments: dict[str, object], message: str
) -> None:
    write_asthma(source)
    with pytest.raises(UsageError, match=message):
        run(source, output, **arguments)


@pytest.mark.parametrize("table", ["linked_csv", "linked_parquet", "gene_csv", "clinical_csv"])
def test_cohort_whose_table_was_removed_is_done_again(
    source: Path, output: OutputFolder, table: str
) -> None:
    write_asthma(source)
    run(source, output)
    path = getattr(output, table)("Asthma", "GSE1")
    path.unlink()
    assert not run(source, output)["GSE1"].unchanged
    assert path.exists()


@pytest.mark.parametrize("damage", ["{", '{"info": 3}', ""])
def test_damaged_evidence_is_made_again(source: Path, output: OutputFolder, damage: str) -> None:
    write_asthma(source)
    run(source, output)
    whole = files(output.root)
    output.evidence("Asthma", "GSE1").write_text(damage)
    outcome = run(source, output)["GSE1"]
    assert outcome.error is None and not outcome.unchanged
    assert files(output.root) == whole


def test_evidence_of_a_version_with_other_flags_is_made_again(
    source: Path, output: OutputFolder
) -> None:
    write_asthma(source)
    run(source, output)
    path = output.evidence("Asthma", "GSE1")
    evidence = json.loads(path.read_text())
    evidence["info"]["is_pretty"] = True
    path.write_text(json.dumps(evidence))
    outcome = run(source, output)["GSE1"]
    assert outcome.error is None and not outcome.unchanged


def test_leftovers_of_a_killed_run_are_removed(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    run(source, output)
    left = output.gene_csv("Asthma", "GSE1").parent / ".GSE1.csv.0123456789ab.part"
    left.write_text("half")
    other = left.with_name(".GSE12.csv.0123456789ab.part")
    other.write_text("of a cohort that may be under way")
    run(source, output, force=True)
    assert not left.exists() and other.exists()


def test_folder_without_cohorts_stops_nothing(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    (source / "GEO" / "notes").mkdir()
    assert run(source, output)["GSE1"].error is None


def test_trait_folder_with_an_apostrophe_is_found(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    (source / "GEO" / "Asthma").rename(source / "GEO" / "Crohn's Disease")
    (outcome,) = preprocess(source, output.root)
    assert outcome.trait == "Crohns_Disease" and outcome.error is None


def test_files_next_to_the_series_matrix_are_left_alone(source: Path, output: OutputFolder) -> None:
    matrix = write_asthma(source)
    matrix.with_name(matrix.name + ".md5").write_text("abc")
    matrix.with_name("GSE1_counts_matrix.csv").write_text("a,b\n")
    outcome = run(source, output)["GSE1"]
    assert outcome.error is None and outcome.info is not None and outcome.info.is_usable


def test_groups_by_hand_need_one_trait(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    text = series_matrix("GSE1", characteristics=asthma())
    write_gz(source / "GEO" / "Eczema" / "GSE1" / "GSE1_series_matrix.txt.gz", text)
    with pytest.raises(UsageError, match="one trait"):
        run(source, output, cases=("asthma",), controls=("healthy control",))


@pytest.mark.parametrize(
    "wrong", [{"procedure": "Benchmark"}, {"control_roles": "some"}, {"scale": "ln"}]
)
def test_options_that_are_not_known(wrong: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="unknown"):
        PreprocessOptions(**wrong)  # type: ignore[arg-type]


def test_encoding_of_another_trait_is_refused(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    with pytest.raises(UsageError, match="made for Eczema"):
        run(source, output, readings_of="Eczema")


def test_encoding_made_under_another_name_of_the_trait(source: Path, output: OutputFolder) -> None:
    write_asthma(source)
    assert run(source, output, readings_of="bronchial asthma")["GSE1"].error is None


def test_reading_given_does_not_turn_microrna_into_genes(
    source: Path, output: OutputFolder
) -> None:
    """Saved from the header alone, a reading cannot know what the rows are (trap 21)."""
    write_asthma(source, ids=[f"hsa-miR-{i}" for i in range(100, 130)])
    run(source, output)
    reading = annotation_from_json(read_evidence(output.evidence("Asthma", "GSE1")).reading)
    given = replace(reading, gene=GeneVerdict(True, "human gene expression"))
    outcome = run(source, output, readings={"GSE1": replace(given, by="rules")})["GSE1"]
    assert outcome.info is not None and not outcome.info.is_gene_available


def test_batches_are_recorded_for_the_analysis(source: Path, output: OutputFolder) -> None:
    rows = [*asthma(), [f"batch: {i % 2}" for i in range(12)]]
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        series_matrix(characteristics=rows),
    )
    run(source, output)
    facts = read_evidence(output.evidence("Asthma", "GSE1")).sample_facts
    assert facts["batch"]["GSM1"] == "0" and facts["batch"]["GSM2"] == "1"


def test_changed_words_or_certainty_are_done_again(
    source: Path, output: OutputFolder, tmp_path: Path
) -> None:
    write_asthma(source)
    words = tmp_path / "mine.toml"
    words.write_text('[traits.Asthma]\nterms = ["wheeze"]\n')
    assert not run(source, output, vocabulary=words)["GSE1"].unchanged
    assert run(source, output, vocabulary=words)["GSE1"].unchanged
    words.write_text('[traits.Asthma]\nterms = ["wheezy"]\n')
    assert not run(source, output, vocabulary=words)["GSE1"].unchanged
    assert not run(source, output, vocabulary=words, least_certainty=0.1)["GSE1"].unchanged
    with pytest.raises(UsageError, match="7 is not a certainty"):
        PreprocessOptions(least_certainty=7)


def test_titles_are_read_in_sound_and_not_in_benchmark(source: Path, output: OutputFolder) -> None:
    names = [f'"{"asthma patient" if i % 2 else "healthy control"}"' for i in range(24)]
    line = "\t".join(["!Sample_source_name_ch1", *names])
    text = series_matrix(characteristics=asthma(24)[1:])
    write_gz(
        source / "GEO" / "Asthma" / "GSE1" / "GSE1_series_matrix.txt.gz",
        text.replace("!Sample_type", line + "\n!Sample_type", 1),
    )
    sound = run(source, output)["GSE1"].info
    assert sound is not None and sound.is_trait_available
    benchmark = run(source, output, procedure="benchmark")["GSE1"].info
    assert benchmark is not None and not benchmark.is_trait_available


def test_groups_that_were_processed_apart_are_left_for_review(tmp_path: Path) -> None:
    rows = asthma(12)
    apart = [f"batch: {1 + i % 2}" for i in range(12)]
    mixed = [f"batch: {1 + i % 3}" for i in range(12)]
    for name, row in (("GSE1", apart), ("GSE2", mixed)):
        text = series_matrix(name, characteristics=[*rows, row])
        folder = tmp_path / "in" / "GEO" / "Asthma" / name
        write_gz(folder / f"{name}_series_matrix.txt.gz", text)
    found = preprocess(tmp_path / "in", tmp_path / "out")
    review = {outcome.cohort: outcome.review for outcome in found}
    assert "no step of 'batch' holds both cases and controls" in review["GSE1"]["trait"]
    assert not review["GSE2"]
