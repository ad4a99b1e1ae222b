"""What came of one head commit of a pull request, as one value: deciding makes it, every view is made of it, and it is
stored as itself. Frozen."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from bot.github.values import Annotation, LineNote
from bot.policy_file import PolicySource
from bot.pulls.facts import PullFacts
from bot.verdicts import Verdict

VERSION = 1  # of how it is stored; what has none was written before there was one
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
    given: dict[str, Any] = json.loads(text)
    return _results.validate_python(given if "facts" in given else _before_versions(given), strict=False)


def _before_versions(given: dict[str, Any]) -> dict[str, Any]:
    """Before version 1 the facts stood beside the verdict, some of them under other names."""
    same = ("patch", "review", "claimed", "strength", "repair", "fix", "shown", "named")
    facts = {name: given[name] for name in same if name in given}
    facts["filtered"] = given.get("verified")
    facts["reproduced"] = {"still": given.get("still", ())}
    if given.get("unneeded"):
        facts["unneeded"] = {"issues": (), "base": given.get("base", "")}
    beside = ("verdict", "head", "base", "agent", "asked", "annotations", "suggestions")
    return {name: given[name] for name in beside if name in given} | {"facts": facts}


_results = TypeAdapter(PullResult)
