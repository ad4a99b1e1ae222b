"""The revision that a report is about."""

from pathlib import Path

from bot.already_fixed.reading.version import reported_revision, said_version
from tests.already_fixed.house import repository
from tests.support.cases import cases
from tests.support.clones import git

NAMES = ("half-lib", "halves")


@cases
def test_the_version_that_a_report_names(text: str, version: str) -> None:
    assert said_version("A report", text, NAMES) == version


def test_the_tag_of_a_version(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n", "a = 3\n")
    for number, sha in enumerate(shas, 1):
        git(there.directory, "tag", f"v{number}.0", sha)
    git(there.directory, "tag", "nightly", shas[0])
    directory, head = there.directory, shas[1]
    assert reported_revision(directory, head, "1.0") == (shas[0], "")
    assert reported_revision(directory, head, "") == (None, "")
    assert (
        reported_revision(directory, head, "2.0")[1] == "The report names version 2.0, which is no older than the head."
    )
    assert (
        reported_revision(directory, head, "3.0")[1] == "The report names version 3.0, which is no older than the head."
    )
    assert reported_revision(directory, head, "9.9")[1] == "The report names version 9.9, which no tag stands for."


def test_the_tag_of_a_maintained_release_and_of_another_history(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n", "a = 2\n")
    git(there.directory, "checkout", "--quiet", "-b", "old", shas[0])
    git(there.directory, "commit", "--quiet", "--allow-empty", "--message", "Release")
    beside = git(there.directory, "rev-parse", "HEAD")
    git(there.directory, "tag", "1.0.1")
    git(there.directory, "checkout", "--quiet", "--orphan", "alone")
    git(there.directory, "commit", "--quiet", "--message", "Another history")
    git(there.directory, "tag", "0.9")
    assert reported_revision(there.directory, shas[1], "1.0.1") == (beside, "")
    assert "shares no history" in reported_revision(there.directory, shas[1], "0.9")[1]
