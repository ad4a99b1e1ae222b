"""What came of one head commit of a pull request, as one value: deciding makes it, every view is made of it, and it is
stored as itself. Frozen."""

from dataclasses import dataclass

from pydantic import TypeAdapter

from bot.github.values import Annotation, LineNote
from bot.policy_file import PolicySource
from bot.pulls.facts import PullFacts
from bot.verdicts import Verdict

VERSION = 1  # of how it is stored
MERGED = "the merged result, executed"  # in the place of a judge


@dataclass(frozen=True, slots=True)
class PullResult:
    """The verdict on a commit, and all that it stands on.

    head: the commit; base: the one it was held against. agent: whose pull request it is, with the reason, and asked:
    what was asked for, both in words. annotations: what is said beside its lines; suggestions: a fix that was found
    right, on the same lines. GitHub never takes these back, so they are kept as they were said. diff: path and hunks of
    each file; no hunks where they would be too long. policy: where the policy was read; `None` where nobody said.
    """

    verdict: Verdict
    head: str
    base: str = ""
    facts: PullFacts = PullFacts()
    agent: str = ""
    asked: str = ""
    annotations: tuple[Annotation, ...] = ()
    suggestions: tuple[LineNote, ...] = ()
    diff: tuple[tuple[str, str], ...] = ()
    policy: PolicySource | None = None
    version: int = VERSION


def stored(result: PullResult) -> str:
    """As it is kept, JSON."""
    return _results.dump_json(result).decode()


def restored(text: str) -> PullResult:
    """From what is kept, by this version or an earlier one. Raises `ValueError`."""
    return _results.validate_json(text)


_results = TypeAdapter(PullResult)
