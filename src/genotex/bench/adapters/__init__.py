"""The benchmark for agents of other frameworks: tasks of Inspect AI, task folders of Harbor."""
