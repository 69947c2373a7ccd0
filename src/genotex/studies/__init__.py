"""A folder of studies: its inputs, analyses, own tables and gene sets, and jobs that add to them.

The workbench and the server for assistants show it; jobs call `genotex.workflows`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
