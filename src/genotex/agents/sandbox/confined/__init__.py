"""The processes of a confined session: standard library only, relative imports only.

The supervisor starts as ``python -I -S`` and imports this folder as a package of its own, without
``genotex`` around it: hence the relative imports, and nothing from the rooms outside.
"""
