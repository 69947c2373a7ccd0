"""Results: columns, tables, records of the method, and their files."""
