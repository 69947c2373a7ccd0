"""The team of agents: ablations, faults, overhead, the sandbox."""
