"""`bouncer judge pull`: judge one change as the gate would, without GitHub. Writes nothing there."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console

from bot.already_fixed.examples import calls_in_examples, run_examples
from bot.already_fixed.holes import show_holes
from bot.changes.read import LARGEST, read_change
from bot.changes.values import Change
from bot.commands.judge_pull_input import Proposed, in_clone
from bot.commands.scratch import scratch
from bot.commands.shared import (
    InputError,
    Refusing,
    executor_of,
    executor_option,
    files,
    json_option,
    own_settings,
    patch_judge_option,
)
from bot.commands.verify_input import policy_source
from bot.github import commits
from bot.github.code import GitCode
from bot.github.commits import merge_tree
from bot.github.errors import GitHubError
from bot.judges.factory import make_models, make_patch_reviewer
from bot.judges.openai.spend import MemorySpend, Spend
from bot.judges.patches import PatchSubject
from bot.judges.reviews import PatchReview, ReviewMode
from bot.plain_text import clean
from bot.policy_choices import Mode
from bot.pulls.facts import PullFacts
from bot.pulls.judgement import ReviewAnswer, concluded, first_facts, is_given, judged, opinion, subject_of
from bot.pulls.result import PullResult
from bot.rendering.annotations import annotations
from bot.rendering.gate import gate_view, stops, workflow_commands
from bot.rendering.pull_reasons import reasons
from bot.rendering.pull_view import PullStep, pull_json, pull_view
from bot.rendering.statement import VerdictStanding
from bot.rendering.statement import statement as statement_of
from bot.settings import Settings
from bot.statements.envelope import sign
from bot.statements.keys import SETTING, load_signing_key
from bot.storage.directories import TextCache
from bot.verdicts import Decision
from bot.verification.evidence import HeadTrial
from bot.verification.execution import Terms, executed, rejection
from bot.verification.patch_evidence import ExampleRuns, OfferedRuns
from bot.verification.stage import Conflict, Stage, staged

NOT_MERGED, NOT_JUDGED = 1, 3


@click.command(
    cls=Refusing,
    said="judge pull",
    short_help="Judge one change: a pull request's address, or two commits of a repository here.",
)
@click.argument("address", required=False)
@click.option("--repo", type=click.Path(path_type=Path), help="A git repository; it is only read.")
@click.option("--base", metavar="REF", help="What the change is merged into: a branch, a tag or a commit.")
@click.option("--head", metavar="REF", help="The change's last commit, likewise.")
@click.option(
    "--rival", "rivals", metavar="REF", multiple=True, help="Another change for the issue, compared on its examples."
)
@click.option(
    "--issue",
    metavar="FILE",
    shell_complete=files,
    help="What was asked for, in a form that `bouncer judge issue` takes. Of a file you are the author, with write "
    "access.",
)
@patch_judge_option
@executor_option
@click.option("--statement", metavar="FILE", type=click.Path(path_type=Path), help="Sign the verdict into this file.")
@json_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "github"]),
    default="text",
    help="github: annotations of a workflow's job, and nothing else.",
)
@click.option("--exit-code", is_flag=True, help="End with 1 where `mode: enforce` would not let it merge, else with 0.")
def pull(
    address: str | None,
    repo: Path | None,
    base: str | None,
    head: str | None,
    rivals: tuple[str, ...],
    issue: str | None,
    judged_by: str | None,
    executor: str | None,
    statement: Path | None,
    as_json: bool,
    form: str,
    exit_code: bool,
) -> None:
    """Judge the change between two commits as the gate would: by its diff, by a judge, and by running it in a sandbox.

    Give the ADDRESS of a public pull request, or --repo with --base and --head. The diff starts where the two branched.
    What runs is the head merged into the base, with the base's .github/bouncer.yml. Without --issue the change is
    judged against its last commit's message.

    Exit status: 0 for any verdict reached, 2 for bad input, 3 when the verdict is UNAVAILABLE. With --exit-code: 1 for
    what would not merge, 0 for what would, 2 for bad input.
    """
    if as_json and form != "text":
        raise InputError("--json and --format exclude each other. Leave one out.")
    click.get_current_context().with_resource(scratch())
    started = time.monotonic()
    settings = own_settings(judge=judged_by, executor=executor)
    key = _signing_key(statement, settings) if statement else None
    with _source(address, repo, base, head, rivals, issue, settings) as change:
        with _progress(quiet=as_json) as tell:
            facts = facts_of(change, settings, tell=tell)
        told = concluded(facts, head=change.head, base=change.tip, agent=change.agent, asked=change.wanted.said)
        told = replace(told, policy=policy_source(change.before))
        if form == "github":
            told = replace(told, annotations=annotations(_change(change), told))
    if statement and key:
        _write_statement(statement, key, told, change, settings)
    verdict, unavailable = told.verdict, change.policy.pulls.unavailable
    if as_json:
        said = pull_json(told, base=change.tip, seconds=time.monotonic() - started, unavailable=unavailable)
        click.echo(json.dumps(said, ensure_ascii=False))
        if verdict.decision is Decision.UNAVAILABLE:
            click.echo(f"bouncer judge pull: {clean(' '.join(reasons(told)))}", err=True)
    elif form == "github":
        click.echo("\n".join(workflow_commands(gate_view(told, Mode.ENFORCE, unavailable))))
    else:
        Console().print(pull_view(told, title=change.title, notes=change.notes))
    if exit_code:
        raise click.exceptions.Exit(NOT_MERGED if stops(verdict, unavailable) else 0)
    raise click.exceptions.Exit(NOT_JUDGED if verdict.decision is Decision.UNAVAILABLE else 0)


def _source(
    address: str | None,
    repo: Path | None,
    base: str | None,
    head: str | None,
    rivals: tuple[str, ...],
    issue: str | None,
    settings: Settings,
) -> AbstractContextManager[Proposed]:
    """Raises `InputError`, when it is entered at the latest."""
    if address:
        if repo or base or head or rivals or issue:
            raise InputError("an address is enough. Leave out --repo, --base, --head, --rival and --issue.")
        from bot.commands.judge_pull_github import on_github  # PyGithub takes a while to import

        return nullcontext(on_github(address, settings))
    if not (repo and base and head):
        raise InputError("give the address of a pull request, or --repo with --base and --head.")
    return in_clone(repo, base, head, issue, settings, rivals)


def _signing_key(path: Path, settings: Settings) -> Ed25519PrivateKey:
    """This machine's own, before anything is judged. Raises `PlainError` where nothing can be signed, or written at
    `path`."""
    key = load_signing_key(settings)
    if key is None:
        raise InputError(f"--statement needs a key to sign with: set {SETTING}, and run `bouncer statement-key`.")
    if not path.absolute().parent.is_dir() or path.is_dir():
        raise InputError(f"{path} cannot be written: name a file in a directory that is there.")
    return key


def _write_statement(
    path: Path, key: Ed25519PrivateKey, result: PullResult, change: Proposed, settings: Settings
) -> None:
    """Raises `InputError`."""
    now, web_url = datetime.now(UTC), settings.github_web_url.rstrip("/")
    told = VerdictStanding(
        result=result,
        judged_at=now,
        stated_at=now,
        repository=change.repository,
        uri=f"{web_url}/{change.repository}" if change.repository else "",
        number=change.number,
    )
    try:
        path.write_text(sign(statement_of(told).payload(), key), "utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None


Tell = Callable[[PullStep], object]


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Tell]:
    """Where somebody looks on, what is being done."""
    screen = Console(stderr=True, quiet=quiet)
    with screen.status(f"{PullStep.READ.value} …") as status:
        yield lambda step: status.update(f"{step.value} …")


def facts_of(
    proposed: Proposed, settings: Settings, spend: Spend | None = None, tell: Tell = lambda step: None
) -> PullFacts:
    """All that is gathered, asked and executed of a change before it is decided. Never raises for what models say and
    programs do.

    spend: where the cost of models is counted, for who counts it. tell: called with what comes next.
    """
    change, wanted, policy = _change(proposed), proposed.wanted, proposed.policy.pulls
    subject = subject_of(wanted, change)
    spend = spend or MemorySpend()
    reviewer = make_patch_reviewer(settings, spend, ReviewMode(policy.review), policy.strictness)
    code = GitCode(proposed.directory, proposed.head)

    def ask() -> ReviewAnswer:
        tell(PullStep.ASK)
        return opinion(reviewer, subject, code)

    return judged(
        first_facts(wanted, change, proposed.whole, proposed.mentions, is_given),
        ask=ask,
        execute=lambda review: _execute(proposed, subject, review, settings, spend, tell),
    )


def _change(proposed: Proposed) -> Change:
    try:
        return read_change(commits.diff(proposed.directory, proposed.base, proposed.head, LARGEST + 1))
    except GitHubError as error:
        return Change((), f"The change cannot be read: {error}.")


def _execute(
    proposed: Proposed,
    subject: PatchSubject,
    review: PatchReview | None,
    settings: Settings,
    spend: Spend,
    tell: Tell,
) -> HeadTrial:
    """As the gate does. Never raises for what models say and programs do."""
    executor = executor_of(settings)
    if isinstance(executor, str):
        return HeadTrial(problem=executor)
    terms = Terms(
        proposed.policy,
        proposed.wanted.specification,
        calls_in_examples(proposed.wanted.sources, proposed.before),
    )
    before, after, verify = proposed.before, proposed.after, proposed.policy.verify
    if isinstance(after, Conflict):
        return executed(after, terms, None)

    def examples(stage: Stage) -> ExampleRuns:
        return run_examples(stage, proposed.wanted.sources)

    def holes(stage: Stage, seconds: float) -> OfferedRuns:
        return show_holes(stage, proposed.wanted.sources, lambda: proposed.rivals, seconds)

    tell(PullStep.SET_UP)
    with staged(executor, before, after, verify, settings, origin=proposed.origin) as stage:
        tell(PullStep.RUN)
        ready = isinstance(stage, Stage)
        tree = merge_tree(proposed.directory, proposed.base, proposed.tip, proposed.head) if ready else ""
        models = make_models(settings, spend, TextCache(settings.cache_dir))
        rejected = rejection(subject, review)
        return executed(stage, terms, models, rejected, examples=examples, holes=holes).of_tree(tree)
