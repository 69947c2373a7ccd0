"""Readers and writers of the files; they know nothing of traits or statistics."""
