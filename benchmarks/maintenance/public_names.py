"""Extension of griffe, for the docs: what the ``__init__.pyi`` of a package declares is public."""

from pathlib import Path
from typing import Any

import griffe


class PublicNames(griffe.Extension):
    """Marks the names that a package loads on first use."""

    def on_alias(self, *, alias: griffe.Alias, **_: Any) -> None:
        """Make an imported name public if it is of the package and in its stub."""
        package = alias.parent
        file = package.filepath if package is not None else None
        if package is not None and isinstance(file, Path) and file.name == "__init__.py":
            inside = alias.target_path.startswith(f"{package.path}.")
            alias.public = (inside and file.with_suffix(".pyi").exists()) or None
