"""Commands from data to genes, gene sets, reports and the atlas."""
