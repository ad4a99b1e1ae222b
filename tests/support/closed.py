"""A directory that other users of this machine cannot list."""

from pathlib import Path


def assert_closed(directory: Path) -> None:
    assert directory.stat().st_mode & 0o066 == 0, directory
