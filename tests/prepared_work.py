"""Work for workers that are forked in advance."""

import os
import time


def get_ready() -> None:
    pass


def fail_to_get_ready() -> None:
    raise ImportError


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def hang_elsewhere(number: int) -> tuple[int, int]:
    """Take far too long in a worker."""
    if os.environ["ASKED_BY"] != str(os.getpid()):
        time.sleep(30)
    return -number, os.getpid()


def end_elsewhere(number: int) -> tuple[int, int]:
    """End a worker at once; the process that asked for the work survives it."""
    if os.environ["ASKED_BY"] != str(os.getpid()):
        os._exit(9)
    return -number, os.getpid()
