"""FixedBench's three states, from real repositories: does Bouncer see by running what a report shows that it is fixed?

    python -m benchmarks.fixed_states --repos DIR [--only OWNER/NAME …] [--partials 3] [--out runs.jsonl] [--ceiling]

For each report of `../shared/data/already_fixed_pairs.jsonl` the commit the fix was made from is the revision that the
report is about, and the head is one of (FixedBench, section 2.3)

- Novel: that very commit. A report of which a reproduction fails there as reported is *covered*.
- Resolved: with the fix's patch. It should be called fixed.
- Partial: with a model's patch that did not resolve it (`patch_triples.jsonl`, without those that were picked by the
  tests, and without those that leave the code alone by the paper's appendix A). It must not be called fixed.

Headline: reproductions made from the report's text alone, without a model and without history. Ceiling: the tests that
came with the fix. All runs in the sandbox, on this machine's Python (`fixed_recipes`). What does not run there is not
covered, and why is printed. With --out every answer is kept, and what is kept already is not run again. The ceiling is
measured last, and with --ceiling only.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.fixed_pairs import directories
from benchmarks.fixed_recipes import REPOSITORIES, policy
from benchmarks.machine import machine
from bot.changes.meaning import abstains
from bot.changes.read import read_change
from bot.commands.own_settings import own_settings
from bot.fixed.decide import decide_fixed
from bot.fixed.examine import examine
from bot.fixed.revisions import Repository, tree
from bot.fixed.values import Failure, FixedFacts, Seen, Trial
from bot.issues.parse import parse
from bot.policy import Verify
from bot.reports import IssueText
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor
from bot.settings import Settings
from bot.verdicts import FixStatus
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import prepare
from bot.verification.testing.run import run_suite
from bot.verification.values import Program, TestStatus

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SECONDS = 600.0  # for one look at one state
EACH = 60.0  # for one run of one reproduction, so that a busy machine does not decide
PARTIALS = 3  # patches of one report
NOVEL, RESOLVED = "Novel", "Resolved"
FIXED, NOT_FIXED, NOTHING = "fixed", "not fixed", "nothing"


@dataclass(frozen=True, slots=True)
class Case:
    """One report. states: by name the commit that is the head; `Partial …` for each patch. tests: those of the fix."""

    id: str
    repository: str
    text: IssueText
    directory: Path
    states: Mapping[str, str]
    policy: Verify
    files: Mapping[str, bytes]
    tests: tuple[str, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repos", type=Path, required=True, help="holds git directories, as OWNER+NAME")
    parser.add_argument("--only", nargs="+", default=REPOSITORIES, choices=REPOSITORIES, metavar="OWNER/NAME")
    parser.add_argument("--partials", type=int, default=PARTIALS, help="model patches of one report")
    parser.add_argument("--out", type=Path, help="JSON Lines of all answers, read again on the next run")
    parser.add_argument("--ceiling", action="store_true", help="run the tests of the fix as well, on what is covered")
    given = parser.parse_args()
    settings = own_settings()
    executor = choose(settings, None)
    if isinstance(executor, Capabilities):
        sys.exit(f"Nothing may run here: {executor.problem}")
    known = _kept(given.out)
    rows = [row for repository in given.only for row in _rows(given.repos, repository)]
    with TemporaryDirectory(prefix="bouncer-states-") as scratch:
        for row in rows:
            name = row["instance_id"]
            place = Path(scratch, name)
            if name not in known:
                began = time.monotonic()
                known[name] = _answer(row, given.repos, place, given.partials, executor, settings)
                known[name]["seconds"] = round(time.monotonic() - began, 1)
                _keep(given.out, known[name])
        for row in rows if given.ceiling else ():
            answer = known[row["instance_id"]]
            if answer["covered"] and not answer["tests"]:
                case = _case(
                    row, directories(given.repos)[row["repo"]], Path(scratch, "tests", answer["id"]), given.partials
                )
                assert case
                answer["tests"] = _tested(case, executor, settings)
                _keep(given.out, answer)
    _print([known[row["instance_id"]] for row in rows])
    print(f"\n{machine(Path())}, {executor.name}")


# Looking


def _answer(
    row: dict[str, Any], repos: Path, place: Path, partials: int, executor: Executor, settings: Settings
) -> dict[str, Any]:
    """What was seen of one report, as the file of answers keeps it."""
    answer: dict[str, Any] = {"id": row["instance_id"], "repository": row["repo"], "why": "", "covered": False}
    answer |= {"made": False, "ran": False, "runs": {}, "tests": {}}
    case = _case(row, directories(repos)[row["repo"]], place, partials)
    if case is None:
        return answer | {"why": "the fix's patch cannot be applied"}
    answer["states"] = sorted(case.states)
    status, facts = _look(case, NOVEL, executor, settings)
    seen = {trial.head.seen for trial in facts.trials if trial.head}
    answer |= {"made": bool(facts.trials), "ran": bool(seen - {Seen.CANNOT_RUN}), "why": _why(facts)}
    answer["runs"][NOVEL] = status
    if Seen.AS_REPORTED in seen:
        answer |= {"covered": True, "tells": any(map(_tells, facts.trials))}
        for state in case.states:
            if state != NOVEL:
                answer["runs"][state] = _look(case, state, executor, settings)[0]
    return answer


def _look(case: Case, state: str, executor: Executor, settings: Settings) -> tuple[str, FixedFacts]:
    repository = Repository(case.directory, case.states[state], case.states[NOVEL], owner=case.repository)
    facts = examine(parse(case.text), repository, (), executor, case.policy, settings, seconds=SECONDS, each=EACH)
    return decide_fixed(facts).status.value, facts


def _tells(trial: Trial) -> bool:
    """Whether the report says what would be right: where something wrong is printed, not every other thing is."""
    expected = trial.reproduction.expectation
    failed = trial.head is not None and trial.head.seen is Seen.AS_REPORTED
    return failed and (expected.failure is not Failure.PRINTS or bool(expected.right))


def _why(facts: FixedFacts) -> str:
    """Why it is not covered."""
    says = " / ".join(dict.fromkeys(f"{trial.head.seen}: {trial.head.says}" for trial in facts.trials if trial.head))
    return facts.problem or says or "nothing in the report can be run"


def _tested(case: Case, executor: Executor, settings: Settings) -> dict[str, str]:
    """What the fix's own tests say of each state; of nothing but the base where they do not fail there."""
    found: dict[str, str] = {}
    for state, sha in case.states.items() if case.tests else ():
        found[state] = _run_tests(case, sha, executor, settings)
        if found[NOVEL] != NOT_FIXED:
            break
    return found


def _run_tests(case: Case, sha: str, executor: Executor, settings: Settings) -> str:
    with tree(Repository(case.directory, sha), sha) as place:
        prepared = prepare(executor, Program(place, {}), None, case.policy, settings, owner=case.repository)
        if isinstance(prepared, EnvironmentProblem):
            return NOTHING
        with prepared:
            suite = prepared.suite(prepared.base, case.files, case.tests)
            run = run_suite(executor, prepared.base.program, suite, seconds=SECONDS)
    if run.problem or not run.results:
        return NOTHING
    statuses = {result.status for result in run.results}
    return FIXED if statuses == {TestStatus.PASSED} else NOT_FIXED


# Reports and their states


def _rows(repos: Path, repository: str) -> Iterator[dict[str, Any]]:
    place = directories(repos).get(repository)
    if place is None:
        return
    annotated = {row["instance_id"]: row for row in _read("issues_annotated.jsonl")}
    patches = defaultdict(list)
    for row in _read("patch_triples.jsonl"):
        if row["resolved"] is False and "polydev" not in row["submission"]:
            patches[row["instance_id"]].append(row["model_patch"])
    for row in _read("already_fixed_pairs.jsonl"):
        if row["repo"] == repository and _git(place, "cat-file", "-t", row["base_commit"]).strip() == b"commit":
            more = annotated.get(row["instance_id"], {})
            yield {**more, **row, "patches": patches[row["instance_id"]]}


def _read(name: str) -> Iterator[dict[str, Any]]:
    for line in (DATA / name).read_text("utf-8").splitlines():
        yield json.loads(line)


def _case(row: dict[str, Any], place: Path, into: Path, partials: int) -> Case | None:
    """`None` where the fix cannot be applied."""
    title, _, body = row["problem_statement"].partition("\n")
    directory, base = _borrowing(place, into), row["base_commit"]
    fixed = _with_patch(directory, base, row["patch"]) if "patch" in row else _with_hunks(directory, base, row["files"])
    if fixed is None:
        return None
    states = {NOVEL: base, RESOLVED: fixed}
    for patch in row["patches"]:
        if len(states) < 2 + partials and not abstains(read_change(patch.encode())):
            sha = _with_patch(directory, base, patch)
            if sha and sha not in states.values():
                states[f"Partial {len(states) - 1}"] = sha
    test_patch = row.get("test_patch", "")
    tested = _with_patch(directory, base, test_patch) if test_patch else None
    changed = _git(directory, "diff-tree", "-r", "--name-only", base, tested).decode().split() if tested else []
    files = {path: _git(directory, "cat-file", "blob", f"{tested}:{path}") for path in changed}
    return Case(
        id=row["instance_id"],
        repository=row["repo"],
        text=IssueText(title.strip(), body),
        directory=directory,
        states=states,
        policy=policy(row["repo"], row["created_at"], row.get("version", "")),
        files=files,
        tests=tuple(_selected(files, row.get("FAIL_TO_PASS", ()))),
    )


def _selected(files: Mapping[str, bytes], names: Iterable[str]) -> Iterator[str]:
    """Tests as pytest names them; some projects name theirs by the function alone."""
    for name in names:
        if "::" in name:
            yield name
        else:
            yield from (f"{path}::{name}" for path, text in files.items() if f"def {name}(".encode() in text)


def _borrowing(place: Path, directory: Path) -> Path:
    """A git directory of our own that holds the other's objects."""
    _git(place, "init", "--quiet", "--bare", str(directory))
    objects = _git(place, "rev-parse", "--path-format=absolute", "--git-path", "objects").decode().strip()
    (directory / "objects" / "info" / "alternates").write_text(f"{objects}\n")
    return directory


def _with_patch(directory: Path, base: str, patch: str) -> str | None:
    """The commit on top of `base`; `None` where the patch does not fit."""
    index = {"GIT_INDEX_FILE": str(directory / "index")}
    _git(directory, "read-tree", base, environment=index)
    applied = _git(
        directory, "apply", "--cached", "--recount", "-C1", stdin=patch.encode(), environment=index, fails=b"no"
    )
    return None if applied == b"no" else _commit(directory, base, index)


def _with_hunks(directory: Path, base: str, files: Iterable[dict[str, Any]]) -> str | None:
    """The same, from the pieces that the pairs hold; `None` where one does not stand exactly once in its file."""
    index = {"GIT_INDEX_FILE": str(directory / "index")}
    _git(directory, "read-tree", base, environment=index)
    for file in files:
        text = "" if file["new_file"] else _git(directory, "cat-file", "blob", f"{base}:{file['path']}").decode()
        for hunk in file["hunks"]:
            if not file["new_file"] and text.count(hunk["before"]) != 1:
                return None
            text = hunk["after"] if file["new_file"] else text.replace(hunk["before"], hunk["after"])
        blob = _git(directory, "hash-object", "-w", "--stdin", stdin=text.encode()).decode().strip()
        _git(directory, "update-index", "--add", "--cacheinfo", f"100644,{blob},{file['path']}", environment=index)
    return _commit(directory, base, index)


def _commit(directory: Path, base: str, index: dict[str, str]) -> str:
    made = _git(directory, "write-tree", environment=index).decode().strip()
    author = {f"GIT_{who}_{what}": "states" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return _git(directory, "commit-tree", "-p", base, "-m", "A patch", made, environment=author).decode().strip()


def _git(
    place: Path, *words: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None, fails: bytes = b""
) -> bytes:
    """Its output, `fails` where it fails."""
    command = ["git", "-C", str(place), *words]
    done = subprocess.run(command, input=stdin, capture_output=True, env={**os.environ, **(environment or {})})
    return fails if done.returncode else done.stdout


# Figures


def _kept(out: Path | None) -> dict[str, dict[str, Any]]:
    lines = out.read_text("utf-8").splitlines() if out and out.exists() else []
    return {answer["id"]: answer for answer in map(json.loads, lines)}


def _keep(out: Path | None, answer: dict[str, Any]) -> None:
    """The last line of a report counts."""
    print(f"{answer['id']}: {answer['why']} {answer['runs']}", file=sys.stderr, flush=True)
    if out:
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(answer) + "\n")


def _print(answers: list[dict[str, Any]]) -> None:
    print(f"{'repository':20} reports  with a reproduction  it ran  it failed as reported (covered)")
    for repository in (*dict.fromkeys(answer["repository"] for answer in answers), "all"):
        own = [answer for answer in answers if repository in (answer["repository"], "all")]
        made, ran, covered = (sum(answer[key] for answer in own) for key in ("made", "ran", "covered"))
        print(f"{repository:20} {len(own):7} {made:20} {ran:7} {covered:8}")
    print("\nFrom the report's text alone, of what is covered:")
    covered = [answer["runs"] for answer in answers if answer["covered"]]
    _share(covered, FixStatus.ALREADY_FIXED)
    print("\nThe same, where the report says what would be right:")
    _share([answer["runs"] for answer in answers if answer.get("tells")], FixStatus.ALREADY_FIXED)
    print("\nBy the fix's own tests, of those that fail at the base:")
    _share([answer["tests"] for answer in answers if answer["tests"].get(NOVEL) == NOT_FIXED], FIXED)
    print("\nOn those that both cover:")
    both = [answer for answer in answers if answer["covered"] and answer["tests"].get(NOVEL) == NOT_FIXED]
    _share([answer["runs"] for answer in both], FixStatus.ALREADY_FIXED)
    _share([answer["tests"] for answer in both], FIXED)
    print("\nNot covered:")
    for why, number in Counter(answer["why"][:110] for answer in answers if not answer["covered"]).most_common():
        print(f"  {number:4}  {why}")


def _share(runs: list[Mapping[str, str]], fixed: str) -> None:
    for name in (NOVEL, RESOLVED, "Partial"):
        seen = Counter(status for each in runs for state, status in each.items() if state.startswith(name))
        whole, called = sum(seen.values()), seen[fixed]
        rest = ", ".join(f"{status} {number}" for status, number in sorted(seen.items()))
        share = f"{called / whole:.1%}" if whole else "-"
        print(f"  {name:9} called fixed {called:4} of {whole:4} {share:>7}   {rest}")


if __name__ == "__main__":
    main()
