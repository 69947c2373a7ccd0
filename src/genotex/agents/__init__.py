"""GenoAgent: a team of language-model agents that solves problems by writing code.

Names are imported on first use, so that the sandbox and the models load nothing of the team.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
