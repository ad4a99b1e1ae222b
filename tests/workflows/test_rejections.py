"""A rejection of right and of wrong changes, the whole way: worker, fake GitHub, sandbox and filter are real, and the
model is a script. What the check, the thread and an override say is what the table of evidence has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from bot.verdicts import ClaimOutcome
from bot.verification.fix_guided import filter
from tests.judges.stepping import step
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.support.model import Answering, completion, says
from tests.workflows.house import House
from tests.workflows.test_gate import AGENT, check
from tests.workflows.test_gate_fix import summary
from tests.workflows.test_reviews import COPILOT

QUOTE = "When 3 people share 5 cents, two of them pay 2 and the last one pays 1."
ASKED = ("The shares lose cents", f"The shares must add up to the bill, the larger ones first. {QUOTE}")
HEADS = {
    "function": "def split(cents, people):\n",
    "method": "class Bill:\n    def split(self, cents, people):\n",
}
CALLS = {"function": "split", "method": "Bill().split"}
BASE = "return [cents // people] * people\n"
WRONG = "share, rest = divmod(cents, people)\n{}return [share + rest] + [share] * (people - 1)\n"
RIGHT = "share, rest = divmod(cents, people)\n{}return [share + 1] * rest + [share] * (people - rest)\n"
SAME = "part, left = divmod(cents, people)\n{}return [part + 1] * left + [part] * (people - left)\n"
OWN = "(100, 3) == [34, 33, 33]"  # goes from red to green with both
HELD = "The code was run, and the rejection holds."
# It stays open, and holds nothing by itself: a test goes from red to green.
UNSETTLED = "Nothing says that this test is right."
WITHDRAWN = "The reviewer was asked again once, shown what failed, and no longer rejects it."


def lines(form: str, body: str) -> str:
    indent = " " * (4 if form == "function" else 8)
    return indent + body.format(indent)


def files(form: str, body: str, *demands: str) -> dict[str, str]:
    call = CALLS[form]
    tests = "".join(f"\n\ndef test_{number}():\n    assert {call}{each}\n" for number, each in enumerate(demands))
    return {
        "bill.py": HEADS[form] + lines(form, body),
        "test_bill.py": f"from bill import {call.partition('(')[0]}\n{tests}",
    }


@dataclass(frozen=True)
class Row:
    """A change, how its review is asked for, and what is said then. settled: what blind judges demand of each input;
    empty where they find it unsettled. again: the reviewer's word once it saw what fails."""

    body: str
    form: str = "function"
    review: str = "direct"
    model: bool = True
    tests: str = "[2, 2, 1]"
    settled: str = "[2, 2, 1]"
    again: str = "no"
    conclusion: str = "success"
    said: str = ""
    thread: ClaimOutcome = ClaimOutcome.SAME
    thread_says: str = "the same"

    @property
    def answers(self) -> dict[str, Any]:
        """The model's, by what it is asked for."""
        mended = SAME if self.body is RIGHT else RIGHT
        text, first = lines(self.form, mended), HEADS[self.form].count("\n") + 1
        rejects = {"verdict": "no", "rationale": "The shares do not add up."}
        fix = [{"path": "bill.py", "before": lines(self.form, self.body), "after": text}]
        claim = {"kind": "wrong_output", "symptom": "The shares do not add up.", "quote": QUOTE}
        last = first + self.body.count("\n") - 1
        return {
            "tools": [completion("I have seen enough.")],
            "verdict": [*says(**rejects, fix=fix), *says(verdict=self.again)],
            "claims": says(claims=[{**claim, "how": "none", "what": "", "expected": "", "guess": ""}]),
            "label": says(quote="", label="consistent"),
            "category": says(category="logic_error"),
            "command": [
                step("edit", path="bill.py", first=first, last=last, text=text),
                step("finish", outcome="success"),
            ],
            "settled": says(working="", settled=bool(self.settled), clause=QUOTE, expected=self.settled),
            "tests": says(tests=[{"clause": QUOTE, "call": f"{CALLS[self.form]}(5, 3)", "expected": self.tests}]),
            "clause": says(clause=QUOTE, call="", working="", expected="", fix=""),
        }


ROWS = {
    "a wrong function": Row(
        WRONG, conclusion="failure", said=HELD, thread=ClaimOutcome.HELD, thread_says="### This holds"
    ),
    "a right function": Row(RIGHT),
    "a wrong function, explained": Row(WRONG, review="explain", conclusion="failure", said=HELD),
    "a right function, explained": Row(RIGHT, review="explain"),
    "a wrong function, with a fix": Row(WRONG, review="full", conclusion="failure", said=HELD),
    "a right function, with a fix": Row(RIGHT, review="full"),
    "a wrong function that no judge settles": Row(WRONG, settled="", said=UNSETTLED),
    "a right function that fails a wrong test": Row(RIGHT, tests="[2, 1, 2]"),
    "a right function, and the reviewer gives in": Row(
        RIGHT, tests="[2, 1, 2]", settled="", again="yes", said=WITHDRAWN
    ),
    "a wrong method": Row(WRONG, "method", conclusion="failure", said=HELD),
    "a right method": Row(RIGHT, "method"),
    "a wrong function without a model": Row(WRONG, model=False, said="No model is set up"),
    "a right function without a model": Row(RIGHT, model=False, said="No model is set up"),
}


@pytest.fixture(scope="module")
def model() -> Iterator[Answering]:
    made = Answering()
    yield made
    made.close()
    assert not made.unscripted


@pytest.fixture(scope="module")
def kitchen(request: pytest.FixtureRequest, databases: Databases, model: Answering) -> Iterator[House]:
    """With a model or without one; beside the tests little is looked at."""
    asked = {"judge": "openai", "model_base_url": model.base_url, "model_api_key": "x"}
    judge = asked if request.param else {"judge": "offline"}
    house = House(databases.migrated(), KEY, {**judge, "executor": "bubblewrap"})
    with pytest.MonkeyPatch.context() as patch:
        for name in ("FOR_COMPARING", "FOR_STRENGTH"):
            patch.setattr(filter, name, 2.0)
        yield house
    house.close()


def opened(house: House, row: Row) -> tuple[str, int]:
    """Repository and pull request, judged."""
    policy = f"mode: enforce\nissues: {{enabled: false}}\npulls: {{review: {row.review}}}\n"
    repo = house.repository(f"{policy}verify:\n  setup: []\n  test: pytest\n")
    house.github.push(repo, files(row.form, BASE, "(90, 3) == [30, 30, 30]"))
    issue = house.github.open_issue(repo, *ASKED, by="reporter")
    change = files(row.form, row.body, "(90, 3) == [30, 30, 30]", OWN)
    number = house.github.open_pull(repo, "Share all cents", change, body=f"Fixes #{issue}", by=AGENT)
    house.settle(240)
    return repo, number


@pytest.mark.parametrize(("kitchen", "name"), [(row.model, name) for name, row in ROWS.items()], indirect=["kitchen"])
def test_check_and_override_are_as_the_table_of_evidence_has_it(kitchen: House, model: Answering, name: str) -> None:
    row = ROWS[name]
    house, model.answers = kitchen, row.answers
    repo, number = opened(house, row)
    told = summary(house, repo)
    assert check(house, repo, number)[0] == row.conclusion, (check(house, repo, number), told)
    assert row.said in told, told
    house.say(repo, number, "/bouncer override I looked at it.", by="maintainer")
    house.settle(60)
    assert check(house, repo, number) == ("success", "Overridden by maintainer")


@pytest.mark.parametrize("kitchen", [True], indirect=True)
@pytest.mark.parametrize("name", ["a wrong function", "a right function"])
def test_a_bots_claim_gets_the_same_answer_and_no_judge_is_asked_twice(
    kitchen: House, model: Answering, name: str
) -> None:
    row = ROWS[name]
    house, model.answers = kitchen, row.answers
    repo, number = opened(house, row)
    asked = [each.body for each in model.requests if "settled" in str(each.body.get("response_format"))]
    text = lines(row.form, SAME if row.body is RIGHT else RIGHT)
    last = 1 + row.body.count("\n")
    remark = {"path": "bill.py", "line": last, "body": f"Wrong.\n```suggestion\n{text}```"}
    remark |= {"start_line": 2} if last > 2 else {}
    house.github.review(repo, number, "", remarks=[remark], state="commented", by=COPILOT)
    house.settle(240)
    (found,) = house.services.rejections.newest(house.github.repo(repo).id, number)
    assert found.outcome is row.thread, found.sentence
    (answer,) = [each.body for each in house.github.replies(repo, number)]
    assert row.thread_says in answer, answer
    model.answers = row.answers  # from the start
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    house.settle(240)
    assert check(house, repo, number)[0] == row.conclusion
    assert asked == [each.body for each in model.requests if "settled" in str(each.body.get("response_format"))]
