"""The commit that running alone names."""

from dataclasses import replace
from pathlib import Path

from bot.already_fixed.values import FixedFacts
from bot.github import git
from bot.github.errors import GitHubError
from bot.history.refs import first
from bot.history.values import Candidate

_LINE = 10_000  # bytes
_NAMES = 1_000_000
_WHY = "The first commit at which what the report shows does not fail."


def with_proven(directory: Path, facts: FixedFacts) -> FixedFacts:
    """The facts with the commit that running named, with its release; as they are where history has it.

    directory: the repository with its tags.
    """
    if facts.fixed_by is None or any(each.commit == facts.fixed_by for each in facts.candidates):
        return facts
    try:
        found = proven(directory, facts.fixed_by)
    except GitHubError:
        return facts
    return replace(facts, proven=found)


def proven(directory: Path, sha: str) -> Candidate:
    """It as a candidate, with the release that first contains it. Raises a `GitHubError`."""
    told = git.read(directory, "log", "--max-count=1", "--no-show-signature", "--format=%cI%x00%s", sha, most=_LINE)
    at, _, subject = told.decode("utf-8", "replace").rstrip("\n").partition("\0")
    words = ("for-each-ref", f"--contains={sha}", "--format=%(refname:lstrip=2)", "refs/tags")
    tags = git.read(directory, *words, most=_NAMES).decode("utf-8", "replace").splitlines()
    return Candidate(sha, subject, at, 1.0, (_WHY,), False, first(tags), None, (), likely=True)
