"""A process of its own that prepares one job, starts bubblewrap as an unprivileged user and reports what happened.

Runs as `python -I -S` under an empty environment: only the standard library, and as little of that as can be, since
every job waits for these imports.
"""
