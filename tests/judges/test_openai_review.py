"""A whole review against a real server: in which order is asked, what counts, and what makes it none."""

import json
from typing import Any

import pytest

from bot.judges.agent.code_tools import CodeLimits, CodeReader
from bot.judges.claims import ClaimKind, Counterexample, How
from bot.judges.code import Opinion
from bot.judges.openai.context import OpenAIContext
from bot.judges.openai.patch_texts import PatchTexts
from bot.judges.openai.questions import OpenAIEvaluator, OpenAIRejectionNamer
from bot.judges.openai.review import OpenAIPatchReviewer, read_claims
from bot.judges.openai.spend import MemorySpend
from bot.judges.patches import NamedRejection, Rejection
from bot.judges.protocol import Answered, NoJudgement
from bot.judges.reviews import Consistency, PatchReview, ReviewMode
from bot.verdicts import PatchLabel
from tests.judges.joiner import ISSUE, subject
from tests.judges.test_code_tools import Shelf
from tests.support.cases import cases
from tests.support.model import Scripted, ScriptedModel, completion, failure, wishing

CLAIM = {
    "quote": "An empty list gives an empty text.",
    "symptom": "join([]) raises an error.",
    "kind": "crash",
    "how": "call",
    "what": "join([])",
    "expected": "''",
    "guess": "It looks at the first item.",
}
RISK = {**CLAIM, "kind": "risk", "quote": "", "symptom": "Long lists may be slow.", "how": "none", "what": ""}
CONSISTENT = {"quote": "", "label": "consistent"}


def answer(**fields: Any) -> Scripted:
    return completion(json.dumps(fields))


def reviewed(
    server: ScriptedModel, *answers: Scripted, mode: ReviewMode = ReviewMode.DIRECT, code: CodeReader | None = None
) -> PatchReview | NoJudgement:
    server.script(*answers)
    return OpenAIPatchReviewer(server.settings(model_timeout=60), MemorySpend(), mode).review(subject(), code)


def review(
    server: ScriptedModel, *answers: Scripted, mode: ReviewMode = ReviewMode.DIRECT, code: CodeReader | None = None
) -> PatchReview:
    found = reviewed(server, *answers, mode=mode, code=code)
    assert isinstance(found, PatchReview)
    return found


def asked(server: ScriptedModel) -> list[list[str]]:
    """The fields of each answer that was asked for."""
    schemas = (request.body["response_format"]["json_schema"]["schema"] for request in server.requests)
    return [list(schema["properties"]) for schema in schemas]


# The order of the questions.


def test_a_direct_yes_is_asked_nothing_more(scripted_model: ScriptedModel) -> None:
    found = review(scripted_model, answer(verdict="yes"))
    assert not found.rejects
    assert found.label is PatchLabel.CORRECT_AND_PRECISE
    assert (found.claims, found.rationale, found.consistency, found.consistent) == ((), "", None, True)
    assert (found.symptom, found.guess, found.quote, found.grounded) == ("", "", "", False)
    assert asked(scripted_model) == [["verdict"]]


def test_a_direct_no_shows_what_it_means_and_that_is_checked(scripted_model: ScriptedModel) -> None:
    found = review(scripted_model, answer(verdict="no"), answer(claims=[CLAIM]), answer(**CONSISTENT))
    assert found.rejects
    assert found.grounded
    assert found.consistent
    assert found.usage.calls == 3
    assert (found.symptom, found.guess) == (CLAIM["symptom"], CLAIM["guess"])
    assert found.quote == CLAIM["quote"]
    (claim,) = found.claims
    assert claim.kind is ClaimKind.CRASH
    assert claim.counterexample == Counterexample(How.CALL, "join([])", "''")
    assert [fields[0] for fields in asked(scripted_model)] == ["verdict", "claims", "quote"]
    first, second, third = scripted_model.requests
    assert not {"fix", "rationale", "claims"} & set(first.prompt.split())
    assert ISSUE in second.prompt
    assert "join([]) raises an error. It looks at the first item." in third.prompt
    assert ISSUE not in third.prompt  # the evaluator does not judge the change


@pytest.mark.parametrize("verdict", ["yes", "no"])
@pytest.mark.parametrize("mode", [ReviewMode.EXPLAIN, ReviewMode.FULL])
def test_a_rationale_is_checked_before_anything_is_claimed(
    scripted_model: ScriptedModel, mode: ReviewMode, verdict: str
) -> None:
    fields = {"verdict": verdict, "rationale": "It is as it is.", "fix": []}
    more = [answer(claims=[CLAIM])] if verdict == "no" else []
    found = review(scripted_model, answer(**fields), answer(**CONSISTENT), *more, mode=mode)
    assert found.rationale == "It is as it is."
    assert found.consistency is Consistency.CONSISTENT
    assert found.usage.calls == 2 + len(more)
    assert [fields[0] for fields in asked(scripted_model)] == ["verdict", "quote", "claims"][: found.usage.calls]


def test_a_label_of_bouncerbench_is_a_rejection_from_its_third_on(scripted_model: ScriptedModel) -> None:
    for label in PatchLabel:
        rejects = label in (PatchLabel.BROAD_MISSING_KEY_ASPECTS, PatchLabel.INCORRECT)
        more = [answer(claims=[CLAIM])] if rejects else []
        first = answer(reasoning="So.", label=label.value)
        found = review(scripted_model, first, answer(**CONSISTENT), *more, mode=ReviewMode.LABEL)
        assert (found.label, found.rejects) == (label, rejects)


def test_a_fix_of_the_full_mode_is_kept(scripted_model: ScriptedModel) -> None:
    edit = {"path": "src/joiner.py", "before": "items[0:]", "after": "items"}
    first = answer(verdict="no", rationale="Bad.", fix=[edit])
    found = review(scripted_model, first, answer(**CONSISTENT), answer(claims=[]), mode=ReviewMode.FULL)
    assert [made.path for made in found.fix] == ["src/joiner.py"]


# What counts.


@cases
def test_a_review_that_contradicts_itself_does_not_count(
    scripted_model: ScriptedModel, mode: ReviewMode, verdict: str, label: str, consistent: bool
) -> None:
    checked = answer(quote="", label=label)
    if mode is ReviewMode.DIRECT:
        answers = [answer(verdict=verdict), answer(claims=[CLAIM]), checked]
    else:
        claims = [answer(claims=[CLAIM])] if consistent and verdict == "no" else []  # else nothing more is asked
        answers = [answer(verdict=verdict, rationale="Well.", fix=[]), checked, *claims]
    found = review(scripted_model, *answers, mode=mode)
    assert found.consistency == label
    assert found.consistent is consistent


def test_a_direct_no_that_claims_nothing_argues_for_the_change(scripted_model: ScriptedModel) -> None:
    found = review(scripted_model, answer(verdict="no"), answer(claims=[]))
    assert found.consistency is Consistency.NO_BUT_POSITIVE
    assert not found.consistent
    assert not found.grounded


def test_a_possible_risk_grounds_nothing_and_stays_one(scripted_model: ScriptedModel) -> None:
    found = review(scripted_model, answer(verdict="no"), answer(claims=[RISK]), answer(**CONSISTENT))
    assert found.rejects
    assert not found.grounded
    assert not any(claim.confirmed for claim in found.claims)


def test_a_confirmed_claim_comes_first(scripted_model: ScriptedModel) -> None:
    found = review(scripted_model, answer(verdict="no"), answer(claims=[RISK, CLAIM]), answer(**CONSISTENT))
    assert [claim.confirmed for claim in found.claims] == [True, False]
    assert found.symptom == CLAIM["symptom"]
    assert [claim.symptom for claim in found.claims if not claim.confirmed] == [RISK["symptom"]]


@cases
def test_a_bare_no_is_labelled_by_what_it_claims(scripted_model: ScriptedModel, kind: str, label: PatchLabel) -> None:
    claims = answer(claims=[{**CLAIM, "kind": kind}])
    assert review(scripted_model, answer(verdict="no"), claims, answer(**CONSISTENT)).label is label


def test_malformed_claims_are_left_out_and_there_are_three_at_most() -> None:
    bad = [{**CLAIM, "kind": "nitpick"}, "join([])"]
    assert len(read_claims(json.dumps({"claims": [*bad, CLAIM]}), ISSUE)) == 1
    assert len(read_claims(json.dumps({"claims": [CLAIM] * 9}), ISSUE)) == 3


@pytest.mark.parametrize("answers", [[], [answer(claims=[CLAIM])]])
def test_a_question_without_an_answer_makes_it_unavailable(
    scripted_model: ScriptedModel, answers: list[Scripted]
) -> None:
    found = reviewed(scripted_model, answer(verdict="no"), *answers, failure(401))
    assert isinstance(found, NoJudgement)
    assert found.usage.calls == 1 + len(answers)


# The evaluator.


@cases
def test_the_evaluator_names_what_the_verdict_allows(
    scripted_model: ScriptedModel, verdict: Opinion, label: str, possible: bool
) -> None:
    said = answer(quote="it is wrong", label=label)
    scripted_model.script(said, *([] if possible else [said]))
    found = OpenAIEvaluator(scripted_model.settings(model_timeout=60), MemorySpend()).evaluate(
        verdict, "Here it is wrong."
    )
    if possible:
        assert isinstance(found, Answered)
        assert found.answer == label
    else:
        assert isinstance(found, NoJudgement)


def test_no_rationale_is_unclear_without_asking(scripted_model: ScriptedModel) -> None:
    found = OpenAIEvaluator(scripted_model.settings(model_timeout=60), MemorySpend()).evaluate(Opinion.NO, " \n")
    assert isinstance(found, Answered)
    assert found.answer is Consistency.UNCLEAR
    assert not scripted_model.requests


# Looking things up first.


def test_what_was_looked_up_is_context_of_the_same_bare_question(scripted_model: ScriptedModel) -> None:
    shelf = Shelf("8 def join(self, items):")
    found = review(
        scripted_model,
        wishing(("read", {"path": "src/joiner.py"}), ("write", {"path": "x"})),
        completion("Seen enough; I would accept it."),
        answer(verdict="yes"),
        code=shelf,
    )
    assert [(call.tool, bool(call.output)) for call in found.calls] == [("read", True), ("write", False)]
    assert found.usage.calls == 3
    looking, again, verdict = scripted_model.requests
    names = [tool["function"]["name"] for tool in looking.body["tools"]]
    assert names == ["list", "read", "search", "definition", "blame", "history"]
    assert "response_format" not in looking.body
    assistant, shown, refused = again.body["messages"][-3:]
    assert assistant["tool_calls"][0]["function"]["name"] == "read"
    assert (shown["role"], shown["tool_call_id"]) == ("tool", "call_0")
    assert "def join" in shown["content"]
    assert "there is no such tool" in refused["content"]
    assert 'read {"path": "src/joiner.py"}\n8 def join(self, items):' in verdict.prompt
    assert "Seen enough" not in verdict.prompt
    assert "tools" not in verdict.body


@pytest.mark.parametrize(
    "problem", [failure(400, "tools are not supported"), failure(404), completion("", finish="length")]
)
def test_a_review_does_without_what_cannot_be_looked_up(scripted_model: ScriptedModel, problem: Scripted) -> None:
    found = review(scripted_model, problem, answer(verdict="yes"), code=Shelf("x"))
    assert not found.rejects
    assert "context" in [item.check for item in found.evidence]


def test_looking_ends_at_its_caps(scripted_model: ScriptedModel) -> None:
    texts = PatchTexts("Do it.", "a change", "")
    settings = scripted_model.settings(model_timeout=60)
    for limits, calls in ((CodeLimits(calls=2), 2), (CodeLimits(tokens=1500), 2), (CodeLimits(total=1), 1)):
        scripted_model.requests.clear()
        for number in range(calls):
            scripted_model.script(wishing(("list", {"path": f"d{number}"})))
        looked = OpenAIContext(settings, MemorySpend(), limits=limits).look(texts, Shelf("name"))
        assert len(looked.calls) == len(scripted_model.requests) == calls
        assert looked.problem == ""


def test_a_model_that_calls_without_end_is_capped_in_one_turn(scripted_model: ScriptedModel) -> None:
    scripted_model.script(wishing(*(("list", {"path": f"d{number}"}) for number in range(40))))
    looked = OpenAIContext(scripted_model.settings(model_timeout=60), MemorySpend()).look(
        PatchTexts("a", "b", ""), Shelf("name")
    )
    assert sum(1 for call in looked.calls if call.output) == CodeLimits().calls
    assert looked.usage.calls == 1


def test_looking_is_paid_and_ends_at_the_ceiling(scripted_model: ScriptedModel) -> None:
    scripted_model.script(wishing(("list", {}), usage=(4000, 100)))
    settings = scripted_model.settings(
        model_timeout=60, model_price_in=1000.0, model_price_out=1.0, model_spend_per_day=5.0
    )
    spend = MemorySpend()
    looked = OpenAIContext(settings, spend).look(PatchTexts("a", "b" * 1000, ""), Shelf("name" * 500))
    assert spend.spent_today() == pytest.approx(looked.usage.money)
    assert "ceiling" in looked.problem
    assert len(looked.calls) == 1


def test_an_endpoint_of_the_older_cap_is_understood(scripted_model: ScriptedModel) -> None:
    scripted_model.script(
        failure(400, "Unsupported parameter: max_completion_tokens"), wishing(("list", {})), completion("Done.")
    )
    settings = scripted_model.settings(model_timeout=60, model="older")
    looked = OpenAIContext(settings, MemorySpend()).look(PatchTexts("a", "b", ""), Shelf("name"))
    assert len(looked.calls) == 1
    assert "max_tokens" in scripted_model.requests[1].body


# Naming what was refuted.


@pytest.mark.parametrize("rejection", Rejection)
def test_a_refuted_rejection_is_named(scripted_model: ScriptedModel, rejection: Rejection) -> None:
    scripted_model.script(answer(category=rejection.value))
    found = OpenAIRejectionNamer(scripted_model.settings(model_timeout=60), MemorySpend()).named(
        ISSUE, "It may be slow."
    )
    assert isinstance(found, NamedRejection)
    assert found.rejection is rejection
    assert found.judge == "gpt-4.1 with rejection-name/1"


def test_another_category_is_none(scripted_model: ScriptedModel) -> None:
    scripted_model.script(answer(category="typo"), answer(category="typo"))
    found = OpenAIRejectionNamer(scripted_model.settings(model_timeout=60), MemorySpend()).named(
        ISSUE, "It may be slow."
    )
    assert isinstance(found, NoJudgement)
