"""Public repositories made ready to be tested: by Bouncer, and as a person does it here by hand.

    python -m lab.benchmarks.environments --repos DIR [--only OWNER/NAME …] [--hand] [--seconds 300]

DIR holds git directories as OWNER+NAME. Which repositories, at which commits, and what a person types for each
(`setup`, then `test`) stands in lab/results/environments.json, beside what was measured. With `--hand` that is carried
out, in the same sandbox, but the test command as it stands, and the end of what that prints is shown: the number of
tests that pass is read there. Without it, Bouncer finds out by itself how each is set up and tested; of each suite is
printed by which plan, how long it took, and how its tests ended.
"""

import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from bot.commands.own_clone import commit_of, files_of, open_clone, origin_of
from bot.commands.shared import own_settings
from bot.policy import Verify
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.detect import suites
from bot.verification.environments.prepare import Prepared, Setup, prepare
from bot.verification.environments.working import prepare_working
from bot.verification.stage import passing_share
from bot.verification.testing.run import run_suite
from lab.benchmark_tables import read_result
from lab.benchmarks.fixed_pairs import FOLDER
from lab.benchmarks.processes import machine, read_options

SHOWN = 1500  # characters of the end of what was printed


def main() -> None:
    wanted = {"nargs": "+", "default": [], "metavar": "OWNER/NAME"}
    given = read_options(__doc__, repos=FOLDER, only=wanted, hand={"action": "store_true"}, seconds=300.0)
    print(machine(Path.cwd()))
    for row in read_result("environments")["repositories"]:
        if row["repository"] in (given.only or row["repository"]):
            print(f"\n{row['repository']} {row['commit']}: {row['passed']} tests by hand", flush=True)
            with ExitStack() as held:
                for line in measure(held, row, given):
                    print(f"  {line}", flush=True)


def measure(held: ExitStack, row: dict[str, Any], given: Namespace) -> Iterator[str]:
    """A few lines for each suite, or for what a person types."""
    settings = own_settings(judge="offline")
    executor = choose(settings)
    assert not isinstance(executor, Capabilities), executor.problem
    place = given.repos / row["repository"].replace("/", "+")
    place = place / "repo" if (place / "repo").is_dir() else place
    clone = open_clone(held, place)
    sha = commit_of(clone, place, "commit", row["commit"])
    base, origin = files_of(clone, place, settings, sha), origin_of(clone, place, sha)
    if given.hand:  # the test is a last line of setup, which fails: its output is told then
        policy = Verify(setup=(*row["setup"], f"({row['test']}); false"), test="true")
        found = prepare(Setup(executor, policy, settings, origin), base)
        assert isinstance(found, EnvironmentProblem)
        yield f"{found.reason}: {found.command}\n{found.output}"
        return
    for each in suites(base):
        yield f"[{each.language}] {each.name}: {each.why}"
        works = partial(passing_share, executor, ())
        start = time.monotonic()
        found = prepare_working(Setup(executor, Verify(), settings, origin, each), base, None, works=works)
        yield from _told(found, time.monotonic() - start)
        if isinstance(found, Prepared):
            with found:
                run = run_suite(executor, found.base.program, found.suite(found.base), seconds=given.seconds)
            ends = Counter(result.status.value for result in run.results)
            yield f"  {dict(ends)} in {run.seconds:.0f} s {run.problem or ''}"
            yield from (f"  {bad.name[:120]}: {bad.status}: {bad.message[-SHOWN:]}" for bad in run.failing[:3])


def _told(found: Prepared | EnvironmentProblem, seconds: float) -> Iterator[str]:
    if isinstance(found, EnvironmentProblem):
        yield f"  not set up, after {seconds:.0f} s: {found.told}\n{found.output[-SHOWN:]}"
    else:
        yield f"  set up in {seconds:.0f} s: {found.described} → {found.test.command or found.test.select}"


if __name__ == "__main__":
    main()
