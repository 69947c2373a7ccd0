"""What a folder of data holds: Croissant for machines, a datasheet for people."""

from genotex.reports.datasets.croissant import WANTED_BY_CROISSANT
from genotex.reports.datasets.datasheet import (
    check_place,
    datasheet_json,
    datasheet_tables,
    own_files,
    write_description,
)
from genotex.reports.datasets.description import Description, describe_dataset

__all__ = [
    "WANTED_BY_CROISSANT",
    "Description",
    "check_place",
    "datasheet_json",
    "datasheet_tables",
    "describe_dataset",
    "own_files",
    "write_description",
]
