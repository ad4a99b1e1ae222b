"""`bouncer replay`: every sort of delivery, what is printed, and that nothing is sent or kept anywhere."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from tests.support.cases import cases

VAGUE = {"title": "Login broken", "body": "it does not work"}
CLEAR = {
    "title": "TypeError in parse_date() for dates before 1970",
    "body": """parse_date("1969-12-31") raises in version 2.3.1 on Python 3.12.

### Steps
```python
from widgets import parse_date
parse_date("1969-12-31")
```

### Actual
```
Traceback (most recent call last):
  File "widgets/dates.py", line 12, in parse_date
TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'
```

### Expected
It should return `datetime.date(1969, 12, 31)` like it did in version 2.2.
""",
}


def payload(action: str = "opened", **changes: Any) -> dict[str, Any]:
    issue = {
        "number": 3,
        **VAGUE,
        "user": {"login": "reporter", "type": "User"},
        "author_association": "NONE",
        "state": "open",
        "locked": False,
        "labels": [],
        "comments": 0,
        **changes.pop("issue", {}),
    }
    repository = {"id": 5, "full_name": "acme/widgets", "default_branch": "main"}
    sender = {"login": "reporter", "type": "User"}
    return {
        "action": action,
        "installation": {"id": 1},
        "sender": sender,
        "repository": repository,
        "issue": issue,
        **changes,
    }


def comment(body: str, **changes: Any) -> dict[str, Any]:
    return {"id": 9, "body": body, "user": {"login": "reporter", "type": "User"}, **changes}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever replay does, it must not open a connection."""

    def refuse(*arguments: object) -> None:
        raise AssertionError("replay talks to the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def replay(tmp_path: Path, body: Any, *options: str, event: str = "issues") -> Result:
    file = tmp_path / "payload.json"
    file.write_text(body if isinstance(body, str) else json.dumps(body))
    before = sorted(tmp_path.rglob("*"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        result = CliRunner().invoke(main, ["replay", str(file), "--event", event, *options], catch_exceptions=False)
    assert sorted(tmp_path.rglob("*")) == before, "something was written"
    return result


def outcome(tmp_path: Path, body: Any, *options: str, event: str = "issues") -> dict[str, Any]:
    result = replay(tmp_path, body, "--json", *options, event=event)
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def policy(tmp_path: Path, text: str) -> tuple[str, str]:
    (tmp_path / "bouncer.yml").write_text(text)
    return "--policy", str(tmp_path / "bouncer.yml")


def test_a_vague_issue_would_be_held(tmp_path: Path) -> None:
    found = outcome(tmp_path, payload())
    assert found["verdict"]["verdict"] == "BOUNCE"
    assert found["labels_add"] == ["needs-clarification"]
    assert found["comment"].startswith("<!-- bouncer:issue -->")
    assert found["issue"] == 3


def test_a_clear_issue_would_pass(tmp_path: Path) -> None:
    found = outcome(tmp_path, payload(issue=CLEAR))
    assert found["verdict"]["verdict"] == "ACCEPT"
    assert (found["labels_add"], found["comment"]) == ([], None)


def test_the_same_for_people(tmp_path: Path) -> None:
    told = replay(tmp_path, payload())
    assert told.exit_code == 0
    assert "BOUNCE" in told.stdout
    assert "Would add the label needs-clarification" in told.stdout
    assert "Would write the comment:" in told.stdout
    assert replay(tmp_path, payload(issue=CLEAR)).stdout.endswith("Nothing would be written.\n")


@cases
def test_who_has_a_role_is_held_as_the_server_holds_them(
    told: dict[str, Any], private: bool, held: bool, tmp_path: Path
) -> None:
    body = payload(issue={"author_association": "MEMBER"} | told)
    body["repository"]["private"] = private
    found = outcome(tmp_path, body)
    assert found["labels_add"] == (["needs-clarification"] if held else []), found["outcome"]


def test_the_policy_counts(tmp_path: Path) -> None:
    observed = outcome(tmp_path, payload(), *policy(tmp_path, "mode: observe"))
    assert observed["verdict"]["verdict"] == "BOUNCE"
    assert (observed["labels_add"], observed["comment"]) == ([], None)
    quiet_here = outcome(tmp_path, payload(), *policy(tmp_path, "mode: enforce\nissues: {mode: observe}"))
    assert (quiet_here["verdict"]["verdict"], quiet_here["comment"]) == ("BOUNCE", None)
    loud_here = outcome(tmp_path, payload(), *policy(tmp_path, "mode: observe\nissues: {mode: advise}"))
    assert loud_here["comment"]
    exempt = outcome(tmp_path, payload(), *policy(tmp_path, "issues: {exempt: {authors: [reporter]}}"))
    assert exempt["verdict"] is None
    assert exempt["outcome"] == "left alone: its author is exempt"
    wants = policy(tmp_path, "issues: {required_sections: [Screenshots]}")
    without = outcome(tmp_path, payload(issue=CLEAR), *wants)
    assert (without["verdict"]["missing"], without["verdict"]["label"]) == (["Screenshots"], None)
    assert "○ the section “Screenshots”" in replay(tmp_path, payload(issue=CLEAR), *wants).stdout
    asks = policy(tmp_path, "issues: {ask_for: [{fact: server log, question: 'Where is it?', words: [server.log]}]}")
    unlogged = outcome(tmp_path, payload(issue=CLEAR), *asks)
    assert (unlogged["verdict"]["missing"], unlogged["verdict"]["questions"]) == (["server log"], ["Where is it?"])
    assert "○ server log" in replay(tmp_path, payload(issue=CLEAR), *asks).stdout
    only = policy(tmp_path, "issues: {only: {labels: [triage]}, comment: {above: Hello!}}")
    left = outcome(tmp_path, payload(), *only)
    assert left["outcome"] == "left alone: it carries none of the labels that the policy wants looked at"
    labelled = payload("labeled", issue={"labels": [{"name": "triage"}]}, label={"name": "triage"})
    assert "\nHello!\n\nThank you" in outcome(tmp_path, labelled, *only)["comment"]
    asking = policy(tmp_path, "issues: {ask_on_label: true}")
    theirs = {
        "issue": CLEAR | {"body": CLEAR["body"].partition("### Steps")[0]},
        "label": {"name": "needs-clarification"},
    }
    asked = outcome(tmp_path, payload("labeled", **theirs), *asking)
    assert asked["outcome"] == f"clear: {len(asked['verdict']['questions'])} asked, if reporter may label"
    assert "Before anyone starts on it" in asked["comment"]
    app = {"login": "helper[bot]", "type": "Bot"}
    assert "remembered" in outcome(tmp_path, payload("labeled", **theirs, sender=app), *asking)["outcome"]
    owners = payload(issue={"author_association": "OWNER"})
    owners["repository"]["private"] = False
    nobody = outcome(tmp_path, owners, *policy(tmp_path, "issues: {exempt: {roles: []}}"))
    assert nobody["verdict"]["verdict"] == "BOUNCE"
    named = outcome(tmp_path, owners, *policy(tmp_path, "issues: {exempt: {roles: [owner]}}"))
    assert named["outcome"] == "left alone: its author's role (owner) is exempt"


def test_a_reply_supplies_what_was_missing(tmp_path: Path) -> None:
    reply = payload("created", comment=comment(f"{CLEAR['title']}\n\n{CLEAR['body']}"))
    assert outcome(tmp_path, reply, event="issue_comment")["verdict"]["verdict"] == "ACCEPT"


def test_a_reply_that_was_deleted_supplies_nothing(tmp_path: Path) -> None:
    gone = payload("deleted", comment=comment(f"{CLEAR['title']}\n\n{CLEAR['body']}"))
    assert outcome(tmp_path, gone, event="issue_comment")["verdict"]["verdict"] == "BOUNCE"


@pytest.mark.parametrize(
    ("event", "body", "said"),
    [
        ("ping", {}, "ignored: a ping needs no answer"),
        ("issues", {}, "ignored: Bouncer does not handle"),
        ("issues", payload("transferred"), "ignored: Bouncer does not handle"),
        ("issues", payload(issue={"number": None}), "ignored: the issues payload has no usable number"),
        ("issues", payload("closed"), "nothing: how it ended is kept"),
        ("issues", payload(issue={"locked": True}), "left alone: its conversation is locked"),
        ("issues", payload("labeled", label={"name": "bug"}), "nothing: no issue is held by this label"),
        (
            "issues",
            payload("unlabeled", label={"name": "Needs-Clarification"}),
            "accepted for good, if Bouncer",
        ),
        ("issues", payload("labeled", label={"name": "needs-clarification"}), "remembered: a person put the label on"),
        ("issue_comment", payload("created", comment=comment("/bouncer accept")), "commanded: /bouncer accept, if"),
        (
            "issue_comment",
            payload("created", comment=comment("words", user={"login": "ci[bot]", "type": "Bot"})),
            "nothing: bots neither reply nor command",
        ),
        (
            "push",
            {**payload(""), "ref": "refs/heads/main", "before": "0" * 40, "after": "a" * 40},
            "policy: the policy may have changed",
        ),
        ("installation", payload("created"), "installation: installation created"),
    ],
)
def test_what_brings_no_look_says_why(tmp_path: Path, event: str, body: Any, said: str) -> None:
    found = outcome(tmp_path, body, event=event)
    assert found["outcome"].startswith(said)
    assert (found["verdict"], found["labels_add"], found["comment"]) == (None, [], None)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "this is not JSON"),
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ("[1]", "a payload is a JSON object, not list"),
    ],
)
def test_a_payload_that_cannot_be_read_says_the_mend(tmp_path: Path, body: str, says: str) -> None:
    result = replay(tmp_path, body, "--json")
    assert (result.exit_code, list(json.loads(result.stdout))) == (2, ["error"])
    assert says in result.stderr


def test_other_bad_input_says_the_mend(tmp_path: Path) -> None:
    wrong = replay(tmp_path, payload(), *policy(tmp_path, "mode: loud"))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "bouncer.yml:1:7: `mode` must be" in wrong.stderr
    absent = replay(tmp_path, payload(), "--policy", str(tmp_path / "none.yml"))
    assert (absent.exit_code, "leave --policy out" in absent.stderr) == (2, True)
    missing = CliRunner().invoke(main, ["replay", str(tmp_path / "none.json"), "--event", "issues"])
    assert (missing.exit_code, "none.json: No such file" in missing.stderr) == (2, True)
    typo = replay(tmp_path, payload(), event="issue")
    assert (typo.exit_code, "'issue' is not one of" in typo.stderr) == (2, True)


def test_a_judge_that_cannot_answer_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"JUDGE": "openai", "MODEL_SPEND_PER_DAY": "1", "MODEL_API_KEY": "sk-never-shown"}.items():
        monkeypatch.setenv(f"BOUNCER_{name}", value)  # a ceiling without prices: the judge refuses to spend
    result = replay(tmp_path, payload(), "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["verdict"]["verdict"] == "UNAVAILABLE"
    assert found["labels_add"] == []
    assert "sk-never-shown" not in result.output
