"""Run the team with fakes, killed by SIGKILL at every new line of any journal, until it ends.

Each attempt is a fork of this process, which has imported everything and computed nothing.
"""

import faulthandler
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from genotex import journal
from tests.agents.team.conftest import Played

MOST_ATTEMPTS = 300
LONGEST = 300.0
"""Seconds of an attempt: threads of libraries do not survive a fork, and what waits for them hangs.
"""


def die_at_a_line(moment: str, number: int) -> None:
    """Die after, or in the middle of, so many new lines."""
    usual, left = journal.Journal.add, [number]

    def add(self: journal.Journal, entry: Mapping[str, Any], **how: Any) -> None:
        left[0] -= 1
        if left[0] == 0 and moment == "torn":
            os.write(self._handle, b'{"sha256": "12')
            os.kill(os.getpid(), signal.SIGKILL)
        usual(self, entry, **how)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    journal.Journal.add = add  # type: ignore[method-assign]


def attempt(played: Played, moment: str, number: int) -> int:
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        # Other processes see what is written without waiting for the disk.
        os.fsync = lambda handle: None
        die_at_a_line(moment, number)
        played.run()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    source, target = map(Path, sys.argv[1:])
    played = Played(target, source)
    for number in range(MOST_ATTEMPTS):
        # By turns after a new line, and in the middle of the line after a new line.
        code = attempt(played, *(("after", 1) if number % 2 else ("torn", 2)))
        print(code, flush=True)
        if code != -signal.SIGKILL:
            break


if __name__ == "__main__":
    main()
