"""A rejected pull request, the whole way: a model rejects and mends it, both run, and a bounce hands the fix back."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from bot.demo.sample_repository import FILES
from bot.verification import filter
from tests.judges.stepping import step
from tests.support.databases import Databases
from tests.support.github import KEY
from tests.support.model import Recorded, Scripted, ScriptedModel, completion, failure
from tests.workflows.house import House
from tests.workflows.test_gate import AGENT, check
from tests.workflows.test_gate_handed import own_reviews, summary

POLICY = "mode: enforce\nissues: {enabled: false}\nverify:\n  setup: []\n  test: pytest\n"
ASKED = (
    "split_bill() loses cents",
    "The shares must add up to the bill. For 100 cents and 3 people they are 34, 33 and 33, the larger ones first.",
)
QUOTE = "For 100 cents and 3 people they are 34, 33 and 33"
ROUNDED = FILES["kettle/bill.py"].replace("cents // people", "round(cents / people)")
SHARED = "    share, rest = divmod(cents, people)\n    return [share + 1] * rest + [share] * (people - rest)\n"


class Answering(ScriptedModel):
    """Answers by what it is asked for: the fields of the answer, or tools. A list is used up, its last stays."""

    def __init__(self, **answers: list[Scripted]) -> None:
        super().__init__()
        self.answers = answers

    def next_answer(self, request: Recorded) -> Scripted:
        self.requests.append(request)
        shape = request.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        asked = next((field for field in self.answers if field in shape.get("required", ["tools"])), None)
        if asked is None:
            self.unscripted += 1
            return failure(599, "nothing scripted")
        given = self.answers[asked]
        return given.pop(0) if len(given) > 1 else given[0]


def says(**answer: Any) -> list[Scripted]:
    return [completion(json.dumps(answer))]


@pytest.fixture
def kitchen(databases: Databases, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    """A house where a scripted model rejects and mends, and everything runs; beside the tests little is looked at."""
    for module, name in ((filter, "FOR_COMPARING"), (filter, "FOR_STRENGTH")):
        monkeypatch.setattr(module, name, 1.0)
    claim = {"kind": "wrong_output", "symptom": "The shares do not add up.", "quote": QUOTE}
    model = Answering(
        tools=[completion("I have seen enough.")],
        verdict=says(verdict="no"),
        claims=says(claims=[{**claim, "how": "none", "what": "", "expected": "", "guess": ""}]),
        label=says(quote="", label="consistent"),
        command=[step("edit", path="kettle/bill.py", first=6, last=6, text=SHARED), step("finish", outcome="success")],
        settled=says(working="", settled=True, clause=QUOTE, expected="[34, 33, 33]"),
        tests=says(tests=[{"clause": QUOTE, "call": "split_bill(100, 3)", "expected": "[34, 33, 33]"}]),
    )
    settings = {"judge": "openai", "model_base_url": model.base_url, "model_api_key": "x", "executor": "bubblewrap"}
    house = House(databases.migrated(), KEY, settings)
    yield house
    house.close()
    model.close()
    assert not model.unscripted


def test_a_wrong_change_is_handed_back_with_a_test_and_a_fix(kitchen: House) -> None:
    repo = kitchen.repository(POLICY)
    kitchen.github.push(repo, {path: text for path, text in FILES.items() if not path.startswith(".github")})
    issue = kitchen.github.open_issue(repo, *ASKED, by="reporter")
    wrong = {"kettle/bill.py": ROUNDED}
    number = kitchen.github.open_pull(repo, "Round the shares", wrong, body=f"Fixes #{issue}", by=AGENT)
    kitchen.settle(120)
    assert check(kitchen, repo, number) == (
        "failure",
        "Bounced: A fix for this change was tried: the fix passes where this change fails.",
    )
    told = summary(kitchen, repo)
    assert "assert split_bill(100, 3) == [34, 33, 33]" in told
    assert "diff --git a/kettle/bill.py b/kettle/bill.py" in told
    assert "+    share, rest = divmod(cents, people)" in told
    (review,) = own_reviews(kitchen, repo, number)
    assert (review.state, [(item.path, item.line) for item in review.remarks]) == ("commented", [("kettle/bill.py", 6)])
    assert review.remarks[0].body == f"```suggestion\n{SHARED}```"
