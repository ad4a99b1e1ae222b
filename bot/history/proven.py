"""A commit that running showed to be the fix, where the search did not name it."""

from pathlib import Path

from bot.github import git
from bot.history.refs import first
from bot.history.values import Candidate

_LINE = 10_000  # bytes
_NAMES = 1_000_000


def proven(directory: Path, sha: str, why: str) -> Candidate:
    """It as a candidate, with the release that first contains it. why: a sentence. Raises a `GitHubError`."""
    told = git.bounded(directory, "log", "--max-count=1", "--no-show-signature", "--format=%cI%x00%s", sha, most=_LINE)
    at, _, subject = told.decode("utf-8", "replace").rstrip("\n").partition("\0")
    words = ("for-each-ref", f"--contains={sha}", "--format=%(refname:lstrip=2)", "refs/tags")
    tags = git.bounded(directory, *words, most=_NAMES).decode("utf-8", "replace").splitlines()
    return Candidate(sha, subject, at, 1.0, (why,), False, first(tags), None, (), likely=True)
