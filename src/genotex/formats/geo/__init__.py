"""Files of GEO: series matrix, SOFT, platform tables and NCBI counts."""
