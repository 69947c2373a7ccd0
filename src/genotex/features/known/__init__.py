"""The features, one file for each."""
