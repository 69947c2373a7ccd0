"""Reports: the page and the table of a problem, and the page over all of its cohorts.

`write_report`, `write_unanswered_report` and `write_meta_report` read an output folder and write
files; the other names are the steps in between.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
