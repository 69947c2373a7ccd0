"""TCGA cohorts from a hub with faults."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from genotex.cohorts import read_raw_clinical, read_raw_genes
from genotex.errors import UsageError, WrongContentError
from genotex.fetch import (
    XENA,
    XENA_COHORTS,
    Outcome,
    WebClient,
    XenaFile,
    cohort_named,
    cohort_of_trait,
    fetch_each,
    open_fetch_folder,
    read_manifest,
    xena_files,
)
from genotex.layout import InputFolder

from .conftest import QUICK
from .server import Fault, Site, captcha, cut_at, failing, flipped, redirect, serving, shortened
from .xena_hub import clinical_matrix, expression, hub_path, put_cohort

KIRC = "TCGA/TCGA_Kidney_Clear_Cell_Carcinoma_(KIRC)/TCGA.KIRC.sampleMap_"


def fetched(
    site: Site, client: WebClient, root: Path, *codes: str, kinds: tuple[XenaFile, ...] = ()
) -> list[Outcome]:
    files = [
        forms
        for code in codes or ("KIRC",)
        for forms in xena_files(code, kinds or tuple(XenaFile), [site.address + "/"])
    ]
    with open_fetch_folder(root) as folder:
        return list(fetch_each(client, folder, files))


def test_cohort_lies_in_the_layout_of_the_benchmark(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    outcomes = fetched(site, client, tmp_path)
    assert {each.path: each.state for each in outcomes} == {
        KIRC + "KIRC_clinicalMatrix": "fetched",
        KIRC + "HiSeqV2.gz": "fetched",
        KIRC + "HiSeqV2_PANCAN.gz": "fetched",
    }
    assert (tmp_path / outcomes[0].path).read_bytes() == clinical_matrix("KIRC")
    assert (tmp_path / outcomes[2].path).read_bytes() == expression("KIRCPANCAN")


def test_cohort_is_read_by_the_reader_of_tcga_folders(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC", packed=True)
    fetched(site, client, tmp_path)
    (files,) = InputFolder(tmp_path).tcga_folders()
    assert len(read_raw_clinical(files).matrix.samples) == 40
    for procedure in ("sound", "benchmark"):
        genes = read_raw_genes(files, procedure)
        assert genes is not None and genes.matrix.values.shape == (5, 40)


def test_clinical_matrix_that_the_hub_has_packed_is_asked_for_once(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC", packed=True)
    clinical = (XenaFile.clinical,)
    (outcome,) = fetched(site, client, tmp_path, kinds=clinical)
    assert outcome.fetched is not None and outcome.fetched.path.name.endswith("clinicalMatrix.gz")
    (again,) = fetched(site, client, tmp_path, kinds=clinical)
    assert again.state == "was there"
    assert len(site.served) == 2


def test_clinical_matrix_that_is_packed_under_its_plain_name_is_read(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    packed = gzip.compress(clinical_matrix("KIRC"))
    site.put(hub_path("KIRC", "KIRC_clinicalMatrix"), packed)
    assert {each.state for each in fetched(site, client, tmp_path)} == {"fetched"}
    (files,) = InputFolder(tmp_path).tcga_folders()
    assert len(read_raw_clinical(files).matrix.samples) == 40


@pytest.mark.parametrize("packed", [True, False])
def test_half_a_clinical_matrix_with_the_length_of_that_half_is_not_kept(
    site: Site, client: WebClient, tmp_path: Path, packed: bool
) -> None:
    content = clinical_matrix("KIRC")
    path = hub_path("KIRC", "KIRC_clinicalMatrix")
    site.put(path, gzip.compress(content, mtime=0) if packed else content)
    site.fault(path, shortened(0.5))
    (outcome,) = fetched(site, client, tmp_path, kinds=(XenaFile.clinical,))
    assert outcome.state == "fetched" and site.times(path) == 2
    site.always(path, shortened(0.5))
    (outcome,) = fetched(site, client, tmp_path / "b", kinds=(XenaFile.clinical,))
    assert outcome.state == "failed" and "too early" in str(outcome.error)
    assert not (tmp_path / "b" / outcome.path).exists()


def test_second_run_asks_for_nothing(site: Site, client: WebClient, tmp_path: Path) -> None:
    put_cohort(site, "KIRC")
    fetched(site, client, tmp_path)
    asked = len(site.served)
    assert {each.state for each in fetched(site, client, tmp_path)} == {"was there"}
    assert len(site.served) == asked


@pytest.mark.parametrize(
    "fault",
    [failing(429), failing(503), cut_at(0.5), cut_at(0), shortened(0.7), flipped(60)],
    ids=["429", "503", "cut", "cut at once", "too short", "damaged"],
)
def test_fault_that_passes_is_survived(
    site: Site, client: WebClient, tmp_path: Path, fault: Fault
) -> None:
    put_cohort(site, "KIRC")
    site.fault(hub_path("KIRC", "HiSeqV2.gz"), fault)
    assert {each.state for each in fetched(site, client, tmp_path)} == {"fetched"}
    assert (tmp_path / (KIRC + "HiSeqV2.gz")).read_bytes() == expression("KIRC")


def test_hub_that_sends_on_to_its_store(site: Site, client: WebClient, tmp_path: Path) -> None:
    put_cohort(site, "KIRC")
    store = site.put("/store/HiSeqV2.gz", expression("KIRC"))
    site.always(hub_path("KIRC", "HiSeqV2.gz"), redirect(store))
    assert {each.state for each in fetched(site, client, tmp_path)} == {"fetched"}


def test_file_that_the_store_does_not_have_is_asked_of_the_hub(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    site.always("/store" + hub_path("KIRC", "HiSeqV2.gz"), failing(403))
    bases = [site.url("/store/"), site.url("/")]
    with open_fetch_folder(tmp_path) as folder:
        outcomes = list(fetch_each(client, folder, xena_files("KIRC", tuple(XenaFile), bases)))
    assert [each.state for each in outcomes] == ["fetched"] * 3
    asked = [each.asked.path for each in site.served]
    assert asked[-2:] == [
        "/store" + hub_path("KIRC", "HiSeqV2_PANCAN.gz"),
        hub_path("KIRC", "HiSeqV2_PANCAN.gz"),
    ]


def test_store_that_fails_is_asked_once_and_the_hub_for_all(
    site: Site, client_of: Callable[..., WebClient], tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    with serving() as store:
        for path in ("KIRC_clinicalMatrix", "HiSeqV2.gz", "HiSeqV2_PANCAN.gz"):
            store.always(hub_path("KIRC", path), failing(503))
        bases = [store.url("/"), site.url("/")]
        with open_fetch_folder(tmp_path) as folder:
            files = xena_files("KIRC", tuple(XenaFile), bases)
            outcomes = list(fetch_each(client_of(site, store), folder, files))
        assert [each.state for each in outcomes] == ["fetched"] * 3
        assert len(store.served) == QUICK.attempts


def test_addresses_of_a_file_are_those_that_the_page_of_its_data_set_names() -> None:
    # https://xenabrowser.net/datapages/?dataset=TCGA.BRCA.sampleMap/HiSeqV2_PANCAN, whose link has
    # %2F in place of the second slash, which is the same key of the store.
    (forms,) = xena_files("BRCA", [XenaFile.pancan])
    assert [form.address for form in forms] == [
        "https://tcga-xena-hub.s3.us-east-1.amazonaws.com/download/TCGA.BRCA.sampleMap/"
        "HiSeqV2_PANCAN.gz",
        "https://tcga.xenahubs.net/download/TCGA.BRCA.sampleMap/HiSeqV2_PANCAN.gz",
    ]


def test_file_that_is_not_there_does_not_keep_the_others_away(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    site.always(hub_path("KIRC", "HiSeqV2.gz"), failing(404))
    clinical, table, pancan = fetched(site, client, tmp_path)
    assert (clinical.state, table.state, pancan.state) == ("fetched", "failed", "fetched")
    assert "404" in str(table.error)
    assert not (tmp_path / table.path).exists()


def test_nothing_more_is_asked_of_a_server_that_wants_to_see_a_person(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    site.always(hub_path("KIRC", "HiSeqV2.gz"), captcha())
    states = [each.state for each in fetched(site, client, tmp_path)]
    assert states == ["fetched", "failed", "not asked"]
    assert not (tmp_path / (KIRC + "HiSeqV2.gz")).exists()


def test_plain_text_in_place_of_the_packed_table_is_not_kept(
    site: Site, client: WebClient, tmp_path: Path
) -> None:
    put_cohort(site, "KIRC")
    site.put(hub_path("KIRC", "HiSeqV2.gz"), b"service is being maintained\n" * 40)
    table = fetched(site, client, tmp_path)[1]
    assert table.state == "failed" and not (tmp_path / table.path).exists()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("HiSeqV2.gz", b'{"error": "no"}', "it is not a table of genes x TCGA samples"),
        ("HiSeqV2.gz", gzip.decompress(expression("KIRC"))[:-100], "its last row has"),
        ("KIRC_clinicalMatrix", b"sampleID\tage\nsorry\t1\n", "it is not a clinical matrix"),
    ],
)
def test_table_of_wrong_content_is_not_kept(
    site: Site, client: WebClient, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    put_cohort(site, "KIRC")
    packed = gzip.compress(content, mtime=0) if name.endswith(".gz") else content
    site.put(hub_path("KIRC", name), packed)
    (outcome,) = [each for each in fetched(site, client, tmp_path) if each.state == "failed"]
    assert message in str(outcome.error) and not (tmp_path / outcome.path).exists()


def test_table_of_the_tcga_hub_with_fewer_genes_than_all_is_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "HiSeqV2.gz"
    path.write_bytes(expression("KIRC"))
    (of_the_hub, *_), (own,) = (
        xena_files("KIRC", [XenaFile.expression], bases)[0] for bases in (XENA, ["http://own/"])
    )
    assert own.refuse is not None and of_the_hub.refuse is not None
    own.refuse(path, "own")
    with pytest.raises(WrongContentError, match="5 genes, where HiSeqV2 has 20,530: cut short"):
        of_the_hub.refuse(path, "hub")


@pytest.mark.parametrize("text", ["KIRC", "kirc", " TCGA-KIRC ", "TCGA.KIRC"])
def test_cohort_by_its_code(text: str) -> None:
    assert cohort_named(text) == "KIRC"


@pytest.mark.parametrize("text", ["PANCAN", "FPPP", "../KIRC", "", "Kidney"])
def test_cohort_that_the_hub_does_not_have(text: str) -> None:
    with pytest.raises(UsageError, match="has no cohort"):
        cohort_named(text)


@pytest.mark.parametrize(
    ("trait", "code"),
    [
        ("Kidney_Clear_Cell_Carcinoma", "KIRC"),
        ("Large_B-cell_Lymphoma", "DLBC"),
        ("Lung_Cancer", "LUNG"),
        ("Asthma", None),
        ("Kidney_Cancer", None),
    ],
)
def test_cohort_of_a_trait_is_never_a_proxy(trait: str, code: str | None) -> None:
    assert cohort_of_trait(trait)[0] == code


def test_folders_are_those_of_the_published_benchmark(shared_data: Path) -> None:
    published = set(read_manifest(shared_data / "metadata" / "tcga_manifest.json").files)
    ours = {
        forms[0].path.removeprefix("TCGA/")
        for code in XENA_COHORTS
        for forms in xena_files(code, (XenaFile.clinical, XenaFile.pancan))
    }
    assert ours == published
