"""Many machines: the pieces of work of a command on the workers of Dask distributed."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
