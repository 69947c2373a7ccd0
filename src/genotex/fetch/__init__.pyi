from .addresses import base_address as base_address
from .client_limits import ClientLimits as ClientLimits
from .contents import Content as Content
from .download import Progress as Progress, Wanted as Wanted
from .folder import (
    FetchFolder as FetchFolder,
    Fetched as Fetched,
    journal_path as journal_path,
    open_fetch_folder as open_fetch_folder,
)
from .web import WebClient as WebClient
