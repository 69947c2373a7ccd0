"""Words: comparison, vocabulary, names of traits, keys and negation."""
