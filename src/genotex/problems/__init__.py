"""Gene-trait association problems and the cohorts that fit them."""
