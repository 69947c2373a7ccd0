"""The workbench and the atlas at full size, and how well the atlas compares."""
