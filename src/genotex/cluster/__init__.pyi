from .address import Address as Address, read_address as read_address
from .executor import DaskExecutor as DaskExecutor
from .task_process import (
    PieceReply as PieceReply,
    SharedCall as SharedCall,
    TaskProcess as TaskProcess,
)
