"""A verdict's signed statement, beside its page: for whoever may see that, and as it stands at that moment."""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from flask.testing import FlaskClient

from bot.cli import main
from bot.policy_file import PolicySource
from bot.pulls.result import PullResult
from bot.settings import SettingsError
from bot.statements.keys import make_key
from bot.storage.database import Database
from bot.storage.gates import GateRecord, Gates, GateState
from bot.storage.judgements import Judgements
from bot.storage.overrides import Override, Overrides
from bot.storage.retention import Retention
from bot.verdicts import Decision
from bot.verification.evidence import TrialDigests
from tests.pulls.results import changed
from tests.webhooks.judged import HEAD, NOW, heard_of, judged, judgement
from tests.webhooks.test_receive import settings
from webhooks.app import create_app

LINK = "Download this verdict as a signed statement."


@pytest.fixture
def database(database: Database) -> Database:
    heard_of(database)
    return database


@pytest.fixture
def client(database: Database, url: str, tmp_path: Path) -> FlaskClient:
    make_key(tmp_path / "key.pem")
    return create_app(settings(url, statement_key_path=tmp_path / "key.pem")).test_client()


def accepted() -> PullResult:
    told = changed(judged(), digests=TrialDigests("c" * 40, "1" * 64, "2" * 64, "3" * 64))
    verdict = replace(told.verdict, decision=Decision.ACCEPT)
    return replace(told, verdict=verdict, base="b" * 40, policy=PolicySource.of("mode: enforce\n"))


def page(database: Database, told: PullResult, run_id: str = "judging:1", **known: timedelta) -> str:
    judgements = Judgements(database)
    at = NOW + known.get("later", timedelta())
    judgements.keep(replace(judgement(told, run_id=run_id), at=at))
    return f"/verdicts/{judgements.trail(2**40, 7)[0].token}"


def check(client: FlaskClient, path: str, there: Path, *options: str) -> Result:
    """As somebody with nothing but the file and the public key does."""
    answer = client.get(f"{path}/statement.json")
    assert answer.status_code == 200 and answer.mimetype == "application/vnd.dsse.envelope.v1+json"
    assert answer.headers["Cache-Control"] == "private, no-store"
    (there / "said.json").write_bytes(answer.data)
    (there / "public.pem").write_bytes(client.get("/statement-key.pem").data)
    given = ["verify-statement", str(there / "said.json"), "--key", str(there / "public.pem"), "--json", *options]
    return CliRunner().invoke(main, given)


def test_it_says_what_the_page_says_and_is_checked_without_the_server(
    client: FlaskClient, database: Database, tmp_path: Path
) -> None:
    path = page(database, accepted())
    assert LINK in client.get(path).text and f'href="{path.rpartition("/")[2]}/statement.json"' in client.get(path).text
    done = check(client, path, tmp_path, "--head", HEAD, "--repo", "tea-house/kettle", "--tree", "c" * 40)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    said = told["statement"]["predicate"]
    assert told["unknown"] == []
    assert said["repository"]["uri"] == "https://github.com/tea-house/kettle" and said["pullRequest"] == 7
    assert said["environment"] == {"digest": {"sha256": "2" * 64}, "ofHead": {"sha256": "3" * 64}}
    assert said["reason"] == "It breaks tests that pass without it." and said["judgedAt"] == "2026-03-04T15:00:00Z"


def test_a_verdict_of_before_this_version_says_what_it_knows(
    client: FlaskClient, database: Database, tmp_path: Path
) -> None:
    done = check(client, page(database, judged()), tmp_path)
    unknown = ["the base", "the merged tree", "the policy", "the environment", "the tests"]
    assert done.exit_code == 1 and json.loads(done.stdout)["unknown"] == unknown


def test_an_override_is_what_it_says(client: FlaskClient, database: Database, tmp_path: Path) -> None:
    path = page(database, judged())
    word = Override(
        id="comment 1", repo_id=2**40, number=7, head=HEAD, who="ann", permission="admin", reason="Known.", at=NOW
    )
    Overrides(database).add(word)
    overridden = check(client, path, tmp_path)
    assert overridden.exit_code == 1 and "ann overrode the verdict, which was BOUNCE" in overridden.stderr
    assert check(client, path, tmp_path, "--allow-override").exit_code == 0
    Overrides(database).end(2**40, 7, by="ann", at=NOW)
    assert "The verdict is BOUNCE" in check(client, path, tmp_path, "--allow-override").stderr


def test_an_override_into_another_branch_is_none(client: FlaskClient, database: Database, tmp_path: Path) -> None:
    """Its author pointed the pull request elsewhere: the check counts it no more, and so do page and statement."""
    path, gates = page(database, judged()), Gates(database)
    gate = GateRecord(repo_id=2**40, number=7, installation_id=1, repository="tea-house/kettle", head=HEAD)
    word = Override(
        id="comment 1", repo_id=2**40, number=7, head=HEAD, who="ann", permission="admin", reason="Known.", at=NOW
    )
    Overrides(database).add(replace(word, base_branch="release"))
    gates.save(replace(gate, base_branch="release", state=GateState.DONE))
    assert check(client, path, tmp_path, "--allow-override").exit_code == 0
    gates.save(replace(gate, base_branch="main", state=GateState.DONE))
    assert "The verdict is BOUNCE" in check(client, path, tmp_path, "--allow-override").stderr
    assert "overrides this verdict" not in client.get(path).text


def test_nothing_is_stated_while_the_commit_is_judged_anew(client: FlaskClient, database: Database) -> None:
    """Its check waits as well. A verdict on an earlier commit stays what it was."""
    path, gates = page(database, accepted()), Gates(database)
    gate = GateRecord(repo_id=2**40, number=7, installation_id=1, repository="tea-house/kettle", head=HEAD)
    for state, head, status in (
        (GateState.JUDGING, HEAD, 503),
        (GateState.JUDGING, "d" * 40, 200),
        (GateState.DONE, HEAD, 200),
    ):
        gates.save(replace(gate, state=state, head=head))
        answer = client.get(f"{path}/statement.json")
        assert (answer.status_code, "Retry-After" in answer.headers) == (status, status == 503)


def test_a_newer_verdict_on_the_same_commit_ends_an_older_one(
    client: FlaskClient, database: Database, tmp_path: Path
) -> None:
    old = page(database, accepted())
    page(database, replace(judged(), head="d" * 40), "judging:2", later=timedelta(minutes=1))
    assert check(client, old, tmp_path).exit_code == 0, "one on another commit says nothing of this one"
    new = page(database, judged(), "judging:3", later=timedelta(minutes=2))
    done = check(client, old, tmp_path)
    assert done.exit_code == 1 and "There is a newer verdict on this commit, of 2026-03-04 15:02 UTC" in done.stderr
    assert "The verdict is BOUNCE" in check(client, new, tmp_path).stderr


def test_it_is_there_for_whoever_may_see_the_page(client: FlaskClient, database: Database, url: str) -> None:
    path = page(database, accepted())
    heard_of(database, private=True)
    refused = client.get(f"{path}/statement.json")
    assert refused.status_code == 403 and "payload" not in refused.text
    for nobody in (f"/verdicts/{'x' * 43}/statement.json", f"{path[:-1]}/statement.json"):
        assert client.get(nobody).status_code == 404
    heard_of(database)
    without = create_app(settings(url)).test_client()
    assert LINK not in without.get(path).text
    assert without.get(f"{path}/statement.json").status_code == 404
    assert without.get("/statement-key.pem").status_code == 404


def test_what_age_removed_is_stated_no_more(client: FlaskClient, database: Database) -> None:
    path = page(database, accepted())
    Retention(database).remove_pages(NOW + timedelta(days=400))
    assert LINK not in client.get(path).text
    assert client.get(f"{path}/statement.json").status_code == 404


def test_a_key_that_cannot_be_used_is_said_at_the_start(url: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file or directory"):
        create_app(settings(url, statement_key_path=tmp_path / "none.pem"))
    (tmp_path / "odd.pem").write_text("odd")
    with pytest.raises(SettingsError, match="contains no private key"):
        create_app(settings(url, statement_key_path=tmp_path / "odd.pem"))
