"""Which closed issues have the same symptoms as a report: what closed one of them may have fixed it."""

import logging

from bot.already_fixed.reading.tracebacks import alike, symptoms
from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError
from bot.issues.parse import parse
from bot.reports import IssueText, Report

MOST = 5  # closed issues

log = logging.getLogger(__name__)


def relatives(client: RepositoryClient, report: Report, number: int | None) -> tuple[int, ...]:
    """Their numbers, the likest first by GitHub's measure. None where GitHub does not answer: nothing depends on it."""
    own = symptoms(report.visible_title, report.visible_text)
    if not own.words:
        return ()
    try:
        found = client.find_closed_issues(own.words)
    except GitHubError as error:
        log.warning("closed issues like %s#%s: %s", client.repository.full_name, number, error)
        return ()
    read = ((issue.number, parse(IssueText(issue.title, issue.body))) for issue in found if issue.number != number)
    same = (each for each, other in read if alike(own, symptoms(other.visible_title, other.visible_text)))
    return tuple(same)[:MOST]
