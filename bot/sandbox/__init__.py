"""Running code nobody trusts: one port, its executors, and no way around them."""
