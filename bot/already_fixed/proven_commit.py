"""The commit that running alone names."""

from dataclasses import replace
from pathlib import Path

from bot.already_fixed.values import FixedFacts
from bot.github.errors import GitHubError
from bot.history.proven import proven

_WHY = "The first commit at which what the report shows does not fail."


def with_proven(directory: Path, facts: FixedFacts) -> FixedFacts:
    """The facts with the commit that running named, with its release; as they are where history has it.

    directory: the repository with its tags.
    """
    if facts.fixed_by is None or any(each.commit == facts.fixed_by for each in facts.candidates):
        return facts
    try:
        found = proven(directory, facts.fixed_by, _WHY)
    except GitHubError:
        return facts
    return replace(facts, proven=found)
