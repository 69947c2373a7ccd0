"""What ``import genotex as gx`` offers, on pandas and AnnData; the steps are in other packages."""
