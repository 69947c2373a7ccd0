"""Features of samples, such as age, sex, smoking status and batch: each is declared once.

A feature states its name, scale and default use, and finds itself in the texts of submitters.
Sample sheets, cohort records, pages and designs read the `registry`; a new feature is a file in
`known` and a name in the registry. `plain_text` and `cells` compare the words of submitters.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
