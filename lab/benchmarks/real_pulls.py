"""Real pull requests of other repositories through `bouncer judge pull`: merged fixes, the same damaged, ordinary ones.

    python -m lab.benchmarks.real_pulls --repos DIR [--fixes 4] [--ways 2] [--ordinary 4] [--half build|held]
                                    [--only OWNER/NAME …] [--out runs.jsonl] [--jobs 1] [--minutes 60]

DIR holds git directories as OWNER+NAME (bare clones with history). Cases are drawn by the hash of their commit, so
everybody draws the same ones; `--half held` are those that no rule was built with.

- A *fix* is a merged change of at most four product files that brings tests, and whose message speaks of a bug. What
  was asked for is, for want of the issue's text, its title, its message and what it adds to the change log.
- *Damaged*: the same change made worse in one of eight ways (`real_pulls_damage`). Each fix is damaged in `--ways` of
  them, in turn. A damaged one must never be accepted where a test of it or of the base tells.
- *Ordinary*: any merged change, with nothing asked.

The policy is the built-in one, the judge the offline one. So many fixes and ordinary changes are of each repository,
judged by so many processes at once; after so many minutes no further one is begun. Printed for each class: verdicts as
GitHub counts them in `enforce`, and times (those for which an environment was set up apart); and of ordinary changes,
how many wait for a person with either value of `pulls.unproved`.
"""

import argparse
import json
import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.policy_choices import WhenUnproved
from bot.pulls.decide import PullGround
from lab.benchmarks.fixed_pairs import FOLDER
from lab.benchmarks.processes import machine, read_options
from lab.benchmarks.real_pulls_cases import REPOSITORIES, Case, draw_cases, run
from lab.benchmarks.real_pulls_damage import WAYS, damage

FIX, ORDINARY = "fix", "ordinary"
SUCCESS, FAILURE, NEUTRAL, ACTION = "success", "failure", "neutral", "action_required"


def main() -> None:
    given = read_options(
        __doc__,
        repos=FOLDER,
        only={"nargs": "+", "default": REPOSITORIES, "metavar": "OWNER/NAME"},
        fixes=4,
        ways=2,
        ordinary=4,
        half={"choices": ("build", "held"), "default": "build"},
        out={"type": Path, "help": "JSON Lines of all verdicts, read again on the next run"},
        jobs=1,
        minutes=math.inf,
    )
    known = _kept(given.out)
    with _scratch(given.out) as scratch:
        wanted = [case for case in _cases(given, scratch) if case.name not in known]
        _run_all(wanted, given, known)
    print(f"\n{machine(Path.cwd())}\n")
    _report(list(known.values()))


@contextmanager
def _scratch(out: Path | None) -> Iterator[Path]:
    """Where the clones lie: beside the verdicts, so that a later run finds the environments of an earlier one again."""
    if out is None:
        with TemporaryDirectory(prefix="bouncer-pulls-") as scratch:
            yield Path(scratch)
        return
    place = out.with_suffix(".clones")
    place.mkdir(exist_ok=True)
    yield place.resolve()


def _cases(given: argparse.Namespace, scratch: Path) -> list[Case]:
    """Classes and repositories in turn, so that a run that is ended early has some of each."""
    queues: list[list[Case]] = []
    for number, repository in enumerate(given.only):
        held = given.half == "held"
        mended = draw_cases(given.repos, repository, given.fixes, scratch, held=held, kind=FIX)
        queues.append(mended)
        queues.append([worse for at, case in enumerate(mended) for worse in _worse(case, number + at, given.ways)])
        queues.append(draw_cases(given.repos, repository, given.ordinary, scratch, held=held, kind=ORDINARY))
    return [queue[at] for at in range(max(map(len, queues), default=0)) for queue in queues if at < len(queue)]


def _worse(case: Case, first: int, ways: int) -> Iterator[Case]:
    """The fix damaged in so many ways, beginning with another one for each; ways that do not fit it are passed over."""
    names = list(WAYS)
    made = (damage(case, names[(first * ways + step) % len(names)]) for step in range(len(names)))
    found = [worse for worse in made if worse is not None]
    yield from found[:ways]


def _run_all(wanted: list[Case], given: argparse.Namespace, known: dict[str, dict[str, Any]]) -> None:
    end = time.monotonic() + 60 * given.minutes
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = {pool.submit(_in_time, case, end): case for case in wanted}
        for done in as_completed(waiting):
            answer = done.result()
            if answer is None:
                continue
            known[answer["name"]] = answer
            if given.out:
                with given.out.open("a") as file:
                    file.write(json.dumps(answer) + "\n")
            told = f"{answer['conclusion']:16} {answer['seconds']:6.1f} s  {answer['name']}: {answer['rule']}"
            print(f"{told}: {answer['reasons'][:1]}", file=sys.stderr, flush=True)


def _in_time(case: Case, end: float) -> dict[str, Any] | None:
    return run(case) if time.monotonic() < end else None


def _kept(path: Path | None) -> dict[str, dict[str, Any]]:
    lines = path.read_text().splitlines() if path and path.exists() else []
    return {answer["name"]: answer for answer in map(json.loads, lines)}


def _report(answers: list[dict[str, Any]]) -> None:
    kinds = [FIX, *(way for way in WAYS), ORDINARY]
    columns = ("class", "changes", SUCCESS, FAILURE, NEUTRAL, ACTION, "not set up", "median s", "worst s", "cold")
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    for kind in kinds:
        _row(kind, [answer for answer in answers if answer["kind"] == kind])
    worse = [answer for answer in answers if answer["kind"] in WAYS]
    _row("damaged, all", worse)
    ordinary = [answer for answer in answers if answer["kind"] == ORDINARY]
    for policy in WhenUnproved:
        waits = sum(waits_for_a_person(answer, policy) for answer in ordinary)
        print(f"\nOrdinary, waits for a person with `pulls.unproved: {policy}`: {waits} of {len(ordinary)}")
    for title, some in (("fixes", FIX), ("ordinary", ORDINARY)):
        print(f"\nNot accepted, {title}:")
        for answer in answers:
            if answer["kind"] == some and answer["conclusion"] != SUCCESS:
                print(f"- {answer['conclusion']}: {answer['name']}: {' '.join(answer['reasons'][:2])}")
    print("\nAccepted though damaged:")
    for answer in worse:
        if answer["conclusion"] == SUCCESS:
            print(f"- {answer['name']}: {' '.join(answer['reasons'][:2])}")


def waits_for_a_person(answer: dict[str, Any], policy: WhenUnproved) -> bool:
    """Whether an ordinary change does, by its stored verdict: the policy moves none but those that nothing looks at."""
    if answer["conclusion"] in (NEUTRAL, ACTION) and answer["rule"] == PullGround.NOTHING_LOOKS:
        return policy is WhenUnproved.PERSON
    return bool(answer["conclusion"] == ACTION)


def _row(kind: str, answers: list[dict[str, Any]]) -> None:
    if not answers:
        return
    ended = Counter(answer["conclusion"] for answer in answers)
    warm, cold = ([answer["seconds"] for answer in answers if answer["cold"] is there] for there in (False, True))
    cells = [kind, len(answers), *(ended[name] for name in (SUCCESS, FAILURE, NEUTRAL, ACTION))]
    cells += [sum(not answer["ran"] for answer in answers), _middle(warm), f"{max(warm, default=0):.0f}"]
    cells += [f"{len(cold)}, {_middle(cold)}"]
    print(f"| {' | '.join(map(str, cells))} |")


def _middle(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.0f}" if seconds else "–"


if __name__ == "__main__":
    main()
