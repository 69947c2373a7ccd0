"""A server of the Model Context Protocol over one folder of inputs and results.

`run_server` serves it on standard input and output. Needs ``genotex[mcp]``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
