"""The issue templates of a repository as they were on a day, from a clone of it."""

from datetime import datetime
from pathlib import Path, PurePosixPath

from bot.backtest.judging import TemplatesOf
from bot.github import commits
from bot.github.errors import GitHubError
from bot.issues.templates import LARGEST, MOST, Template, read_templates

_HOME, _FOLDER, _SINGLE = ".github", "issue_template", "issue_template.md"
_SUFFIXES = (".md", ".yml", ".yaml")
_MOST_NAMES = 100_000  # bytes of the paths below .github


def templates_of(directory: Path, head: str) -> TemplatesOf:
    """directory: git's. head: the newest commit of the branch whose templates GitHub shows.

    A commit says itself when it was made. None are known where git cannot read them, or of the days before the first.
    """
    found: dict[str, tuple[Template, ...]] = {}

    def of(day: datetime) -> tuple[Template, ...]:
        try:
            sha = commits.as_of(directory, head, day) or ""
            if sha not in found:
                found[sha] = _read(directory, sha) if sha else ()
        except GitHubError:
            return ()
        return found[sha]

    return of


def _read(directory: Path, sha: str) -> tuple[Template, ...]:
    paths = [path for path in commits.names(directory, sha, _HOME, _MOST_NAMES) if _is_template(PurePosixPath(path))]
    files = {path: commits.content(directory, sha, path, LARGEST) for path in paths[:MOST]}
    return read_templates({path: text.decode(errors="replace") for path, text in files.items() if text is not None})


def _is_template(path: PurePosixPath) -> bool:
    """As GitHub finds them: one file, or those of one folder."""
    if path.suffix.lower() not in _SUFFIXES:
        return False
    alone = len(path.parts) == 2 and path.name.lower() == _SINGLE
    return alone or (len(path.parts) == 3 and path.parts[1].lower() == _FOLDER)
