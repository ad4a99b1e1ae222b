"""How often Bouncer would speak of a fix that it only read of, and how often rightly: before and with the rule `guess`.

    python -m lab.benchmarks.fixed_words --repos DIR [--cache DIR] [--rows FILE]

DIR holds repositories as for `lab.benchmarks.fixed_search`. Each report of `../shared/data/already_fixed_pairs.jsonl`
whose fix is found there is asked of the year behind its base, and of the year before, where it is not fixed; and of
the last 3, 10, 30, 100 and 300 steps of the main line before its base and the first ones behind it, as young
repositories have them. Numbers of issues and pull requests are masked, and nothing is run: what is counted is what
history alone has Bouncer say. A statement is right where the change that it names is the fix. The weights are those
that Bouncer comes with, which were fitted on these reports among others. --rows: where what was found is kept; read,
where it is there.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bot.already_fixed.guess import guess
from bot.history.index import Index, indexed
from bot.history.search import search
from bot.history.values import Candidate, Sought
from lab.benchmarks.fixed_pairs import DATA, YEAR, Pair, git, mask_numbers, pairs
from lab.benchmarks.processes import machine
from lab.data.git_commits import directories

STEPS = (3, 10, 30, 100, 300)


def spans(place: Path, pair: Pair) -> Iterator[tuple[str, str, str]]:
    """What is searched: its name, and the two commits that it lies between."""
    after = git(place, "rev-list", "--first-parent", "--reverse", f"{pair.base}..{pair.head}").split()
    before = git(place, "rev-list", "--first-parent", "--max-count=301", pair.base).split()
    at = int(git(place, "log", "-1", "--format=%ct", pair.base))
    behind = f"--before={at + YEAR}"
    if end := git(place, "rev-list", "--first-parent", "--max-count=1", behind, f"{pair.base}..{pair.head}").strip():
        yield "year after", pair.base, end
    if begin := git(place, "rev-list", "--first-parent", "--max-count=1", f"--before={at - YEAR}", pair.base).strip():
        yield "year before", begin, pair.base
    for steps in STEPS:
        if len(after) >= steps:
            yield f"{steps} after", pair.base, after[steps - 1]
        if len(before) > steps:
            yield f"{steps} before", before[steps], pair.base


def search_spans(index: Index, place: Path, pair: Pair) -> Iterator[dict[str, Any]]:
    sought = Sought(mask_numbers(pair.sought.title), mask_numbers(pair.sought.text), repository=pair.repository)
    for name, reported, head in spans(place, pair):
        found = search(index, sought, reported=reported, head=head, directory=place)
        yield {
            "span": name,
            "repository": pair.repository,
            "report": pair.id,
            "commits": found.commits,
            "fixed": any(pair.fix & {sha} for sha in git(place, "rev-list", f"{reported}..{head}").split()),
            "candidates": [
                {
                    "score": each.score,
                    "likely": each.likely,
                    "shared": each.shared,
                    "right": not pair.fix.isdisjoint((each.commit, *each.members)),
                }
                for each in found.candidates
            ],
        }


def rows(repos: Path, cache: Path) -> Iterator[dict[str, Any]]:
    places = directories(repos)
    indexes: dict[str, Index] = {}
    for pair in pairs(repos):
        place = places[pair.repository]
        if pair.repository not in indexes:
            key = f"{pair.repository.replace('/', '+')}.masked"
            indexes[pair.repository] = indexed(cache, key, place, pair.head, mask=mask_numbers)
        yield from search_spans(indexes[pair.repository], place, pair)


def candidates(row: dict[str, Any]) -> list[tuple[Candidate, bool]]:
    """As they were found, each with whether it is the fix."""
    return [
        (
            Candidate(str(at), "", "", one["score"], (), False, None, None, (), one["likely"], shared=one["shared"]),
            one["right"],
        )
        for at, one in enumerate(row["candidates"])
    ]


def before(row: dict[str, Any]) -> bool | None:
    """Whether what was said is right, by the first likely candidate; `None` for silence."""
    return next((right for each, right in candidates(row) if each.likely), None)


def now(row: dict[str, Any]) -> bool | None:
    """The same by the rule."""
    found = candidates(row)
    named = guess([each for each, _ in found], row["commits"])
    return next((right for each, right in found if each == named), None)


def table(found: list[dict[str, Any]]) -> None:
    print(f"{'searched':14} {'reports':>8} {'said before':>12} {'right':>6} {'said now':>9} {'right':>6}")
    spans = ["year after", "year before", *(f"{steps} {way}" for steps in STEPS for way in ("after", "before"))]
    for span in [*spans, "all"]:
        own = [row for row in found if span in (row["span"], "all")]
        counts = []
        for rule in (before, now):
            said = [right for row in own if (right := rule(row)) is not None]
            counts += [len(said), sum(said)]
        print(f"{span:14} {len(own):8} {counts[0]:12} {counts[1]:6} {counts[2]:9} {counts[3]:6}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="where the indexes are kept; default: a temporary directory")
    parser.add_argument("--rows", type=Path)
    options = parser.parse_args()
    if options.rows and options.rows.is_file():
        table([json.loads(line) for line in options.rows.read_text("utf-8").splitlines()])
        return
    if not DATA.is_file():
        sys.exit(f"There are no reports in {DATA.parent}: nothing was measured.")
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bouncer-benchmark-")))
        print(f"machine: {machine(scratch)}; load {os.getloadavg()[0]:.1f}", flush=True)
        found = list(rows(options.repos, options.cache or scratch))
    if options.rows:
        options.rows.write_text("".join(f"{json.dumps(row)}\n" for row in found), "utf-8")
    table(found)


if __name__ == "__main__":
    main()
