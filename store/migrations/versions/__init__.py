"""The migrations in order; see the folder above for how one is written."""
