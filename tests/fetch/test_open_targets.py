"""Associations from a service that pages, lies and fails."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genotex.errors import FetchError, NotThereError, UsageError, WrongContentError
from genotex.fetch import (
    Disease,
    DiseaseAssociations,
    OpenTargets,
    Outcome,
    WebClient,
    choose_diseases,
    fetch_associations,
    keep_to_one_release,
    open_fetch_folder,
    write_found,
)
from genotex.fetch.open_targets import PAGE
from genotex.problems import ListedTrait, read_associations, read_disease_ids

from .open_targets_service import ASTHMA, BASE, ECZEMA, PATH, Platform, platform
from .server import Fault, Reply, Site, captcha, cut_at, failing, redirect

EFO, HP = "MONDO_0004979", "HP_0000964"
ALL = (EFO, HP)


@pytest.fixture
def service(site: Site) -> Platform:
    made = platform()
    site.speak(made)
    return made


@pytest.fixture
def source(site: Site, client: WebClient, service: Platform) -> OpenTargets:
    return OpenTargets(client, site.url(BASE))


def fetched(source: OpenTargets, root: Path, *diseases: str) -> list[Outcome]:
    with open_fetch_folder(root) as folder:
        return list(fetch_associations(source, folder, diseases or ALL))


def test_all_pages_of_a_disease_come(site: Site, source: OpenTargets) -> None:
    found = source.associations(EFO)
    assert found.disease == Disease(EFO, "asthma")
    assert found.scores == ASTHMA and list(found.scores) == sorted(ASTHMA)
    assert site.times(PATH) == -(-len(ASTHMA) // PAGE)


def test_files_are_read_by_the_reader_of_the_data_set(source: OpenTargets, tmp_path: Path) -> None:
    assert {each.state for each in fetched(source, tmp_path)} == {"fetched"}
    read = read_associations(tmp_path / "associations", ALL, 0.2)
    assert read.found == set(ALL) and read.rows == len(ASTHMA) + len(ECZEMA)
    expected = sum(score > 0.2 for score in (*ASTHMA.values(), *ECZEMA.values()))
    assert read.table.height == expected and not read.repeated


def test_second_run_asks_for_nothing(site: Site, source: OpenTargets, tmp_path: Path) -> None:
    fetched(source, tmp_path)
    asked = site.times(PATH)
    assert {each.state for each in fetched(source, tmp_path)} == {"was there"}
    assert site.times(PATH) == asked


def test_damaged_file_is_asked_for_again(source: OpenTargets, tmp_path: Path) -> None:
    fetched(source, tmp_path)
    path = tmp_path / "associations" / f"{HP}.json"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert [each.state for each in fetched(source, tmp_path)] == ["was there", "fetched"]
    assert path.read_bytes() == whole


def test_interrupted_in_the_middle_it_goes_on_with_the_next_disease(
    site: Site, source: OpenTargets, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = OpenTargets.associations

    def interrupted(self: OpenTargets, disease: str) -> DiseaseAssociations:
        if disease == HP:
            raise KeyboardInterrupt
        return ask(self, disease)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(OpenTargets, "associations", interrupted)
        fetched(source, tmp_path)
    assert [path.name for path in (tmp_path / "associations").iterdir()] == [f"{EFO}.json"]
    asked = site.times(PATH)
    assert [each.state for each in fetched(source, tmp_path)] == ["was there", "fetched"]
    assert site.times(PATH) == asked + 1


def bad_page(text: str) -> Fault:
    return lambda reply: Reply(text.encode())


def score(text: str) -> Fault:
    """An answer with one association of this score."""
    return bad_page(
        f'{{"data": {{"disease": {{"id": "{EFO}", "name": "x", "associatedTargets": '
        f'{{"count": 1, "rows": [{{"score": {text}, "target": {{"id": "E"}}}}]}}}}}}}}'
    )


@pytest.mark.parametrize(
    "fault", [failing(429), failing(503), cut_at(0.5)], ids=["429", "503", "cut"]
)
def test_fault_that_passes_is_survived(site: Site, source: OpenTargets, fault: Fault) -> None:
    site.fault(PATH, fault, fault)
    assert source.associations(EFO).scores == ASTHMA


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (failing(503), "503"),
        (failing(400), "400"),
        (captcha(), "captcha"),
        (redirect("http://127.0.0.1:9/"), "redirect"),
        (bad_page("<html><title>Down</title></html>"), "web page"),
        (bad_page('{"data": {"disease"'), "no JSON"),
        (bad_page("[]"), "no data"),
        (bad_page('{"errors": [{"message": "Query too\\nexpensive"}]}'), "Query too expensive"),
        (
            bad_page(f'{{"data": {{"disease": {{"id": "{EFO}", "name": "x"}}}}}}'),
            "no disease.assoc",
        ),
        (bad_page('{"data": {"disease": {"id": "EFO_1", "name": "x"}}}'), "about 'EFO_1', not"),
        (score("NaN"), "a score of nan"),
        (score("Infinity"), "a score of inf"),
        (score("17.5"), "a score of 17.5"),
        (score("-1"), "a score of -1"),
        (score("9" * 400), "a score of inf"),
        (score("null"), "no score"),
    ],
)
def test_fault_that_stays_keeps_nothing_and_says_why(
    site: Site, source: OpenTargets, tmp_path: Path, fault: Fault, said: str
) -> None:
    site.always(PATH, fault)
    (outcome,) = fetched(source, tmp_path, EFO)
    assert outcome.state == "failed" and said in str(outcome.error)
    assert not (tmp_path / "associations").exists()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(0, 1) | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["data", "disease", "name", "associatedTargets", "count", "rows", "score", "target"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


class Says:
    """A client of a service that says one thing, whatever it is asked."""

    def __init__(self, answer: object) -> None:
        self.answer = answer

    def text(self, _address: str, **_options: object) -> bytes:
        return json.dumps(self.answer).encode()


@given(JSON | st.fixed_dictionaries({"data": JSON}))
def test_whatever_the_service_says_only_our_own_errors_come_out(answer: object) -> None:
    source = OpenTargets(Says(answer))  # type: ignore[arg-type]
    for ask in (lambda: source.associations(EFO), source.release, lambda: source.search("asthma")):
        with contextlib.suppress(FetchError):
            ask()


def test_service_that_promises_more_than_it_gives(service: Platform, source: OpenTargets) -> None:
    service.promised = len(ASTHMA) + 1
    with pytest.raises(WrongContentError, match=r"2,346 associations .* promised, 2,345 came"):
        source.associations(EFO)


def test_service_that_repeats_its_first_page(service: Platform, source: OpenTargets) -> None:
    service.repeat = True
    with pytest.raises(WrongContentError, match=r"2,345 associations .* promised, 500 came"):
        source.associations(EFO)


@pytest.mark.parametrize("pages", [1, 4])
def test_equal_scores_that_change_places_between_pages_are_found_in_the_next_pass(
    service: Platform, source: OpenTargets, pages: int
) -> None:
    service.restless = pages
    assert source.associations(EFO).scores == ASTHMA


def test_service_that_gives_shorter_pages_than_asked_for(
    service: Platform, source: OpenTargets
) -> None:
    service.most = 100
    with pytest.raises(WrongContentError, match="promised, 500 came"):
        source.associations(EFO)


def test_unknown_disease_does_not_keep_the_others_away(source: OpenTargets, tmp_path: Path) -> None:
    unknown, empty, eczema = fetched(source, tmp_path, "EFO_9999999", "EFO_0000001", HP)
    assert isinstance(unknown.error, NotThereError) and "knows no disease" in str(unknown.error)
    assert "no direct association" in str(empty.error)
    assert eczema.state == "fetched"


def test_service_that_fails_for_good_is_not_asked_on(
    site: Site, source: OpenTargets, tmp_path: Path
) -> None:
    site.always(PATH, failing(503))
    states = [each.state for each in fetched(source, tmp_path, "A_1", "A_2", "A_3", "A_4", "A_5")]
    assert states == ["failed"] * 3 + ["not asked"] * 2


def test_scores_of_two_releases_are_not_mixed(
    service: Platform, source: OpenTargets, tmp_path: Path
) -> None:
    assert keep_to_one_release(source, tmp_path) == "25.03"
    assert keep_to_one_release(source, tmp_path) == "25.03"
    service.release = ("25", "06")
    with pytest.raises(UsageError, match=r"release 25\.03, the service answers from 25\.06"):
        keep_to_one_release(source, tmp_path)


TRAITS = [ListedTrait(name, "immune") for name in ("Asthma", "Eczema", "Gout")]


def test_diseases_are_searched_by_name_and_the_nearest_ones_marked(
    source: OpenTargets, tmp_path: Path
) -> None:
    chosen = choose_diseases(source, TRAITS, None, search=True)
    assert [(each.trait, each.ids, each.how) for each in chosen] == [
        ("Asthma", (EFO,), "same name"),
        ("Eczema", (HP,), "nearest name"),
        ("Gout", (), "not found"),
    ]
    path = tmp_path / "ids.tsv"
    write_found(path, chosen)
    assert read_disease_ids(path) == {"Asthma": (EFO,), "Eczema": (HP,)}


def test_id_that_a_person_wrote_is_kept(site: Site, source: OpenTargets, tmp_path: Path) -> None:
    path = tmp_path / "ids.tsv"
    path.write_text("Asthma\tEFO_0000270, MONDO_0004979\n")
    chosen = choose_diseases(source, TRAITS[:1], path, search=True)
    assert chosen[0].ids == ("EFO_0000270", EFO) and chosen[0].how == "listed"
    traits = [ListedTrait(name, "immune", diseases=(HP,)) for name in ("Asthma", "Gout")]
    chosen = choose_diseases(source, traits, path, search=True)
    assert [each.ids for each in chosen] == [("EFO_0000270", EFO), (HP,)], "before the list's own"
    assert not site.served
    write_found(path, choose_diseases(source, TRAITS, path, search=True))
    assert path.read_text() == (
        "Asthma\tEFO_0000270, MONDO_0004979\n"
        "Eczema\tHP_0000964\tEczematoid dermatitis\tnearest name\n"
    )


def test_apostrophes_and_abbreviations_do_not_hide_the_same_name(
    service: Platform, source: OpenTargets
) -> None:
    service.diseases = {"MONDO_0004975": ("Alzheimer's disease", {}), "X_1": ("COPD", {})}
    service.hits = {
        "alzheimers disease": ("MONDO_0004975",),
        "chronic obstructive pulmonary disease": ("X_1",),
    }
    names = ("Alzheimers_Disease", "Chronic_obstructive_pulmonary_disease_(COPD)")
    traits = [ListedTrait(name, "organ") for name in names]
    chosen = choose_diseases(source, traits, None, search=True)
    assert [each.how for each in chosen] == ["same name", "nearest name"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b_1", "EFO", "EFO_1.json", ""])
def test_id_from_the_net_that_is_no_id_is_passed_over(
    service: Platform, source: OpenTargets, name: str
) -> None:
    service.diseases = {name: ("asthma", {})}
    service.hits = {"asthma": (name,)}
    assert source.search("asthma") == ()


def test_search_that_fails_is_no_empty_search(site: Site, source: OpenTargets) -> None:
    site.always(PATH, failing(404))
    with pytest.raises(FetchError, match="404"):
        source.search("asthma")


def test_files_are_the_same_bytes_whatever_the_order_of_the_service(
    service: Platform, source: OpenTargets, tmp_path: Path
) -> None:
    fetched(source, tmp_path / "a", HP)
    service.diseases = {HP: ("x", dict(reversed(ECZEMA.items())))}
    fetched(source, tmp_path / "b", HP)
    first, second = ((tmp_path / n / "associations" / f"{HP}.json").read_text() for n in "ab")
    assert first == second
    assert json.loads(first.splitlines()[0]) == {
        "diseaseId": HP,
        "targetId": min(ECZEMA),
        "score": 0.5,
    }
