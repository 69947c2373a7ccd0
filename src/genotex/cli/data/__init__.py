"""Commands that fetch, check, describe and preprocess data."""
