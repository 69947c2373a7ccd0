"""Series into a folder, one behind the other: what ends the asking and what does not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from genotex.clinical import load_vocabulary
from genotex.fetch import (
    Entrez,
    FetchFolder,
    GeoRequest,
    GeoSource,
    GeoTree,
    Progress,
    SeriesOutcome,
    SeriesPlan,
    WebClient,
    choose_or_go_on,
    fetch_series,
    open_fetch_folder,
    remember_end,
)
from tests.geo_text import asthma, series_matrix

from .eutils import BASE
from .geo_tree import FILES, PAGES, GeoSite, family, family_path, gz, matrix_path
from .server import Fault, Site, cut_at, failing, shortened

REQUEST = GeoRequest("Asthma")


@pytest.fixture
def geo(site: Site) -> GeoSite:
    geo = GeoSite(site)
    for number in range(1, 7):
        geo.add(f"GSE{number}")
    return geo


@pytest.fixture
def source(geo: GeoSite, client: WebClient) -> GeoSource:
    url = geo.site.url
    tree = GeoTree(client, url(FILES), url(PAGES))
    return GeoSource(client, Entrez(client, url(BASE)), tree, load_vocabulary())


def no_bar(plan: SeriesPlan, name: str) -> Progress:
    return lambda done, total: None


def fetch(source: GeoSource, folder: FetchFolder) -> list[SeriesOutcome]:
    plans = choose_or_go_on(source, folder, REQUEST)
    return list(fetch_series(source, folder, REQUEST, plans, no_bar))


def test_a_server_that_fails_three_series_in_a_row_is_left_alone(
    geo: GeoSite, source: GeoSource, tmp_path: Path
) -> None:
    for number in (1, 3, 4, 5):
        geo.site.always(matrix_path(f"GSE{number}"), failing(503))
    with open_fetch_folder(tmp_path) as folder:
        outcomes = fetch(source, folder)
    assert [outcome.error is None for outcome in outcomes] == [False, True, *[False] * 4]
    assert [outcome.tried for outcome in outcomes] == [True] * 5 + [False]
    assert [outcome.may_come_later for outcome in outcomes] == [True, False, *[True] * 4]
    assert geo.site.times(matrix_path("GSE6")) == 0


@pytest.mark.parametrize(
    ("fault", "later"), [(failing(503), True), (failing(404), False), (shortened(0.5), False)]
)
def test_what_passes_by_itself_may_come_later(
    geo: GeoSite, source: GeoSource, tmp_path: Path, fault: Fault, later: bool
) -> None:
    geo.site.always(family_path("GSE2"), fault)
    with open_fetch_folder(tmp_path) as folder:
        outcomes = fetch(source, folder)
    assert [outcome.may_come_later for outcome in outcomes] == [False, later, *[False] * 4]
    assert len(outcomes[1].kept) == 1  # the matrix, which came before


def gzipped(text: str) -> Fault:
    return lambda reply: replace(reply, body=gz(text))


MATRIX = series_matrix("GSE2", characteristics=asthma(40), ids=["p1_at"])
OTHER = series_matrix("GSE7", characteristics=asthma(40), ids=["p1_at"])
UNNAMED = "".join(
    line for line in OTHER.splitlines(keepends=True) if "Series_geo_accession" not in line
)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        (family_path, family("GSE7", "GPL96"), "it is the family SOFT of 'GSE7', not of GSE2"),
        (family_path, MATRIX, "it is not a family SOFT"),
        (family_path, '{"error": "no"}', "it is not a family SOFT"),
        (family_path, family("GSE2", "GPL96").replace("!platform_table_end", ""), "too early"),
        (matrix_path, family("GSE2", "GPL96"), "it is not a series matrix"),
        (matrix_path, '{"error": "no"}', "it is not a series matrix: it begins with '{"),
        (matrix_path, MATRIX.replace("!series_matrix_table_end", ""), "ends too early"),
        (matrix_path, OTHER, "it is the matrix of 'GSE7', not of GSE2"),
        (matrix_path, UNNAMED.replace("GSM", "GSM9"), "none of its samples (GSM91, ...)"),
    ],
)
def test_wrong_content_is_not_kept_and_asked_for_again(
    geo: GeoSite,
    source: GeoSource,
    tmp_path: Path,
    path: Callable[[str], str],
    text: str,
    message: str,
) -> None:
    geo.site.always(path("GSE2"), gzipped(text))
    with open_fetch_folder(tmp_path) as folder:
        outcome = fetch(source, folder)[1]
    assert outcome.error is not None and message in str(outcome.error)
    name = path("GSE2").rpartition("/")[2]
    assert not list(tmp_path.rglob(f"{name}*"))
    geo.site.mend(path("GSE2"))
    with open_fetch_folder(tmp_path) as folder:
        assert all(outcome.error is None for outcome in fetch(source, folder))
    assert (tmp_path / "GEO" / "Asthma" / "GSE2" / name).is_file()


def test_matrix_without_its_series_is_taken_when_its_samples_are_those_of_entrez(
    geo: GeoSite, source: GeoSource, tmp_path: Path
) -> None:
    geo.site.always(matrix_path("GSE2"), gzipped(UNNAMED))
    with open_fetch_folder(tmp_path) as folder:
        assert all(outcome.error is None for outcome in fetch(source, folder))


def test_wrong_file_that_was_kept_without_checks_is_fetched_again(
    geo: GeoSite, source: GeoSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    geo.site.always(matrix_path("GSE2"), gzipped(OTHER))
    with monkeypatch.context() as patched, open_fetch_folder(tmp_path) as folder:
        patched.setattr("genotex.fetch.geo.matrix_of", lambda *about: None)
        fetch(source, folder)
    geo.site.mend(matrix_path("GSE2"))
    with open_fetch_folder(tmp_path) as folder:
        assert all(outcome.error is None for outcome in fetch(source, folder))
    matrix = tmp_path / "GEO" / "Asthma" / "GSE2" / "GSE2_series_matrix.txt.gz"
    assert matrix.read_bytes() == geo.site.body(matrix_path("GSE2"))
    assert geo.site.times(matrix_path("GSE2")) == 2
    assert geo.site.times(matrix_path("GSE3")) == 1


def test_going_on_asks_for_nothing_but_what_is_missing(
    geo: GeoSite, source: GeoSource, tmp_path: Path
) -> None:
    geo.site.fault(family_path("GSE4"), cut_at(0.5), *[failing(503)] * 5)
    with open_fetch_folder(tmp_path) as folder:
        fetch(source, folder)
    before = len(geo.site.served)
    geo.add("GSE9")
    with open_fetch_folder(tmp_path) as folder:
        assert all(outcome.error is None for outcome in fetch(source, folder))
        remember_end(source, folder, REQUEST)
        assert [each.asked.path for each in geo.site.served[before:]] == [family_path("GSE4")]
        assert len(fetch(source, folder)) == 7  # a new search, which finds the new one


def test_other_criteria_are_another_search(geo: GeoSite, source: GeoSource, tmp_path: Path) -> None:
    with open_fetch_folder(tmp_path) as folder:
        choose_or_go_on(source, folder, REQUEST)
        geo.add("GSE9")
        assert len(choose_or_go_on(source, folder, REQUEST)) == 6
        assert len(choose_or_go_on(source, folder, GeoRequest("Asthma", words='"blood"'))) == 7


def test_a_series_of_two_traits_is_fetched_once_and_linked(
    geo: GeoSite, source: GeoSource, tmp_path: Path
) -> None:
    with open_fetch_folder(tmp_path) as folder:
        fetch(source, folder)
        gout = GeoRequest("Gout", accessions=("GSE1",))
        plans = choose_or_go_on(source, folder, gout)
        (outcome,) = fetch_series(source, folder, gout, plans, no_bar)
    assert not any(kept.now for kept in outcome.kept)
    one, other = (tmp_path / "GEO" / name / "GSE1" for name in ("Asthma", "Gout"))
    for path in one.iterdir():
        assert path.samefile(other / path.name)
    assert geo.site.times(matrix_path("GSE1")) == 1


def test_a_file_system_without_links_gets_a_copy(
    geo: GeoSite, source: GeoSource, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Path, target: Path) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    with open_fetch_folder(tmp_path) as folder:
        fetch(source, folder)
        gout = GeoRequest("Gout", accessions=("GSE1",))
        list(fetch_series(source, folder, gout, choose_or_go_on(source, folder, gout), no_bar))
    one, other = (tmp_path / "GEO" / name / "GSE1" for name in ("Asthma", "Gout"))
    for path in one.iterdir():
        assert not path.samefile(other / path.name)
        assert path.read_bytes() == (other / path.name).read_bytes()
    assert geo.site.times(matrix_path("GSE1")) == 1
