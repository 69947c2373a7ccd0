"""Tests of every gene: moderated, weighted, of counts, of dependent samples."""
