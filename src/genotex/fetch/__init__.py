"""Download files of the public databases, within client limits, and check them before use.

`web` is the HTTP client (allowed `addresses`, `client_limits`), `download` fetches one file and
`contents` checks it, `folder` is an input folder with its journal. One module for each database
builds on these.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
