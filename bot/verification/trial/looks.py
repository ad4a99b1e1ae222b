"""Another look at tests that pass with the change, under seeds by chance: what is green once may not be so always.

The first run has the hash seed 0, as everybody knows; code may be right under that alone.
"""

import secrets
from collections.abc import Callable, Collection
from dataclasses import replace

from bot.verification.control import selected
from bot.verification.trial.bodies import function_of
from bot.verification.trial.repeats import Look, passing
from bot.verification.trial.times import out_of_time
from bot.verification.values import Suite, TestRun

LOOKS = 3
MOST = 150  # tests
SECONDS = 3.0  # of one look, as long as its tests took before
NEAR_SECONDS = 10.0  # where they enter what changed: else a slow test would be spared
PATIENCE = 30.0  # seconds that a look may take, many times what it has to

# One more run of these tests by a seed.
Once = Callable[[Suite, int], TestRun]


def looked_at(before: TestRun, after: TestRun, touched: Collection[str], *, whole: bool) -> tuple[str, ...]:
    """The names of the tests that are looked at again: those that enter what the change touches come first, and of
    either the quickest. whole: none can be asked for alone."""
    green = passing(before) & passing(after)
    # By the time they take without the change: one that makes them slow spares itself no look.
    took = {result.name: result.seconds for result in before.results if result.name in green and "…" not in result.name}
    if whole:
        return tuple(took) if before.seconds <= SECONDS else ()
    near = {function_of(test) for test, found in before.entered if any(function.path in touched for function in found)}
    around = max(0.0, before.seconds - sum(each.seconds for each in before.results)) / max(len(before.results), 1)
    cases: dict[str, list[str]] = {}  # which are run together, since a test is asked for without its parameters
    for name in took:
        cases.setdefault(function_of(name), []).append(name)
    cost = {each: sum(took[name] + around for name in its) for each, its in cases.items()}
    names, spent = list[str](), 0.0
    for each in sorted(cases, key=lambda each: (each not in near, cost[each], each))[:MOST]:
        spent += cost[each]
        if spent > (NEAR_SECONDS if each in near else SECONDS):
            break
        names += cases[each]
    return tuple(names)


def looks(
    names: tuple[str, ...],
    suite: Suite,
    heads: Callable[[Suite, list[int]], list[TestRun]],
    base: Once,
    odd: Callable[[TestRun], bool] = lambda run: False,
) -> tuple[Look, ...]:
    """Look again. What is red or odd is asked of the base as well: a test that cannot be run by itself says nothing.

    heads: the runs of these tests with the change, by these seeds. base: one of them without it. odd: whether a run
    tells of more than how its tests end.
    """
    if not names:
        return ()
    some = suite if suite.command else replace(suite, select=selected(names, MOST))
    seeds = [secrets.randbelow(2**31) for _ in range(LOOKS)]
    told = []
    for seed, run in zip(seeds, heads(some, seeds), strict=False):
        look = Look(seed, frozenset(names), run)
        if run.unavailable or (out_of_time(run) and run.seconds < PATIENCE / 2):
            continue  # else it had time enough, and what did not end in it is red
        if look.red or odd(run):
            there = base(some, seed)
            look = replace(look, of=look.of & passing(there), base=there)
        told.append(look)
    return tuple(told)
