"""Verdicts as signed in-toto statements: the envelope, the keys, and checking one without a network."""
