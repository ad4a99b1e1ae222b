"""The dashboard of a repository: the figures of `bouncer report`, for those alone who may see the repository."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from threading import Event
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from sqlalchemy.exc import OperationalError

from bot.cli import main
from bot.github.fields import text as as_github_gives_it
from bot.live.precision import VerdictTally
from bot.live.verdicts import read_tallies
from bot.policy_choices import Mode
from bot.rendering import dashboard as view
from bot.storage.database import Database
from bot.storage.installations import Installations
from bot.storage.ledger import Act, Disagreement, Disagreements, Ledger
from bot.storage.subjects import SubjectRecord, Subjects
from bot.storage.tokens import new_token
from bot.storage.welcomes import Welcome, Welcomes
from fake_github import FakeGitHub
from tests.storage.records import ENTRY
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.support.waiting import eventually
from tests.webhooks.dashboards import NOW, VAGUE, filled, since
from tests.webhooks.judged import heard_of
from tests.webhooks.signing_in import sign_in, with_sign_in
from tests.webhooks.test_pages import HOSTILE, Parsed
from tests.webhooks.test_receive import settings
from webhooks import figures as figures_module
from webhooks.app import create_app

REPO = "tea-house/kettle"
PATH = f"/repositories/{REPO}"


@pytest.fixture
def repo_id(fake_github: FakeGitHub, database: Database) -> int:
    """Of a private repository with verdicts."""
    repo = fake_github.create_repository(REPO, private=True, collaborators={"maintainer": "read"})
    fake_github.install("tea-house", [REPO])
    heard_of(database, REPO, repo.id, private=True)
    filled(database, repo.id)
    return repo.id


@pytest.fixture
def client(fake_github: FakeGitHub, url: str) -> FlaskClient:
    return create_app(with_sign_in(fake_github, url)).test_client()


@pytest.fixture
def maintainer(client: FlaskClient) -> FlaskClient:
    sign_in(client)
    return client


def text(html: str) -> str:
    return " ".join(Parsed(html).text.split())


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_nobody_else_sees_anything(
    client: FlaskClient, fake_github: FakeGitHub, database: Database, repo_id: int, url: str
) -> None:
    for path in (PATH, "/repositories"):
        nobody = client.get(path)
        assert nobody.status_code == 403 and REPO not in text(nobody.text).replace(PATH, "")
        assert f'href="/login?next={path}"' in nobody.text
    sign_in(client, "reporter")
    for path in (PATH, "/repositories/tea-house/none", "/repositories/a/b", "/repositories/../x"):
        assert (client.get(path).status_code, client.get(path).text) == (404, "404: Not Found\n")
    pages = [client.get(path, headers={"Accept": BROWSER}) for path in (PATH, "/repositories/a/b", "/nowhere")]
    assert {page.status_code for page in pages} == {404} and len({page.text for page in pages}) == 1
    assert "there is nothing at this address that you may see" in pages[0].text
    assert 'href="/repositories"' in pages[0].text and "Sign in" not in pages[0].text
    listed = client.get("/repositories")
    assert listed.status_code == 200 and "judged nothing yet" in listed.text and "kettle" not in listed.text
    off = create_app(settings(url)).test_client().get(PATH)
    assert off.status_code == 403 and "BOUNCER_CLIENT_ID" in off.text and "kettle" not in off.text


def test_a_repository_of_the_same_name_that_came_later_shows_nothing_of_the_old_one(
    maintainer: FlaskClient, fake_github: FakeGitHub, database: Database
) -> None:
    fake_github.create_repository(REPO, private=True, collaborators={"maintainer": "admin"})
    fake_github.install("tea-house", [REPO])
    heard_of(database, REPO, 1, private=True)
    filled(database, 1)
    assert maintainer.get(PATH).status_code == 404


def test_a_renamed_repository_keeps_its_dashboard(
    maintainer: FlaskClient, fake_github: FakeGitHub, repo_id: int
) -> None:
    fake_github.rename_repository(REPO, "pot")
    assert maintainer.get("/repositories/tea-house/pot").status_code == 200
    assert maintainer.get(PATH).status_code == 200


def test_everything_is_shown(maintainer: FlaskClient, repo_id: int) -> None:
    answer = maintainer.get(PATH)
    assert answer.status_code == 200 and answer.headers["Cache-Control"] == "private, no-store"
    shown = text(answer.text)
    for said in (
        "tea-house/kettle private 9 verdicts since",
        "People's actions confirm or contradict 4 of 5 bounces.",
        "Being judged #11 ddddddd answered by",
        "Issues to look at again 1 Issues held now 1 Find them on GitHub",
        "Issues 5 2 1 1 50% (9-91)",
        "Pull requests 3 2 1 1 50% (9-91)",
        "The report leaves out steps to reproduce. issue 2 2 1 1 50% (9-91)",
        "It breaks tests that pass without it. pull request 2 2 1 1 50% (9-91)",
        "The model does not answer. issue 1",
        "offline/1 8 4,400 1.00",
        "gpt-4.1 2 1,100 0.25",
        "#4 issue Could not be judged The model does not answer.",
        "#7 review bot's rejection The rejection holds The suggested fix passes.",
        "#7 pull request Overridden by maintainer: Bounced It breaks tests",
        "#8 pull request Bounced It breaks tests",
        "9 verdicts, at most",
        "2 of 4 bounces that people answered were right.",
        "1.25 in all",
        "critic[bot] bug 2 0 2 0 1 critic[bot] style 1 0 0 1 0",  # each by what it came to last
    ):
        assert said in shown, said
    assert f'href="https://github.com/{REPO}' not in answer.text  # but at this GitHub
    listed = maintainer.get("/repositories")
    assert f"{REPO} private 7" in text(listed.text)


@cases
def test_held_issues_are_found_by_the_labels_they_have(
    maintainer: FlaskClient, fake_github: FakeGitHub, database: Database, repo_id: int, label: str, search: str | None
) -> None:
    held = SubjectRecord(repo_id=repo_id, number=20, installation_id=3, repository=REPO, held=True, label=label)
    Subjects(database).save(held)
    links = re.findall(r'<dd>2(?: <a href="([^"]+)">Find them on GitHub</a>)?</dd>', maintainer.get(PATH).text)
    found = parse_qs(urlsplit(unescape(links[0])).query).get("q", [None])[0]
    assert found == search
    assert not links[0] or links[0].startswith(f"{fake_github.web_url}/{REPO}/issues?q=")


def test_who_has_just_installed_it_finds_the_welcome_page_after_signing_in(
    client: FlaskClient, database: Database, repo_id: int
) -> None:
    """The page after the installation is the same for everybody, and can name no repository."""
    welcome = Welcome(repo_id, 1, REPO, new_token(), "main", datetime(2026, 5, 1, tzinfo=UTC), ())
    Welcomes(database).save(welcome)
    assert '<a href="/repositories">' in client.get("/installed").text
    link = f'<a href="/welcome/{welcome.token}">What Bouncer would have said about the last issues of {REPO}</a>'
    for login, shown in (("reporter", False), ("maintainer", True)):
        sign_in(client, login)
        assert (link in client.get("/repositories").text) is shown
    assert client.get(f"/welcome/{welcome.token}").status_code == 200


@pytest.mark.parametrize("days", [30, 90, 365])
def test_the_figures_are_those_of_the_report(
    maintainer: FlaskClient, repo_id: int, url: str, monkeypatch: pytest.MonkeyPatch, days: int
) -> None:
    """No two surfaces may disagree."""
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url)
    told = CliRunner().invoke(main, ["report", "--repo", REPO, "--since", since(days).isoformat(), "--json"])
    document = json.loads(told.stdout)
    shown = text(maintainer.get(f"{PATH}?days={days}").text)
    names = {"issue": "Issues", "pull request": "Pull requests", "review bot's rejection": "Review bots' rejections"}
    sums = [row for row in document["rows"] if row["rule"] == "all"]
    assert len(sums) == 3
    for row in sums:
        share = "-"
        if row["interval"]:
            low, high = row["interval"]
            share = f"{100 * row['precision']:.0f}% ({100 * low:.0f}-{100 * high:.0f})"
        counts = " ".join(str(row[name]) for name in ("judged", "bounced", "right", "wrong"))
        assert f"{names[row['subject']]} {counts} {share} {row['missed']} {row['observed']}" in shown
    assert f"{sum(row['judged'] for row in sums)} verdicts since" in shown
    assert f"{sum(row['money'] for row in sums):.2f} in all" in shown
    assert f"{sum(each['word'] != 'no word' for each in document['bounces'])} of {len(document['bounces'])}" in shown
    assert f"--since {since(days).date()}" in shown
    assert document["claims"]
    for row in document["claims"]:
        assert " ".join(map(str, row.values())) in shown
    told = CliRunner().invoke(main, ["report", "--repo", REPO, "--since", since(days).isoformat()])
    bug = next(row for row in document["claims"] if row["topic"] == "bug")
    said = "critic[bot]: of {ran} claims about bug that could be run {held} held, {refuted} were refuted"
    assert said.format(**bug) in told.output


def test_a_report_on_one_repository_counts_no_words_of_others(
    database: Database, repo_id: int, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard_of(database, "tea-house/cup", 5)
    Disagreements(database).add(
        Disagreement(workflow_id="w", repo_id=5, number=1, who="m", at=NOW, act=Act.ACCEPT, verdict=None)
    )
    monkeypatch.setenv("BOUNCER_DATABASE_URL", url)
    told = [
        json.loads(CliRunner().invoke(main, ["report", *options, "--json"]).stdout)["without_verdict"]
        for options in (["--repo", REPO], [])
    ]
    assert told == [0, 1]


def test_it_links_to_the_welcome_while_there_is_one(maintainer: FlaskClient, repo_id: int, database: Database) -> None:
    assert "/welcome/" not in maintainer.get(PATH).text
    welcome = Welcome(repo_id, 1, REPO, new_token(), "main", NOW, ())
    Welcomes(database).save(welcome)
    shown = maintainer.get(PATH).text
    assert f'href="/welcome/{welcome.token}">What Bouncer would have said about the last issues' in shown
    assert maintainer.get(f"/welcome/{welcome.token}").status_code == 200
    Installations(database).remove_repositories(1, [repo_id])
    assert "/welcome/" not in maintainer.get(PATH).text


def test_it_has_no_words_of_the_house_and_explains_its_columns(maintainer: FlaskClient, repo_id: int) -> None:
    shown = text(maintainer.get(PATH).text)
    assert "Kind All Issues" in shown and "door" not in shown.lower()
    for column in ("missed", "observed", "answer"):
        assert column in view.DOOR_COLUMNS and f"{column}: " in shown


def test_it_is_filtered(maintainer: FlaskClient, repo_id: int) -> None:
    issues = text(maintainer.get(f"{PATH}?door=issues").text)
    assert "5 verdicts since" in issues and "on issues." in issues and "Pull requests 3" not in issues
    assert "#7 pull request" not in issues
    undecided = text(maintainer.get(f"{PATH}?decision=unavailable").text)
    assert "#4 issue" in undecided and "#1 issue" not in undecided
    assert "7 verdicts since" in text(maintainer.get(f"{PATH}?days=30").text)
    assert "10 verdicts since" in text(maintainer.get(f"{PATH}?days=365").text)
    assert "1 verdict, at most 1 in one" in text(maintainer.get(f"{PATH}?door=reviews").text)
    assert "None of this kind" in maintainer.get(f"{PATH}?door=reviews&decision=accept").text
    before = (NOW - timedelta(days=15)).isoformat()
    older = text(maintainer.get(PATH, query_string={"before": before}).text)
    assert "#2 issue" in older and "#4 issue" not in older.partition("The newest verdicts")[2]


@cases
def test_what_no_filter_can_be_is_named_with_the_mend(
    maintainer: FlaskClient, repo_id: int, query: str, mend: str
) -> None:
    answer = maintainer.get(f"{PATH}?{query}")
    assert answer.status_code == 400 and mend in answer.text


@pytest.mark.parametrize("apart", [timedelta(minutes=1), timedelta(0)], ids=["apart", "at once"])
def test_the_list_goes_on(maintainer: FlaskClient, repo_id: int, database: Database, apart: timedelta) -> None:
    for place in range(30):
        entry = replace(ENTRY, workflow_id=f"more:{99 - place}", repo_id=repo_id, number=100 + place, seq=place)
        Ledger(database).add(replace(entry, at=NOW - place * apart, mode=Mode.OBSERVE, verdict=VAGUE))
    first = maintainer.get(f"{PATH}?days=30")
    assert "#124 issue" in text(first.text) and "#125 issue" not in text(first.text) and "observed only" in first.text
    link = first.text.partition('href="?')[2].partition('"')[0].replace("&amp;", "&")
    second = text(maintainer.get(f"{PATH}?{link}").text)
    assert "#125 issue" in second and "#129 issue" in second and "#124 issue" not in second


def test_nothing_a_stranger_wrote_is_alive(
    maintainer: FlaskClient, fake_github: FakeGitHub, database: Database, repo_id: int
) -> None:
    plain = Parsed(maintainer.get(PATH).text).tags
    other = fake_github.create_repository("tea-house/cup", private=True, collaborators={"maintainer": "read"})
    fake_github.install("tea-house", ["tea-house/cup"])
    heard_of(database, "tea-house/cup", other.id, private=True)
    filled(database, other.id, as_github_gives_it(HOSTILE))
    html = maintainer.get("/repositories/tea-house/cup").text
    assert Parsed(html).tags == plain
    for dead in ("<script", "\u202e", "\u200b", "\x00"):
        assert dead not in html


def test_it_has_no_script_and_nothing_from_elsewhere(maintainer: FlaskClient, repo_id: int) -> None:
    answer = maintainer.get(PATH)
    policy = answer.headers["Content-Security-Policy"]
    assert policy == (
        "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )
    parsed = Parsed(answer.text)
    assert {tag for tag, _ in parsed.tags}.isdisjoint({"script", "img", "iframe", "style", "object"})
    assert not any("style" in names or any(name.startswith("on") for name in names) for _, names in parsed.tags)
    assert answer.headers["Referrer-Policy"] == "no-referrer"


def test_without_its_database_it_asks_for_patience(
    maintainer: FlaskClient, repo_id: int, databases: Databases, url: str
) -> None:
    databases.lose(url)
    for path in (PATH, "/repositories"):
        assert maintainer.get(path).status_code == 503


def test_very_many_are_counted_beside_from_the_first_look_on_and_the_page_asks_again(
    maintainer: FlaskClient, repo_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting, failed = Event(), [OperationalError("count", None, Exception())]

    def slowly(database: Database, repo: int, starts: Sequence[datetime]) -> list[VerdictTally]:
        assert counting.wait(300)
        if failed:
            raise failed[0]
        return read_tallies(database, repo, starts)

    monkeypatch.setattr(figures_module, "read_tallies", slowly)
    monkeypatch.setattr(figures_module, "MOST_AT_ONCE", 6)
    for _ in range(2):
        first = maintainer.get(PATH)
        assert first.status_code == 200 and first.headers["Refresh"] == "2"
        shown = text(first.text)
        assert "are being counted for the first time" in shown and "The newest verdicts" in shown
        assert "How often it was right" not in shown and "verdicts since" not in shown
    counting.set()
    eventually(lambda: maintainer.get(PATH).status_code == 503)  # it fails: said, and not promised for ever
    failed.clear()
    last = maintainer.get(PATH)
    assert last.status_code == 200 and "Refresh" not in last.headers and "9 verdicts since" in text(last.text)

    again = maintainer.get(f"{PATH}?days=365")  # never counted
    assert again.headers["Refresh"] == "2"
    eventually(lambda: "10 verdicts since" in text(maintainer.get(f"{PATH}?days=365").text))
