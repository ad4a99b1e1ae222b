"""`bouncer bench collect`: a team's own set of bugs with tests, from a repository's past."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
from pydantic import TypeAdapter

from bot.commands.backtest_source import BacktestSource, source_of
from bot.commands.confirmation import LONG, SIDE_BY_SIDE, confirm_wait, execution_problem, minutes_for
from bot.commands.own_clone import UNWRITABLE, files_of, open_clone, origin_of, unwritable_cache
from bot.commands.predictions import Journal, digest, predict_all, writable, write_lines
from bot.commands.scratch import scratch
from bot.commands.shared import (
    InputError,
    Refusing,
    executor_option,
    files,
    json_option,
    own_settings,
    policy_in,
    policy_option,
)
from bot.commands.verify_input import read_policy
from bot.errors import PlainError
from bot.github import commits
from bot.github.errors import GitHubError
from bot.plain_text import clean
from bot.policy import Policy
from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities
from bot.settings import Settings
from bot.storage.directories import lock
from bot.verdicts import Decision
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.stage import staged
from lab.bugs.candidates import BugCandidate, FunnelStage, LeftOut, candidate, fixes, funnel
from lab.bugs.trials import ROUNDS, BugTests, bug_row, try_tests

NOTHING = 3
MOST_PROBLEMS = 5  # that are shown
_ANONYMOUS = (
    "Without a token only fixes are found that were pushed as commits, since pull requests are not read. Set "
    "BOUNCER_GITHUB_TOKEN to a token of yours."
)


@dataclass(frozen=True, slots=True)
class Collected:
    """repository: `owner/name`. bugs: all whose tests ran or should have, newest first, with what they say. out: why
    each of the other issues is left out. notes: sentences for the reader."""

    repository: str
    issues: int
    bugs: tuple[tuple[BugCandidate, BugTests], ...]
    out: tuple[LeftOut, ...]
    notes: tuple[str, ...]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [bug_row(self.repository, bug, tests) for bug, tests in self.bugs if tests.left_out is None]

    @property
    def stages(self) -> tuple[FunnelStage, ...]:
        return funnel(self.issues, [*self.out, *(tests.left_out for _, tests in self.bugs if tests.left_out)])

    @property
    def problems(self) -> list[tuple[str, int]]:
        """Why tests could not be run, the most frequent first."""
        return Counter(clean(tests.problem, 300) for _, tests in self.bugs if tests.problem).most_common()


class NothingRuns(PlainError):
    """Nothing can be executed here."""

    status = NOTHING


@click.command("collect", cls=Refusing, said="bench collect", nothing=lambda _: {"funnel": [], "kept": 0})
@click.argument("source", metavar="OWNER/REPO|DIR", shell_complete=files)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the bugs there, JSON Lines.")
@click.option("--issues", type=click.IntRange(min=1), default=200, show_default=True, help="Read the newest so many.")
@click.option("--pulls", type=click.IntRange(min=0), default=200, show_default=True, help="The same, pull requests.")
@click.option("--clone", type=click.Path(path_type=Path), help="A clone of the repository, beside an export.")
@click.option("--yes", is_flag=True, help=f"Run tests for more than {LONG} minutes without asking.")
@click.option("--retry", is_flag=True, help="Try those again whose tests could not be run the last time.")
@policy_option
@executor_option
@json_option
def collect_bench(
    source: str,
    out: Path | None,
    issues: int,
    pulls: int,
    clone: Path | None,
    yes: bool,
    retry: bool,
    policy_file: Path | None,
    executor: str | None,
    as_json: bool,
) -> None:
    """Make a set of bugs with tests from a repository's past: fixed issues, their patches, and tests that show them.

    Give OWNER/REPO on GitHub, or a folder with an export of it, as for `bouncer backtest`. An issue is kept if one
    merged patch of under 150 lines of code fixes it and nothing else, and if tests of that patch fail before it, pass
    after it, and are not flaky. They run in the sandbox, several times. What was fetched and found is kept, and the
    same command goes on where it stopped. Exit status: 0 when bugs were found, 2 for bad input, 3 when nothing can be
    run here or no bug is left.
    """
    click.get_current_context().with_resource(scratch("Stopped. The same command goes on from there."))
    settings = own_settings(executor=executor)
    policy = policy_in(policy_file) if policy_file else None
    if why := execution_problem(settings):
        raise NothingRuns(f"{why} The tests of fixes run in a sandbox alone.")
    with writable(out) if out else nullcontext():
        pass  # a folder that is missing is said first
    with ExitStack() as held:
        if clone and open_clone(held, clone).commit("HEAD") is None:
            raise InputError(f"{clone}: there is no commit in it. Name a clone with the repository's history.")
        found = _collected(
            held,
            source_of(held, source, issues, pulls, clone, "HEAD", settings),
            settings,
            policy,
            yes=yes,
            retry=retry,
        )
    notes = found.notes if settings.github_token or Path(source).is_dir() else (*found.notes, _ANONYMOUS)
    if out and found.rows:
        with writable(out):
            write_lines(out, (json.dumps(row, ensure_ascii=False) for row in found.rows))
    if as_json:
        click.echo(json.dumps(_document(found, notes, out), ensure_ascii=False))
    else:
        _show(found, notes, out)
    if not found.rows:
        raise click.exceptions.Exit(NOTHING)


def _collected(
    held: ExitStack, source: BacktestSource, settings: Settings, policy: Policy | None, *, yes: bool, retry: bool
) -> Collected:
    """Raises `InputError`."""
    past = source.past
    if source.clone is None:
        mend = " ".join(source.notes) or "Name a clone of the repository with --clone."
        raise InputError(f"patches are taken from the repository's commits, and these are not here. {mend}")
    clone = open_clone(held, source.clone)
    fixed = fixes(past, source.pulls, settings.github_web_url)
    # Rows go on to whoever measures with them: a text that only says nothing of an edit is not known for sure.
    issues = [replace(each, text_known=each.text_known and past.edits_known) for each in past.issues]
    told = [candidate(clone.directory, issue, fixed.get(issue.number, ())) for issue in issues]
    bugs = [each for each in told if isinstance(each, BugCandidate)]
    trials = BugTrials(source.clone, clone, settings, policy, source.kept.parent)
    tried = trials.try_all(bugs, yes=yes, retry=retry)
    out = [each for each in told if isinstance(each, LeftOut)] + past.unread * [LeftOut.UNREAD]
    return Collected(
        past.name, len(issues) + past.unread, tuple(zip(bugs, tried, strict=True)), tuple(out), source.notes
    )


def _show(found: Collected, notes: Sequence[str], out: Path | None) -> None:
    click.echo(f"{clean(found.repository)}\n")
    for stage in found.stages:
        click.echo(f"{stage.left:6}  {stage.name}")
        for why, count in stage.out:
            click.echo(f"        {count:6} left out: {why.value}")
    for problem, count in found.problems[:MOST_PROBLEMS]:
        click.echo(f"\n{count} could not be run: {problem}")
    if found.problems:
        click.echo("\n--retry tries these again, and --policy FILE says how a test suite is set up and run.")
    unsure = sum(not row["as_opened"] for row in found.rows)
    if unsure:
        click.echo(f'\nOf {unsure} the text may have been edited since they were opened: "as_opened" is false there.')
    for note in notes:
        click.echo(f"\n{note}")
    click.echo(f"\n{_ending(found, out)}")


def _ending(found: Collected, out: Path | None) -> str:
    if not found.rows:
        return "No bug is left. More issues and pull requests can be read with --issues and --pulls."
    if out is None:
        return "Nothing was written. --out FILE writes the bugs; what is known already is not run again."
    return f"{len(found.rows)} bugs in {out}."


def _document(found: Collected, notes: Sequence[str], out: Path | None) -> dict[str, Any]:
    stages = [
        {"stage": stage.name, "left": stage.left, "left_out": {why.value: count for why, count in stage.out}}
        for stage in found.stages
    ]
    return {
        "repository": found.repository,
        "funnel": stages,
        "kept": len(found.rows),
        "not_as_opened": sum(not row["as_opened"] for row in found.rows),
        "problems": [{"problem": problem, "issues": count} for problem, count in found.problems],
        "notes": list(notes),
        "out": str(out) if out and found.rows else None,
    }


SECONDS_EACH = 60  # for the estimate
_LESS = "or smaller --issues and --pulls"


class BugTrials:
    """Tries the candidates of one repository. path, clone: the repository. policy: `None` for what each base says.
    folder: where verdicts are kept."""

    def __init__(
        self, path: Path, clone: commits.Clone, settings: Settings, policy: Policy | None, folder: Path
    ) -> None:
        self._path, self._clone, self._settings, self._policy = path, clone, settings, policy
        run = digest([version("bouncer-bot"), settings.executor, ROUNDS])
        self._kept = folder / f"bugs-{run[:32]}.jsonl"
        self._journal = Journal(self._kept, [run])

    def try_all(self, bugs: Sequence[BugCandidate], *, yes: bool, retry: bool) -> list[BugTests]:
        """What the tests of each say. yes: however long that takes. retry: also those that could not be run the last
        time. Raises `InputError` for a no."""
        subjects = {self._key(bug): bug for bug in bugs}
        try:
            self._kept.parent.mkdir(parents=True, exist_ok=True)
            with lock(self._kept.with_suffix(".lock")):  # a second run waits, then knows what this one found
                kept = self._journal.resume()
                known = {key: each for key, each in kept.items() if not (retry and each["problem"])}
                left = sum(key not in known for key in subjects)
                confirm_wait("running the tests", minutes_for(left, SECONDS_EACH), _LESS, yes=yes)
                found = predict_all(
                    subjects, self._try, self._journal, known=known, jobs=SIDE_BY_SIDE, doing="Running tests"
                )
        except UNWRITABLE:
            raise unwritable_cache(self._settings) from None
        return TypeAdapter(list[BugTests]).validate_python([found[self._key(bug)] for bug in bugs])

    def _key(self, bug: BugCandidate) -> str:
        return digest([bug.base, bug.fixed, bug.tests, self._policy.verify.model_dump_json() if self._policy else ""])

    def _try(self, bug: BugCandidate) -> dict[str, Any]:
        """Never raises for what is wrong with one bug."""
        try:
            found = self._run(bug)
        except (InputError, GitHubError) as error:
            found = BugTests(LeftOut.NOT_RUN, problem=f"its commits cannot be read: {error}", ours=True)
        label = Decision.UNAVAILABLE if found.ours else found.left_out.name if found.left_out else "KEPT"
        return {"label": label, **asdict(found)}

    def _run(self, bug: BugCandidate) -> BugTests:
        executor = choose(self._settings)
        if isinstance(executor, Capabilities):
            return BugTests(LeftOut.NOT_RUN, problem=executor.problem, ours=True)
        before, after = (files_of(self._clone, self._path, self._settings, sha) for sha in (bug.base, bug.fixed))
        verify = (self._policy or read_policy(before)).verify
        origin = origin_of(self._clone, self._path, bug.base)
        with staged(executor, before, after, verify, self._settings, origin=origin) as stage:
            if isinstance(stage, EnvironmentProblem):
                return BugTests(LeftOut.NOT_RUN, problem=stage.told)
            return try_tests(stage, bug.tests)
