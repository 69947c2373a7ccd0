"""Tables in any form, one module for each.

To add one, add a module to this package with a tuple `FORMATS` of `TableFormat`.
"""
