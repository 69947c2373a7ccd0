from .quality.cohorts import CohortQuality as CohortQuality
from .tables import PageTable as PageTable, Rows as Rows, TableQuery as TableQuery
from .access.security import Access as Access
from .access.server import create_app as create_app
from .access.serving import serve as serve
from .data.sheets import EditedSheet as EditedSheet
from .access.codes import PrivateFolder as PrivateFolder
from .atlas.atlases import Atlases as Atlases
from .data.uploads import Sent as Sent, keep_series as keep_series, keep_tables as keep_tables
from .pages import plainly as plainly
