"""How many GitHub API calls one judged issue costs, and one judged pull request, counted on the fake GitHub.

    python -m lab.benchmarks.api_calls

Apart, as agreed, for issues: the installation token, creating the label, and the policy, which is asked for by ETag at
most once a minute; and the one search for closed issues like a clear bug report, which GitHub counts by itself. For
pull requests the installation token alone: an App asks for one an hour. Every case is a real worker on SQLite against
the fake; judge and execution answer at once, and git's own traffic is no API call.
"""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial

from bot.rendering.gate import NAME
from bot.verification.evidence import HeadTrial
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestResult, TestRun, TestStatus
from fake_github.access import new_private_key
from fake_github.traffic import Exchange
from lab.benchmarks.processes import scratch
from tests.support.sqlite import migrated
from tests.workflows.already_fixed import ALREADY
from tests.workflows.house import CLEAR, CLEAR_TITLE, PLAUSIBLE, UNKNOWN, VAGUE, VAGUE_TITLE, House
from tests.workflows.test_gate_fix import FIX, HOLDS

FIRST_SIGHT, RE_LOOK, PULL = 6, 4, 12  # the most calls allowed
TALK = [("somebody", "Same here."), ("other", "On Windows too."), ("reporter", "Any idea?")]


Act = Callable[[House, str, int], object]  # in a repository, about the issue of this number


@dataclass(frozen=True)
class Case:
    """prepare: what happened before, uncounted; returns the issue's number. act: what is counted."""

    name: str
    most: int
    prepare: Callable[[House, str], int]
    act: Act


def no_issue(house: House, repo: str) -> int:
    return 0


def open_held(house: House, repo: str) -> int:
    return house.open(repo)


def open_held_thread(house: House, repo: str) -> int:
    number = house.open(repo)
    for who, text in TALK:
        house.say(repo, number, text, by=who)
    return number


def open_clear(house: House, repo: str, number: int) -> None:
    house.open(repo, CLEAR, title=CLEAR_TITLE)


def open_fixed(house: House, repo: str, number: int) -> None:
    """Somebody mended it long ago: the label, the comment."""
    house.examiner.fixed = ALREADY
    open_clear(house, repo, number)
    house.examiner.fixed = UNKNOWN


def open_and_talk(house: House, repo: str, number: int) -> None:
    """Nobody was at home when it was opened, so its comments are there at first sight."""
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.github.comment(repo, number, "Same here.", by="somebody")
    opened = house.github.deliveries[-2]
    assert opened.action == "opened"


def say(body: str, by: str = "reporter") -> Act:
    return lambda house, repo, number: house.say(repo, number, body, by=by)


def edit(**changed: str) -> Act:
    return lambda house, repo, number: house.github.edit_issue(repo, number, **changed)


AGENT = "copilot-swe-agent[bot]"
CODE = {"half.py": "def half(n):\n    return n // 2\n"}
MENDED = {"half.py": "def half(n):\n    return n / 2\n"}
WRONG = {"half.py": "def half(n):\n    return wrong\n"}  # as the house's reviewer says
_RED = TestRun((TestResult("test_half", TestStatus.FAILED, "half.py:2: in half\nE   assert 1 == 1.5", 0.1),), 1.0)
BREAKS = HeadTrial(
    PatchEvidence(Standing.IMPLAUSIBLE, ("1 test broke.",), PatchFacts(_RED, _RED, _RED), ("test_half",))
)


def open_answer(house: House, repo: str) -> int:
    """A pull request that answers an issue."""
    issue = house.open(repo, CLEAR, title=CLEAR_TITLE)
    number = house.github.open_pull(repo, "Halve", CODE, body=f"Fixes #{issue}", by=AGENT)
    house.settle()
    return number


def open_blocked(house: House, repo: str) -> int:
    house.verifier.stood = BREAKS
    return open_answer(house, repo)


def issue_only(house: House, repo: str) -> int:
    house.verifier.stood = PLAUSIBLE
    return house.open(repo, CLEAR, title=CLEAR_TITLE)


def issue_then_broken(house: House, repo: str) -> int:
    number = issue_only(house, repo)
    house.verifier.stood = BREAKS
    return number


def issue_then_mended(house: House, repo: str) -> int:
    """The judge rejects, a test breaks, and a fix is found: everything there is to say is said."""
    house.verifier.tried = HeadTrial(verified=HOLDS, fix=FIX)
    return issue_then_broken(house, repo)


def propose(
    house: House, repo: str, number: int, code: Mapping[str, str] = CODE, fork: str = "", by: str = AGENT
) -> None:
    source = house.github.fork(repo, fork) if fork else ""
    house.github.open_pull(repo, "Halve", dict(code), body=f"Fixes #{number}" if number else "", by=by, source=source)
    house.settle()
    house.verifier.tried = HeadTrial()


def change_ci(house: House, repo: str, _: int) -> None:
    issue = house.github.open_issue(repo, CLEAR_TITLE, f"{CLEAR}\nPlease update the CI workflow.", by="maintainer")
    house.settle()
    house.github.forget_calls()
    propose(house, repo, issue, {".github/workflows/tests.yml": "on: push\n"})


def push_again(house: House, repo: str, number: int) -> None:
    house.verifier.stood = PLAUSIBLE
    house.github.push_to_pull(repo, number, MENDED)


def press_override(house: House, repo: str, number: int) -> None:
    run = next(run for run in house.github.checks(repo) if run.name == NAME)
    house.github.press(repo, run.id, "override")


PULL_CASES = (
    Case("an agent's, no issue, accepted", PULL, no_issue, propose),
    Case("an agent's, with an issue, accepted", PULL, issue_only, propose),
    Case("an agent's, with an issue, bounced", PULL, issue_then_broken, propose),
    Case("an agent's, bounced, with lines and a fix", PULL, issue_then_mended, partial(propose, code=WRONG)),
    Case("the same, from a fork", PULL, issue_then_mended, partial(propose, code=WRONG, fork="somebody")),
    Case("an agent's, a maintainer's issue allows a named risk", PULL, no_issue, change_ci),
    Case("a person's, let through", PULL, no_issue, partial(propose, by="contributor")),
    Case("a second push, that mends a bounced one", PULL, open_blocked, push_again),
    Case("an override by comment", PULL, open_blocked, say("/bouncer override The test is wrong.", by="maintainer")),
    Case("an override by button", PULL, open_blocked, press_override),
    Case("the merge queue asks", PULL, open_answer, lambda house, repo, number: house.github.queue(repo, number)),
)
CASES = (
    Case("first sight, vague", FIRST_SIGHT, no_issue, lambda house, repo, _: house.open(repo)),
    Case("first sight, clear", FIRST_SIGHT, no_issue, open_clear),
    Case("first sight, fixed already", FIRST_SIGHT, no_issue, open_fixed),
    Case("first sight, vague, commented already", FIRST_SIGHT, no_issue, open_and_talk),
    Case("re-look, an edit makes it clear", RE_LOOK, open_held, edit(title=CLEAR_TITLE, body=CLEAR)),
    Case("re-look, an edit leaves it vague", RE_LOOK, open_held, edit(body=VAGUE + " Please!")),
    Case("re-look, a reply makes it clear", RE_LOOK, open_held, say(CLEAR)),
    Case("re-look, a reply after three others makes it clear", RE_LOOK, open_held_thread, say(CLEAR)),
    Case("re-look, /bouncer recheck by the reporter", RE_LOOK, open_held, say("/bouncer recheck")),
)


def count(house: House, case: Case) -> list[str]:
    """The counted calls of one case, in order."""
    about_pulls = case in PULL_CASES
    repo = house.repository("mode: enforce\n" if about_pulls else None)
    house.services.github.slug  # noqa: B018 - asked once a process, not once an issue
    number = case.prepare(house, repo)
    house.github.forget_calls()
    case.act(house, repo, number)
    house.settle()
    calls = house.github.traffic.exchanges
    return [f"{call.method} {call.route}" for call in calls if counts(call, everything=about_pulls)]


def counts(call: Exchange, *, everything: bool = False) -> bool:
    """everything: all but the installation token."""
    token = call.route.endswith("/access_tokens")
    if everything:
        return not token
    policy = call.route.endswith("/contents/{path}")
    search = call.route == "/search/issues"
    label_creation = call.method == "PATCH" and call.route.endswith("/labels/{name}")
    return not (token or policy or search or label_creation)


def main() -> None:
    with scratch() as directory, closing(House(migrated(directory), new_private_key())) as house:
        for case in (*CASES, *PULL_CASES):
            calls = count(house, case)
            print(f"{case.name:52} {len(calls)} (at most {case.most})")
            for call in calls:
                print(f"    {call}")


if __name__ == "__main__":
    main()
