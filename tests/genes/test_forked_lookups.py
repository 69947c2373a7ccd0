"""In programs of their own: where the table engine has begun already, nothing may be forked."""

import subprocess
import sys

BEGIN_AND_FINISH = """
import os
from genotex.genes import GeneTable, table
from genotex.id_kinds import IdKind
table.start_lookups()
table.adopt_lookups()
"""
COMPARE_IN_A_CHILD = """
child = os.fork()
if child == 0:
    given, own = GeneTable.load(), table._of_folder(table._PACKAGED)
    taken = set(vars(given)) - set(vars(own))
    print(sorted(taken), all(vars(given)[name] == getattr(own, name) for name in taken))
    print(given.official_symbol("p53"), given.lookup(IdKind.ENTREZ, ["7157"]), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


def printed(program: str) -> list[str]:
    # Newer Pythons warn of the idle threads of the table engine, as where genotex forks.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_forked_processes_have_the_lookups_that_they_would_build() -> None:
    names = ["_benchmark", "_sound", "official", "shared_aliases"]
    assert printed(BEGIN_AND_FINISH + COMPARE_IN_A_CHILD) == [
        f"{names} True",
        "TP53 {'7157': 'TP53'}",
    ]


def test_lookups_that_failed_are_built_by_each_process_as_usual() -> None:
    broken = BEGIN_AND_FINISH.replace(
        "table.start_lookups()", "GeneTable.load = 1; table.start_lookups()"
    )
    repaired = "GeneTable.load = table._packaged\n" + COMPARE_IN_A_CHILD
    assert printed(broken + repaired) == ["[] True", "TP53 {'7157': 'TP53'}"]
