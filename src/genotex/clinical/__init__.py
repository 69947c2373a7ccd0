"""Clinical inference: which characteristic records trait, age and gender, and how it is coded.

In the order of the data: `description` is what may be seen of a series; `assay` judges whether it
holds human gene expression; `cells` gathers values by key; `trait` and `people` judge them, with
the words of `words`; `texts` reads titles, source names and descriptions; `experts`
combines all of it into a clinical annotation (`encoding`), which `encoded_features` turns into
codes of samples. `summary` puts it into words; `encoding_files` and `groups` hold the choices of a
person, `sheets` those of a spreadsheet;
`relations` are those of the samples; `cases` annotates many series at once; `tcga` is for TCGA.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
