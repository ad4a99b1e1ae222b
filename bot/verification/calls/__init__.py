"""A call of a program nobody trusts, made in the sandbox, and what it did, as text that can be compared."""
