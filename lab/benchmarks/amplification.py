"""How many GitHub API calls an hour of a stack of pull requests takes, with many checks of other Apps on each.

    python -m lab.benchmarks.amplification [--pulls 25] [--checks 32] [--restacks 6]

A coding agent opens so many pull requests, each for the branch of the one before. Then, so many times an hour and at
even distances, it pushes to the lowest and rebases all above it, so every head is new. On each head so many checks of
another App begin and end, which GitHub tells every App. A real worker on SQLite judges them against the fake GitHub, on
a clock that is moved; judge and execution answer at once. All calls count, tokens and the policy too; git's own traffic
is no API call.
"""

import sys
from collections import Counter
from contextlib import closing
from dataclasses import dataclass

from bot.github.deliveries import Delivery
from bot.github.events import read
from fake_github.access import new_private_key
from lab.benchmarks.processes import read_options, scratch
from tests.support.sqlite import migrated
from tests.workflows.house import House

GOAL = 2_000  # calls an hour
AGENT = "copilot-swe-agent[bot]"


@dataclass(frozen=True, slots=True)
class HourlyCalls:
    """calls: by method and route. foreign: how many events of other Apps' checks there were; stored: of them those that
    the web process would have kept."""

    calls: Counter[tuple[str, str]]
    foreign: int
    stored: int


def branch(place: int) -> str:
    return f"part-{place}"


def open_stack(house: House, repo: str, pulls: int) -> list[int]:
    """The stack, from the lowest."""
    numbers = []
    for place in range(pulls):
        below = branch(place - 1) if place else ""
        files = {f"part_{place}.py": f"def part():\n    return {place}\n"}
        numbers.append(house.github.open_pull(repo, f"Part {place}", files, branch=branch(place), base=below, by=AGENT))
    house.settle()
    return numbers


def push_stack(house: House, repo: str, pulls: int, turn: int) -> None:
    """A push to the lowest, and all above it rebased."""
    for place in range(pulls):
        files = {f"part_{place}.py": f"def part():\n    return {place} + {turn}\n"}
        house.github.push(repo, files, branch=branch(place), by=AGENT, onto=branch(place - 1) if place else "main")
    house.settle()


def add_checks(house: House, repo: str, numbers: list[int], checks: int) -> None:
    """Another App's checks on every head."""
    for number in numbers:
        pull = house.github.repo(repo).issues[number].pull
        assert pull is not None
        for check in range(checks):
            house.github.complete_other_check(repo, pull.head, "success", name=f"job {check}")
    house.settle()


def an_hour(house: House, pulls: int, checks: int, restacks: int) -> HourlyCalls:
    repo = house.repository("mode: enforce\n")
    house.github.forget_calls()
    before = len(house.github.deliveries)
    numbers = open_stack(house, repo, pulls)
    add_checks(house, repo, numbers, checks)
    for turn in range(restacks):
        house.clock.advance(minutes=60 / (restacks + 1))
        push_stack(house, repo, pulls, turn + 1)
        add_checks(house, repo, numbers, checks)
    sent = house.github.deliveries[before:]
    foreign = [each for each in sent if each.event in ("check_run", "check_suite", "status")]
    stored = sum(isinstance(read(each.event, each.payload), Delivery) for each in foreign)
    return HourlyCalls(house.github.calls(), len(foreign), stored)


def main() -> None:
    options = read_options(__doc__, pulls=25, checks=32, restacks=6)
    with scratch() as directory, closing(House(migrated(directory), new_private_key())) as house:
        counted = an_hour(house, options.pulls, options.checks, options.restacks)
    heads, total = options.pulls * (options.restacks + 1), counted.calls.total()
    print(f"{options.pulls} stacked pull requests, rebased {options.restacks} times within the hour: {heads} heads")
    print(f"{counted.foreign:,} events of checks, of which {counted.stored} would be stored")
    print(f"{total:,} API calls in the hour, {total / heads:.1f} a head (goal: under {GOAL:,})")
    for (method, route), times in counted.calls.most_common():
        print(f"  {times:6,}  {method} {route}")
    sys.exit(0 if total < GOAL else 1)


if __name__ == "__main__":
    main()
