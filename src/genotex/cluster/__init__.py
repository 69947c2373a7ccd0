"""Many machines: the pieces of work of a command on the workers of Dask distributed."""
