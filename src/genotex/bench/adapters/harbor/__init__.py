"""The benchmark as task folders of Harbor (``genotex bench export harbor``)."""
