"""Deciding by execution: a reviewer's fix against the original, a patch against its base."""
