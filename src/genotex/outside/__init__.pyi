from .arrays import open_hdf5 as open_hdf5, read_array as read_array
from .cells import Schema as Schema, parse_rows as parse_rows
from .documents import (
    CORRECT_IT as CORRECT_IT,
    parse_json as parse_json,
    parse_toml as parse_toml,
    read_json as read_json,
)
from .limits import (
    VARIABLE as VARIABLE,
    Gauge as Gauge,
    Limits as Limits,
    current_limits as current_limits,
    process_limits as process_limits,
    use_limits as use_limits,
)
from .packaged import packaged as packaged, packaged_toml as packaged_toml
from .parquet import check_parquet as check_parquet, read_parquet as read_parquet
from .tars import (
    StoredFile as StoredFile,
    check_tar as check_tar,
    stored_file as stored_file,
    stored_files as stored_files,
    tar_members as tar_members,
)
from .unpacking import (
    CHUNK as CHUNK,
    FETCH_AGAIN as FETCH_AGAIN,
    GZIP_MAGIC as GZIP_MAGIC,
    HDF5_MAGIC as HDF5_MAGIC,
    PARQUET_MAGIC as PARQUET_MAGIC,
    ZIP_MAGIC as ZIP_MAGIC,
    Packing as Packing,
    packing_of as packing_of,
    read_document as read_document,
    read_whole as read_whole,
    unpack as unpack,
    unreadable as unreadable,
    zstd_size as zstd_size,
)
from .unpacking import check_upload as check_upload
from .zips import check_zip as check_zip, need_openpyxl as need_openpyxl, read_sheets as read_sheets
