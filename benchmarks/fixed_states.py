"""FixedBench's three states, from real repositories: does Bouncer see by running what a report shows that it is fixed?

    python -m benchmarks.fixed_states --repos DIR [--only OWNER/NAME …] [--partials 3] [--out runs.jsonl] [--ceiling]
                                      [--seed 0] [--minutes 60] [--telling]

For each report of `../shared/data/already_fixed_pairs.jsonl` the commit the fix was made from is the revision that the
report is about, and the head is one of (FixedBench, section 2.3)

- Novel: that very commit. A report is *covered* where its reproductions fail there as reported and the report says, of
  each of them, what should come instead (`bot.already_fixed.says_expected`): only then can running decide. What other
  states give never counts for it. Reports that show an exception, or no end, and say no more have rows of their own:
  there it can be seen that what went wrong is gone, no more. Where a report shows an output and does not say what it
  should be, no other state is run; it is called possibly fixed at most.
- Resolved: with the fix's patch. It should be called fixed. Without the tests that came with it, as the paper has it:
  the project's own tests then still hold what the fix changed. Merged is the same with them, as a repository has it.
- Partial: with a model's patch that did not resolve it (`patch_triples.jsonl`, without those that were picked by the
  tests, and without those that leave the code alone by the paper's appendix A). It must not be called fixed.

Headline: reproductions made from the report's text alone, without a model and without history, on what is covered.
Ceiling: the tests that came with the fix. All runs in the sandbox, on this machine's Python (`fixed_recipes`). What
does not run there is not covered, and why is printed.

With --telling reports whose text alone shows that they cannot be covered are told apart by it, and are not run.

Reports come in an order drawn with --seed, so that those of a run that was ended early are a random sample. With --out
every answer is kept as soon as it is there, and what is kept is not run again. With --ceiling no further report is
begun; two figures follow for each that is kept and fails at the base as reported: the ceiling, and *head minus fix*,
for which no other revision is known and history gives the state's own patch as the candidate, whose message names the
issue. So a Partial counts there that says of itself that it is the fix.
"""

import argparse
import json
import math
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.fixed_cases import MERGED, NOVEL, RESOLVED, Case, case, rows
from benchmarks.fixed_pairs import directories
from benchmarks.fixed_recipes import REPOSITORIES
from benchmarks.machine import machine
from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.project import project_of
from bot.already_fixed.reading.blocks import pieces
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.revisions import RevisionSource, tree
from bot.already_fixed.run_at_revisions import examine
from bot.already_fixed.says_expected import tells_right
from bot.already_fixed.values import Failure, FixedFacts, Reproduction, Seen
from bot.commands.shared import own_settings
from bot.history.values import Candidate
from bot.issues.parse import parse
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from bot.verdicts import FixStatus
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, TestStatus

SECONDS = 600.0  # for one look at one state
REPORT = 1800.0  # for all looks at one report; states that come later are left out
EACH = 60.0  # for one run of one reproduction, so that a busy machine does not decide
PARTIALS = 3  # patches of one report
FIXED, NOT_FIXED, NOTHING = "fixed", "not fixed", "nothing"
NONE, ELSE, OUTPUT, GONE, RIGHT = "nothing to run", "not as reported", "output alone", "exception alone", "says right"
FAILING = (RIGHT, GONE)  # whose other states are run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="holds git directories, as OWNER+NAME")
    parser.add_argument("--only", nargs="+", default=REPOSITORIES, choices=REPOSITORIES, metavar="OWNER/NAME")
    parser.add_argument("--partials", type=int, default=PARTIALS, help="model patches of one report")
    parser.add_argument("--out", type=Path, help="JSON Lines of all answers, read again on the next run")
    parser.add_argument("--ceiling", action="store_true", help="the fix's tests, and head minus fix, of what is kept")
    parser.add_argument("--telling", action="store_true", help="run only reports whose text says what is right")
    parser.add_argument("--seed", type=int, default=0, help="of the order in which reports are taken")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after which no further report is begun")
    given = parser.parse_args()
    settings = own_settings()
    executor = choose(settings, None)
    if isinstance(executor, Capabilities):
        sys.exit(f"Nothing may run here: {executor.problem}")
    known = _kept(given.out)
    wanted = [row for repository in given.only for row in rows(given.repos, repository)]
    random.Random(given.seed).shuffle(wanted)
    end = time.monotonic() + 60 * given.minutes
    with TemporaryDirectory(prefix="bouncer-states-") as scratch:
        for row in wanted:
            name = row["instance_id"]
            if name not in known and not given.ceiling and time.monotonic() < end:
                known[name] = _answer(row, given, Path(scratch, name), executor, settings)
                _keep(given.out, known[name])
        for row in wanted if given.ceiling else ():
            answer = known.get(row["instance_id"])
            if (
                answer
                and answer["runs"]
                and answer["stage"] in FAILING
                and "minus" not in answer
                and time.monotonic() < end
            ):
                place = Path(scratch, "tests", answer["id"])
                found = case(row, directories(given.repos)[row["repo"]], place, given.partials)
                assert found
                answer |= {"minus": _minus(found, executor, settings), "tests": _tested(found, executor, settings)}
                _keep(given.out, answer)
    _print([known[row["instance_id"]] for row in wanted if row["instance_id"] in known], len(wanted), given.seed)
    print(f"\n{machine(Path())}, {executor.name}")


# Looking


def _answer(
    row: dict[str, Any], given: argparse.Namespace, place: Path, executor: Executor, settings: Settings
) -> dict[str, Any]:
    """What was seen of one report, as the file of answers keeps it."""
    began = time.monotonic()
    answer: dict[str, Any] = {"id": row["instance_id"], "repository": row["repo"], "stage": NONE, "why": ""}
    answer |= {"runs": {}, "says": {}, "tests": {}}
    made = case(row, directories(given.repos)[row["repo"]], place, given.partials)
    if made is None:
        return answer | {"why": "the fix's patch cannot be applied"}
    if given.telling and (kind := _by_text(made)) != RIGHT:
        return answer | {"stage": kind, "why": "by its text alone"}
    for state in made.states:
        left = REPORT - (time.monotonic() - began)
        if left <= 0:
            break
        facts = _look(made, state, min(SECONDS, left), executor, settings)
        fixed = decide_fixed(facts)
        answer["runs"][state], answer["says"][state] = fixed.status.value, list(fixed.reasons)
        if state == NOVEL:
            answer |= {"stage": _stage(facts), "why": _why(facts, made.text.body)}
            if answer["stage"] not in FAILING:
                break
    return answer | {"seconds": round(time.monotonic() - began, 1)}


def _look(made: Case, state: str, seconds: float, executor: Executor, settings: Settings) -> FixedFacts:
    repository = RevisionSource(made.directory, made.states[state], made.states[NOVEL], owner=made.repository)
    return examine(parse(made.text), repository, (), executor, made.policy, settings, seconds=seconds, each=EACH)


def _minus(made: Case, executor: Executor, settings: Settings) -> dict[str, str]:
    """The statuses by the patch taken out of the head, where history says that it is about the report."""
    found = {}
    for state, head in made.states.items():
        if state != NOVEL:
            fix = Candidate(head, "A fix", made.created, 1.0, (), True, None, None, (), likely=True)
            repository = RevisionSource(made.directory, head, owner=made.repository)
            report, policy = parse(made.text), made.policy
            facts = examine(report, repository, (fix,), executor, policy, settings, seconds=SECONDS, each=EACH)
            found[state] = decide_fixed(facts).status.value
    return found


def _stage(facts: FixedFacts) -> str:
    """How far it came at the base, and whether the report can decide."""
    failing = [trial.reproduction for trial in facts.trials if trial.head and trial.head.seen is Seen.AS_REPORTED]
    return _kind(failing, ELSE if facts.trials else NONE)


def _by_text(made: Case) -> str:
    """The same by the report's text, as if all that it shows failed at the base."""
    base, report = made.states[NOVEL], parse(made.text)
    with tree(RevisionSource(made.directory, base), base) as place:
        found = extract(report.visible_title, report.visible_text, project_of(place))
    return _kind(found.reproductions, NONE)


def _kind(shown: Sequence[Reproduction], none: str) -> str:
    silent = [one for one in shown if not one.variant_of and not tells_right(one)]
    if not shown:
        return none
    if not silent:
        return RIGHT
    return OUTPUT if any(one.expectation.failure is Failure.PRINTS for one in silent) else GONE


def _why(facts: FixedFacts, text: str) -> str:
    """Why it is not covered; of what is, what was seen."""
    own = (trial for trial in facts.trials if trial.head and not trial.reproduction.variant_of)
    says = " / ".join(dict.fromkeys(f"{trial.head.seen}: {trial.head.says}" for trial in own if trial.head))
    if facts.problem or says:
        return facts.problem or says
    if facts.unread:
        return f"it shows a failure of {facts.unread[0]}, which cannot be run"
    return "it shows nothing to run, though code" if any(each.code for each in pieces(text)) else "it shows no code"


def _tested(made: Case, executor: Executor, settings: Settings) -> dict[str, str]:
    """What the fix's own tests say of each state; of nothing but the base where they do not fail there."""
    found: dict[str, str] = {}
    for state, sha in made.states.items() if made.tests else ():
        found[state] = _run_tests(made, sha, executor, settings)
        if found[NOVEL] != NOT_FIXED:
            break
    return found


def _run_tests(made: Case, sha: str, executor: Executor, settings: Settings) -> str:
    with tree(RevisionSource(made.directory, sha), sha) as place:
        prepared = prepare(executor, Program(place, {}), None, made.policy, settings, owner=made.repository)
        if isinstance(prepared, EnvironmentProblem):
            return NOTHING
        with prepared:
            suite = prepared.suite(prepared.base, made.files, made.tests)
            run = run_suite(executor, prepared.base.program, suite, seconds=SECONDS)
    if run.problem or not run.results:
        return NOTHING
    statuses = {result.status for result in run.results}
    return FIXED if statuses == {TestStatus.PASSED} else NOT_FIXED


# Figures

_TITLES = {
    RIGHT: "Covered: from the report's text alone, which fails at the base as reported and says what is right",
    GONE: "Not covered: an exception, or no end, of which the report does not say what should come instead",
}


def _kept(out: Path | None) -> dict[str, dict[str, Any]]:
    lines = out.read_text("utf-8").splitlines() if out and out.exists() else []
    return {answer["id"]: answer for answer in map(json.loads, lines)}


def _keep(out: Path | None, answer: dict[str, Any]) -> None:
    """The last line of a report counts."""
    print(f"{answer['id']}: {answer['stage']}: {answer['why']} {answer['runs']}", file=sys.stderr, flush=True)
    if out:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(answer) + "\n")


def _print(answers: list[dict[str, Any]], wanted: int, seed: int) -> None:
    print(f"{len(answers)} of {wanted} reports, in the order of seed {seed}\n")
    stages = (NONE, ELSE, OUTPUT, GONE, RIGHT)
    print(f"{'repository':20} reports  {'  '.join(f'{stage:>15}' for stage in stages)}")
    for repository in (*sorted({answer["repository"] for answer in answers}), "all"):
        own = Counter(answer["stage"] for answer in answers if repository in (answer["repository"], "all"))
        print(f"{repository:20} {own.total():7}  {'  '.join(f'{own[stage]:15}' for stage in stages)}")
    for stage, title in _TITLES.items():
        covered = [answer for answer in answers if answer["stage"] == stage]
        print(f"\n{title}:")
        _share([answer["runs"] for answer in covered], FixStatus.ALREADY_FIXED)
        for repository in sorted({answer["repository"] for answer in covered}) if stage == RIGHT else ():
            print(f" {repository}")
            _share(
                [answer["runs"] for answer in covered if answer["repository"] == repository], FixStatus.ALREADY_FIXED
            )
        print(" By the patch taken out of the head, where history says that it is the fix:")
        _share([answer["minus"] for answer in covered if answer.get("minus")], FixStatus.ALREADY_FIXED)
        tested = [answer for answer in covered if answer["tests"].get(NOVEL) == NOT_FIXED]
        print(" Ceiling: by the fix's own tests, where they fail at the base:")
        _share([answer["tests"] for answer in tested], FIXED)
        print(" By the report's text, on the same reports:")
        _share([answer["runs"] for answer in tested], FixStatus.ALREADY_FIXED)
    for stage in (NONE, ELSE):
        print(f"\n{stage[:1].upper()}{stage[1:]}:")
        found = Counter(answer["why"][:110] for answer in answers if answer["stage"] == stage)
        for why, number in found.most_common():
            print(f"  {number:4}  {why}")


def _share(runs: list[Mapping[str, str]], fixed: str) -> None:
    for name in (NOVEL, RESOLVED, MERGED, "Partial"):
        seen = Counter(status for each in runs for state, status in each.items() if state.startswith(name))
        whole, called = seen.total(), seen[fixed]
        rest = ", ".join(f"{status} {number}" for status, number in sorted(seen.items()))
        if whole:
            print(f"  {name:9} called fixed {called:4} of {whole:4} {_percent(called, whole):>20}   {rest}")


def _percent(part: int, whole: int) -> str:
    """With Wilson's interval at 95%."""
    share, z = part / whole, 1.96
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    wide = z / (1 + z * z / whole) * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole**2))
    return f"{share:.1%} ({max(0.0, middle - wide):.0%} to {middle + wide:.0%})"


if __name__ == "__main__":
    main()
