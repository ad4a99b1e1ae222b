"""Small real git repositories, made in a test."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHEN, _LINK = "2024-05-01T12:00:00Z", "-> "
_WHO = {
    f"GIT_{role}_{part}": text
    for role in ("AUTHOR", "COMMITTER")
    for part, text in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
}
# Else every commit starts another git that looks whether there is something to tidy up.
_IDLE = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "maintenance.auto", "GIT_CONFIG_VALUE_0": "false"}


def git(directory: Path, *words: str, when: str = _WHEN) -> str:
    """git's output, run as a user would, without anybody's configuration."""
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **_WHO, **dates, **_IDLE}
    done = subprocess.run(["git", *words], cwd=directory, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def initialise(directory: Path) -> Path:
    """An empty repository whose branch is `main`."""
    directory.mkdir(parents=True, exist_ok=True)
    git(directory, "init", "--quiet", "--initial-branch=main", "--template=")  # without a dozen examples of hooks
    for place in ("hooks", "info"):
        (directory / ".git" / place).mkdir(exist_ok=True)
    return directory


def commit(directory: Path, files: Mapping[str, str | None], message: str = "A change", when: str = _WHEN) -> str:
    """Write the files (`None` deletes one, `-> there` is a link), commit everything, and tell its SHA."""
    for name, text in files.items():
        place = directory / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if text is None or text.startswith(_LINK):
            place.unlink(missing_ok=text is not None)
        if text is not None:
            place.symlink_to(text.removeprefix(_LINK)) if text.startswith(_LINK) else place.write_text(text)
    git(directory, "add", "--all")
    git(directory, "commit", "--quiet", "--allow-empty", "--message", message, when=when)
    return _head(directory)


def _head(directory: Path) -> str:
    """As a commit leaves it: git writes the branch to a file of its own."""
    head = (directory / ".git/HEAD").read_text().strip()
    kind, _, branch = head.partition(": ")
    return (directory / ".git" / branch).read_text().strip() if kind == "ref" else head
