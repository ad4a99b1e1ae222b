"""What each observation of the gate holds: the tricks of `make hostile` judged once, then decided anew without it.

    python -m lab.benchmarks.observations [--out FILE] [--minutes 60]

Printed for each: how many tricks show it, and how many would be merged without it alone. An observation that holds none
of them alone is either the second of two that see the same, or needless.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.commands.judge_pull import facts_of
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.decide import ground_of
from bot.pulls.facts import PullFacts
from bot.pulls.judgement import concluded
from bot.pulls.outcomes import mostly_unread
from bot.rendering.gate import gate_view
from bot.verification.patch_evidence import Control, Proof, TestModules
from lab.benchmarks.processes import machine, read_options
from tests.hostile_pulls import judging
from tests.hostile_pulls.catalogue import FAMILIES, INSTALLED, PACKAGES
from tests.verification.environments.house import index

Without = Callable[[PullFacts], PullFacts]


def main() -> None:
    given = read_options(
        __doc__, out={"type": Path, "help": "JSON Lines, read again on the next run"}, minutes=math.inf
    )
    known = [json.loads(line) for line in given.out.read_text().split("\n")[:-1]] if _is_there(given.out) else []
    end, seen = time.monotonic() + 60 * given.minutes, {each["trick"] for each in known}
    with TemporaryDirectory(prefix="bouncer-tricks-") as directory, index(PACKAGES, INSTALLED) as address:
        for pull in (pull for family in FAMILIES for pull in family.hostile):
            if str(pull) in seen or time.monotonic() > end:
                continue
            found = list[PullFacts]()
            setattr(judging, "facts_of", _noting(found))  # noqa: B010 (it is theirs by import)
            judging.judged(pull, Path(directory), Path(directory) / "cache", address)
            known.append({"trick": str(pull), **_told(found[0])})
            if given.out:
                with given.out.open("a") as lines:
                    lines.write(json.dumps(known[-1]) + "\n")
    print(f"{machine(Path.cwd())}\n\n{len(known)} tricks, {sum(each['merges'] for each in known)} of them merged\n")
    for name in OBSERVATIONS:
        shown = sum(name in each["shows"] for each in known)
        print(f"{name:50} shown by {shown:4}, alone {sum(name in each['alone'] for each in known):4}")


def _is_there(out: Path | None) -> bool:
    return out is not None and out.exists()


def _noting(found: list[PullFacts]) -> Callable[..., PullFacts]:
    def noted(*given: Any) -> PullFacts:
        found.append(facts_of(*given))
        return found[-1]

    return noted


def _told(facts: PullFacts) -> dict[str, Any]:
    """shows: the observations that see anything of it. alone: those without which it would be merged."""
    others = {name: without(facts) for name, without in OBSERVATIONS.items()}
    shows = [name for name, other in others.items() if other != facts]
    alone = [name for name in shows if _merges(others[name])]
    return {"merges": _merges(facts), "ground": ground_of(facts).value, "shows": shows, "alone": alone}


def _merges(facts: PullFacts) -> bool:
    """Whether GitHub lets it be merged where the check is required, and what is neutral passes."""
    told = concluded(facts, head="0" * 40)
    return (gate_view(told, Mode.ENFORCE, WhenUnavailable.PASS).conclusion or "") in judging.MERGES


def _patch(**values: Any) -> Without:
    def without(facts: PullFacts) -> PullFacts:
        patch = facts.trial.patch
        return replace(facts, trial=replace(facts.trial, patch=replace(patch, **values))) if patch else facts

    return without


def _whole(facts: PullFacts) -> PullFacts:
    """As if each run had come to its end as the base's did."""
    if facts.trial.patch is None or not facts.trial.patch.gone:
        return facts
    ran = facts.trial.patch.facts
    return _patch(gone="", facts=replace(ran, head=ran.base, own=ran.base, as_pushed=None))(facts)


def _proved(*proofs: Proof) -> Without:
    def without(facts: PullFacts) -> PullFacts:
        control = facts.trial.patch.control if facts.trial.patch else None
        seen = control is not None and control.proof in proofs
        return _patch(control=Control(Proof.PROVED))(facts) if seen else facts

    return without


OBSERVATIONS: Mapping[str, Without] = {
    "a test of the base's breaks": _patch(regressions=()),
    "a test of its own fails": _patch(own_failing=()),
    "a call ends otherwise where nothing tests": _patch(only_tested=()),
    "the tests' calls alone are answered": _patch(answers=()),
    "an example of what was asked for does not hold": _patch(unmet=()),
    "tests let other answers pass": _patch(let_pass=()),
    "tests are led to other calls": _patch(detours=()),
    "a call ends otherwise elsewhere, or made often": _patch(elsewhere=()),
    "its own settings make tests end otherwise": _patch(unlike=()),
    "what judges was written to": _patch(written=()),
    "a run is cut short, forged or without tests": _whole,
    "tests cannot fail any more (positive control)": _proved(Proof.BLIND),
    "nothing that runs looks at it (positive control)": _proved(Proof.UNPROVED),
    "edited tests notice less": _patch(lost_kills=()),
    "a test and its new version contradict each other": _patch(contradictions=()),
    "tests end in both ways": _patch(unsteady=()),
    "its tests fail as others do": _patch(alike=()),
    "modules of tests do not run": lambda facts: (
        _patch(modules=TestModules())(facts) if mostly_unread(facts) else facts
    ),
    "a suite gives no result": _patch(unrun=()),
    "nothing goes from red to green, though asked for": lambda facts: replace(facts, demanded=""),
    "a risk is named": lambda facts: replace(facts, risks=()),
}


if __name__ == "__main__":
    main()
