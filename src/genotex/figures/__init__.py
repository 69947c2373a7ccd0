"""Figures: each declared once as data with a meaning, drawn by matplotlib and in browsers.

To add one, add a function under `figure` to a module of `kinds`; every surface then shows it.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
