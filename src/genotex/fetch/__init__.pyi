from .client_limits import AllowedAddresses as AllowedAddresses, base_address as base_address
from .bundle import check_layout as check_layout
from .client_limits import ClientLimits as ClientLimits, Pace as Pace
from .contents import Content as Content
from .download import Progress as Progress, Wanted as Wanted
from .geo_search import Entrez as Entrez, read_key as read_key
from .folder import (
    FetchFolder as FetchFolder,
    Fetched as Fetched,
    Outcome as Outcome,
    fetch_each as fetch_each,
    journal_path as journal_path,
    open_fetch_folder as open_fetch_folder,
)
from .gene_info import FetchedGenes as FetchedGenes, fetch_genes as fetch_genes
from .geo import (
    choose_or_go_on as choose_or_go_on,
    remember_end as remember_end,
    GeoAddresses as GeoAddresses,
    GeoRequest as GeoRequest,
    GeoSource as GeoSource,
    SeriesOutcome as SeriesOutcome,
    fetch_series as fetch_series,
    open_geo_source as open_geo_source,
    plan_values as plan_values,
    UNSORTED as UNSORTED,
)
from .geo_files import SeriesPlan as SeriesPlan
from .geo_tree import GeoTree as GeoTree, RemoteFile as RemoteFile
from .geo_search import (
    Criteria as Criteria,
    GeoSummary as GeoSummary,
    find_by_trait as find_by_trait,
    read_accessions as read_accessions,
    read_summary as read_summary,
    search_term as search_term,
    trait_term as trait_term,
)
from .open_targets import (
    Disease as Disease,
    DiseaseAssociations as DiseaseAssociations,
    OpenTargets as OpenTargets,
    choose_diseases as choose_diseases,
    fetch_associations as fetch_associations,
)
from .verification import (
    CheckedFile as CheckedFile,
    FileState as FileState,
    ListedFile as ListedFile,
    Manifest as Manifest,
    data_files as data_files,
    describe_files as describe_files,
    fetched_manifest as fetched_manifest,
    manifest_base as manifest_base,
    read_manifest as read_manifest,
    unreadable as unreadable,
    verify_folder as verify_folder,
    write_manifest as write_manifest,
)
from .web import WebClient as WebClient
from .xena import (
    XENA_COHORTS as XENA_COHORTS,
    XenaFile as XenaFile,
    cohort_named as cohort_named,
    cohort_of_trait as cohort_of_trait,
    xena_files as xena_files,
)
from .contents import check_whole as check_whole
from .open_targets import keep_to_one_release as keep_to_one_release, write_found as write_found
from .xena import XENA as XENA
from .geo_search import trait_phrases as trait_phrases
from .series_index import (
    Concept as Concept,
    IndexMatches as IndexMatches,
    index_path as index_path,
    search_series as search_series,
    update_index as update_index,
)
