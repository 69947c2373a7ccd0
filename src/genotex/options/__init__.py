"""What a user may choose at each step, declared once.

The library takes objects of these classes. The command line derives its options from their fields
(`genotex.cli.option_classes`): name, type, default, help text and panel are stated here and nowhere
else. To add an option, add a field.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
