"""The workbench: a local web application over a folder of inputs and results.

`serve` runs it; `create_app` is the same as an ASGI application.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
