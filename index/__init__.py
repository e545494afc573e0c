"""(to be written)."""
