"""Where the workers are: an address, a cluster on this machine, or jobs of SLURM."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from genotex.errors import UsageError

_INSTALL = "--scheduler needs packages that are not installed; pip install 'genotex[cluster]'"
_FORMS = "give tcp://HOST:PORT, local:N, or slurm:workers=10,cores=8,memory=32GB"


@dataclass(frozen=True)
class _Key:
    """An option of ``slurm:``, and the argument of dask-jobqueue that it sets."""

    argument: str
    convert: Callable[[str], Any] = str


_SLURM: Mapping[str, _Key] = {
    "workers": _Key("workers", int),
    "cores": _Key("cores", int),
    "memory": _Key("memory"),
    "processes": _Key("processes", int),
    "walltime": _Key("walltime"),
    "partition": _Key("queue"),
    "account": _Key("account"),
    "interface": _Key("interface"),
    "scratch": _Key("local_directory"),
    "logs": _Key("log_directory"),
    "directive": _Key("job_extra_directives", lambda text: [text]),
    "prologue": _Key("job_script_prologue", lambda text: [text]),
}
_DEFAULTS = {"workers": 1, "cores": 1, "memory": "4GB", "processes": 1, "walltime": "04:00:00"}


@dataclass(frozen=True)
class Address:
    """What `--scheduler` names."""

    kind: str  # "at", "local" or "slurm"
    address: str = ""
    workers: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def lasts(self) -> bool:
        """Whether the scheduler is a process of its own, which may be restarted."""
        return self.kind == "at"

    def open(self) -> Any:
        """Return what a Dask client connects to; clusters of our own are started."""
        if self.kind == "at":
            return self.address
        if self.kind == "local":
            from distributed import LocalCluster

            return LocalCluster(
                n_workers=self.workers, threads_per_worker=1, dashboard_address=":0"
            )
        cluster = self._slurm()
        cluster.scale(jobs=self.workers)
        return cluster

    def job_script(self) -> str:
        """Return the job script that SLURM would get; nothing is submitted."""
        if self.kind != "slurm":
            msg = f"only SLURM has job scripts; {_FORMS}"
            raise UsageError(msg)
        cluster = self._slurm()
        try:
            return str(cluster.job_script())
        finally:
            cluster.close()

    def _slurm(self) -> Any:
        try:
            from dask_jobqueue import SLURMCluster
        except ImportError as error:
            raise UsageError(_INSTALL) from error
        try:
            return SLURMCluster(**self.options, scheduler_options={"dashboard_address": ":0"})
        except (ValueError, RuntimeError) as error:
            # A size that is none, or a network interface that this machine lacks.
            msg = f"--scheduler slurm: {error}"
            raise UsageError(msg) from error


def read_address(text: str) -> Address:
    """Read the value of ``--scheduler``."""
    kind, _, rest = text.partition(":")
    if "://" in text:
        return Address("at", _complete(text))
    if kind == "local":
        return Address("local", workers=_count(rest, text))
    if kind == "slurm":
        options = {**_DEFAULTS, **_options(rest)}
        return Address("slurm", workers=options.pop("workers"), options=options)
    msg = f"--scheduler {text} is not an address; {_FORMS}"
    raise UsageError(msg)


def _complete(text: str) -> str:
    """Return the address of a scheduler, which needs a host and a port where Dask connects."""
    parts = urlsplit(text)
    try:
        whole = bool(parts.hostname and parts.port)
    except ValueError:
        whole = False
    if parts.scheme in ("http", "https") or (parts.scheme in ("tcp", "tls") and not whole):
        msg = f"--scheduler {text} is not the address of a Dask scheduler; {_FORMS}"
        raise UsageError(msg)
    return text


def _options(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in text.split(",") if text else ():
        name, _, value = part.partition("=")
        key = _SLURM.get(name)
        if key is None or not value:
            msg = f"--scheduler slurm: {part!r} is not one of {', '.join(_SLURM)} with a value"
            raise UsageError(msg)
        try:
            new = key.convert(value)
        except ValueError as error:
            msg = f"--scheduler slurm: {name} is a number, not {value!r}"
            raise UsageError(msg) from error
        known = found.get(key.argument)
        found[key.argument] = known + new if isinstance(known, list) else new
    return found


def _count(text: str, whole: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        msg = f"--scheduler {whole}: N in local:N is a number of worker processes"
        raise UsageError(msg)
    return int(text)


def check_installed() -> None:
    """Refuse to go on without Dask."""
    try:
        import distributed  # noqa: F401
    except ImportError as error:
        raise UsageError(_INSTALL) from error
