"""Which protections follow from which mechanisms, and what the policies make of it."""

from __future__ import annotations

import pytest

from genotex.agents import Confinement, Mechanism, Protection, SandboxPolicy
from genotex.errors import ConfinementError

NAMESPACES = ("process namespace", "network namespace", "own root")
BY_THE_KERNEL = ("landlock files", "landlock signals", "call filter")
ALWAYS = ("clean environment", "no new privileges", "capabilities", "bounds", "watch")


def with_mechanisms(*names: str, policy: SandboxPolicy = SandboxPolicy.REQUIRE) -> Confinement:
    every = (*NAMESPACES, *BY_THE_KERNEL, *ALWAYS)
    mechanisms = (Mechanism(n, n in names, "" if n in names else "not here") for n in every)
    return Confinement(policy, tuple(mechanisms))


@pytest.mark.parametrize("mechanisms", [NAMESPACES, BY_THE_KERNEL])
def test_namespaces_and_the_kernels_own_walls_protect_each_without_the_other(
    mechanisms: tuple[str, ...],
) -> None:
    confinement = with_mechanisms(*ALWAYS, *mechanisms)
    assert confinement.missing == ()
    confinement.check()


@pytest.mark.parametrize(
    ("lost", "missing"),
    [
        ({"own root", "landlock files"}, {Protection.FILES}),
        ({"own root", "call filter"}, {Protection.FILES, Protection.SOCKETS}),
        ({"network namespace", "call filter"}, {Protection.NETWORK, Protection.SOCKETS}),
        ({"process namespace", "landlock signals"}, {Protection.PROCESSES}),
        ({"clean environment"}, {Protection.ENVIRONMENT}),
        ({"watch"}, {Protection.RESOURCES}),
        ({"watch", "process namespace"}, {Protection.RESOURCES, Protection.ENDING}),
        ({"no new privileges"}, {Protection.PRIVILEGES}),
    ],
)
def test_what_is_missing_without_some_walls(lost: set[str], missing: set[Protection]) -> None:
    mechanisms = {*NAMESPACES, *BY_THE_KERNEL, *ALWAYS} - lost
    assert set(with_mechanisms(*mechanisms).missing) == missing


def test_own_root_protects_nothing_while_rights_to_leave_it_are_there() -> None:
    mechanisms = {*NAMESPACES, *ALWAYS} - {"capabilities"}
    assert Protection.FILES in with_mechanisms(*mechanisms).missing


def test_require_says_what_is_missing_why_and_what_to_do() -> None:
    confinement = with_mechanisms(*ALWAYS, "call filter", "process namespace")
    with pytest.raises(ConfinementError) as refusal:
        confinement.check()
    said = str(refusal.value)
    assert "cannot protect files from generated code" in said
    assert "landlock files: not here" in said
    assert "user namespaces" in said and "Linux 6.2" in said
    assert "--sandbox best" in said


@pytest.mark.parametrize("policy", [SandboxPolicy.BEST, SandboxPolicy.OFF])
def test_other_policies_go_on_and_record(policy: SandboxPolicy) -> None:
    confinement = with_mechanisms("clean environment", policy=policy)
    confinement.check()
    record = confinement.to_dict()
    assert record["policy"] == str(policy)
    assert record["protected"]["environment"] is True
    assert record["protected"]["files"] is False
    assert {"name": "watch", "active": False, "detail": "not here"} in record["mechanisms"]
