"""Commands that start agents, sandboxes and servers."""
