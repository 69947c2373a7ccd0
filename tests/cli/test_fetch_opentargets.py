"""`genotex fetch opentargets` from the screen."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fetch.open_targets_service import BASE, PATH, platform
from tests.fetch.server import Site, failing, serving


@pytest.fixture
def service() -> Iterator[Site]:
    with serving(platform()) as site:
        yield site


def test_what_is_fetched_is_what_a_task_list_is_built_from(  # type: ignore[no-untyped-def]
    genotex, service: Site, tmp_path: Path
) -> None:
    targets = tmp_path / "targets"
    command = ["fetch", "opentargets", targets, "--open-targets-address", service.url(BASE)]
    code, out, err = genotex(*command, "--trait", "Asthma", "--trait", "Eczema")
    assert code == 0 and "release 25.03" in out
    assert "1 of the names are only the nearest ones" in err
    code, out, _ = genotex(*command, "--trait", "Asthma", "--trait", "Eczema", "--json")
    rows = json.loads(out)["diseases"]
    assert [(row["how"], row["state"], row["associations"]) for row in rows] == [
        ("listed", "was there", 2345),
        ("listed", "was there", 2),
    ]
    code, out, _ = genotex(
        "problems",
        "build",
        *("--associations", targets / "associations"),
        *("--disease-ids", targets / "disease_ids.tsv", "--json"),
    )
    assert code == 0 and json.loads(out)


def test_table_of_ones_own_is_not_added_to(genotex, service: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    ids = tmp_path / "ids.tsv"
    ids.write_text("Asthma\tMONDO_0004979\n")
    code, out, _ = genotex(
        *("fetch", "opentargets", tmp_path / "t", "--open-targets-address", service.url(BASE)),
        *("--disease-ids", ids, "--trait", "Asthma", "--trait", "Eczema"),
    )
    assert code == 3 and "no disease" in out
    assert ids.read_text() == "Asthma\tMONDO_0004979\n"
    assert not (tmp_path / "t" / "disease_ids.tsv").exists()


def test_service_that_does_not_answer(genotex, service: Site, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    service.always(PATH, failing(404))
    code, _, err = genotex(
        *(
            "fetch",
            "opentargets",
            tmp_path,
            "--open-targets-address",
            service.url(BASE),
            "--trait",
            "Asthma",
        )
    )
    assert code == 2 and "404" in err
    assert not (tmp_path / "release.json").exists()


def test_unknown_trait_is_wrong_use_before_anything_is_asked(  # type: ignore[no-untyped-def]
    genotex, service: Site, tmp_path: Path
) -> None:
    code, _, err = genotex(
        *(
            "fetch",
            "opentargets",
            tmp_path,
            "--open-targets-address",
            service.url(BASE),
            "--trait",
            "Astma",
        )
    )
    assert code == 2 and "Asthma" in err and not service.served
