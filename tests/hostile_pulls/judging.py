"""One pull request through the functions of `bouncer judge pull`, on a real repository and in the real sandbox."""

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.commands.judge_pull import facts_of
from bot.commands.judge_pull_input import in_clone
from bot.commands.shared import own_settings
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.judgement import concluded
from bot.rendering.gate import gate_view
from bot.rendering.pull_reasons import reasons
from tests.hostile_pulls.values import Pull
from tests.support.clones import commit, git, initialise
from tests.support.needs import program

MERGES = ("success", "neutral", "skipped")  # GitHub lets a required check that ended so be merged


@dataclass(frozen=True, slots=True)
class Ended:
    """How the check ended in `enforce`, and what it says."""

    conclusion: str
    reasons: tuple[str, ...]

    @property
    def merges(self) -> bool:
        return self.conclusion in MERGES


def cache_for_all(factory: pytest.TempPathFactory) -> Path:
    """Of all test processes, as several workers have it: what Go and environments need is made once."""
    own = factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "cache-of-houses"


def judged(pull: Pull, directory: Path, cache: Path, index: str = "") -> Ended:
    """directory: of several pull requests to the same houses. index: from which packages are installed, where a house
    needs some. Skips where the house's own program is missing."""
    if pull.house.needs:
        program(pull.house.needs)
    repository = directory / pull.house.name
    if not repository.exists():
        commit(initialise(repository), pull.house.files, "The shop")
    base = git(repository, "rev-parse", "main")
    git(repository, "checkout", "--quiet", "--force", "-B", "change", base)
    git(repository, "clean", "--quiet", "--force", "-d", "-x")
    head = commit(repository, pull.change, "Make the sum of prices plainer")
    issue = None
    if pull.issue:
        (directory / "issue.md").write_text(pull.issue)
        issue = str(directory / "issue.md")
    settings = own_settings(judge="offline").model_copy(update={"cache_dir": cache, "package_index": index})
    with in_clone(repository, base, head, issue, settings) as proposed:
        told = concluded(facts_of(proposed, settings), head=head)
    view = gate_view(told, Mode.ENFORCE, WhenUnavailable.PASS)
    return Ended(view.conclusion or "", reasons(told))
