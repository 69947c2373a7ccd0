"""Raw GEO and TCGA files in, trustworthy trait-associated genes out.

>>> import genotex as gx
>>> adata = gx.read_geo("study/GEO/Simulated_Arthritis/GSE90000001", "Simulated Arthritis")
>>> adata.shape
(24, 390)

Every name is imported when it is first used, so that ``import genotex`` takes no time.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__version__ = "1.0.0"
