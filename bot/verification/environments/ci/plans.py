"""The suites of a project, as its own CI sets them up and runs them: pure, from the files of one version."""

import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from bot.verification.environments.ci.reader import Installs, Item, PlanReader, Tests
from bot.verification.environments.ci.scripts import ScriptPlace
from bot.verification.environments.ci.workflows import CiJob, jobs
from bot.verification.environments.manifests import BY_EXIT, PYTHON, SCRIPT, Detected, Manifests, cd
from bot.verification.environments.python import Needs, install_lines

MOST_SUITES = 12
_FOR_OTHERS = re.compile(
    r"lint|docs?\b|nightly|canary|dev-?deps|\bmin|oldest|lowest|upstream|downstream|bench|e2e|integration|smoke"
    r"|\b(?:pre-?)?release|publish|coverage|\btyp(?:e|ing)|wheel",
    re.IGNORECASE,
)
_BESIDE = "npm run test:"  # without a test tool, beside what has one: `test:types`, `test:size`
_OPTIONAL = 300  # seconds for a line that may fail


def read_plans(manifests: Manifests) -> tuple[Detected, ...]:
    """Those of the workflows."""
    found = [(rank, plan) for job in jobs(manifests) for rank, plan in _ranked(manifests, job)]
    chosen: dict[tuple[str, str], Detected] = {}
    if any(plan.told for _, plan in found if plan.language == SCRIPT):
        found = [(rank, plan) for rank, plan in found if plan.told or not plan.test.startswith(_BESIDE)]
    for _, plan in sorted(found, key=lambda each: each[0]):
        chosen.setdefault((plan.language, plan.folder), plan)
    return tuple(chosen.values())[:MOST_SUITES]


def _ranked(manifests: Manifests, job: CiJob) -> Iterator[tuple[tuple[int, ...], Detected]]:
    """The plans of a job, each with what tells how well it fits: the nearest, most general one first."""
    reader = PlanReader(manifests)
    items = [
        item
        for script, folder, variables in job.steps
        for item in reader.read(script, ScriptPlace(folder, dict(variables)))
    ]
    file, _, name = job.where.partition(", ")
    special = bool(_FOR_OTHERS.search(name)) + 2 * bool(_FOR_OTHERS.search(file))
    for plan in _of_items(manifests, items, job.where):
        if special and plan.language in BY_EXIT:
            continue
        elsewhere = any(name in ("GOARCH", "GOOS") for name, _ in plan.variables)  # for another machine
        yield (job.far // 100, special + elsewhere, _breadth(plan)[1], job.far), plan


def _breadth(plan: Detected) -> tuple[int, int]:
    """How little its command tells of, and runs."""
    words = shlex.split(plan.test)[1:]
    files = sum("::" in word or word.endswith(".py") for word in words)
    return not plan.told, 2 * files + sum(word.startswith(("-k", "-m")) for word in words)


def _of_items(manifests: Manifests, items: Iterable[Item], where: str) -> Iterable[Detected]:
    """Of each language and folder the broadest, with what belongs to it; of those that tell by their exit status, all
    in one command, as of what a job runs beside its tests."""
    before, found, further = list[Installs](), list[Detected](), list[Detected]()
    for item in items:
        if isinstance(item, Installs):
            before.append(item)
        elif not item.place.folder or manifests.names(item.place.folder):  # else of another repository
            joined = item.beside or item.language in BY_EXIT
            (further if joined else found).append(_plan(manifests, before, item, where))
    plans = dict[tuple[str, str], Detected]()
    for plan in sorted(found, key=_breadth):
        plans.setdefault((plan.language, plan.folder), plan)
    for plan in further:
        own = plans.setdefault((plan.language, plan.folder), plan)
        if own is not plan and (own.told or own.language in BY_EXIT):
            line, variables = f"{own.test} && {plan.test}", {**dict(own.variables), **dict(plan.variables)}
            both = replace(plan, test=line, why=f"{line}, as {where} has it", told=own.told)
            plans[plan.language, plan.folder] = replace(both, variables=tuple(sorted(variables.items())))
    return plans.values()


def _plan(manifests: Manifests, before: list[Installs], test: Tests, where: str) -> Detected:
    needed = [each for each in before if each.needed]
    setup = _lines(manifests, needed)
    whole = _lines(manifests, before) if len(before) > len(needed) else setup
    if setup and test.language == PYTHON and not any("pytest" in line for line in setup):
        whole, setup = ((*lines, "pip install pytest") for lines in (whole, setup))
    variables = tuple(sorted((name, value) for name, value in test.place.variables.items() if "\n" not in value))
    why = f"{test.line}, as {where} has it"
    return Detected(setup, test.line, why, test.language, test.place.folder, variables, setup, whole, test.told)


def _lines(manifests: Manifests, installs: Iterable[Installs]) -> tuple[str, ...]:
    """Command lines; what Python needs from one folder, one after the other, is installed at once."""
    lines = list[str]()
    for _, group in groupby(installs, lambda each: each.needs is not None):
        by_folder = defaultdict[str, Needs](Needs)
        for each in group:
            if each.needs is not None:
                by_folder[each.folder].join(each.needs)
            else:
                lines.append(each.line if each.needed else f"timeout {_OPTIONAL} sh -c {shlex.quote(each.line)} || :")
        for folder, needs in by_folder.items():
            lines += (cd(folder) + line for line in install_lines(manifests.inside(folder), needs))
    return tuple(dict.fromkeys(lines))
