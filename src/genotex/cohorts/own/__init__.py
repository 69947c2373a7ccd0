"""Tables of a user, or of a submitter: layout, genes, samples."""
