"""Files from outside: limits that all readers share, and what is checked before a file is read."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
