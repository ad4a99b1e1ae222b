"""The revision that a report is about."""

from pathlib import Path

import pytest

from bot.already_fixed.reading.version import reported_revision, said_version
from tests.already_fixed.house import repository
from tests.support.clones import git

NAMES = ("half-lib", "halves")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("I use halves 1.2.3 on Python 3.11.", "1.2.3"),
        ("halves==1.2rc1", "1.2rc1"),
        ("halves: v1.2.", "1.2"),
        (">>> halves.__version__\n'1.2.3'", ""),
        ("halves.__version__ = '1.2.3'", "1.2.3"),
        ("Half-Lib version 2.0", "2.0"),
        ("Version: 3.1", "3.1"),
        ("Python version: 3.11\nhalves version: 1.2", "1.2"),
        ("It needs halves/1.2.3", ""),
        ("It worked in halves 1.9, but fails in halves 2.0.", "2.0"),
        ("It does not work in halves 2.0, halves 1.9 is fine", "2.0"),
        ("It stopped working in halves 2.0", "2.0"),
        ("It works in version 1.9", ""),
        ("This works\nHalves 1.9 is what I have", "1.9"),
        ("<plugin><version>3.8</version></plugin>", ""),
        ("It affects also version 3.1", "3.1"),
        ("operating system version: 10.15", ""),
        ("Version 3.1", "3.1"),
        ("- Version: 3.1", "3.1"),
        ("I am using version 3.1.", "3.1"),
        ("It fails in version 3.1", "3.1"),
        ("The latest version (3.1)", "3.1"),
        ("version: `3.1`", "3.1"),
        ("Since upgrading to version 3.1 it fails", "3.1"),
        ("I use Python. Version 3.1 is what I have.", "3.1"),
        ("version 3.1 of halves", "3.1"),
        ("### Environment\n\n- Version: 3.1", "3.1"),
        ("Name: halves\nVersion: 3.1", "3.1"),
        ("Python version: 3.8\n\nVersion: 3.1", "3.1"),
        ("Package version: 3.1", "3.1"),
        ("Python version: 3.8", ""),
        ("python_version: 3.8", ""),
        ("pip version 21.0", ""),
        ("pip, version 21.0", ""),
        ("OS version 10.15", ""),
        ("- OS: Windows, version 10.15", ""),
        ("numpy version 1.20", ""),
        ("Python (version 3.8)", ""),
        ("Version 3.8 of Python", ""),
        ("version 10.15 of macOS", ""),
        ("I upgraded numpy to version 1.20", ""),
        ("On Windows in version 10.15", ""),
        ("TLS version 1.2", ""),
        ('<?xml version="1.0"?>', ""),
        ("**Python**\n- Version: 3.8", ""),
        ("Name: numpy\nVersion: 1.20", ""),
        ("- OS: iOS\n- Browser: Safari\n- Version: 22.1", ""),
        ("Python version: 3.8\nnumpy version: 1.20", ""),
        ("It takes 1.2 seconds.", ""),
        ("halves 1.2.3.4.5.6", ""),
        ("", ""),
    ],
)
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
