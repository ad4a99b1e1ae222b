"""A file a family: the ways, and what honest changes of the same shape look like."""
