"""Looks for the fix of what a report says: history, search, reproductions in the sandbox, the answer."""

from dataclasses import dataclass

from bot.fixed.extract import extract
from bot.fixed.values import Fixed, Reproduction, Run
from bot.github.channel import Credential
from bot.github.values import Repository
from bot.issues.parse import parse
from bot.judges.spend import Spend
from bot.policy import Verify
from bot.rendering.fixed import Found
from bot.reports import IssueText
from bot.settings import Settings
from bot.verdicts import FixStatus


@dataclass(frozen=True, slots=True)
class Suspect:
    """A report that may be fixed already. report: all that people wrote. text: names its title and body. verify: how
    the repository's code is set up."""

    repository: Repository
    number: int
    report: IssueText
    text: str
    verify: Verify


class Examiner:
    """`examine` takes minutes. One for the whole process."""

    def __init__(self, settings: Settings, spend: Spend) -> None:
        self._settings = settings

    def examine(self, suspect: Suspect, credential: Credential) -> Found:
        """Raises `GitHubError`."""
        return Found(suspect.text, "", Fixed(FixStatus.UNKNOWN, 0.0, reasons=("Nothing was looked at.",)))

    def tried(
        self, repository: Repository, sha: str, found: Found, verify: Verify, credential: Credential
    ) -> dict[str, Run]:
        """What the reproductions of a found fix show at another commit, by name. Raises `GitHubError`."""
        return {}

    def shown(self, report: IssueText) -> tuple[Reproduction, ...]:
        """What a report shows that could be run."""
        read = parse(report)
        return extract(read.visible_title, read.visible_text).reproductions
