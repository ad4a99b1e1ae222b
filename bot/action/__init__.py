"""The GitHub Action: the server's judgement in the jobs of a repository's own workflows, without a server.

Not to be mixed up with the executor `actions` (`bot/sandbox/actions.py`), which runs a server's jobs on GitHub's
machines. Each job fills an empty database with what is read back from GitHub, runs the server's own workflows on it,
and forgets it.
"""
