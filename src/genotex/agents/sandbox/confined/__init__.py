"""What runs beside and inside a confined session: the standard library only, and only itself.

The supervisor starts as ``python -I -S`` and imports this folder as a package of its own, without
``genotex`` around it: hence the relative imports, and nothing from the rooms outside.
"""
