"""Acquisition: files of the public databases, fetched with manners and checked before they count.

The way through the room: `web` asks servers (within the `addresses` that are allowed and by the
`manners` they want), `download` brings one file to its place and `contents` says whether it is
what it should be, `folder` is an input folder with its journal. On top of these stand the
databases.
"""

from genotex.fetch.addresses import base_address
from genotex.fetch.client_limits import Manners
from genotex.fetch.contents import Content
from genotex.fetch.download import Progress, Wanted
from genotex.fetch.folder import Fetched, FetchFolder, journal_path, open_fetch_folder
from genotex.fetch.web import WebClient

__all__ = [
    "Content",
    "FetchFolder",
    "Fetched",
    "Manners",
    "Progress",
    "Wanted",
    "WebClient",
    "base_address",
    "journal_path",
    "open_fetch_folder",
]
