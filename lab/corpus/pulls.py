"""The catalogue of hostile pull requests and of their honest twins, each judged in a repository of its house.

It lies among the tests, so this needs a checkout. What is said is `bouncer judge pull`'s: unlike the tests, it takes an
issue from a file of which nobody knows whose it is.
"""

import hashlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from lab.corpus.command_line import Bouncer, judged
from lab.corpus.recording import Item

_CATALOGUE = "tests.hostile_pulls.catalogue"


def catalogue() -> dict[str, Any]:
    """`FAMILY/trick NAME`, `FAMILY/twin NAME` -> pull request, and each house broken without a trick."""
    values, known = import_module("tests.hostile_pulls.values"), import_module(_CATALOGUE)
    found = {f"control/{house.name}": values.Pull("control", "broken", house, house.broken) for house in known.HOUSES}
    for family in known.FAMILIES:
        for kind, pulls in (("trick", family.hostile), ("twin", family.honest)):
            found |= {f"{family.name}/{kind} {pull.house.name}: {pull.name}": pull for pull in pulls}
    return found


def record_pulls(bouncer: Bouncer, pulls: Mapping[str, Any], jobs: int) -> dict[str, Item]:
    """What the gate would say of each."""
    serving = import_module("tests.verification.environments.house").index
    known = import_module(_CATALOGUE)
    with serving(known.PACKAGES, known.INSTALLED) as address:
        environment = bouncer.environment(BOUNCER_PACKAGE_INDEX=address)
        calls = {name: _proposed(bouncer, pull, number) for number, (name, pull) in enumerate(pulls.items())}

        def judge(words: tuple[str, ...]) -> Item:
            return judged(bouncer.call(*words, environment=environment), "", str(bouncer.folder))

        return each(calls, judge, jobs)


def _proposed(bouncer: Bouncer, pull: Any, number: int) -> tuple[str, ...]:
    """What to call for it, once its change is a branch in the repository of its house."""
    clones = import_module("tests.support.clones")
    repository, branch = bouncer.folder / "houses" / pull.house.name, f"change-{number}"
    if not repository.exists():
        clones.commit(clones.initialise(repository), pull.house.files, "The shop")
    clones.git(repository, "checkout", "--quiet", "-b", branch, "main")
    clones.commit(repository, pull.change, "Make the sum of prices plainer")
    clones.git(repository, "checkout", "--quiet", "main")
    words = ("judge", "pull", "--repo", str(repository), "--base", "main", "--head", branch, "--json")
    if not pull.issue:
        return words
    issue = bouncer.folder / f"{hashlib.sha256(pull.issue.encode()).hexdigest()[:12]}.md"
    issue.write_text(pull.issue, "utf-8")
    return (*words, "--issue", str(issue))


def each(calls: Mapping[str, Any], judge: Callable[[Any], Item], jobs: int) -> dict[str, Item]:
    """Every one judged, so many at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip(calls, pool.map(judge, calls.values()), strict=True))
