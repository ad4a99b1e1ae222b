"""A dashboard's figures: when they are counted anew, beside or at once, and what is kept of them."""

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import NoReturn

import pytest

from bot.live.precision import VerdictTally
from bot.live.verdicts import read_tallies
from bot.storage.database import Database
from bot.storage.ledger import Ledger
from tests.storage.records import ENTRY
from tests.support.waiting import eventually
from tests.webhooks.dashboards import NOW, VAGUE, filled, since
from tests.webhooks.judged import heard_of
from tests.webhooks.test_receive import settings
from webhooks import figures as figures_module
from webhooks.app import create_app
from webhooks.figures import FiguresCache


@pytest.fixture
def repo_id(database: Database) -> int:
    """Of a repository with verdicts."""
    heard_of(database, "tea-house/kettle", 7)
    filled(database, 7)
    return 7


def test_few_verdicts_are_always_counted_anew_and_many_beside(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 600.0)  # however busy this machine is
    kept, start, now = FiguresCache(database, tmp_path), since(90), datetime.now(UTC)
    first = kept.of(repo_id, start, now)
    assert kept.of(repo_id, start, now) is first
    more = replace(ENTRY, workflow_id="more", repo_id=repo_id, number=50, at=NOW, verdict=VAGUE)
    Ledger(database).add(more)
    second = kept.of(repo_id, start, now)
    assert second.figures.verdicts == first.figures.verdicts + 1
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 0.0)
    Ledger(database).add(replace(more, workflow_id="even more"))
    assert kept.of(repo_id, start, now) is second
    kept.wait()
    assert kept.of(repo_id, start, now).figures.verdicts == first.figures.verdicts + 2


def test_a_few_dashboards_are_counted_beside_at_a_time_however_many_are_looked_at(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Deliveries would wait for the processor; pages have a limit of their own, which counting beside is not under."""
    going_on, begun = Event(), []
    kept, start, now = FiguresCache(database, tmp_path), since(90), datetime.now(UTC)

    def slowly(database: Database, repo: int, starts: Sequence[datetime]) -> list[VerdictTally]:
        begun.append(repo)
        assert going_on.wait(300)
        return read_tallies(database, repo, starts)

    monkeypatch.setattr(figures_module, "read_tallies", slowly)
    monkeypatch.setattr(figures_module, "MOST_AT_ONCE", -1)
    ids = range(repo_id, repo_id + 5)
    assert not any(kept.of(each, start, now) for each in ids)
    eventually(lambda: len(begun) == figures_module.MOST_BESIDE)
    going_on.set()
    kept.wait()
    assert sorted(begun) == [*ids][: figures_module.MOST_BESIDE]
    eventually(lambda: all(kept.of(each, start, now) for each in ids))  # whoever asks again has a turn


def test_a_count_that_breaks_is_told_to_who_looks_next(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever broke it: a page that promises the figures in a few seconds would do so for ever."""
    monkeypatch.setattr(figures_module, "MOST_AT_ONCE", -1)
    kept, start, now = FiguresCache(database, tmp_path), since(90), datetime.now(UTC)

    def breaks(*given: object) -> NoReturn:
        raise ValueError("no such rule")

    with monkeypatch.context() as broken, pytest.raises(ValueError, match="no such rule"):
        broken.setattr(figures_module, "figures_of", breaks)
        assert kept.of(repo_id, start, now) is None
        kept.wait()
        kept.of(repo_id, start, now)
    assert kept.of(repo_id, start, now).figures.verdicts


def test_who_looks_while_somebody_counts_waits_for_that_count(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However many look at a dashboard at once, it is counted once; nobody waits for another one's."""
    counting, done, read = Event(), Event(), []
    kept, start, now = FiguresCache(database, tmp_path), since(90), datetime.now(UTC)

    def slowly(database: Database, repo: int, starts: Sequence[datetime]) -> list[VerdictTally]:
        read.append(repo)
        counting.set()
        assert repo != repo_id or done.wait(300)
        return read_tallies(database, repo, starts)

    monkeypatch.setattr(figures_module, "read_tallies", slowly)
    with ThreadPoolExecutor() as threads:
        looking = [threads.submit(kept.of, repo_id, start, now) for _ in range(4)]
        assert counting.wait(300)
        assert kept.of(repo_id + 1, start, now).figures.verdicts == 0
        done.set()
        first, *others = (each.result(30) for each in looking)
    assert all(each is first for each in others)
    assert sorted(read) == [repo_id, repo_id + 1]


def test_a_start_and_a_new_day_begin_with_what_was_counted_last(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 0.0)
    start, now = since(90), datetime.now(UTC)
    counted = FiguresCache(database, tmp_path).of(repo_id, start, now)
    assert counted.figures.newest
    assert "somebody" not in "".join(path.read_text() for path in tmp_path.rglob("*.json")), "nobody is named"

    again = FiguresCache(database, tmp_path)
    assert again.of(repo_id, start, now) == counted
    day = timedelta(days=1)
    assert again.of(repo_id, start + day, now + day) == counted, "the last count, with its time"
    again.wait()
    assert again.of(repo_id, start + day, now + day).at == now + day


def test_a_file_of_figures_that_cannot_be_read_is_none(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 0.0)
    start, now = since(90), datetime.now(UTC)
    counted = FiguresCache(database, tmp_path).of(repo_id, start, now)
    for path in tmp_path.rglob("*.json"):
        whole = path.read_text()
        for changed in (
            '{"verdicts": 1000000}',
            whole.replace('"standing":[[null,', '"standing":[["issue",', 1),
            re.sub(r'"periods":\[\[null,', '"periods":[["pull request",', whole, count=1),
            whole.replace('{"subject":"issue"', '{"subject":"a door of tomorrow"', 1),
        ):
            assert changed != whole
            path.write_text(changed)
            assert FiguresCache(database, tmp_path).of(repo_id, start, now).figures == counted.figures
    (tmp_path / "file").write_text("")
    for place in ("file", "x" * 300):  # the second cannot even be looked for, as one that is closed to this user
        assert FiguresCache(database, tmp_path / place).of(repo_id, start, now).figures == counted.figures


def test_an_interrupted_count_leaves_no_file_behind(
    database: Database, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What a killed process left goes with the next count."""
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 0.0)

    def interrupted(file: Path, place: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "replace", interrupted)
        FiguresCache(database, tmp_path).of(repo_id, since(90), datetime.now(UTC))
    (directory,) = tmp_path.iterdir()
    assert not list(directory.iterdir())
    left, written_now = directory / "tmpleft", directory / "tmpnow"
    left.touch()
    written_now.touch()
    os.utime(left, (0, 0))
    FiguresCache(database, tmp_path).of(repo_id, since(90), datetime.now(UTC))
    assert {path.suffix or path.name for path in directory.iterdir()} == {".json", "tmpnow"}


def test_figures_are_kept_as_long_as_caches_are(
    database: Database, url: str, repo_id: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(figures_module, "SECONDS_AT_ONCE", 0.0)
    cache = tmp_path / "figures"
    FiguresCache(database, cache).of(repo_id, since(90), datetime.now(UTC))
    (file,) = cache.glob("*/*.json")
    os.utime(file, (0, datetime.now(UTC).timestamp() - 2.5 * 86_400))
    for days in (0, 3):
        FiguresCache(database, cache, days)
        assert file.exists(), days
    create_app(settings(url, cache_dir=tmp_path, keep_caches_days=2))
    assert not file.exists()
