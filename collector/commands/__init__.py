"""The collector's commands, one module each."""
