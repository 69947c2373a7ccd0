import json

from genotex.agents import CheckedSandbox, Confinement, Protection, SandboxCheck, SandboxPolicy


def test_check_tells_what_was_tried_and_held(genotex) -> None:  # type: ignore[no-untyped-def]
    code, out, err = genotex("sandbox", "check", "--sandbox", "require")
    assert (code, err) == (0, "")
    assert "landlock files" in out
    assert "read a file outside its folder" in out and "ready after" in out


def test_check_as_json(genotex) -> None:  # type: ignore[no-untyped-def]
    code, out, _ = genotex("sandbox", "check", "--json")
    found = json.loads(out)
    assert (code, found["held"], found["policy"]) == (0, True, "best")
    assert all(found["protected"].values())
    assert {t["protection"] for t in found["tried"]} == {str(p) for p in Protection}


def test_check_without_walls_fails_and_warns(genotex) -> None:  # type: ignore[no-untyped-def]
    code, out, err = genotex("sandbox", "check", "--sandbox", "off", "--json")
    worked = {t["tried"] for t in json.loads(out)["tried"] if not t["held"]}
    assert code == 1
    assert "read a file outside its folder" in worked
    assert "take more memory than the limit" not in worked
    assert "not protected from generated code: files" in " ".join(err.split())


def test_one_thing_that_worked_is_a_failure() -> None:
    checks = (
        SandboxCheck(Protection.FILES, "read", True, "refused"),
        SandboxCheck(Protection.NETWORK, "connect", False, "it worked"),
    )
    confinement = Confinement(SandboxPolicy.BEST)
    assert CheckedSandbox(confinement, checks[:1], 0.1).held
    assert not CheckedSandbox(confinement, checks, 0.1).held


def test_unknown_policy_is_refused(genotex) -> None:  # type: ignore[no-untyped-def]
    code, _, err = genotex("sandbox", "check", "--sandbox", "maybe")
    assert code == 2 and "maybe" in err
