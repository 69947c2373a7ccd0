"""The isolation mechanisms of this machine, all of them, and each kind without the other."""

from __future__ import annotations

from genotex.agents import Folders, SandboxLimits, SandboxPolicy, Session, local_session
from tests.agents.sandbox.conformance_isolation import (
    FilterHolds,
    NoNetwork,
    NoOtherFiles,
    NoOtherProcesses,
)
from tests.agents.sandbox.conformance_limits import IsBoundedTogether

NAMESPACES = (
    "user namespace",
    "mount namespace",
    "process namespace",
    "network namespace",
    "ipc namespace",
    "host name",
)


class AllWalls:
    @staticmethod
    def open_one(folders: Folders, limits: SandboxLimits) -> Session:
        return local_session(folders, limits, SandboxPolicy.REQUIRE)


class WithoutNamespaces:
    """As in a container that forbids them: Landlock and the call filter alone."""

    @staticmethod
    def open_one(folders: Folders, limits: SandboxLimits) -> Session:
        return local_session(folders, limits, SandboxPolicy.BEST, avoid=NAMESPACES)


class NamespacesAlone:
    """As on a kernel without Landlock and seccomp."""

    @staticmethod
    def open_one(folders: Folders, limits: SandboxLimits) -> Session:
        avoid = ("landlock", "call filter")
        return local_session(folders, limits, SandboxPolicy.BEST, avoid=avoid)


class TestNoNetwork(AllWalls, NoNetwork): ...


class TestNoNetworkWithoutNamespaces(WithoutNamespaces, NoNetwork): ...


class TestNoNetworkByNamespacesAlone(NamespacesAlone, NoNetwork): ...


class TestFilterHolds(AllWalls, FilterHolds): ...


class TestFilterHoldsWithoutNamespaces(WithoutNamespaces, FilterHolds): ...


class TestNoOtherFiles(AllWalls, NoOtherFiles): ...


class TestNoOtherFilesWithoutNamespaces(WithoutNamespaces, NoOtherFiles): ...


class TestNoOtherFilesByNamespacesAlone(NamespacesAlone, NoOtherFiles): ...


class TestNoOtherProcesses(AllWalls, NoOtherProcesses): ...


class TestNoOtherProcessesWithoutNamespaces(WithoutNamespaces, NoOtherProcesses): ...


class TestIsBoundedTogetherWithoutNamespaces(WithoutNamespaces, IsBoundedTogether): ...


class TestNoOtherProcessesByNamespacesAlone(NamespacesAlone, NoOtherProcesses): ...
