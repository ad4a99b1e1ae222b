"""What is known of whether issues are fixed: as the look found it, and as it counts for a pull request."""

from bot.already_fixed.finding import FOUND, FixFinding
from bot.github.values import LinkedIssue
from bot.pulls.already_fixed import SearchedIssue, may_be_unneeded
from bot.storage.fixes import Fixes, FixRecord, Used
from bot.workflows.issue.replies import digest_of


def finding_of(record: FixRecord | None) -> FixFinding | None:
    """What the last look found; `None` while there is nothing."""
    return FOUND.validate_json(record.found) if record is not None and record.found else None


def stored_searches(fixes: Fixes, repo_id: int, issues: tuple[LinkedIssue, ...]) -> tuple[SearchedIssue, ...]:
    """What is known of the fix of each of these; nothing unless it is known of all, as they are written now, and nobody
    disagreed."""
    found = []
    for issue in issues:
        record = fixes.get(repo_id, issue.number)
        known = _as_written(record, issue)
        if record is None or record.objected or known is None:
            return ()
        found.append(SearchedIssue(issue.number, known))
    return tuple(found)


def _as_written(record: FixRecord | None, issue: LinkedIssue) -> FixFinding | None:
    """What was found for the text that stands there now."""
    known = finding_of(record)
    return known if known and known.text == digest_of(issue) else None


def current_basis(fixes: Fixes, repo_id: int, issues: tuple[int, ...]) -> Used:
    """What a pull request held against these would be judged by: whether running showed of each that it is fixed, and
    nobody disagreed."""
    records = [record for number in issues if (record := fixes.get(repo_id, number)) and not record.objected]
    agreed = tuple(SearchedIssue(record.number, known) for record in records if (known := finding_of(record)))
    return Used(issues, unneeded=len(agreed) == len(issues) and may_be_unneeded(agreed))
