"""How well the search of a history finds the change that fixed a report, beside plain BM25 over messages and paths.

    python -m lab.benchmarks.fixed_search --repos DIR [--cache DIR]

DIR holds repositories with their whole history as `OWNER+NAME/repo`, `OWNER+NAME.git` or `OWNER+NAME`. Each report of
`../shared/data/already_fixed_pairs.jsonl` whose fix is found there is asked of the year after its base, where its fix
is among the changes, and of the year before, where it is not. Weights and cut come from the masked reports of the other
repositories each time. Masked: every number that may be an issue's or a pull request's is taken out of the report, the
messages, the branches' names, the changed lines and the paths before anything is indexed or read. Not masked: as they
stand; the data tell no report's number, so the number is the one that the fix says it closes or names in its changelog,
where there is one. An interval is the middle 95% of 2000 draws of the reports.
"""

import sys
from collections.abc import Sequence

import numpy as np

from bot.history.ranking import SearchWeights
from lab.benchmarks.fixed_pairs import CACHE, FOLDER, mask_numbers
from lab.benchmarks.processes import read_options, scratch
from lab.training.fixed_search import Example, examples, first_is_right, scores, train, with_traces

DRAWS = 2000
GOALS = {"masked": (0.5, 0.7), "not masked": (0.9, 0.0)}  # first, among the first five
CALLED, MISCALLED = 0.5, 0.05  # at least so many of the fixed ones, at most so many of those that are not


def place(example: Example, scored: np.ndarray) -> int:
    """Of the fix, from 1; 0 where it was not found."""
    order = np.argsort(-scored, kind="stable")
    return next((at for at, row in enumerate(order, 1) if example.right[row]), 0)


def share(hits: Sequence[bool]) -> str:
    """With its interval."""
    drawn = np.random.default_rng(0).choice(np.array(hits, dtype=float), (DRAWS, len(hits))).mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return f"{np.mean(hits):6.1%} ({low:4.0%} to {high:4.0%})"


def table(places: dict[str, list[int]], plain: dict[str, list[int]]) -> None:
    print(f"  {'repository':20}     n  {'first':22} {'among the first five':22} plain BM25: first, five")
    for name in [*sorted(places), "all"]:
        own, other = (
            [at for key, values in found.items() if name in (key, "all") for at in values] for found in (places, plain)
        )
        first, five = ([0 < at <= most for at in own] for most in (1, 5))
        beside = ", ".join(f"{np.mean([0 < at <= most for at in other]):.1%}" for most in (1, 5))
        print(f"  {name:20} {len(own):5}  {share(first):22} {share(five):22} {beside}")


def main() -> None:
    options = read_options(__doc__, repos=FOLDER, cache=CACHE)
    with scratch() as directory:
        found = {
            "masked": list(examples(options.repos, options.cache or directory, mask_numbers)),
            "not masked": list(examples(options.repos, options.cache or directory, str)),
        }
    if not found["masked"]:
        sys.exit(f"No fix of any report was found below {options.repos}: nothing was measured.")
    trained = train(found["masked"], options.repos)
    weights = trained.held_out
    reached = True
    for mode in found:
        every = trained.found if mode == "masked" else with_traces(found[mode], weights, options.repos, str)
        scored = [scores(example, weights[example.pair.repository]) for example in every]
        places: dict[str, list[int]] = {}
        plain: dict[str, list[int]] = {}
        for example, values in zip(every, scored, strict=True):
            if example.after:
                places.setdefault(example.pair.repository, []).append(place(example, values))
                plain.setdefault(example.pair.repository, []).append(example.plain)
        print(f"\n{mode}, {len(every) // 2} reports:")
        table(places, plain)
        first, five = (np.mean([0 < at <= most for own in places.values() for at in own]) for most in (1, 5))
        reached &= bool(first >= GOALS[mode][0] and five >= GOALS[mode][1])
        reached &= calls(every, scored, weights)
    sys.exit(0 if reached else 1)


def calls(every: Sequence[Example], scored: Sequence[np.ndarray], weights: dict[str, SearchWeights]) -> bool:
    """Prints how many reports are called possibly fixed."""
    called: dict[bool, list[bool]] = {True: [], False: []}
    right = []
    for example, values in zip(every, scored, strict=True):
        own = weights[example.pair.repository]
        called[example.after].append(own.calls(values.max(initial=0.0), values.tolist()))
        if example.after and called[True][-1]:
            right.append(first_is_right(example, values))
    print(f"  called possibly fixed: {share(called[True])} of the fixed, {share(called[False])} of those not fixed yet")
    print(f"  of the fixed ones that are called so, the first candidate is the fix in {np.mean(right or [False]):.1%}")
    return bool(np.mean(called[True]) >= CALLED and np.mean(called[False]) <= MISCALLED)


if __name__ == "__main__":
    main()
