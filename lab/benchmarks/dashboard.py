"""How long a dashboard takes at the server over 100,000 verdicts: `python -m lab.benchmarks.dashboard [--days N]`.

The verdicts are of one repository, spread evenly over a year (or `--days`), one subject in four is bounced, and people
answer half of the bounces; every subject ends as a maintainer says. A request goes through the whole application,
against the fake GitHub; the browser is left out. The goal is 100 ms. `first ever`: nothing was counted yet; each of
five times at a new application; where there are many, this page has no figures yet. `first after a start`: another one
counted before. `one new`: a verdict came since, so that the page shows what was counted last while everything is
counted anew, in the same process. With `--database` an empty PostgreSQL is filled.
"""

import json
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import requests
from flask.testing import FlaskClient
from pydantic import SecretStr
from sqlalchemy import insert
from werkzeug.test import TestResponse

from bot.live.precision import Subject
from bot.policy_choices import Mode
from bot.settings import load
from bot.storage.database import Database
from bot.storage.endings import EndingSort, endings
from bot.storage.ledger import Act, Entry, Ledger, decisions, disagreements
from bot.storage.migrate import migrate
from bot.storage.repositories import Repositories, RepositoryRecord
from bot.verdicts import (
    ChecklistItem,
    Decision,
    Effect,
    Evidence,
    IssueKind,
    Item,
    Question,
    SpecificationLabel,
    Usage,
    Verdict,
)
from fake_github import FakeGitHub
from lab.benchmarks.processes import read_options, scratch, seconds_of
from webhooks.app import create_app

REPO, PATH = "acme/kettle", "/repositories/acme/kettle"
_STARTS = 5
_BATCH = 5_000
BOUNCED = Verdict(
    Decision.BOUNCE,
    SpecificationLabel.VAGUE,
    0.9,
    "offline/1",
    IssueKind.BUG,
    ("The report leaves out steps to reproduce.",),
    tuple(ChecklistItem(item, item is Item.OBSERVED, "it fails" * 5) for item in Item),
    (Question(Item.STEPS, "What do you do, in order?", "it fails"),) * 3,
    (Evidence("steps", Effect.MISSING, "No steps are given.", "it fails" * 10, "body"),) * 6,
    ground="steps",
)
CLEAR = replace(BOUNCED, decision=Decision.ACCEPT, label=SpecificationLabel.WELL_SPECIFIED, reasons=(), ground="clear")


class Rows(Ledger):
    """Writes many at once."""

    def columns(self, entry: Entry) -> dict[str, object]:
        return self._columns(entry)


def entries(many: int, days: int, repo_id: int, now: datetime) -> Iterator[Entry]:
    for place in range(many):
        subject = Subject.ISSUE if place % 2 else Subject.PULL
        yield Entry(
            workflow_id=f"run:{place:06d}",
            subject=subject,
            repo_id=repo_id,
            number=place,
            author=f"somebody-{place % 97}",
            at=now - timedelta(days=days) * (1 - place / many),
            seq=place,
            mode=Mode.ADVISE,
            verdict=CLEAR if place % 4 else BOUNCED,
            usage=Usage(1, 1200, 90, 0.001),
        )


def fill(database: Database, many: int, days: int, repo_id: int) -> None:
    now, ledger = datetime.now(UTC), Rows(database)
    known = RepositoryRecord(repo_id=repo_id, installation_id=1, full_name=REPO, private=True, heard_at=now)
    Repositories(database).note_from_github([known])
    rows = [ledger.columns(entry) for entry in entries(many, days, repo_id, now - timedelta(minutes=1))]
    words = [
        {
            "workflow_id": f"word:{row['number']}",
            "repo_id": repo_id,
            "number": row["number"],
            "who": "maintainer",
            "at": min(now, row["at"] + timedelta(hours=3)),  # type: ignore[operator]
            "act": Act.LABEL_REMOVED,
            "verdict": None,
        }
        for row in rows
        if row["number"] % 8 == 0  # type: ignore[operator]
    ]
    ends = [
        {
            "guid": f"end:{row['number']}",
            "repo_id": repo_id,
            "number": row["number"],
            "sort": EndingSort.DONE if row["subject"] is Subject.ISSUE else EndingSort.MERGED,
            "who": "maintainer",
            "by_maintainer": True,
            "issues": (),
            "at": min(now, row["at"] + timedelta(days=2)),  # type: ignore[operator]
        }
        for row in rows
    ]
    with database.main.begin() as connection:
        for table, found in ((decisions, rows), (disagreements, words), (endings, ends)):
            for start in range(0, len(found), _BATCH):
                connection.execute(insert(table), found[start : start + _BATCH])


def sign_in(fake: FakeGitHub, url: str, cache: Path) -> FlaskClient:
    """At a new application, which knows what is kept in that directory."""
    given = {"webhook_secret": "x" * 32, "public_url": "http://127.0.0.1", "github_web_url": fake.web_url}
    settings = load(
        database_url=url,
        github_api_url=fake.url,
        client_id=fake.client[0],
        client_secret=SecretStr(fake.client[1]),
        cache_dir=cache,
        **given,
    )
    app = create_app(settings)
    client = app.test_client()
    location = client.get("/login").headers["Location"]
    back = requests.get(f"{location}&login=maintainer", allow_redirects=False, timeout=5).headers["Location"]
    client.get(back.removeprefix("http://127.0.0.1"))
    assert client.get("/repositories").status_code == 200  # GitHub was asked, connections are open
    return client


def main() -> None:
    """One line of JSON for each view."""
    options = read_options(__doc__, verdicts=100_000, days=365, database="")
    with scratch() as folder, FakeGitHub() as fake:
        repo = fake.create_repository(REPO, private=True, collaborators={"maintainer": "read"})
        fake.install("acme", [REPO])
        url = options.database or f"sqlite:///{folder}/bouncer.db"
        database = Database.open(url)
        migrate(database)
        fill(database, options.verdicts, options.days, repo.id)
        for view in (30, 90, 365):
            show(partial(sign_in, fake, url), folder / f"cache{view}", database, repo.id, f"{PATH}?days={view}")
        database.close()


def show(start: Callable[[Path], FlaskClient], cache: Path, database: Database, repo_id: int, path: str) -> None:
    """Everything about one view."""

    def ask(client: FlaskClient) -> TestResponse:
        answer = client.get(path)
        assert answer.status_code == 200, answer.text
        return answer

    def get(client: FlaskClient) -> float:
        return seconds_of(lambda: ask(client)) * 1000

    first, started = [], []
    for place in range(_STARTS):
        client = start(cache / str(place))
        first.append(get(client))
        while "Refresh" in ask(client).headers:  # it has no figures yet
            time.sleep(0.05)
    for _ in range(_STARTS):
        client = start(cache / "0")
        started.append(get(client))
    new = []
    for place in range(_STARTS):
        (entry,) = entries(1, 0, repo_id, datetime.now(UTC))
        Ledger(database).add(replace(entry, workflow_id=f"{path} new {place}"))
        new.append(get(client))
        time.sleep(2)
    times = {"first ever": first, "first after a start": started, "one new": new}
    points = {
        name: {"p50": round(statistics.median(each), 1), "max": round(max(each), 1)} for name, each in times.items()
    }
    print(json.dumps({"view": path, **points}), flush=True)


if __name__ == "__main__":
    main()
