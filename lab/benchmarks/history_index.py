"""What the index of a history costs: its first build, an update, a query.

    python -m lab.benchmarks.history_index --repos DIR [--repository OWNER/NAME]

DIR holds repositories with their whole history as `OWNER+NAME/repo`, `OWNER+NAME.git` or `OWNER+NAME`. An update adds
the last twenty steps of the default branch. A query asks for a real report among all commits: those of the repository
in `../shared/data/already_fixed_pairs.jsonl`; where there are none, for one of twenty commits in its own words, spread
over the history, with a stack trace's worth of code. At the end the real reports are asked once more as they are in
use: from the revision they were made at to the head, with git asked about the best candidates. Each query opens the
index anew.
"""

import statistics
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from bot.history.index import indexed
from bot.history.log import changes, named
from bot.history.search import search
from bot.history.values import Sought
from lab.benchmarks.fixed_pairs import DATA, FOLDER, git, head_of, pairs
from lab.benchmarks.processes import read_options, scratch, seconds_of
from lab.data.git_commits import directories

STEPS = 20
QUERIES = 20
GOALS = {"build": 60.0, "update": 1.0, "query": 0.3}  # seconds, for a history of 17,000 commits


def typical(queries: Iterable[partial[Any]]) -> tuple[float, float]:
    """Of their seconds the median, and what 95 in 100 do not exceed."""
    times = sorted(map(seconds_of, queries))
    return statistics.median(times), times[-(-len(times) * 95 // 100) - 1]


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


def main() -> None:
    options = read_options(__doc__, repos=FOLDER, repository="pytest-dev/pytest")
    place = directories(options.repos)[options.repository]
    real = list(pairs(options.repos, options.repository)) if DATA.is_file() else []
    head = head_of(place)
    earlier = git(place, "rev-parse", "-q", "--verify", f"{head}~{STEPS}").strip() or head
    commits = git(place, "rev-list", head).split()
    with scratch() as cache:
        print(f"{len(real)} real reports" if real else f"no real reports: {QUERIES} made of commits")
        build = seconds_of(lambda: indexed(cache, head, place, earlier))
        update = seconds_of(lambda: indexed(cache, head, place, head))
        index = indexed(cache, head, place, head)
        asked = [pair.sought for pair in real] or invent_reports(place, commits)
        query, slow = typical(partial(search, index, one, reported=None, head=head) for one in asked)
        print(f"{len(commits):,} commits, {index.path.stat().st_size / 1e6:.1f} MB")
        print(f"first build {build:.2f} s, update {update:.2f} s")
        print(f"query: median {query * 1000:.0f} ms, 95th in 100 {slow * 1000:.0f} ms")
        if real:
            asking = partial(search, index, directory=place)
            middle, most = typical(partial(asking, one.sought, reported=one.base, head=one.head) for one in real)
            print(f"in use, with git asked: median {middle * 1000:.0f} ms, 95th in 100 {most * 1000:.0f} ms")
    found = {"build": build, "update": update, "query": slow}
    sys.exit(0 if all(found[what] < goal for what, goal in GOALS.items()) else 1)


if __name__ == "__main__":
    main()
