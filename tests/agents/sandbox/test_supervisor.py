import os

from genotex.agents.sandbox.confined.protocol import Plan
from genotex.agents.sandbox.confined.supervisor import Supervisor


def supervisor_of_one_that_ended(report: bytes) -> Supervisor:
    """Return one whose first process has reported, and is gone, since its loop last looked."""
    plan = Plan((), {}, (), "", "", True, (), 1, 1, 1, 1)
    supervisor = Supervisor(plan)
    supervisor.confined = True
    supervisor.first = os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {})
    os.waitid(os.P_PID, supervisor.first, os.WEXITED | os.WNOWAIT)
    supervisor.report, write = os.pipe()
    os.write(write, report)
    os.close(write)
    return supervisor


def test_report_that_comes_with_the_end_is_read() -> None:
    supervisor = supervisor_of_one_that_ended(b'{"ended": -15}\n')
    supervisor.see_first_end()
    assert supervisor.ended == {"exit": -15}
    os.close(supervisor.report)


def test_first_process_that_ends_without_a_report() -> None:
    supervisor = supervisor_of_one_that_ended(b"")
    supervisor.see_first_end()
    assert supervisor.ended == {"exit": None}
    os.close(supervisor.report)
