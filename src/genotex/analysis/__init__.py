"""Which genes are associated with a trait, with evidence."""

import sys
from types import ModuleType

import lazy_loader
import numpy as np

# SciPy takes all of NumPy's parts by name, and with them the wrapper of Fortran and the tools for
# tests, a fifth of its start: these stay behind until somebody asks for them.
_parts = ("ctypeslib", "f2py", "polynomial", "testing")
_unused = [name for name in _parts if f"numpy.{name}" not in sys.modules]
for _name in _unused:
    setattr(np, _name, ModuleType(_name))
try:
    import scipy.special  # noqa: F401
finally:
    for _name in _unused:
        delattr(np, _name)

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
