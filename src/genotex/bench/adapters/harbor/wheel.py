"""The running package as a wheel, which needs no index, no network and no build tool."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from importlib import metadata
from pathlib import Path

import genotex

_TAGS = "Wheel-Version: 1.0\nGenerator: genotex\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_KEPT = ("METADATA", "entry_points.txt")


def write_wheel(folder: Path) -> Path:
    """Write the package as it is installed, edited sources included; return the wheel."""
    installed = metadata.distribution("genotex")
    about = f"genotex-{installed.version}.dist-info"
    package = Path(genotex.__file__).parent
    content = {
        path.relative_to(package.parent).as_posix(): path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    texts = {name: installed.read_text(name) for name in _KEPT}
    content |= {f"{about}/{name}": text.encode() for name, text in texts.items() if text}
    content[f"{about}/WHEEL"] = _TAGS.encode()
    lines = [f"{name},sha256={_digest(data)},{len(data)}\n" for name, data in content.items()]
    content[f"{about}/RECORD"] = "".join([*lines, f"{about}/RECORD,,\n"]).encode()
    wheel = folder / f"genotex-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            # Without a time, so that the same package is the same wheel.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return wheel


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
