"""What holds an issue offline: each rule with a report that it holds, and with its honest twin."""

import json
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.issues.decide import decide_issue
from bot.issues.facts import IssueFacts
from bot.issues.parse import parse
from bot.judges.offline.issues import OfflineJudge
from bot.judges.offline.rules import RULES
from bot.policy import Issues, Policy
from bot.policy_choices import Strictness
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import GitHubFields, IssueText
from bot.verdicts import Decision, IssueKind, Item, Verdict
from tests.injections.corpus import ATTEMPTS, ORDER, Attempt
from tests.support.cases import cases

SHORT = Path(__file__).parents[1] / "data" / "short_reports.jsonl"


def verdict(text: IssueText, strictness: Strictness = Strictness.BALANCED) -> Verdict:
    report = parse(text)
    facts = IssueFacts(report, OfflineJudge().judge(report), "ana", "none", False, (), "open", False)
    return decide_issue(facts, Policy(issues=Issues(strictness=strictness)))


@cases
def test_a_report_without_any_text_is_told_so(body: str, said: str) -> None:
    assert issue_reasons(verdict(IssueText("It doesn't work", body)))[0].endswith(said)


@cases
def test_each_rule_holds_what_it_names_and_not_its_twin(rule: str, title: str, body: str, twin: str) -> None:
    assert OfflineJudge().judge(parse(IssueText(title, body))).rule == rule
    assert OfflineJudge().judge(parse(IssueText(title, twin))).rule == ""
    (found,) = (each for each in RULES if each.name == rule)
    for strictness in Strictness:
        said = verdict(IssueText(title, body), strictness)
        assert said.decision is Decision.BOUNCE
        assert issue_reasons(said)[0] == found.says and said.questions and said.missing


@cases
def test_what_is_weighed_is_held_and_its_twin_is_not(title: str, body: str, twin: str) -> None:
    held = verdict(IssueText(title, body))
    assert held.decision is Decision.BOUNCE and held.questions and held.missing
    assert issue_reasons(held)[0].startswith("The report leaves out")
    assert verdict(IssueText(title, twin)).decision is Decision.ACCEPT


def test_every_rule_has_a_case_here_and_a_line_in_the_docs() -> None:
    shown = (Path(__file__).parents[2] / "docs" / "issues.md").read_text(encoding="utf-8")
    assert all(f"| `{rule.name}` |" in shown for rule in RULES)


@cases
def test_what_is_short_by_its_kind_is_not_held(title: str, body: str, told: GitHubFields, kind: IssueKind) -> None:
    text = IssueText(title, body, told=told)
    assert parse(text).kind is kind
    assert verdict(text, Strictness.STRICT).decision is Decision.ACCEPT


@cases
def test_what_is_broken_says_nothing_by_its_kind(title: str, told: GitHubFields, kind: IssueKind) -> None:
    head, _, body = title.partition("\n")
    text = IssueText("It fails" if body else head, title if body else "", told=told)
    assert parse(text).kind is kind
    assert verdict(text).decision is Decision.BOUNCE


def test_our_own_short_reports_are_judged_right_at_the_default() -> None:
    reports = [json.loads(line) for line in SHORT.read_text(encoding="utf-8").splitlines()]
    held = {each["id"]: verdict(IssueText(each["title"], each["body"])).decision is Decision.BOUNCE for each in reports}
    assert not [each["id"] for each in reports if held[each["id"]] and not each["bounce"]]
    assert sum(held[each["id"]] == each["bounce"] for each in reports) >= 0.95 * len(reports)


@cases
def test_a_short_report_that_somebody_could_look_for_is_not_held(title: str, body: str, told: GitHubFields) -> None:
    assert verdict(IssueText(title, body, told=told)).decision is Decision.ACCEPT


# These add something to look at, or hide the report itself from everybody: no orders.
CONTENT = {"references", "links", "title of a link", "policy in the text", "unclosed HTML comment"}
CONTENT |= {"fence escape with tildes", "encoded in base64"}
ORDERS = [attempt for attempt in ATTEMPTS if attempt.name not in CONTENT]


@cache
def held() -> list[dict[str, str]]:
    """Twenty short reports that bounce."""
    reports = map(json.loads, SHORT.read_text(encoding="utf-8").splitlines())
    bounced = (each for each in reports if verdict(IssueText(each["title"], each["body"])).decision is Decision.BOUNCE)
    return list(islice(bounced, 20))


@pytest.mark.parametrize("attempt", ORDERS, ids=[attempt.name for attempt in ORDERS])
def test_no_paragraph_of_orders_talks_a_report_round(attempt: Attempt) -> None:
    """A bouncing report stays one, and no item is ticked by what stands in the same paragraph."""
    assert len(held()) == 20
    for each in held():
        for body in (f"{each['body']}\n\n{attempt.text}", f"{attempt.text}\n\n{each['body']}"):
            assert verdict(IssueText(each["title"], body)).decision is Decision.BOUNCE, body
    order = f"{ORDER} Run `save(draft)` with 2.1.0: KeyError: 'tags'."
    assert not any(parse(IssueText("Broken", order)).items.values())


@cases
def test_no_question_asks_for_what_is_told(title: str, body: str, first: Item, supplied: tuple[Item, ...]) -> None:
    held = verdict(IssueText(title, body), Strictness.STRICT)
    assert held.decision is Decision.BOUNCE
    assert held.questions[0].item is first
    assert {question.item for question in held.questions}.isdisjoint(supplied)
    assert {line.item for line in held.checklist if line.clear} == set(supplied)
    assert Item.EXPECTED not in {line.item for line in held.checklist}  # it should work: nobody has to say that
    assert "expected_behaviour" not in {each.check for each in held.evidence}
    assert not {"1.6.1", "_From", "chore(deps)"} & {question.quote for question in held.questions}


def test_what_should_happen_is_ticked_only_where_somebody_says_so() -> None:
    said = verdict(IssueText("It doesn't work", "Please fix. It should write both rows."), Strictness.STRICT)
    assert said.decision is Decision.BOUNCE
    assert [line.quote for line in said.checklist if line.item is Item.EXPECTED and line.clear] == [
        "It should write both rows."
    ]


def test_the_reason_does_not_deny_what_the_checklist_ticks() -> None:
    held = verdict(IssueText("Crash after save", "It shows an empty file."))
    assert Item.OBSERVED in {line.item for line in held.checklist if line.clear}


TOLD = {
    Item.OBSERVED: "The export ends with `KeyError: 'tags'` and leaves `out.csv` empty.",
    Item.EXPECTED: "It should write both rows.",
    Item.STEPS: "Run `kettle export --all out.csv` in a folder without a `teas.ktl`.",
    Item.ERROR: "KeyError: 'tags' in export.py, line 12",
    Item.VERSION: "kettle 2.4.1 on Debian 12",
    Item.GOAL: "I would like to export one tea alone, by `kettle export --tea green`.",
    Item.DETAILS: "It is about the option `--all` of `kettle export`.",
    Item.SUBJECT: "It is about the command `kettle export`.",
}
REPORTS = [json.loads(line) for line in SHORT.read_text(encoding="utf-8").splitlines()]


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(REPORTS), st.sampled_from(list(Strictness)))
def test_a_held_report_with_what_was_asked_for_is_accepted(row: dict[str, str], strictness: Strictness) -> None:
    held = verdict(IssueText(row["title"], row["body"]), strictness)
    answers = "\n\n".join(TOLD[item] for item in held.missing)
    told = verdict(IssueText(row["title"], f"{row['body']}\n\n{answers}"), strictness)
    assert told.decision is Decision.ACCEPT or held.decision is Decision.ACCEPT


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(REPORTS), st.sampled_from(list(TOLD.values())), st.sampled_from(list(Strictness)))
def test_more_facts_never_make_a_report_worse(row: dict[str, str], fact: str, strictness: Strictness) -> None:
    before = verdict(IssueText(row["title"], row["body"]), strictness)
    for body in (f"{row['body']}\n\n{fact}", f"{fact}\n\n{row['body']}"):
        after = verdict(IssueText(row["title"], body), strictness)
        another = strictness is Strictness.STRICT and after.kind is not before.kind  # an error makes it a bug report
        assert another or after.decision is before.decision or after.decision is Decision.ACCEPT, body


@cases
def test_a_link_that_carries_the_reproduction_counts_as_one(link: str) -> None:
    text = IssueText("It fails", f"See {link}")
    assert parse(text).items[Item.STEPS]
    assert verdict(text).decision is Decision.ACCEPT
    assert verdict(IssueText("It fails", "See https://github.com/ann/kettle")).decision is Decision.BOUNCE


@pytest.mark.parametrize("run", [".", "(", "'", "-", "a.", "a ", ". "])
def test_no_title_takes_long_to_read(run: str) -> None:
    for word in ("add ", "docs ", "fix typo "):
        assert parse(IssueText((word + run * 256)[:256], "")).kind in IssueKind
