"""`bouncer learn` on exports of our own: what is counted, what is proposed, and whom it listens to."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from bot.backtest.endings import questions_in
from bot.cli import main
from bot.issues.templates import read_templates
from bot.policy_file import load
from tests.backtest.exports import DONE, FIXED, Exported, comment, event, write_export
from tests.support.clones import commit, initialise

TITLE = "Server stops when the {} page opens"
BARE = "Version 2.4 of the server stops on Linux when the {} page of the admin opens. It should go on and show it."
LOG = '\n\n```\nTraceback (most recent call last):\n  File "shop.py", line 3, in open\nValueError: no page {}\n```\n'
PAGES = ("cart", "price", "order", "stock", "label", "invoice", "customer", "report", "season", "coupon")
ASKS = "Could you please attach the server log?"


def reply(number: int, by: str, body: str, association: str = "NONE") -> dict[str, Any]:
    return comment(by, body, day=3, association=association)


def crash(number: int, *events: dict[str, Any], log: bool = False) -> Exported:
    page = PAGES[number % len(PAGES)]
    body = BARE.format(page) + (LOG.format(number) if log else "")
    return Exported(number, TITLE.format(page), body, events)


def asked(number: int, says: str = ASKS, by: str = "maintainer", association: str = "MEMBER") -> Exported:
    answer = reply(number, "reporter", "Here it is.")
    return crash(number, comment(by, says, association=association), answer, DONE)


def past(*, says: str = ASKS, association: str = "MEMBER") -> list[Exported]:
    """Of each five reports two lack the log, and somebody asks for it."""
    return [
        asked(number, says, association=association) if number % 5 < 2 else crash(number, FIXED, log=True)
        for number in range(1, 51)
    ]


def run(folder: Path, *arguments: object) -> Result:
    done = CliRunner().invoke(main, ["learn", str(folder), *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def export(tmp_path: Path) -> Path:
    return write_export(tmp_path, past())


def test_what_maintainers_ask_for_is_proposed_and_holds_once_it_is_adopted(export: Path, tmp_path: Path) -> None:
    found = json.loads(run(export, "--json").stdout)
    counts = {each["fact"]: each for each in found["asked_for"]}
    assert (found["threads"], found["asking"]) == (30, 12)
    assert {key: counts["log"][key] for key in ("asked", "answered", "led_on", "kinds")} == {
        "asked": 12,
        "answered": 12,
        "led_on": 12,
        "kinds": {"bug": 12},
    }
    assert counts["log"]["examples"][0] == {"number": 30, "text": ASKS}
    [entry] = found["ask_for"]
    assert (entry["fact"], entry["right"], entry["wrong"], entry["question"]) == ("log", 12, 0, ASKS)
    assert found["later"]["without"]["held"] == 0
    assert {key: found["later"]["with"][key] for key in ("right", "wrong", "unclear", "clear")} == {
        "right": 8,
        "wrong": 0,
        "unclear": 8,
        "clear": 12,
    }
    text = run(export).stdout
    assert "With what is proposed, of the later issues 8 are held: 8 of 8" in text
    proposed = text[text.index("issues:\n  ask_for:") : text.index("\n\nNo form is known")]
    policy = tmp_path / "bouncer.yml"
    policy.write_text(proposed, encoding="utf-8")
    [want] = load(proposed).issues.ask_for
    assert (want.fact, want.question) == ("log", ASKS)
    adopted = json.loads(run(export, "--json", "--policy", policy).stdout)["later"]
    assert adopted["without"] == adopted["with"] == found["later"]["with"]


def test_the_form_is_one_of_githubs(export: Path) -> None:
    text = run(export).stdout
    form = text[text.index("name: Bug report") :]
    fields = [field["attributes"]["label"] for field in yaml.safe_load(form)["body"]]
    assert fields == ["What happens", "Log"]
    [read] = read_templates({"bug.yml": form})
    assert read.required == frozenset({"what happens"})


@pytest.mark.parametrize("association", ["NONE", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR"])
def test_strangers_teach_nothing(tmp_path: Path, association: str) -> None:
    """Whatever they say they are."""
    says = f"I am a MEMBER and the OWNER of this repository. {ASKS}"
    found = json.loads(run(write_export(tmp_path, past(says=says, association=association)), "--json").stdout)
    assert (found["asking"], found["asked_for"], found["ask_for"]) == (0, [], [])
    honest = tmp_path / "honest"
    honest.mkdir()
    assert json.loads(run(write_export(honest, past(says=says)), "--json").stdout)["ask_for"]


def test_bots_and_later_questions_teach_nothing(tmp_path: Path) -> None:
    issues = [
        crash(
            number,
            comment("helper[bot]", ASKS),
            comment("maintainer", "Which version is it?", day=2),
            reply(number, "reporter", "2.4"),
            comment("maintainer", ASKS, day=4),
            event("closed", "maintainer", day=5, state_reason="completed"),
        )
        for number in range(1, 11)
    ]
    found = json.loads(run(write_export(tmp_path, issues), "--json").stdout)
    assert [each["fact"] for each in found["asked_for"]] == ["version"]


@pytest.mark.parametrize(
    "says",
    [
        "Could you attach the log? @everyone <!-- hidden --> ![x](https://evil.example/x.png)",
        "Could you attach the log <b>now</b>?\n```\n- fact: x\n```",
        "Could you attach the log? \"}, kinds: [bug], when: [a], words: ['\n  mode: enforce",
        "Could you attach the log? \u202e\u200b [here](javascript:alert(1))",
    ],
)
def test_words_of_a_thread_stay_words(tmp_path: Path, says: str) -> None:
    text = run(write_export(tmp_path, past(says=says))).stdout
    proposed = text[text.index("issues:\n  ask_for:") : text.index("\n\nNo form is known")]
    policy = load(proposed)
    [want] = policy.issues.ask_for
    assert policy.mode == load("").mode
    assert (want.when, want.words, want.kinds) == ((), ("log", "logs", "backtrace", "traceback", "dump"), ("bug",))
    assert not set("<>@[]()`!") & set(want.question) and "://" not in want.question
    assert yaml.safe_load(text[text.index("name: Bug report") :])


def test_the_templates_are_named_about_which_it_was_asked(tmp_path: Path) -> None:
    """What was written in none, has its headings in a block of code, or only one of many, is counted for none."""
    clone = initialise(tmp_path / "clone")
    fields = "".join(f"- {{type: textarea, attributes: {{label: {label}}}}}\n" for label in ("Crash", "Since"))
    other = "---\nname: Wish\n---\n### Idea\n\n### Who needs it\n\n### Crash\n"
    files = {".github/ISSUE_TEMPLATE/bug.yml": f"name: Bug\nbody:\n{fields}", ".github/ISSUE_TEMPLATE/wish.md": other}
    commit(clone, files, when="2020-01-01T10:00:00Z")
    ways = ("{}\n```sh\n# Crash\n# Since\n```\n", "### Crash\n\n{}\n\n### Since\n\nToday\n")
    written = [replace(each, body=ways[each.number % 2].format(each.body)) for each in past()]
    options = ("--clone", clone)
    found = json.loads(run(write_export(tmp_path, written), "--json", *options).stdout)["asked_for"]
    [log] = (each for each in found if each["fact"] == "log")
    assert (log["asked"], log["templates"]) == (12, {"bug.yml": 6})
    assert "log: 12 (12; 12), 12 of kind bug; 6 in bug.yml" in run(tmp_path, *options).stdout


def test_what_says_nothing_of_where_maintainers_ask_is_not_proposed(tmp_path: Path) -> None:
    """They ask as often where the log is there, so its absence is no reason."""
    issues = [
        crash(number, comment("maintainer", ASKS), DONE, log=bool(number % 2))
        if number % 4 < 2
        else crash(number, FIXED, log=bool(number % 2))
        for number in range(1, 61)
    ]
    text = run(write_export(tmp_path, issues)).stdout
    assert "Nothing is proposed" in text and "log: 18" in text


def test_a_question_goes_for_all_only_if_it_was_asked_in_more_threads_than_one(tmp_path: Path) -> None:
    """What was asked once is about that report; the words of a form are then those that go for every project."""
    alike = ["Could you attach your `debug.log` file?", "Please attach the debug.log file here, could you?"]
    apart = ["How do you enable LTO in the config?", "Did you ever touch the settings of the proxy?"]
    for says, field in ((alike, "debug.log file"), (apart, "Please show the part of your")):
        issues = [crash(number, comment("maintainer", says[number % 2]), DONE, log=False) for number in (1, 2, 3)]
        found = json.loads(run(write_export(tmp_path, issues), "--json", "--past", 0.7).stdout)
        assert any(field in each["question"] for each in found["asked_for"]), found["asked_for"]


def test_no_line_is_wider_than_a_terminal(tmp_path: Path) -> None:
    """And what is proposed stays what it was: broken lines of YAML say the same."""
    says = "Could you attach the full debug log of the whole session, from its start to the moment of the crash?"
    text = run(write_export(tmp_path, past(says=says))).stdout
    assert max(map(len, text.splitlines())) <= 80
    [want] = load(text[text.index("issues:\n  ask_for:") : text.index("\n\nNo form is known")]).issues.ask_for
    form = yaml.safe_load(text[text.index("name: Bug report") :])
    assert want.question == form["body"][1]["attributes"]["description"] == says


def test_an_export_without_reports_is_refused(tmp_path: Path) -> None:
    team = [Exported(1, "x", "y", (FIXED,), association="OWNER"), Exported(2, "x", "y", (), association="OWNER")]
    done = CliRunner().invoke(main, ["learn", str(write_export(tmp_path, team))])
    assert done.exit_code == 2 and "no report in it can be learnt from" in done.output


def test_the_sentences_that_ask() -> None:
    said = "Thanks! This looks odd. Could you share the full log? I will look into it.\nPlease paste your config."
    assert questions_in(said) == ("Could you share the full log?", "Please paste your config.")
    assert questions_in("- Could you provide your `debug.log` file?") == ("Could you provide your `debug.log` file?",)
