"""The page of an issue: where it is linked, and that it says what stands on GitHub."""

from dataclasses import replace

from bot.already_fixed.values import Run, Seen, Trial
from bot.judges.protocol import NoJudgement
from bot.policy_file import PATH
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision
from tests.webhooks.test_pages import Parsed
from tests.workflows.already_fixed import ALREADY, FIX, PASSES, POSSIBLY, SHOWN, looked_at, report, reported
from tests.workflows.house import CLEAR, CLEAR_TITLE, PUBLIC_URL, VAGUE, VAGUE_TITLE, House, Looked
from webhooks.app import create_app


def linked(house: House, said: str) -> SubjectRecord | None:
    """What the page shows that this links to."""
    token = said.partition(f"({PUBLIC_URL}/verdicts/")[2].partition(")")[0]
    return house.services.subjects.find(token)


def page(house: House, repo: str, number: int) -> str:
    """What a reader of the page of an issue sees."""
    token = house.services.subjects.address(house.github.repo(repo).id, number)
    answer = create_app(house.settings).test_client().get(f"/verdicts/{token}")
    return " ".join(Parsed(answer.text).text.split())


def test_the_questions_and_the_help_link_to_the_page(house: House) -> None:
    repo, number = house.begin()
    house.say(repo, number, "/bouncer help")
    for said in (house.spoken(repo, number), house.answer(repo, number)):
        shown = linked(house, said)
        assert shown is not None and shown.held and shown.number == number
        assert shown.verdict is not None and shown.verdict.decision is Decision.BOUNCE


def test_the_page_says_why_an_issue_is_left_alone_until_it_is_not(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE, by="maintainer")
    house.settle()
    house.say(repo, number, "/bouncer help", by="somebody")
    shown = linked(house, house.answer(repo, number))
    assert shown is not None and shown.left_alone == "its author's role (collaborator) is exempt"
    house.github.push(repo, {PATH: "issues:\n  exempt: {roles: []}\n"})
    house.settle()
    house.edit(repo, number, body=f"{VAGUE} Please.")
    shown = linked(house, house.spoken(repo, number))
    assert shown is not None and shown.left_alone == "" and shown.held


def test_the_page_says_when_an_issue_without_a_verdict_is_looked_at_again(house: House) -> None:
    """And not where it is not."""
    repo = house.repository()
    for again in (True, False):
        house.judge.away = NoJudgement("model", "The model is away.", retry=again)
        number = house.open(repo)
        waits, shown = house.remembered(repo, number), page(house, repo, number)
        assert waits is not None and "Could not be judged" in shown and "The model is away." in shown
        at = f"{waits.retry_at:%Y-%m-%d %H:%M} UTC" if waits.retry_at else ""
        assert bool(at) is again
        assert (f"Bouncer looks again by itself, at the latest {at}." in shown) is again
    house.github.close_issue(repo, number)
    house.say(repo, number, "/bouncer pause", by="maintainer")
    assert "looks again" not in page(house, repo, number)


def test_without_an_address_of_its_own_nothing_is_linked(house: House) -> None:
    object.__setattr__(house.services, "public_url", "")
    try:
        repo = house.repository()
        number = house.open(repo)
        clear = house.open(repo, CLEAR, title=CLEAR_TITLE)
        house.say(repo, clear, "/bouncer help")
    finally:
        object.__setattr__(house.services, "public_url", PUBLIC_URL)
    assert house.spoken(repo, number) and "/verdicts/" not in house.spoken(repo, number) + house.answer(repo, clear)


def test_the_page_shows_what_was_run_to_tell_whether_it_is_fixed(house: House, looked: Looked) -> None:
    """The commit, what ran where, and what came out; once the looks ended, not the reporter's text any more."""
    failed = Run(Seen.AS_REPORTED, "it raises KeyError", "KeyError: 'name' <b>")
    looked.fixed = replace(ALREADY, trials=(Trial(SHOWN, head=PASSES, without_fix=failed, fix=FIX.commit),))
    repo, number = reported(house)
    told = page(house, repo, number)
    for shown in (
        "What was run It is fixed already: no change is needed. It passes now.",
        f"The fix: {FIX.commit[:10]} {FIX.subject} in v2.4.0",
        f"The example It passes at the head, and fails as reported without {FIX.commit[:10]}.",
        "import widgets",
        f"at the head: passes at the head without {FIX.commit[:10]}: fails as reported KeyError: 'name' <b>",
    ):
        assert shown in told, shown
    house.say(repo, number, "/bouncer accept", by="maintainer")
    told = page(house, repo, number)
    assert "at the head: passes" in told and "import widgets" not in told and "KeyError: 'name' <b>" not in told
    assert "Somebody disagreed" in told


def test_an_accepted_issue_says_who_accepted_it_and_which_verdict_that_overruled(house: House) -> None:
    """By the command and by taking the label off alike."""
    repo = house.repository()
    for by_command in (True, False):
        number = house.open(repo)
        assert "Held" in page(house, repo, number)
        if by_command:
            house.say(repo, number, "/bouncer accept", by="maintainer")
        else:
            house.github.remove_label(repo, number, "needs-clarification", by="maintainer")
            house.settle()
        told = page(house, repo, number)
        assert "maintainer accepted this issue as it is. Nothing more is asked." in told
        assert "Too little to act on before: The report leaves out" in told


def test_where_nothing_ran_the_page_says_what_history_says(house: House, looked: Looked) -> None:
    looked.fixed = POSSIBLY
    repo = house.repository()
    told = page(house, repo, report(house, repo))
    assert "Whether it is fixed It may be fixed already, and nothing proves it. History alone." in told
    assert "What was run" not in told
    assert "Whether it is fixed" not in page(house, repo, house.open(repo)), "nobody looked"


def test_the_page_of_a_closed_issue_keeps_no_text_that_its_reporter_took_out(house: House, looked: Looked) -> None:
    """Nobody looks at a closed one again, so nothing newer takes the place of what was found in the old text."""
    repo, number = looked_at(house, looked, ALREADY)
    assert "import widgets" in page(house, repo, number)
    house.github.close_issue(repo, number, by="maintainer")
    house.edit(repo, number, body="Sorry, there was a password in it.")
    told = page(house, repo, number)
    assert "import widgets" not in told and "It is fixed already" in told
