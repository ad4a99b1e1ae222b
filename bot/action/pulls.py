"""The output door in jobs: a pull request's commit is run in one, judged and shown in the next.

`trial` runs in the job that may only read. `publish` runs in the one that may write checks, and executes nothing. Both
find the pull request on GitHub by what GitHub says of the run that woke them; what the pull request's own workflow
file says counts for nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from bot.action.job import JobError
from bot.action.local_server import INSTALLATION, LocalServer
from bot.action.pull_memory import PullSnapshot, beside_check, collect_words, remember, words_in_force
from bot.action.trial_result import LARGEST_ARTIFACT, NAME, TrialResult, results_in
from bot.action.verifiers import ReplayVerifier, recall_run
from bot.github.deliveries import Delivery
from bot.github.errors import GitHubError
from bot.github.fields import is_bot, json_object, moment, text
from bot.github.values import Pull
from bot.policy import Policy
from bot.policy_choices import Door, Mode
from bot.pulls.result import restored
from bot.rendering.gate_states import state_view
from bot.rendering.job_summary import SubjectSummary
from bot.sandbox.results import ArtifactError
from bot.storage.gates import GateRecord, GateState
from bot.workflows.commands import commands_of
from bot.workflows.jobs import RunJob
from bot.workflows.policies import PolicyStatus, policy_status
from bot.workflows.pull.check_run import current_override, show
from bot.workflows.pull.check_run import publish as show_verdict
from bot.workflows.pull.workflow import PullWorkflow

_SECONDS = 60.0  # for downloading the artifact


@dataclass(frozen=True, slots=True)
class Trigger:
    """What GitHub says of the run that woke this one. head: its commit; owner, branch: where that lies. actor: who
    brought it about. at: when, by GitHub's clock."""

    head: str
    owner: str
    branch: str
    actor: str
    actor_is_bot: bool
    at: datetime


def trigger_of(payload: Mapping[str, Any], now: datetime) -> Trigger:
    """Raises `JobError` for an event that is none of `workflow_run`."""
    run = json_object(payload, "workflow_run")
    actor = json_object(run, "actor")
    found = Trigger(
        head=text(run, "head_sha"),
        owner=text(run, "head_repository", "owner", "login"),
        branch=text(run, "head_branch"),
        actor=text(actor, "login"),
        actor_is_bot=is_bot(actor),
        at=moment(text(run, "created_at")) or now,
    )
    if not found.head or not found.branch or not found.owner:
        raise JobError("The event names no run of another workflow. Start this workflow on workflow_run.")
    return found


def pulls_of(server: LocalServer, woken: Trigger) -> tuple[Pull, ...]:
    """The open pull requests whose newest commit this is, as they are now. Raises `GitHubError`."""
    listed = server.client.open_pulls_from(woken.owner, woken.branch)
    return tuple(server.client.get_pull(each.number) for each in listed if each.head == woken.head)


def policy_of(server: LocalServer) -> PolicyStatus:
    """That of the default branch, whatever the pull request's own says. Raises `GitHubError`."""
    return policy_status(server.services, INSTALLATION, server.repository, Door.PULLS)


def trial(server: LocalServer, woken: Trigger) -> None:
    """Run the commit, once for each pull request that proposes it: judged as by a server, but nothing is shown. Raises
    `GitHubError`."""
    policy = policy_of(server).in_force
    if policy is None or not policy.pulls.enabled:
        return
    del server.workflows[PullWorkflow.name]  # it is what writes
    for pull in pulls_of(server, woken):
        if pull.draft and not policy.pulls.drafts:
            continue
        remember(server, pull, policy, told_at=woken.at)
        trial = f"trial of {pull.number}"
        job = RunJob("judging", trial, 1, INSTALLATION, server.repository, pull.number, pull.head)
        server.services.gates.save(
            GateRecord(**job.key, head=pull.head, run_id=job.run_id, base_branch=pull.base_branch)
        )
        server.services.start(job)
        server.drain()


def publish(
    server: LocalServer, woken: Trigger, ran: ReplayVerifier
) -> tuple[tuple[SubjectSummary, ...], PolicyStatus]:
    """Judge the commit by what the first job left, and show it; and the policy that it was judged by. Raises
    `GitHubError`."""
    ran.take(*_left_by_trial(server))
    _decide_by(server, ran)
    server.github.memories.of_check = lambda head: beside_check(server, head)
    status = policy_of(server)
    found = pulls_of(server, woken)
    # All are known before the first is shown: those that share the commit share its check.
    known = [remember(server, pull, status.in_force or Policy(), told_at=woken.at) for pull in found]
    return tuple(_published(server, woken, each, status) for each in known), status


def _decide_by(server: LocalServer, ran: ReplayVerifier) -> None:
    """Verdicts stand on what this knows of runs, and it is remembered what these were for."""
    ran.is_older = lambda tip, now: server.client.compare(tip, now).status in ("ahead", "identical")
    server.ran_for = ran.ran_for


def _left_by_trial(server: LocalServer) -> tuple[tuple[TrialResult, ...], str]:
    """What the first job of this very run left; else why there is nothing, as a phrase."""
    try:
        artifact = server.client.artifact_named(server.job.run_id, NAME)
        if artifact is None:
            return (), "it ended before it could write one"
        return results_in(server.client.artifact(artifact, LARGEST_ARTIFACT, _SECONDS)), ""
    except ArtifactError as error:
        return (), str(error)
    except GitHubError:
        return (), "GitHub does not give it"


def _published(server: LocalServer, woken: Trigger, known: PullSnapshot, status: PolicyStatus) -> SubjectSummary:
    before = len(server.ended)
    pushed = "reopened" if known.is_seen else "synchronize"  # only the latter says that its sender pushed
    told = replace(_to_judge(server, known), action=pushed, sender=woken.actor, sender_is_bot=woken.actor_is_bot)
    server.deliver(told, f"run {server.job.run_id} of {known.pull.number}")
    _end(server, known, status)
    return _outcome(server, known, tuple(server.ended[before:]))


def _to_judge(server: LocalServer, known: PullSnapshot) -> Delivery:
    """Has the newest commit judged, and tells nothing new of who brought it."""
    return Delivery(
        event="pull_request",
        action="reopened",
        installation_id=INSTALLATION,
        sender="",
        sender_is_bot=False,
        repository=server.repository,
        pull=replace(known.pull, updated_at=known.since.isoformat()),
    )


def _end(server: LocalServer, known: PullSnapshot, status: PolicyStatus) -> None:
    """Before a job ends: what it wrote may not be the last word."""
    record = server.services.gates.get(server.repository.id, known.pull.number)
    if status.in_force is not None and record is not None and record.state is GateState.DONE:
        _catch_up(server, known, record, status.in_force)
        _warn_of_others(server, known, record, status.in_force)


def _catch_up(server: LocalServer, known: PullSnapshot, record: GateRecord, policy: Policy) -> None:
    """Show what comes of words that the check was made without: of those said while this job ran, since the job that
    such a comment starts may find no verdict, and of those whose job never ran or ran too early."""
    collect_words(server, known, policy)
    heard, shown = words_in_force(server, record.number), server.pulls[record.number].shown
    if heard == shown or policy.mode is Mode.OBSERVE:
        return
    if heard.person != shown.person:
        server.deliver(_to_judge(server, known), f"words heard by run {server.job.run_id} of {record.number}")
    else:
        server.ended.append(show_verdict(server.services, server.client, record, policy))


def _warn_of_others(server: LocalServer, known: PullSnapshot, record: GateRecord, policy: Policy) -> None:
    """A job of a workflow of the head's own can write a check of any name, as this App: GitHub shows the newest."""
    if known.foreign and policy.mode is Mode.ENFORCE and current_override(server.services, record) is None:
        show(server.services, server.client, known.pull.head, state_view("foreign_check"))


def carry_out(server: LocalServer, delivery: Delivery, ran: ReplayVerifier) -> tuple[SubjectSummary, PolicyStatus]:
    """Carry out what a comment on a pull request says, and whatever else was said and not heard: GitHub may drop a job
    that waits for a newer one; and the policy. Raises `GitHubError`."""
    assert delivery.issue is not None and delivery.comment is not None
    server.github.memories.of_check = lambda head: beside_check(server, head)
    status = policy_of(server)
    _decide_by(server, ran)
    asked = delivery.action == "created" and bool(commands_of(delivery, server.github.slug))
    pull = server.client.get_pull(delivery.issue.number)
    policy, now = status.in_force or Policy(), server.services.now()
    known = remember(server, pull, policy, told_at=now, but=delivery.comment.id if asked else None)
    if pull.state != "open" or not known.is_judged:
        ended = ("its newest commit is not judged yet: an override counts once it is",)
        return SubjectSummary(f"#{pull.number}", ended), status
    record = server.services.gates.get(server.repository.id, pull.number)
    stands_on = server.ran_for.get(pull.number)
    if record and record.judged and stands_on and (run := recall_run(record, stands_on)):
        ran.results[pull.number] = run
    if asked:
        server.deliver(delivery, f"comment of run {server.job.run_id}")
    _end(server, known, status)
    return _outcome(server, known, tuple(server.ended) or ("no new comment with a command",)), status


def _outcome(server: LocalServer, known: PullSnapshot, ended: tuple[str, ...]) -> SubjectSummary:
    record = server.services.gates.get(server.repository.id, known.pull.number)
    result = restored(record.judged) if record is not None and record.judged else None
    overridden = record is not None and current_override(server.services, record) is not None
    return SubjectSummary(f"#{known.pull.number}", ended, None, result, overridden, known.foreign)
