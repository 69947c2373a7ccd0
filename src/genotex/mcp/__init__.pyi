from .confinement import ConfinedFolder as ConfinedFolder
from .server import make_server as make_server, run_server as run_server
from .tools import Tools as Tools
from .answers import GeneEntry as GeneEntry, report_uri as report_uri, uri_parts as uri_parts
