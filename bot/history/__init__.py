"""A repository's history as evidence: an index over its changes, and the ones that fit a report. Judges nothing."""
