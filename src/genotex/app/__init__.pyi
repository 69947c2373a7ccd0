from .quality.cohorts import CohortQuality as CohortQuality
from .tables import Rows as Rows, Table as Table, TableQuery as TableQuery
from .access.security import Access as Access
from .access.server import create_app as create_app
from .access.serving import serve as serve
from .data.sheets import EditedSheet as EditedSheet
