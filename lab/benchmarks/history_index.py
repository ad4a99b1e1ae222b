"""What the index of a history costs as the history doubles: its first build, an update, a query.

    python -m lab.benchmarks.history_index --repos DIR [--repository OWNER/NAME]

DIR holds repositories with their whole history as `OWNER+NAME/repo`, `OWNER+NAME.git` or `OWNER+NAME`. The default
branch is cut at a sixteenth, an eighth, … of its commits. An update adds the last twenty steps of the branch. A query
asks for a real report among all commits: those of the repository in `../shared/data/already_fixed_pairs.jsonl`, the
same ones of every part of the history; where there are none, for one of twenty commits in its own words, spread over
the history, with a stack trace's worth of code. At the end the real reports are asked once more as they are in use:
from the revision they were made at to the head, with git asked about the best candidates. Each query opens the index
anew. A time is given as it passed and as the processors worked, git's included: on a busy machine the two differ.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from bot.history.index import Index, indexed
from bot.history.log import changes, named
from bot.history.search import search
from bot.history.values import Sought
from lab.benchmarks.fixed_pairs import DATA, FOLDER, Pair, git, head_of, pairs
from lab.benchmarks.processes import read_options, scratch
from lab.data.git_commits import directories

STEPS = 20
QUERIES = 20
GOALS = {"build": 60.0, "update": 1.0, "query": 0.3}  # seconds, for a history of 17,000 commits

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds."""

    passed: float
    worked: float


@dataclass(frozen=True, slots=True)
class Row:
    """What a history of so many commits cost. query: the median; slow: what 95 in 100 queries do not exceed."""

    commits: int
    megabytes: float
    build: Spent
    update: Spent
    query: Spent
    slow: Spent


def time_call(work: Callable[[], Result]) -> tuple[Result, Spent]:
    before, started = os.times(), time.perf_counter()
    made = work()
    passed, after = time.perf_counter() - started, os.times()
    return made, Spent(passed, sum(after[:4]) - sum(before[:4]))


def typical(queries: Sequence[Spent]) -> tuple[Spent, Spent]:
    """The median, and what 95 in 100 do not exceed."""
    passed, worked = (sorted(times) for times in zip(*((one.passed, one.worked) for one in queries), strict=True))
    high = -(-len(queries) * 95 // 100) - 1
    return Spent(statistics.median(passed), statistics.median(worked)), Spent(passed[high], worked[high])


def measure(place: Path, head: str, cache: Path, real: Sequence[Pair]) -> tuple[Row, Index]:
    earlier = git(place, "rev-parse", "-q", "--verify", f"{head}~{STEPS}").strip() or head
    commits = git(place, "rev-list", head).split()
    _, build = time_call(lambda: indexed(cache, head, place, earlier))
    index, update = time_call(lambda: indexed(cache, head, place, head))
    asked = [pair.sought for pair in real] or invent_reports(place, commits)
    queries = [time_call(partial(search, index, one, reported=None, head=head))[1] for one in asked]
    return Row(len(commits), index.path.stat().st_size / 1e6, build, update, *typical(queries)), index


def in_use(place: Path, index: Index, real: Sequence[Pair]) -> tuple[Spent, Spent]:
    """The reports from the revision they were made at to the head, with git asked."""
    asking = (partial(search, index, one.sought, reported=one.base, head=one.head, directory=place) for one in real)
    return typical([time_call(one)[1] for one in asking])


def invent_reports(place: Path, commits: list[str]) -> list[Sought]:
    """Some commits as if somebody reported what they changed."""
    chosen = commits[:: max(1, len(commits) // QUERIES)][:QUERIES]
    code = {sha: change for sha, change in changes(place, chosen) if change}
    found = []
    for commit in named(place, chosen):
        title, _, text = commit.message.partition("\n")
        lines = "\n".join(code[commit.sha].code[:40]) if commit.sha in code else ""
        found.append(Sought(title, f"{text}\n```\n{lines}\n```\n"))
    return found


def cuts(place: Path, head: str) -> list[str]:
    """The default branch at a sixteenth of its commits, an eighth, …, and its head."""
    whole = int(git(place, "rev-list", "--count", head))
    line = git(place, "rev-list", "--first-parent", "--reverse", head).split()
    found = []
    for part in (16, 8, 4, 2):
        low, high = 0, len(line) - 1
        while low < high:
            middle = (low + high) // 2
            if int(git(place, "rev-list", "--count", line[middle])) < whole // part:
                low = middle + 1
            else:
                high = middle
        found.append(line[low])
    return [*dict.fromkeys([*found, head])]


def short(*spent: Spent) -> str:
    return "  ".join(f"{one.passed * 1000:6.0f} ({one.worked * 1000:6.0f}) ms" for one in spent)


def main() -> None:
    options = read_options(__doc__, repos=FOLDER, repository="pytest-dev/pytest")
    with scratch() as cache:
        real = list(pairs(options.repos, options.repository)) if DATA.is_file() else []
        place = directories(options.repos)[options.repository]
        print(f"{len(real)} real reports" if real else f"no real reports: {QUERIES} made of commits")
        print(" commits     index           first build                update       query, median         95th in 100")
        rows = []
        for head in cuts(place, head_of(place)):
            row, index = measure(place, head, cache, real)
            rows.append(row)
            long = [f"{one.passed:6.2f} ({one.worked:6.2f}) s" for one in (row.build, row.update)]
            told = [f"{row.commits:8,} {row.megabytes:6.1f} MB", *long, short(row.query, row.slow)]
            print("  ".join(told), flush=True)
        if real:
            print(f"in use, with git asked: {short(*in_use(place, index, real))}")
        print("passed (processors worked)")
    reached = all(getattr(rows[-1], what).passed < goal for what, goal in GOALS.items())
    sys.exit(0 if reached and rows[-1].slow.passed < GOALS["query"] else 1)


if __name__ == "__main__":
    main()
