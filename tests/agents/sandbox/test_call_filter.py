"""The call filter's program, run by an interpreter of its instructions written here."""

from __future__ import annotations

import errno
import re
import socket
from pathlib import Path

import pytest

from genotex.agents.sandbox.confined.call_filter import (
    IGNORED,
    IGNORED_WITHOUT_OWN_ROOT,
    REFUSED,
    REFUSED_WITHOUT_OWN_ROOT,
    filter_program,
)

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NUMBERS = {
    "x86_64": {"read": 0, "socket": 41, "socketpair": 53, "clone": 56, "clone3": 435, "ioctl": 16},
    "aarch64": {
        "read": 63,
        "socket": 198,
        "socketpair": 199,
        "clone": 220,
        "clone3": 435,
        "ioctl": 29,
    },
}


def verdict(
    machine: str,
    number: int,
    *arguments: int,
    architecture: int | None = None,
    own_root: bool = True,
) -> int:
    """Run the program as the kernel documents it (classic BPF over struct seccomp_data)."""
    words = {0: number, 4: architecture or ARCHITECTURES[machine]}
    words |= {16 + 8 * place: value & 0xFFFFFFFF for place, value in enumerate(arguments)}
    program = filter_program(machine, own_root=own_root)
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        at += 1
        if code == 0x20:
            accumulator = words.get(value, 0)
        elif code == 0x54:
            accumulator &= value
        elif code == 0x06:
            return value
        else:
            holds = {
                0x15: accumulator == value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }[code]
            at += if_true if holds else if_false


def refused_with(number: int) -> int:
    return ERROR | number


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_listed_call_is_refused_and_reading_is_not(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for numbers in REFUSED.values():
        if numbers[column] is not None:
            assert verdict(machine, numbers[column]) == refused_with(errno.EPERM)
    assert verdict(machine, NUMBERS[machine]["read"]) == ALLOW


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("own_root", [True, False])
def test_nobody_waits_for_the_disk(machine: str, own_root: bool) -> None:
    column = list(ARCHITECTURES).index(machine)
    for numbers in IGNORED.values():
        assert verdict(machine, numbers[column], own_root=own_root) == refused_with(0)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_permissions_of_files_are_changed_only_where_no_others_are_there(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for numbers in IGNORED_WITHOUT_OWN_ROOT.values():
        if numbers[column] is not None:
            assert verdict(machine, numbers[column], own_root=True) == ALLOW
            assert verdict(machine, numbers[column], own_root=False) == refused_with(0)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_open_files_are_passed_on_only_where_they_are_counted(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    for numbers in REFUSED_WITHOUT_OWN_ROOT.values():
        assert verdict(machine, numbers[column], own_root=True) == ALLOW
        refusal = refused_with(errno.EPERM)
        assert verdict(machine, numbers[column], own_root=False) == refusal


@pytest.mark.parametrize(("machine", "fcntl"), [("x86_64", 72), ("aarch64", 25)])
def test_locks_have_no_effect_and_leases_are_refused(machine: str, fcntl: int) -> None:
    for lock in (6, 7, 37, 38):
        assert verdict(machine, fcntl, 3, lock) == refused_with(0)
    for command in (1024, 1026, 1031):
        assert verdict(machine, fcntl, 3, command) == refused_with(errno.EPERM)
    for command in (1, 2, 3, 4, 5, 1030):
        assert verdict(machine, fcntl, 3, command) == ALLOW


@pytest.mark.parametrize(("machine", "setsockopt"), [("x86_64", 54), ("aarch64", 208)])
def test_buffers_of_sockets_keep_their_size(machine: str, setsockopt: int) -> None:
    for option in (7, 8, 32, 33):
        assert verdict(machine, setsockopt, 3, 1, option) == refused_with(0)
    assert verdict(machine, setsockopt, 3, 1, 16) == ALLOW
    assert verdict(machine, setsockopt, 3, 6, 7) == ALLOW


@pytest.mark.parametrize(("machine", "prlimit"), [("x86_64", 302), ("aarch64", 261)])
def test_bounds_of_other_processes_are_not_changed(machine: str, prlimit: int) -> None:
    assert verdict(machine, prlimit, 0) == ALLOW
    assert verdict(machine, prlimit, 4321) == refused_with(errno.EPERM)


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("call", ["socket", "socketpair"])
def test_only_streams_between_own_processes_are_allowed(machine: str, call: str) -> None:
    number = NUMBERS[machine][call]
    flags = socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
    for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET):
        assert verdict(machine, number, socket.AF_UNIX, kind | flags) == ALLOW
    for family in (socket.AF_INET, socket.AF_INET6, socket.AF_PACKET, socket.AF_NETLINK):
        assert verdict(machine, number, family, socket.SOCK_STREAM) == refused_with(errno.EACCES)
    for kind in (socket.SOCK_DGRAM, socket.SOCK_RAW):
        assert verdict(machine, number, socket.AF_UNIX, kind) == refused_with(errno.EACCES)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_children_are_allowed_and_new_namespaces_are_not(machine: str) -> None:
    clone = NUMBERS[machine]["clone"]
    threads = 0x003D0F00
    assert verdict(machine, clone, threads) == ALLOW
    assert verdict(machine, clone, 17) == ALLOW
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, namespace | 17) == refused_with(errno.EPERM)
    assert verdict(machine, NUMBERS[machine]["clone3"]) == refused_with(errno.ENOSYS)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_typing_into_a_terminal_is_refused(machine: str) -> None:
    ioctl = NUMBERS[machine]["ioctl"]
    assert verdict(machine, ioctl, 0, 0x5412) == refused_with(errno.EPERM)
    assert verdict(machine, ioctl, 0, 0x5413) == ALLOW


def test_calls_under_other_numbers_are_no_way_around() -> None:
    second_abi = 0x40000000 | 41
    assert verdict("x86_64", second_abi, socket.AF_INET) == refused_with(errno.ENOSYS)
    assert verdict("x86_64", 0, architecture=0x40000003) == KILL


def test_unknown_machine_is_an_error_and_no_empty_filter() -> None:
    with pytest.raises(OSError, match="riscv64"):
        filter_program("riscv64", own_root=True)


@pytest.mark.parametrize(
    ("column", "header"), [(0, "x86_64-linux-gnu/asm/unistd_64.h"), (1, "asm-generic/unistd.h")]
)
def test_numbers_are_those_of_the_kernels_headers(column: int, header: str) -> None:
    path = Path("/usr/include", header)
    if not path.exists():
        pytest.skip(f"{path} is not installed")
    pairs = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text())
    known = {name: int(number) for name, number in pairs}
    every = {**REFUSED, **REFUSED_WITHOUT_OWN_ROOT, **IGNORED, **IGNORED_WITHOUT_OWN_ROOT}
    ours = {name: numbers[column] for name, numbers in every.items() if name in known}
    assert len(ours) > 70
    assert ours == {name: known[name] for name in ours}
