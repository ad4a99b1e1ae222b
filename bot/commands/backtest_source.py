"""Where `bouncer backtest` takes a repository's past from: a folder with an export and a clone, or GitHub."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bot.backtest.export import ISSUES, TIMELINE, read_export
from bot.backtest.judging import TemplatesOf, templates_of
from bot.backtest.pulls import PastPull, read_pulls
from bot.backtest.values import RepositoryPast
from bot.commands.own_clone import commit_of, open_clone
from bot.commands.shared import InputError
from bot.settings import Settings

READ_FOR_EACH = 5  # pull requests that are read for each that is judged: most are people's
NO_TEMPLATES = "Issue templates are not known, so their text counts as the reporter's; --clone gives them."


@dataclass(frozen=True, slots=True)
class BacktestSource:
    """clone: git's directory, `None` where there is none. kept: where verdicts on pull requests are kept. notes: what
    the reader should know, as sentences."""

    past: RepositoryPast
    pulls: tuple[PastPull, ...]
    templates: TemplatesOf
    clone: Path | None
    kept: Path
    notes: tuple[str, ...]


def source_of(
    held: ExitStack, source: str, issues: int, pulls: int, clone: Path | None, branch: str, settings: Settings
) -> BacktestSource:
    """As long as `held` lasts. pulls: how many are read. Raises `InputError` and `ExportError`."""
    if Path(source).is_dir():
        return _exported(held, Path(source), issues, clone, branch, settings)
    from bot.commands.backtest_github import fetch_export, history_of  # PyGithub takes a while to import

    folder, name, notes, repository = fetch_export(source, issues, pulls, settings)
    past, found = read_export(folder, name, issues, private=repository.private), read_pulls(folder)
    try:
        directory, head = history_of(repository, settings, [pull.proposal.number for pull in found])
    except InputError as error:
        return _built(past, found, None, folder, (*notes, str(error)))
    return _built(past, found, (directory, head), folder, notes)


def _exported(
    held: ExitStack, folder: Path, issues: int, clone: Path | None, branch: str, settings: Settings
) -> BacktestSource:
    if (folder / ISSUES).is_file() and not (folder / TIMELINE).is_file():
        raise InputError(
            f"{folder}: there is no {TIMELINE} in it, so it is unknown what happened to the issues. docs/backtest.md "
            "says how to make an export."
        )
    past, pulls = read_export(folder, "", issues), read_pulls(folder)
    kept = settings.cache_dir / "backtest" / past.name.replace("/", "+").lower()
    if clone is None:
        return _built(past, pulls, None, kept, ())
    own = open_clone(held, clone)
    head = commit_of(own, clone, "--branch", branch)
    return replace(_built(past, pulls, (own.directory, head), kept, ()), clone=clone)


def _built(
    past: RepositoryPast, pulls: Sequence[PastPull], git: tuple[Path, str] | None, folder: Path, notes: tuple[str, ...]
) -> BacktestSource:
    templates = templates_of(*git) if git else lambda _: ()
    return BacktestSource(past, tuple(pulls), templates, git[0] if git else None, folder / "verdicts.jsonl", notes)
