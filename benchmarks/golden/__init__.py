"""Golden values of R packages for the tests (Rscript)."""
