"""The fix-guided filter: the rejected program beside the reviewer's own fix, and what becomes of the rejection."""
