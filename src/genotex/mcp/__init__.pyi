from .confinement import ConfinedFolder as ConfinedFolder
from .server import make_server as make_server, run_server as run_server
