"""Raw GEO and TCGA files in, trustworthy trait-associated genes out.

>>> import genotex as gx
>>> adata = gx.read_geo("study/GEO/Simulated_Arthritis/GSE90000001", "Simulated Arthritis")
>>> adata.shape
(24, 390)

Every name is imported when it is first used, so that ``import genotex`` takes no time.
"""

from typing import Any

import lazy_loader

_attribute, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used; the version, too, is slow to find out."""
    if name != "__version__":
        return _attribute(name)
    from importlib.metadata import version

    globals()[name] = found = version("genotex")
    return found
