"""Download files of the public databases, within client limits, and check them before use.

`web` is the HTTP client (allowed `addresses`, `client_limits`), `download` fetches one file and
`contents` checks it, `folder` is an input folder with its journal. One module for each database
builds on these.
"""

from genotex.fetch.addresses import base_address
from genotex.fetch.client_limits import ClientLimits
from genotex.fetch.contents import Content
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder, journal_path, open_fetch_folder
from genotex.fetch.web import WebClient

__all__ = [
    "ClientLimits",
    "Content",
    "FetchFolder",
    "Fetched",
    "Progress",
    "Wanted",
    "WebClient",
    "base_address",
    "journal_path",
    "open_fetch_folder",
]
