"""Gene table, probe-to-gene mapping and official symbols."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
