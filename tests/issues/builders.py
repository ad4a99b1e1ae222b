"""Facts with good defaults: a bug report that lacks its steps and its version, looked at for the first time."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar, get_type_hints

from pydantic import TypeAdapter

from bot.issues.agent_reach import AgentPast
from bot.issues.facts import IssueFacts, IssueHistory
from bot.issues.lifecycle import Plan
from bot.judges.protocol import Judgement, NoJudgement
from bot.policy import Policy
from bot.rendering.issue_messages import message_text
from bot.reports import IssueText, Report
from bot.verdicts import IssueKind, Item, SpecificationLabel

Made = TypeVar("Made", bound=Any)
JUDGE = "offline/1"
ITEMS: Mapping[Item, str | None] = {
    Item.OBSERVED: "Saving crashes",
    Item.EXPECTED: "it should save",
    Item.STEPS: None,
    Item.VERSION: None,
}
ALL_CLEAR = {Item.OBSERVED: "Saving crashes", Item.EXPECTED: "it should save", Item.STEPS: "press save"}
NOTHING: dict[Item, str | None] = dict.fromkeys(ITEMS)
HELD = IssueHistory(held=True, commented=True, judged=True, asked=(Item.STEPS, Item.VERSION))
LABEL = "needs-clarification"
DOWN = NoJudgement("gpt-4.1", "The model did not answer.", retry=True)


def report(**difference: Any) -> Report:
    """A short bug report in English."""
    default = Report(
        text=IssueText("Saving crashes", "Saving crashes. I think it should save."),
        visible_title="Saving crashes",
        visible_text="Saving crashes. I think it should save.",
        kind=IssueKind.BUG,
        items=dict(ITEMS),
        language="en",
        evidence=(),
        features={"specific_words": 20.0},
    )
    return replace(default, **difference)


def judgement(probability: float = 0.99, **difference: Any) -> Judgement:
    """A judge that is sure the report should be bounced and sees what the parser sees."""
    default = Judgement(SpecificationLabel.VAGUE, probability, IssueKind.BUG, JUDGE, {})
    return replace(default, **difference)


def facts(**difference: Any) -> IssueFacts:
    """A first look at that report."""
    default = IssueFacts(
        report=report(),
        judgement=judgement(),
        author="dana",
        association="none",
        author_is_bot=False,
        labels=(),
        state="open",
        locked=False,
    )
    return replace(default, **difference)


def look(difference: Mapping[str, Any]) -> IssueFacts:
    """A first look at that report but for this, as a table of cases writes it: of a report, a judgement and a history
    the fields that differ; of a kind the report's."""
    made = {name: value for name, value in difference.items() if name != "kind"}
    if kind := difference.get("kind"):
        made["report"] = {"kind": kind}
    if made.get("judgement") == "down":
        made["judgement"] = DOWN
    if "past" in made:
        made["past"] = AgentPast(**made["past"])
    if "labels" in made:
        made["labels"] = tuple(made["labels"])
    for name, default in (("report", report()), ("judgement", judgement()), ("history", IssueHistory())):
        if isinstance(made.get(name), dict):
            made[name] = like(default, made[name])
    return facts(**made)


def like(default: Made, difference: Mapping[str, Any]) -> Made:
    """The same but for these fields, as a table of cases writes them."""
    kinds = get_type_hints(type(default))
    return replace(
        default, **{name: TypeAdapter(kinds[name]).validate_python(value) for name, value in difference.items()}
    )


def policy(**sections: Any) -> Policy:
    """The default policy with some keys of the file given."""
    return Policy.model_validate(sections, strict=False)


def text_in(plan: Plan, part: str = "comment") -> str:
    """What a part of a plan says, in its language; empty where it says nothing."""
    message = getattr(plan, part)
    return message_text(message, plan.language) if message else ""
