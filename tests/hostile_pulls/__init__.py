"""Pull requests that try to be merged though a test of the base breaks, or one of their own fails; and honest twins."""
