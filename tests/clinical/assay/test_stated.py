import pytest

from genotex.clinical import SeriesDescription, judge_expression


@pytest.mark.parametrize(
    "rows",
    [
        (("strain: C57BL/6J",), ("genotype: WT", "genotype: KO")),
        (("background: CD-1",),),
        (("tissue: Sprague-Dawley rat liver",),),
        (("species: mouse",),),
        (("organism: Mus musculus", "organism: Rattus norvegicus"),),
    ],
)
def test_samples_of_mice_in_a_super_series_about_patients(
    rows: tuple[tuple[str, ...], ...],
) -> None:
    verdict = judge_expression(
        SeriesDescription(
            title="A signature of human disease in patients",
            summary="This SuperSeries is composed of the SubSeries listed below.",
            characteristics=rows,
        )
    )
    assert not verdict.available
    assert verdict.reason.startswith("the organism is not human")


@pytest.mark.parametrize(
    "rows",
    [
        (("donor age: embryonic", "donor age: adult"),),
        (("well id: E11", "well id: E12"),),
        (("organism part: --", "organism part: Lung"),),
        (("cell type: CD1+ dendritic cell",),),
        (("host strain: NOD/SCID mice", "host strain: BALB/c nude"), ("tumor: xenograft",)),
        (("strain: C57BL/6", None),),
        (("stage: II", "stage: III"),),
        (("species: human",),),
        (("genotype: WT", "genotype: KO"),),
    ],
)
def test_samples_of_people(rows: tuple[tuple[str | None, ...], ...]) -> None:
    description = SeriesDescription(
        title="Expression in patients", first_ids=("A1BG", "A2M"), characteristics=rows
    )
    assert judge_expression(description).available


def test_human_tumour_in_a_mouse_on_a_human_array() -> None:
    verdict = judge_expression(
        SeriesDescription(
            title="Xenografts of breast cancer",
            first_ids=("ILMN_1651199", "ILMN_1651209"),
            characteristics=(("strain: NOD/SCID",), ("host: mouse",)),
        )
    )
    assert verdict.available


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("molecule: miRNA", "microRNA"),
        ("library strategy: ChIP-Seq", "chromatin"),
        ("assay: ATAC-seq", "chromatin"),
        ("data type: DNA methylation", "methylation"),
        ("molecule: genomic DNA", "DNA"),
    ],
)
def test_assay_in_the_characteristics(cell: str, reason: str) -> None:
    verdict = judge_expression(
        SeriesDescription(title="mRNA and other profiles", characteristics=((cell,),))
    )
    assert not verdict.available
    assert reason in verdict.reason


def test_assay_of_some_samples_only() -> None:
    rows = (("molecule: total RNA", "molecule: miRNA"), ("assay: ATAC-seq", None))
    assert judge_expression(SeriesDescription(characteristics=rows)).available
