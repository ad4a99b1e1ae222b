"""The branch of the version that a report is about, and whether the fix is on it."""

from pathlib import Path

from bot.already_fixed.reading.version import line_of, unfixed_branch
from bot.history.values import Candidate
from tests.already_fixed.house import repository
from tests.support.cases import cases
from tests.support.clones import git

BRANCHES = ("main", "2.x", "2.3.x", "release/1.4", "maintenance/3.0", "v4.x", "12-crash", "2.3.1", "fix/2.3", "2024")


@cases
def test_the_branch_is_the_named_one_or_that_of_the_version(text: str, version: str, branch: str | None) -> None:
    assert line_of(dict.fromkeys(BRANCHES, "a" * 40), text, version) == branch


def test_whether_the_fix_is_on_it(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n", "a = 3\n")
    fix = Candidate(shas[1], "Mend it", "", 0.9, (), False, None, None, ())

    def missing(tip: str, *back_ports: str) -> str:
        found = Candidate(fix.commit, fix.subject, "", 0.9, (), False, None, None, back_ports)
        return unfixed_branch(there.directory, {"2.x": tip}, found, text="", version="2.1")

    git(there.directory, "checkout", "--quiet", "-b", "2.x", shas[0])
    git(there.directory, "commit", "--quiet", "--allow-empty", "--message", "Mend it here")
    beside = git(there.directory, "rev-parse", "HEAD")
    assert missing(shas[0]) == "2.x"
    assert missing(shas[1]) == missing(shas[2]) == ""
    assert missing(beside) == "2.x"
    assert missing(beside, beside) == ""
    assert unfixed_branch(there.directory, {"2.x": shas[0]}, None, text="", version="2.1") == ""
