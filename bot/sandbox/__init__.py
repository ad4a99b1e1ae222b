"""Running code nobody trusts: one port, three executors, and no way around them."""
