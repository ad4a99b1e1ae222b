"""How many GitHub API calls one judged issue costs, counted on the fake GitHub.

    python -m benchmarks.api_calls

Apart, as agreed: the installation token, creating the label, and the policy, which is asked for by ETag at most once a
minute. Every case is a real worker on SQLite against the fake; nothing is simulated in between.
"""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bot.demo.fake.server import new_private_key
from bot.demo.fake.traffic import Exchange
from tests.workflows.house import CLEAR, CLEAR_TITLE, VAGUE, VAGUE_TITLE, House, sqlite_url

FIRST_SIGHT, RE_LOOK = 6, 4  # the most calls allowed
TALK = [("somebody", "Same here."), ("other", "On Windows too."), ("reporter", "Any idea?")]


@dataclass(frozen=True)
class Case:
    """prepare: what happened before, uncounted; returns the issue's number. act: what is counted."""

    name: str
    most: int
    prepare: Callable[[House, str], int]
    act: Callable[[House, str, int], None]


def nothing(house: House, repo: str) -> int:
    return 0


def held(house: House, repo: str) -> int:
    return house.open(repo)


def held_and_talked_about(house: House, repo: str) -> int:
    number = house.open(repo)
    for who, text in TALK:
        house.say(repo, number, text, by=who)
    return number


def open_vague(house: House, repo: str, number: int) -> None:
    house.open(repo)


def open_clear(house: House, repo: str, number: int) -> None:
    house.open(repo, CLEAR, title=CLEAR_TITLE)


def open_and_talk(house: House, repo: str, number: int) -> None:
    """Nobody was at home when it was opened, so its comments are there at first sight."""
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.comment(repo, number, "Same here.", by="somebody")
    opened = house.github.deliveries[-2]
    assert opened.action == "opened"
    house.settle()


def edit_clear(house: House, repo: str, number: int) -> None:
    house.github.edit_issue(repo, number, title=CLEAR_TITLE, body=CLEAR)
    house.settle()


def edit_vague(house: House, repo: str, number: int) -> None:
    house.github.edit_issue(repo, number, body=VAGUE + " Please!")
    house.settle()


def reply_clear(house: House, repo: str, number: int) -> None:
    house.say(repo, number, CLEAR)


def recheck(house: House, repo: str, number: int) -> None:
    house.say(repo, number, "/bouncer recheck")


CASES = (
    Case("first sight, vague", FIRST_SIGHT, nothing, open_vague),
    Case("first sight, clear", FIRST_SIGHT, nothing, open_clear),
    Case("first sight, vague, commented already", FIRST_SIGHT, nothing, open_and_talk),
    Case("re-look, an edit makes it clear", RE_LOOK, held, edit_clear),
    Case("re-look, an edit leaves it vague", RE_LOOK, held, edit_vague),
    Case("re-look, a reply makes it clear", RE_LOOK, held, reply_clear),
    Case("re-look, a reply after three others makes it clear", RE_LOOK, held_and_talked_about, reply_clear),
    Case("re-look, /bouncer recheck by the reporter", RE_LOOK, held, recheck),
)


def count(house: House, case: Case) -> list[str]:
    """The counted calls of one case, in order."""
    repo = house.repository()
    house.services.github.slug  # noqa: B018 - asked once a process, not once an issue
    number = case.prepare(house, repo)
    house.github.forget_calls()
    case.act(house, repo, number)
    return [f"{call.method} {call.route}" for call in house.github.traffic.exchanges if counts(call)]


def counts(call: Exchange) -> bool:
    token = call.route.endswith("/access_tokens")
    policy = call.route.endswith("/contents/{path}")
    label_creation = call.method == "PATCH" and call.route.endswith("/labels/{name}")
    return not (token or policy or label_creation)


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        house = House(sqlite_url(Path(directory)), new_private_key())
        try:
            for case in CASES:
                calls = count(house, case)
                print(f"{case.name:52} {len(calls)} (at most {case.most})")
                for call in calls:
                    print(f"    {call}")
        finally:
            house.close()


if __name__ == "__main__":
    main()
