"""How often Bouncer would speak of a fix that it only read of, and how often rightly.

    python -m lab.benchmarks.fixed_words --repos DIR [--cache DIR]

DIR holds repositories as for `lab.benchmarks.fixed_search`. Each report of `../shared/data/already_fixed_pairs.jsonl`
whose fix is found there is asked of the year behind its base, and of the year before, where it is not fixed; and of
the last 3, 10, 30, 100 and 300 steps of the main line before its base and the first ones behind it, as young
repositories have them. Numbers of issues and pull requests are masked, and nothing is run: what is counted is what
history alone has Bouncer say. A statement is right where the change that it names is the fix. The weights are those
that Bouncer comes with, which were fitted on these reports among others.
"""

from collections.abc import Iterator
from pathlib import Path

from bot.already_fixed.guess import guess
from bot.history.index import Index, indexed
from bot.history.search import search
from bot.history.values import Sought
from lab.benchmarks.fixed_pairs import CACHE, FOLDER, YEAR, Pair, git, mask_numbers, pairs
from lab.benchmarks.processes import read_options, scratch
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


def search_spans(index: Index, place: Path, pair: Pair) -> Iterator[tuple[str, bool | None]]:
    """For each span, whether what is said of the report is right; `None` for silence."""
    sought = Sought(mask_numbers(pair.sought.title), mask_numbers(pair.sought.text), repository=pair.repository)
    for name, reported, head in spans(place, pair):
        found = search(index, sought, reported=reported, head=head, directory=place)
        named = guess(found.candidates, found.commits)
        yield name, None if named is None else not pair.fix.isdisjoint((named.commit, *named.members))


def rows(repos: Path, cache: Path) -> Iterator[tuple[str, bool | None]]:
    places = directories(repos)
    indexes: dict[str, Index] = {}
    for pair in pairs(repos):
        place = places[pair.repository]
        if pair.repository not in indexes:
            key = f"{pair.repository.replace('/', '+')}.masked"
            indexes[pair.repository] = indexed(cache, key, place, pair.head, mask=mask_numbers)
        yield from search_spans(indexes[pair.repository], place, pair)


def table(found: list[tuple[str, bool | None]]) -> None:
    print(f"{'searched':14} {'reports':>8} {'said':>6} {'right':>6}")
    spans = ["year after", "year before", *(f"{steps} {way}" for steps in STEPS for way in ("after", "before"))]
    for span in [*spans, "all"]:
        own = [right for name, right in found if span in (name, "all")]
        right = [each for each in own if each is not None]
        print(f"{span:14} {len(own):8} {len(right):6} {sum(right):6}")


def main() -> None:
    options = read_options(__doc__, repos=FOLDER, cache=CACHE)
    with scratch() as directory:
        table(list(rows(options.repos, options.cache or directory)))


if __name__ == "__main__":
    main()
