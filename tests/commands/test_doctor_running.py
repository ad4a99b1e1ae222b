"""What `bouncer doctor` says of git, the sandbox and what else running a change takes."""

from pathlib import Path

import pytest

from bot.commands import doctor_running
from bot.commands.doctor_lines import CheckOutcome
from fake_github import FakeGitHub
from tests.commands.doctors import examine, healthy, sandboxed
from tests.support.cases import cases

__all__ = ["healthy", "sandboxed"]


def test_without_what_running_takes_it_fails_with_the_mend(
    sandboxed: FakeGitHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no directory")
    for name, value in {"EXECUTOR": "bubblewrap", "PACKAGE_INDEX": "http://127.0.0.1:9/simple"}.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value)
    monkeypatch.setenv("PATH", "/nowhere")
    found = examine()
    told = {check: found[check][0] for check in ("git", "cache", "package index", "sandbox")}
    assert {line.outcome for line in told.values()} == {CheckOutcome.FAIL}
    assert "apt-get install git" in told["git"].mend
    assert "BOUNCER_CACHE_DIR" in told["cache"].mend
    assert "127.0.0.1:9 cannot be reached" in told["package index"].says
    assert "sudo apt-get install bubblewrap" in told["sandbox"].says
    assert "verification" not in found


@cases
def test_a_git_that_cannot_merge_as_bouncer_does_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, outcome: CheckOutcome
) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\necho '{says}'\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert doctor_running.git_line().outcome is outcome


def test_a_small_verification_that_goes_wrong_fails(sandboxed: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.commands.doctor_running._WRONG", b"def half(number):\n    return number / 2\n")
    (line,) = examine("--offline")["verification"]
    assert line.outcome is CheckOutcome.FAIL
