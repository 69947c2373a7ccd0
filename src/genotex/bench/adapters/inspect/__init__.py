"""The benchmark as tasks of Inspect AI (``pip install 'genotex[inspect]'``)."""
