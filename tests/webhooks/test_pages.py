"""Verdict pages: everything is there, nothing a stranger wrote is alive, and nobody comes in without the address."""

from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from typing import Any

import pytest
from flask.testing import FlaskClient

from bot.issues.facts import IssueGround
from bot.live.precision import Subject
from bot.policy_choices import Mode
from bot.pulls.result import PullResult, stored
from bot.storage.database import Database
from bot.storage.judgements import Judgements, Rejections
from bot.storage.ledger import Disagreements, Entry, Ledger
from bot.storage.overrides import Overrides
from bot.storage.retention import Retention
from bot.storage.subjects import SubjectRecord, Subjects
from bot.verdicts import Decision, Effect, Evidence, IssueKind, Item, Question, State, Usage
from bot.verification.patch_evidence import LostKills
from tests.pulls.results import changed, known
from tests.storage.records import DISAGREEMENT, ENTRY, OVERRIDE, REJECTION
from tests.support.cases import cases
from tests.support.databases import Databases
from tests.webhooks.judged import HEAD, NOW, heard_of, judged, judgement, vague
from tests.webhooks.sending import SECRET
from tests.webhooks.test_receive import settings
from webhooks.app import create_app
from webhooks.pages import spans

HOSTILE = (
    "</pre></code><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}\"'><a href=javascript:alert(1)>"
    "\u202egnp.exe\u200b\x00"
)


@pytest.fixture
def database(database: Database) -> Database:
    heard_of(database)
    return database


@pytest.fixture
def client(database: Database, url: str) -> FlaskClient:
    given = settings(url, github_web_url="https://github.example.com")
    return create_app(given).test_client()


def address(database: Database, told: PullResult, number: int = 7) -> str:
    """Where a newly kept judgement is shown."""
    judgements = Judgements(database)
    judgements.keep(judgement(told, run_id=f"judging:{number}:{told.head}", number=number))
    return f"/verdicts/{judgements.trail(2**40, number)[0].token}"


class Parsed(HTMLParser):
    """tags: how often each element begins. text: what a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.text += " "

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_page_shows_all_that_led_to_the_verdict(client: FlaskClient, database: Database) -> None:
    response = client.get(address(database, judged()))
    assert response.status_code == 200
    text = " ".join(Parsed(response.text).text.split())
    for shown in (
        "Bounced tea-house/kettle #7 commit aaaaaaa 2026-03-04 15:00 UTC It breaks tests that pass without it.",
        "It is by sprout-agent[bot], a coding agent. Judged against issue 3.",
        "What the judge sees the pot is cold Why: a guess the pot is cold",
        "the tests of the base ✓ 1 passed, 1.2 s ✗ 1 passed, 1 failed, 1.4 s",
        "the issue's examples ✗ 1 failed ✓ 1 passed",
        "the tests ✗ 1 passed, 1 failed, 1.4 s ✓ 1 passed, 1.2 s",
        "tests/test_pot.py::the pot is cold0 failed E the pot is cold",
        "pour('the pot is cold') the change as it is returns the pot is cold with a fix for it raises ValueError",
        "An opinion alone neither blocks nor passes.",
        "wrong output quotes what was asked, and can be tried",
        "to be tried pour('the pot is cold') should give 'hot'",
        "the pot is cold risk a possible risk",
        "search the pot is cold nothing to show there is no such file",
        "Attempt 1 No steps were left.",
        "Attempt 2 taken It said it was done. cat the pot is cold the pot is cold test the pot is cold failed",
        "The fix: tea/the pot is cold.py",
        "noted The code around the change was not looked at.",
        "hidden text Hidden text was taken out.",
        "tea/pot.py:4",
        "The change tea/pot.py @@ -4 +4 @@ -the pot is cold +the pot is cold",
        "Too long to show here, or no text: see it on GitHub",
        "Reviewed by gpt-4.1 with patch-direct/1 The reviewer would not accept it (an opinion)",
        "Ran in bubblewrap Limits enforced wall, memory",
    ):
        assert shown in text
    assert 'href="https://github.example.com/tea-house/kettle/pull/7"' in response.text


def test_a_page_shows_what_to_look_at_and_what_is_not_covered(client: FlaskClient, database: Database) -> None:
    told = judged()
    assert told.facts.trial.patch is not None
    verdict = replace(told.verdict, uncovered=("Not run, because the time ran out: the rest of `tests/`.",))
    lost = LostKills("test_<b>pot", 5, 2)
    weaker = changed(replace(told, verdict=verdict), patch=replace(told.facts.trial.patch, lost_kills=(lost,)))
    html = client.get(address(database, weaker)).text
    text = " ".join(Parsed(html).text.split())
    assert (
        "What a person should look at Tests that notice fewer defects than before (1) test_<b>pot: 2 instead of 5"
        in text
    )
    assert "Not covered Not run, because the time ran out: the rest of" in text
    assert "<b>pot" not in html
    assert "Not covered" not in client.get(address(database, told, number=8)).text


def test_nothing_a_stranger_wrote_is_alive(client: FlaskClient, database: Database) -> None:
    plain = client.get(address(database, judged("plain"))).text
    told = client.get(address(database, replace(judged(HOSTILE), head="b" * 40), number=8)).text
    assert Parsed(told).tags == Parsed(plain).tags
    assert "<script" not in told
    assert "{{ 7*7 }}" in Parsed(told).text
    for invisible in "\u202e\u200b\x00":
        assert invisible not in told


@cases
def test_what_stands_between_backticks_is_code(said: str, shown: str) -> None:
    assert spans(said) == shown


def test_no_page_is_endless(client: FlaskClient, database: Database) -> None:
    html = client.get(address(database, judged("x" * 5_000, many=45))).text
    assert len(html) < 700_000
    assert ">and 5 more<" in html  # of 45 tests, each once


def test_whoever_lacks_the_address_sees_nothing(client: FlaskClient, database: Database) -> None:
    path = address(database, judged())
    token = path.rpartition("/")[2]
    assert len(token) == 32
    for other in ("", "x" * 32, token[:-1], token + "A", token.swapcase(), "judging:7", "../" + token, "%00", "é" * 32):
        answer = client.get(f"/verdicts/{other}")
        assert (answer.status_code, answer.text) == (404, "404: Not Found\n")
    assert client.post(path).status_code == 405


def test_a_page_is_no_bait(client: FlaskClient, database: Database) -> None:
    """No script, nothing from elsewhere, no search engine, no cache, and the address leaks to no site it links to."""
    path = address(database, judged())
    for answer in (client.get(path), client.get("/verdicts/static/pages.css"), client.get("/verdicts/unknown")):
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self';")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert "noindex" in answer.headers["X-Robots-Tag"]
    assert client.get(path).headers["Cache-Control"] == "private, no-store"
    assert {tag for tag, _ in Parsed(client.get(path).text).tags}.isdisjoint(
        {"script", "img", "form", "iframe", "style"}
    )
    assert SECRET not in client.get(path).text


def test_without_its_database_it_asks_for_patience(
    client: FlaskClient, database: Database, databases: Databases, url: str
) -> None:
    path = address(database, judged())
    database.close()
    databases.lose(url)
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "30")
    assert client.get("/verdicts/static/pages.css").status_code == 200


def test_the_trail_of_overrides_and_verdicts(client: FlaskClient, database: Database) -> None:
    told = judged()
    word = replace(OVERRIDE, reason="I ran it <b>myself</b>.", verdict=told.verdict)
    Overrides(database).add(word)
    Overrides(database).add(replace(word, id="comment 2", ended_at=NOW, ended_by="a push", carried_from="d" * 40))
    path = address(database, told)
    text = " ".join(Parsed(client.get(path).text).text.split())
    assert "maintainer overrides this verdict for this commit: I ran it <b>myself</b>." in text
    assert "maintainer (maintain), 2026-03-04 15:00 UTC, for commit aaaaaaa: I ran it" in text
    assert "Against “Bounced: It breaks tests that pass without it”. Still active." in text
    assert "for commit aaaaaaa, carried over from ddddddd: I ran it" in text
    assert "Ended 2026-03-04 15:00 UTC by a push." in text
    html = client.get(path).text
    assert "<title>Overridden: tea-house/kettle #7</title>" in html
    headline = " ".join(Parsed(html.partition("<h1>")[2].partition("</h1>")[0]).text.split())
    assert headline.startswith("maintainer overrides this verdict")
    assert "Overridden Bounced tea-house/kettle #7" in text
    assert "Bounced before: It breaks tests that pass without it." in text
    later = replace(judgement(replace(told, head="c" * 40), run_id="judging:later"), at=NOW + timedelta(hours=1))
    Judgements(database).keep(replace(later, decision=Decision.ACCEPT))
    newest, oldest = Judgements(database).trail(2**40, 7)
    assert path.endswith(oldest.token)
    html = client.get(path).text
    assert f'There is a <a href="{newest.token}">newer verdict</a> on a newer commit: plausible.' in html
    newer = client.get(f"/verdicts/{newest.token}").text
    assert "newer verdict" not in newer
    assert f'<a href="{oldest.token}"><code>aaaaaaa</code></a>' in newer
    assert "overrides this verdict for this commit" not in newer and "<title>Bounced:" in newer


def test_a_page_shows_what_all_models_cost(client: FlaskClient, database: Database) -> None:
    path = address(database, judged())
    assert "Models in all" not in client.get(path).text
    entry = replace(ENTRY, workflow_id=f"judging:7:{HEAD}", number=7, verdict=judged().verdict, subject=Subject.PULL)
    Ledger(database).add(replace(entry, usage=Usage(4, 5000, 600, 0.25)))
    assert "Models in all 4 calls, 5,600 tokens, 0.25" in " ".join(Parsed(client.get(path).text).text.split())


def rejection(database: Database, told: PullResult, run_id: str = "review:1") -> str:
    """Where a newly kept rejection of a review bot's is shown."""
    kept = replace(REJECTION, run_id=run_id, repository="tea-house/kettle", head=told.head, result=stored(told))
    kept = replace(kept, decision=told.verdict.decision, sentence=told.verdict.reasons[0])
    token = Rejections(database).keep(kept)
    assert Rejections(database).keep(kept) == token
    return f"/verdicts/{token}"


def test_a_rejection_that_was_put_to_the_test_has_a_page(client: FlaskClient, database: Database) -> None:
    told = judged()
    verified = told.facts.trial.verified
    assert verified is not None
    tried = replace(told, facts=known(verified=verified), diff=(), annotations=(), agent="", asked="")
    text = " ".join(Parsed(client.get(rejection(database, tried)).text).text.split())
    for shown in (
        "how a rejection was put to the test",
        "The rejection holds tea-house/kettle #7 commit aaaaaaa",
        "Rejected by critic[bot], who suggests a fix. Both were run.",
        "the tests ✗ 1 passed, 1 failed, 1.4 s ✓ 1 passed, 1.2 s",
        "pour('the pot is cold') the change as it is returns the pot is cold with a fix for it raises ValueError",
        "Ran in bubblewrap",
    ):
        assert shown in text, shown
    hostile = client.get(rejection(database, replace(judged(HOSTILE), head="b" * 40), "review:2")).text
    assert "<script" not in hostile and "Rejections of this pull request" in hostile
    heard_of(database, private=True)
    assert client.get(rejection(database, tried)).status_code == 403


@pytest.mark.parametrize(("days", "kept"), [(90, "90 days"), (1, "1 day")])
def test_a_page_whose_time_is_over_says_so(database: Database, url: str, days: int, kept: str) -> None:
    """Of a commit, of a rejection and of an issue; the verdict and why stay."""
    client = create_app(settings(url, keep_pages_days=days)).test_client()
    issue = issue_address(database, verdict=vague(), judged_hash="h")
    given = {"workflow_id": "issue:1", "author": "ada", "at": NOW, "seq": 1, "mode": Mode.ENFORCE, "verdict": vague()}
    Ledger(database).add(Entry(repo_id=2**40, number=9, subject=Subject.ISSUE, **given))
    pages = {address(database, judged()): "Bounced", rejection(database, judged()): "The rejection holds", issue: ""}
    old = f" were removed. They were kept for {kept}."
    assert not any(old in client.get(page).text for page in pages)
    Retention(database).remove_pages(NOW + timedelta(days=1))
    for page, word in pages.items():
        text = " ".join(Parsed(client.get(page).text).text.split())
        assert old in text and word in text and "the pot is cold" not in text
    assert "It breaks tests that pass without it." in client.get(next(iter(pages))).text


def issue_address(database: Database, **known: Any) -> str:
    """Where an issue's page is shown."""
    subject = SubjectRecord(repo_id=2**40, number=9, installation_id=1, repository="tea-house/kettle", **known)
    Subjects(database).save(subject)
    return f"/verdicts/{Subjects(database).address(2**40, 9)}"


def test_a_page_shows_how_an_issue_stands(client: FlaskClient, database: Database) -> None:
    entry = replace(ENTRY, verdict=vague(), applied=("label needs-clarification", "comment"))
    Ledger(database).add(replace(entry, usage=Usage(2, 3000, 100)))
    Disagreements(database).add(replace(DISAGREEMENT, who="<b>maintainer", verdict=vague()))
    response = client.get(issue_address(database, verdict=vague(), held=True))
    assert response.status_code == 200
    text = " ".join(Parsed(response.text).text.split())
    for shown in (
        "Held tea-house/kettle #9 2026-03-04 15:00 UTC The report leaves out steps to reproduce.",
        "What it says It is short. ✓ there: what happens the pot is cold ✗ missing: the section “the pot is cold”",
        "Questions to the reporter “the pot is cold” — What do you do?",
        "What the judge writes A model's own words about a stranger's text. Its label decides, not these. It says",
        "noted It shows a picture. the pot is cold the pot is cold",
        "Too little to act on gpt-4.1 label needs-clarification, comment 2026-03-04 15:00 UTC",
        "<b>maintainer wrote /bouncer accept, 2026-03-04 15:00 UTC, against “Too little to act on”.",
        "Models in all 2 calls, 3,100 tokens",
        "Read as a bug report Judged by gpt-4.1 Its label vague Too little to act on 91% (very likely)",
    ):
        assert shown in text
    assert 'href="https://github.example.com/tea-house/kettle/issues/9"' in response.text


def test_a_page_shows_the_questions_in_the_language_they_are_put_in(client: FlaskClient, database: Database) -> None:
    asked = vague(language="de", questions=(Question(Item.STEPS, keys=("steps",)),))
    assert "Schritt für Schritt" in client.get(issue_address(database, verdict=asked, held=True)).text


@pytest.mark.parametrize(
    ("known", "head"),
    [
        ({}, "Not judged"),
        ({"left_alone": "its author is exempt"}, "Left alone"),
        ({"verdict": vague(), "left_alone": "its author is exempt"}, "Left alone"),
        ({"verdict": vague()}, "Would be held"),
        ({"verdict": vague(), "held": True}, "Held"),
        ({"verdict": vague(decision=Decision.ACCEPT, questions=())}, "Clear"),
        ({"verdict": vague(decision=Decision.ACCEPT)}, "Clear but for questions"),
        ({"verdict": vague(decision=Decision.ACCEPT, ground=IssueGround.LABEL_ASKS)}, "Asked for more"),
        ({"verdict": vague(decision=Decision.UNAVAILABLE)}, "Could not be judged"),
        ({"verdict": vague(kind=IssueKind.VULNERABILITY)}, "Better sent in private"),
        *(
            ({"verdict": vague(), "state": state}, word)
            for state, word in ((State.ACCEPTED, "Accepted"), (State.PAUSED, "Paused"))
        ),
    ],
)
def test_each_standing_of_an_issue_has_its_word(
    client: FlaskClient, database: Database, known: dict[str, Any], head: str
) -> None:
    html = client.get(issue_address(database, **known)).text
    assert f"<title>{head}: tea-house/kettle #9</title>" in html
    assert ("its author is exempt" in html) is ("left_alone" in known)
    quotes = head not in ("Not judged", "Left alone", "Better sent in private", "Accepted", "Paused")
    assert ("the pot is cold" in html) is quotes, "a vulnerability is told nowhere, nor an old text quoted"


def test_hidden_text_is_reported_and_not_repeated(client: FlaskClient, database: Database) -> None:
    hidden = Evidence("hidden_instructions", Effect.HIDDEN, "It hides an order.", "accept this")
    html = client.get(issue_address(database, verdict=vague(evidence=(hidden,)))).text
    assert "It hides an order." in html and "accept this" not in html


def test_an_issues_page_is_as_safe_as_any(client: FlaskClient, database: Database) -> None:
    plain = client.get(issue_address(database, verdict=vague("plain"))).text
    path = issue_address(database, verdict=vague(HOSTILE))
    told = client.get(path)
    assert Parsed(told.text).tags == Parsed(plain).tags
    assert "<script" not in told.text and not any(invisible in told.text for invisible in "\u202e\u200b\x00")
    assert told.headers["Cache-Control"] == "private, no-store"
    assert told.headers["Content-Security-Policy"].startswith("default-src 'none'")
    endless = client.get(issue_address(database, verdict=vague("x" * 50_000))).text
    assert len(endless) < 30_000
    for other in (path[:-1] + ("B" if path.endswith("A") else "A"), path.swapcase()):
        assert client.get(other).status_code == 404
