"""Gene-trait association problems: their list, how it is built, and the cohorts that fit them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
