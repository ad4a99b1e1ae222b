"""The page of an issue: where it is linked, and that it says what stands on GitHub."""

from bot.policy_file import PATH
from bot.storage.subjects import SubjectRecord
from bot.verdicts import Decision
from tests.workflows.house import CLEAR, CLEAR_TITLE, PUBLIC_URL, VAGUE, VAGUE_TITLE, House


def linked(house: House, said: str) -> SubjectRecord | None:
    """What the page shows that this links to."""
    token = said.partition(f"({PUBLIC_URL}/verdicts/")[2].partition(")")[0]
    return house.services.subjects.at(token)


def test_the_questions_and_the_help_link_to_the_page(house: House) -> None:
    repo = house.repository()
    number = house.open(repo)
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
    house.github.edit_issue(repo, number, body=f"{VAGUE} Please.")
    house.settle()
    shown = linked(house, house.spoken(repo, number))
    assert shown is not None and shown.left_alone == "" and shown.held


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
