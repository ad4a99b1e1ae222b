"""Every published example of the events around pull requests, through the door: answered in one line, stored or not."""

import json
from collections import Counter

import pytest

from bot.settings import Settings
from bot.storage.database import Database
from bot.storage.inbox import Inbox
from bot.workflows.delivery import AppIdentity
from bot.workflows.dispatcher import intents, reason
from tests.support.databases import Databases
from tests.support.npm import npm_package
from tests.webhooks.sending import SECRET, encoded, signed
from webhooks.app import create_app

EVENTS = ("pull_request", "pull_request_review", "check_run", "check_suite", "merge_group", "issue_comment")


@pytest.mark.contract
def test_every_published_example_is_taken_and_answered(databases: Databases) -> None:
    package = npm_package("@octokit/webhooks-examples", "7.6.1")
    index = json.loads((package / "api.github.com" / "index.json").read_text())
    url = databases.migrated()
    database = Database.open(url)
    client = create_app(Settings(webhook_secret=SECRET, database_url=url)).test_client()
    words: Counter[tuple[str, str]] = Counter()
    for entry in index:
        for example in entry["examples"] if entry["name"] in EVENTS else ():
            # As it is (some are of a repository's own webhook, which names no installation), and as an App gets it.
            for body in (encoded(example), encoded({"installation": {"id": 7}, **example})):
                answer = client.post("/webhook", data=body, headers=signed(body, event=entry["name"]))
                word, _, rest = answer.text.partition(": ")
                assert (answer.status_code, word in ("queued", "ignored"), bool(rest.strip())) == (202, True, True)
                words[entry["name"], word] += 1
    assert {event for event, word in words if word == "queued"} == {*EVENTS}
    stored = Inbox(database).oldest_queued(1000)
    assert len(stored) == sum(count for (_, word), count in words.items() if word == "queued")
    assert all(reason(intents(item.delivery, AppIdentity("bouncer", 4242))) for item in stored)
    database.close()
