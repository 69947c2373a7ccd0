from .building import BuildReport as BuildReport, build_atlas as build_atlas
from .queries import (
    GeneFindings as GeneFindings,
    TraitFindings as TraitFindings,
    find_gene as find_gene,
    find_trait as find_trait,
)
from .reader import AtlasReader as AtlasReader
from .ranks import normal_scores as normal_scores
from .signatures import (
    SIGNATURE_METHODS as SIGNATURE_METHODS,
    Inflation as Inflation,
    estimate_inflation as estimate_inflation,
    score_connectivity as score_connectivity,
    signature_p as signature_p,
    Signature as Signature,
    read_gene_names as read_gene_names,
    read_signature as read_signature,
    score_signature as score_signature,
)
from .similar import (
    ANY_CONDITION as ANY_CONDITION,
    SimilarFindings as SimilarFindings,
    find_similar as find_similar,
)
from .store import (
    MANIFEST as MANIFEST,
    AtlasFolder as AtlasFolder,
    open_views as open_views,
    views_sql as views_sql,
)
from .trait_similarity import (
    PAIR_METHODS as PAIR_METHODS,
    TraitTree as TraitTree,
    compare_traits as compare_traits,
    correlate_ranks as correlate_ranks,
)
