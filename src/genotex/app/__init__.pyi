from .quality.cohorts import CohortQuality as CohortQuality, StoredQuality as StoredQuality
from .tables import PageTable as PageTable, Rows as Rows, TableQuery as TableQuery
from .access.accounts import (
    ACCOUNTS as ACCOUNTS,
    LONGEST_PAUSE as LONGEST_PAUSE,
    LONGEST_SESSION as LONGEST_SESSION,
    add_account as add_account,
    read_accounts as read_accounts,
    remove_account as remove_account,
)
from .access.activity import LOG as LOG
from .access.links import (
    LINKS as LINKS,
    LONGEST_LINK as LONGEST_LINK,
    SHARED as SHARED,
    Links as Links,
)
from .access.security import Access as Access, UserGroup as UserGroup
from .access.server import create_app as create_app
from .access.serving import Doors as Doors, serve as serve
from .data.sheets import EditedSheet as EditedSheet
from .access.codes import PrivateFolder as PrivateFolder
from .atlas.atlases import Atlases as Atlases
from .data.uploads import Sent as Sent, keep_series as keep_series, keep_tables as keep_tables
from .pages import plainly as plainly
