"""The atlas: what all analyses of a laboratory found, by gene, by trait and by signature."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
