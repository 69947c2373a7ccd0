"""What genotex does from input to files: each surface calls these functions and shows the result.

A workflow takes inputs, options and a function that is called as it proceeds, and returns what was
found and written. The command line, the workbench, Python, MCP and agents parse and show; nothing
of a workflow is theirs.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
