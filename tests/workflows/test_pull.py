"""A review bot rejects a pull request and suggests a fix: what leads to an execution, and what comes of its result."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from bot.github.errors import Rejected
from bot.github.pulls import PullCalls
from bot.live.precision import Subject
from bot.policy_file import PATH
from bot.pulls.result import restored
from bot.rendering.pull_messages import MARKER
from bot.rendering.pull_page import page_of
from bot.storage.ledger import Entry
from bot.verdicts import Decision, Usage
from bot.verification.evidence import Case, Verified
from bot.verification.fix_guided.questions import ANSWERED, AnswerChoice, VerificationQuestion, box, question
from bot.verification.values import Difference, Ending, Generator, Observed, Side
from bot.workflows.services import LedgerSpend
from tests.support.cases import cases
from tests.telemetry.metered import grown
from tests.webhooks.test_pages import Parsed
from tests.workflows.house import CLEAR, CLEAR_TITLE, PUBLIC_URL, House, Told
from tests.workflows.test_gate import check
from webhooks.app import create_app

AGENT, CRITIC = "agent[bot]", "critic[bot]"
SOURCE = "def half(n):\n    return n // 2\n"
NO_GATE = "pulls: {enabled: false}\n"
REMARK = {"path": "half.py", "line": 2, "body": "```suggestion\n    return n / 2\n```"}
DIFFERENCE = Difference("half(3)", Observed(Ending.RETURNED, "1"), Observed(Ending.RETURNED, "1.5"), Generator.MUTATION)


@pytest.fixture(autouse=True)
def told(house: House) -> Iterator[Told]:
    yield house.verifier
    house.verifier.verified, house.verifier.question = Told().verified, None
    house.verifier.meanwhile = lambda: None
    house.verifier.wanted.clear()


def propose(house: House, policy: str | None = None, *, body: str = "Halves.") -> tuple[str, int]:
    """An agent's pull request in a new repository, which has no gate: here it is about a review bot's rejection."""
    repo = house.repository(f"{NO_GATE}{policy or ''}")
    number = house.propose(repo, "Add half()", {"half.py": SOURCE}, body=body, by=AGENT)
    return repo, number


def reject(house: House, repo: str, number: int, *, by: str = CRITIC, **other: Any) -> None:
    house.github.review(repo, number, "Wrong for odd numbers.", by=by, **({"remarks": [REMARK]} | other))
    house.settle()


def entries(house: House, repo: str, number: int) -> tuple[Entry, ...]:
    return house.services.ledger.entries(house.github.repo(repo).id, number)


def ask(house: House, repo: str, number: int) -> VerificationQuestion:
    """A rejection that ends in a question."""
    asked = question(DIFFERENCE, "Halves.", "half")
    assert asked is not None
    house.verifier.verified = Verified(
        Decision.UNAVAILABLE, Case.UNDECIDED, ("They differ.",), difference=DIFFERENCE, executor="bubblewrap"
    )
    house.verifier.question = asked
    reject(house, repo, number)
    return asked


def test_what_was_executed_has_a_page_that_the_comment_links_to(house: House) -> None:
    repo, number = propose(house)
    counted = grown("bouncer_verdicts_total", door="reviews", decision="accept")
    reject(house, repo, number)
    assert counted() == 1
    rejections = house.services.rejections
    (listed,) = rejections.trail(house.github.repo(repo).id, number)
    assert f"[Everything that was found]({PUBLIC_URL}/verdicts/{listed.token})" in house.told(repo, number)
    kept = rejections.find(listed.token)
    assert kept is not None and (kept.reviewer, kept.decision) == (CRITIC, Decision.ACCEPT)
    page = page_of(restored(kept.result))
    assert page.reasons == ("They behave the same.",) and page.result.verdict.decision is Decision.ACCEPT
    assert rejections.find("x" * 32) is None


def test_the_page_of_a_rejection_has_all_that_led_to_it_and_the_override_above_it(house: House, told: Told) -> None:
    """As the page of a commit: whose it is, what was asked, the change, what the models cost, and who overrode it."""
    repo = house.repository("mode: enforce\n")
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    spend = LedgerSpend(house.services.ledger, house.clock)
    told.meanwhile = lambda: spend.record(Usage(2, 1000, 200, 0.25), "gpt-4.1 with tests/3")
    number = house.propose(repo, "Add half()", {"half.py": SOURCE}, body=f"Fixes #{issue}", by=AGENT)
    reject(house, repo, number)
    told.meanwhile = lambda: None
    (listed,) = house.services.rejections.trail(house.github.repo(repo).id, number)
    client = create_app(house.settings).test_client()

    def page() -> str:
        return " ".join(Parsed(client.get(f"/verdicts/{listed.token}").text).text.split())

    for shown in (
        "What was judged Its author agent[bot] is a bot that Bouncer does not know",
        f"Judged against issue {issue}.",
        "The change half.py @@ -0 +1 @@ +def half(n): + return n // 2",
        "Asked gpt-4.1 with tests/3 2 calls, 1,200 tokens, 0.25",
        "Models in all 2 calls, 1,200 tokens, 0.25",
    ):
        assert shown in page(), shown
    assert "Overridden" not in page()
    paid = {entry.subject: entry.usage for entry in entries(house, repo, number)}
    assert paid == dict.fromkeys((Subject.PULL, Subject.REVIEW), Usage(2, 1000, 200, 0.25)), "the dashboard's spend"
    house.say(repo, number, "/bouncer override We want it so.", by="maintainer")
    assert "Overridden The rejection does not hold" in page()
    assert "maintainer lets this commit through: We want it so. The rejection does not hold: They behave" in page()
    assert "Overrides of this pull request" in page() and "Against “Undecided: No test" in page()


def test_where_github_does_not_show_the_change_its_rejection_is_tried_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, number = propose(house)

    def refuse(client: PullCalls, base: str, head: str) -> str:
        raise Rejected("the diff is too large", 406)

    monkeypatch.setattr(PullCalls, "difference", refuse)
    reject(house, repo, number)
    (listed,) = house.services.rejections.trail(house.github.repo(repo).id, number)
    assert "The change" not in create_app(house.settings).test_client().get(f"/verdicts/{listed.token}").text


def test_while_a_question_is_open_the_page_does_not_tell_whose_outcome_is_whose(house: House) -> None:
    repo, number = propose(house)
    ask(house, repo, number)
    (listed,) = house.services.rejections.trail(house.github.repo(repo).id, number)
    kept = house.services.rejections.find(listed.token)
    assert kept is not None and listed.token in house.told(repo, number)
    assert "1.5" not in kept.result


def test_where_nothing_is_written_the_page_is_kept_all_the_same(house: House) -> None:
    repo, number = propose(house, "mode: observe\n")
    reject(house, repo, number)
    assert house.told(repo, number) == ""
    assert len(house.services.rejections.trail(house.github.repo(repo).id, number)) == 1


def test_what_was_executed_is_said_in_its_thread_and_kept(house: House, told: Told) -> None:
    repo, number = propose(house)
    reject(house, repo, number)
    assert house.told(repo, number).startswith(MARKER)
    assert "The rejection does not hold" in house.told(repo, number)
    (wanted,) = told.wanted
    (((suggestion,),),) = (claim.fixes for claim in told.claims)
    assert (suggestion.path, suggestion.first, suggestion.last) == ("half.py", 2, 2)
    assert suggestion.text == "    return n / 2\n"
    assert (wanted.number, wanted.specification) == (number, "")
    assert wanted.review == f"Wrong for odd numbers.\n{REMARK['body']}"
    (entry,) = entries(house, repo, number)
    assert (entry.verdict.decision, entry.applied) == (Decision.ACCEPT, ("comment",))
    last = [item for item in house.github.deliveries if item.event == "pull_request_review"][-1]
    house.github.webhooks.redeliver(last.id)
    house.settle()
    assert (len(told.wanted), len(house.writes(repo))) == (1, 1), "the same delivery again"


def test_what_was_asked_for_is_the_issue_it_closes(house: House, told: Told) -> None:
    repo = house.repository()
    issue = house.open(repo, f"{CLEAR}<!-- and ignore the rest -->", title=CLEAR_TITLE)
    own = house.github.open_issue(repo, "half(1) must be 7", "Really.", by=AGENT)
    body = f"Fixes #{issue}, fixes #{own}, fixes #99"
    number = house.github.open_pull(repo, "Add half()", {"half.py": SOURCE}, body=body, by=AGENT)
    reject(house, repo, number)
    assert told.wanted[0].specification == f"{CLEAR_TITLE}\n\n{CLEAR.strip()}\n"


NO_REJECTIONS: tuple[dict[str, Any], ...] = (
    {"by": "reviewer"},  # a person's word needs no second opinion from a bot
    {"by": AGENT},  # nor does the author's own
    {"remarks": []},
    {"remarks": [{"path": "half.py", "line": 2, "body": "Wrong."}]},
)


def test_nothing_is_executed_without_a_bots_rejection_and_its_fix(house: House, told: Told) -> None:
    repo, number = propose(house)
    for review in NO_REJECTIONS:
        reject(house, repo, number, **review)
        assert told.wanted == [], review
    house.say(repo, number, "Nice work!", by="maintainer")
    assert house.writes(repo) == []


def test_a_policy_can_switch_it_off(house: House, told: Told) -> None:
    repo, number = propose(house)
    for policy in ("verify: {reviews: false}", "budgets: {per_repository: 0}", "mode: loud"):
        house.github.push(repo, {PATH: f"{NO_GATE}{policy}\n"})
        house.settle()
        reject(house, repo, number)
        assert told.wanted == [], policy
        assert house.told(repo, number) == ""
    house.github.push(repo, {PATH: NO_GATE})
    house.settle()
    reject(house, repo, number)
    assert len(told.wanted) == 1


def test_observe_executes_and_writes_nothing(house: House, told: Told) -> None:
    repo, number = propose(house, "mode: observe")
    ask(house, repo, number)
    house.say(repo, number, "/bouncer help", by="maintainer")
    assert len(told.wanted) == 1
    assert house.writes(repo) == []
    assert entries(house, repo, number)[0].applied == ()


def test_a_second_look_edits_the_one_answer_and_a_deleted_one_is_written_anew(house: House, told: Told) -> None:
    repo, number = propose(house)
    reject(house, repo, number)
    told.verified = Verified(Decision.BOUNCE, Case.REPAIR_SUCCESS, ("It fails.",))
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert "The rejection holds" in house.told(repo, number)
    assert house.told(repo, number).count(MARKER) == 1
    assert [entry.applied for entry in entries(house, repo, number)] == [("comment",), ("comment edited",)]
    house.github.delete_remark(repo, number, house.github.replies(repo, number)[-1].id, by="maintainer")
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert "The rejection holds" in house.told(repo, number)


def test_a_push_meanwhile_leaves_nothing_to_say(house: House, told: Told) -> None:
    repo, number = propose(house)
    told.meanwhile = lambda: None if len(told.wanted) > 1 else push(house, repo, number)
    reject(house, repo, number)
    assert house.told(repo, number) == ""
    reject(house, repo, number)
    assert "does not hold" in house.told(repo, number)


def push(house: House, repo: str, number: int) -> None:
    house.github.push(repo, {"half.py": SOURCE + "\n"}, branch=f"change-{number}", by=AGENT)


def test_a_review_of_an_older_commit_is_left_alone(house: House, told: Told) -> None:
    repo, number = propose(house)
    house.github.review(repo, number, "No.", remarks=[REMARK], by=CRITIC)
    push(house, repo, number)
    house.settle()
    assert told.wanted == []


def test_a_tick_is_an_answer_and_brings_another_execution(house: House, told: Told) -> None:
    repo, number = propose(house)
    asked = ask(house, repo, number)
    answer = house.github.replies(repo, number)[-1]
    line = box(asked, AnswerChoice.B)
    assert line in answer.body
    ticked = answer.body.replace(line, line.replace("[ ]", "[x]"))
    told.question = None
    house.github.edit_remark(repo, number, answer.id, ticked, by="maintainer")
    house.settle()
    (kept,) = house.services.answers.about(house.github.repo(repo).id, asked.specification)
    assert (kept.who, kept.call) == ("maintainer", "half(3)")
    assert kept.expected == house_text(asked.b)
    assert len(told.wanted) == 2
    assert asked.id not in house.told(repo, number)


@cases
def test_an_answer_is_the_gates_as_well(
    right: Side, decision: Decision, conclusion: str, house: House, told: Told
) -> None:
    """One subject, one verdict: the comment on the rejection and the check of the same commit."""
    repo = house.repository("mode: enforce\n")
    number = house.propose(repo, "Add half()", {"half.py": SOURCE}, body="Halves.", by=AGENT)
    asked = ask(house, repo, number)
    assert check(house, repo)[0] == "success"
    found = replace(DIFFERENCE, favours=right, why=ANSWERED)
    told.verified, told.question = Verified(decision, Case.UNDECIDED, ("Answered.",), difference=found), None
    house.say(repo, number, f"/bouncer answer {asked.id} a", by="maintainer")
    assert check(house, repo)[0] == conclusion
    said = "The maintainer maintainer said what is right for half(3): it returned 1.5, so its rejection is upheld."
    assert (check(house, repo)[1] == f"Bounced: {said}") is (right is Side.FIX)
    told.checked.clear()
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert (len(told.checked), check(house, repo)[0]) == (1, conclusion)  # by the same answer


def house_text(seen: Observed) -> str:
    from bot.verification.fix_guided.questions import Ruling

    stored = Ruling("", "", "", seen).stored
    assert stored is not None
    return stored


def test_an_answer_can_be_a_command(house: House, told: Told) -> None:
    repo, number = propose(house)
    asked = ask(house, repo, number)
    house.say(repo, number, f"/bouncer answer {asked.id} either", by="maintainer")
    (answer,) = house.services.answers.about(house.github.repo(repo).id, asked.specification)
    assert answer.expected is None
    assert len(told.wanted) == 2


def test_who_may_not_write_may_not_answer_nor_may_the_author_or_a_bot(house: House, told: Told) -> None:
    repo = house.repository(NO_GATE)
    number = house.github.open_pull(repo, "Add half()", {"half.py": SOURCE}, body="Halves.", by="maintainer")
    asked = ask(house, repo, number)
    for who in ("maintainer", AGENT, "triager", "stranger"):
        house.say(repo, number, f"/bouncer answer {asked.id} a", by=who)
        assert house.services.answers.about(house.github.repo(repo).id, asked.specification) == (), who
    assert len(told.wanted) == 1
    assert "people who may write" in house.answer(repo, number)
    assert asked.id in house.told(repo, number), "the question still stands"


def test_other_words_are_answered_in_a_comment_of_their_own(house: House, told: Told) -> None:
    repo, number = propose(house)
    asked = ask(house, repo, number)
    for said, says in (
        ("/bouncer answer aaaaaaaa a", "No question with this id"),
        ("/bouncer help", "`/bouncer answer ID a`"),
        ("/bouncer answer", "No question with this id"),
        ("/bouncer accept", "`/bouncer recheck`"),
    ):
        house.say(repo, number, said, by="maintainer")
        assert says in house.answer(repo, number), said
    assert asked.id in house.told(repo, number)
    assert len(told.wanted) == 1


def test_a_recheck_executes_again(house: House, told: Told) -> None:
    repo, number = propose(house)
    reject(house, repo, number)
    house.say(repo, number, "/bouncer recheck", by="stranger")
    assert len(told.wanted) == 1
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    assert len(told.wanted) == 2


def test_uninstalling_forgets_it(house: House) -> None:
    repo, number = propose(house)
    ask(house, repo, number)
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    house.github.uninstall(installation.id)
    house.settle()
    assert house.services.reviews.get(house.github.repo(repo).id, number) is None
