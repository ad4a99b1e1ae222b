"""A rejected pull request: a fix is made and executed beside it, and a bounce hands it back."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from bot.demo.fake.server import new_private_key
from bot.demo.kettle import FILES, PULLS
from bot.verification import filter, standing
from tests.judges.stepping import step
from tests.support.model import Recorded, Scripted, ScriptedModel, completion, failure
from tests.workflows.house import House, sqlite_url
from tests.workflows.test_gate import AGENT, check
from tests.workflows.test_gate_handed import own_reviews, summary

POLICY = "mode: enforce\nissues: {enabled: false}\nverify:\n  setup: []\n  test: pytest\n"
STORIES = {story.key: story for story in PULLS}
ASKED = (
    "split_bill() loses cents",
    "The shares must add up to the bill. For 100 cents and 3 people they are 34, 33 and 33, the larger ones first.",
)
QUOTE = "For 100 cents and 3 people they are 34, 33 and 33"
BILL, MENU = FILES["kettle/bill.py"], FILES["kettle/menu.py"]
ROUNDED = BILL.replace("cents // people", "round(cents / people)")
SHARED = "    share, rest = divmod(cents, people)\n    return [share + 1] * rest + [share] * (people - rest)\n"


class Answering(ScriptedModel):
    """Answers by what it is asked for: the fields of the answer, or tools. A list is used up, its last stays."""

    def __init__(self) -> None:
        super().__init__()
        self.answers: dict[str, list[Scripted]] = {}

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


def claim(kind: str, symptom: str, quote: str = "", what: str = "", expected: str = "") -> dict[str, str]:
    how = "call" if what else "none"
    return {
        "kind": kind,
        "symptom": symptom,
        "quote": quote,
        "how": how,
        "what": what,
        "expected": expected,
        "guess": "",
    }


@pytest.fixture(scope="module")
def kitchen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[House, Answering]]:
    """A house where a scripted model reviews and mends, and everything runs; beside the tests little is looked at."""
    model, patch = Answering(), pytest.MonkeyPatch()
    for module, name in ((filter, "FOR_COMPARING"), (filter, "FOR_STRENGTH"), (standing, "FOR_STRENGTH")):
        patch.setattr(module, name, 1.0)
    settings = {"judge": "openai", "model_base_url": model.base_url, "model_api_key": "x", "executor": "bubblewrap"}
    house = House(sqlite_url(tmp_path_factory.mktemp("kitchen")), new_private_key(), settings)
    yield house, model
    patch.undo()
    house.close()
    model.close()
    assert not model.unscripted


def proposed(
    kitchen: tuple[House, Answering], issue: tuple[str, str], change: Mapping[str, str], **answers: list[Scripted]
) -> tuple[str, int]:
    """An agent's answer to somebody's issue, rejected by the model."""
    house, model = kitchen
    model.answers = {
        "command": answers.get("steps", []),
        "claims": answers.get("claims", says(claims=[])),
        "category": says(category="added_requirement"),
        "tests": answers.get("tests", says(tests=[])),
        "label": says(quote="", label="consistent"),
        "verdict": says(verdict="no"),
        "settled": says(settled=False, clause="", expected=""),
        "tools": [completion("I have seen enough.")],
    }
    repo = house.repository(POLICY)
    house.github.push(repo, {path: text for path, text in FILES.items() if not path.startswith(".github")})
    number = house.github.open_issue(repo, issue[0], issue[1], by="reporter")
    made = house.github.open_pull(repo, "A change", change, body=f"Fixes #{number}", by=AGENT)
    house.settle(120)
    return repo, made


def test_a_wrong_change_is_handed_back_with_a_test_and_a_fix(kitchen: tuple[House, Answering]) -> None:
    house, _ = kitchen
    repo, number = proposed(
        kitchen,
        ASKED,
        {"kettle/bill.py": ROUNDED},
        steps=[step("edit", path="kettle/bill.py", first=6, last=6, text=SHARED), step("finish", outcome="success")],
        claims=says(claims=[claim("wrong_output", "The shares do not add up.", QUOTE)]),
        tests=says(tests=[{"clause": QUOTE, "call": "split_bill(100, 3)", "expected": "[34, 33, 33]"}]),
    )
    assert check(house, repo, number) == ("failure", "Bounced: A fix was tried beside it: it fails where that passes.")
    told = summary(house, repo)
    assert "assert split_bill(100, 3) == [34, 33, 33]" in told
    assert "diff --git a/kettle/bill.py b/kettle/bill.py" in told
    assert "+    share, rest = divmod(cents, people)" in told
    (review,) = own_reviews(house, repo, number)
    assert (review.state, [(item.path, item.line) for item in review.remarks]) == ("commented", [("kettle/bill.py", 6)])
    assert review.remarks[0].body == f"```suggestion\n{SHARED}```"


def test_a_right_change_is_lifted_and_the_rejection_named(kitchen: tuple[House, Answering]) -> None:
    house, _ = kitchen
    story = STORIES["rescued"]
    worse = story.suggestion.replace("(-tea[1], tea[0])", "tea[1]")
    repo, number = proposed(
        kitchen,
        story.issue,
        story.change,
        steps=[step("edit", path="kettle/menu.py", first=6, last=6, text=worse), step("finish", outcome="success")],
        claims=says(claims=[claim("wrong_output", "Equal teas are left to chance.")]),
    )
    conclusion, title = check(house, repo, number)
    assert conclusion == "success"
    assert title.startswith("Plausible: The judge would have rejected it. That was put to the test by executing it")
    assert "a requirement that nobody wrote" in summary(house, repo)
    assert own_reviews(house, repo, number) == []
