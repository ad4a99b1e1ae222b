"""A collected bug as a row of data, with SWE-bench's names of the fields, as the other benchmarks read it."""

from typing import Any

from lab.bugs.candidates import BugCandidate
from lab.bugs.trials import BugTests


def bug_row(repository: str, bug: BugCandidate, tests: BugTests) -> dict[str, Any]:
    """repository: `owner/name`. `as_opened` says whether the text is known to be that of the opening; the first line of
    `problem_statement` is the title."""
    issue = bug.issue
    return {
        "instance_id": f"{repository.replace('/', '__')}-{issue.number}",
        "repo": repository,
        "base_commit": bug.base,
        "created_at": issue.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "problem_statement": f"{issue.title}\n{issue.body}",
        "as_opened": issue.text_known,
        "patch": bug.patch,
        "test_patch": bug.test_patch,
        "FAIL_TO_PASS": list(tests.fail_to_pass),
        "PASS_TO_PASS": list(tests.pass_to_pass),
    }
