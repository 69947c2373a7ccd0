"""The GenoTEX benchmark: problems, runs, scores, and a simulated benchmark with known truth.

Everything public can be imported from here. A module is loaded when one of its names is first used,
so that a command loads only what it needs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
