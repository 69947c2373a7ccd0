"""Makes every attempt against genotex, and prints for each door how many were made and held.

`python -m tests.attacks [DOOR...]`; exit code 1 where an attempt got through.
"""

from __future__ import annotations

import sys
from collections import Counter

import pytest

DOORS = {
    "formula": ("tests/attacks/test_formulas.py",),
    "record": ("tests/attacks/test_records.py",),
    "file": ("tests/attacks/test_files.py", "tests/formats/test_any_bytes.py"),
    "page": (
        "tests/attacks/test_pages.py",
        "tests/attacks/test_group.py",
        "tests/app/test_security.py",
        "tests/app/test_accounts.py",
    ),
    "sandbox": (
        "tests/attacks/test_sandbox.py",
        "tests/agents/sandbox/test_attacks.py",
        "tests/agents/sandbox/test_isolation.py",
        "tests/agents/sandbox/test_conformance.py",
        "tests/agents/team/misbehaving/test_misbehaving.py",
    ),
    "server of files": (
        "tests/fetch/test_web.py",
        "tests/fetch/test_download.py",
        "tests/fetch/test_geo_search.py",
        "tests/fetch/test_verification.py",
    ),
    "model server": (
        "tests/models/providers/test_answers.py",
        "tests/models/providers/test_failures.py",
        "tests/models/providers/test_keys.py",
        "tests/models/test_prices.py",
    ),
}
"""Where something from outside comes in -> the tests that attack it."""


class Tally:
    """Counts the attempts of each door: what failed in any phase did not hold."""

    def __init__(self) -> None:
        self.made: Counter[str] = Counter()
        self.lost: dict[str, set[str]] = {door: set() for door in DOORS}
        self.skipped: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note one phase of one attempt."""
        file = report.nodeid.partition("::")[0]
        door = next(door for door, files in DOORS.items() if file in files)
        if report.skipped:
            self.skipped[door] += 1
        elif report.failed:
            self.lost[door].add(report.nodeid)
        if report.when == "call" and not report.skipped:
            self.made[door] += 1

    def show(self) -> bool:
        """Print the table; return whether every attempt held."""
        print(f"\n{'door':<16} {'attempts':>8} {'held':>6}")
        for door in DOORS:
            if self.made[door] or self.lost[door] or self.skipped[door]:
                made = max(self.made[door], len(self.lost[door]))
                note = f"  ({self.skipped[door]} not possible here)" if self.skipped[door] else ""
                print(f"{door:<16} {made:>8} {made - len(self.lost[door]):>6}{note}")
        lost = [name for names in self.lost.values() for name in sorted(names)]
        total = sum(self.made.values())
        print(f"{'all':<16} {total:>8} {total - len(lost):>6}")
        for name in lost:
            print(f"got through: {name}")
        return not lost and total > 0


def main(chosen: list[str]) -> int:
    """Make the attempts on the doors that were named, or on all."""
    if unknown := set(chosen) - DOORS.keys():
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(DOORS)}")
        return 2
    tally = Tally()
    files = [file for door in chosen or DOORS for file in DOORS[door]]
    ended = pytest.main(["-q", "--no-header", "-o", "addopts=", "-n", "2", *files], plugins=[tally])
    return 0 if tally.show() and ended == pytest.ExitCode.OK else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
