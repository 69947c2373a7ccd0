"""The team: what its members can do, what they are told, and the code they write."""
