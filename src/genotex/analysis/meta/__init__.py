"""Evidence beyond one cohort: the same genes tested in several, and combined."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
