"""Runs notebooks of our own code in a process of their own: cells from standard input, as JSON.

A notebook is a list of cells, each with its code and variants of it, which are tried on copies of
the variables and files that the cells before left. Variants that are to be stopped say after how
long.
"""

import contextlib
import io
import json
import shutil
import signal
import sys
import traceback
from pathlib import Path


def run_cell(code: str, names: dict) -> dict:
    out = io.StringIO()
    failed = False
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(code, "cell", "exec"), names)
        except BaseException:
            failed = True
            out.write(traceback.format_exc())
    return {"output": out.getvalue(), "failed": failed}


def stop(*_: object) -> None:
    raise KeyboardInterrupt("stopped: it did not end")


def run_variant(variant: dict, names: dict, folder: Path) -> dict:
    before = folder.with_name(f"{folder.name} before")
    shutil.copytree(folder, before)
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, variant.get("seconds", 0))
    try:
        return run_cell(variant["code"], dict(names))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        shutil.rmtree(folder)
        before.rename(folder)


def run_notebook(notebook: dict) -> list:
    folder = Path(notebook["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    names: dict = {}
    results = []
    for cell in notebook["cells"]:
        variants = [run_variant(variant, names, folder) for variant in cell.get("variants", ())]
        results.append(run_cell(cell["code"], names) | {"variants": variants})
        if results[-1]["failed"]:
            break
    return results


if __name__ == "__main__":
    json.dump([run_notebook(notebook) for notebook in json.load(sys.stdin)], sys.stdout)
