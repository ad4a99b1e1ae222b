"""The input door in a job: an issue, a label or a comment, judged and answered as the server does it."""

from dataclasses import replace
from functools import cache

from bot.action import memory
from bot.action.comment_commands import as_read, commands_in, issue_state
from bot.action.job import JobError
from bot.action.local_server import INSTALLATION, LocalServer
from bot.github.deliveries import Delivery, Ignored
from bot.github.events import read
from bot.github.values import Comment, Issue
from bot.policy import Policy
from bot.policy_choices import Door
from bot.rendering.comment import MARKER
from bot.rendering.job_summary import SubjectSummary
from bot.storage.subjects import SubjectRecord
from bot.verdicts import State
from bot.workflows.commands import commands_of
from bot.workflows.policies import PolicyStatus, policy_status


def delivery_of(server: LocalServer) -> Delivery | Ignored:
    """The job's event, as if GitHub had delivered it to a server."""
    return read(server.job.event, {**server.job.payload, "installation": {"id": INSTALLATION}})


def judge_issue(server: LocalServer, delivery: Delivery) -> tuple[SubjectSummary, PolicyStatus]:
    """Judge the issue of an event, or carry out what its comment says: the verdict that this job reached or one before,
    and the policy that it was judged by. Raises `GitHubError`."""
    issue = delivery.issue
    if issue is None:
        raise JobError("The event names no issue. Start this workflow on issues and issue_comment.")
    status = policy_status(server.services, INSTALLATION, server.repository, Door.ISSUES)
    before, missed = recall_issue(server, issue, delivery.comment, status.in_force or Policy())
    server.services.subjects.save(before)
    if missed is not None:
        server.deliver(_as_told(delivery, missed), f"comment {missed.id} heard by run {server.job.run_id}")
    if _asks_nothing(server, delivery, before):
        return SubjectSummary(f"#{issue.number}", ("nothing was asked here",)), status
    server.deliver(delivery, f"{delivery.event} of run {server.job.run_id}")
    after = server.services.subjects.get(server.repository.id, issue.number) or before
    _keep(server, after)
    verdict = after.verdict if after.judged_hash or after.verdict != before.verdict else None
    return SubjectSummary(f"#{issue.number}", tuple(server.ended), verdict), status


def _as_told(delivery: Delivery, comment: Comment) -> Delivery:
    """The delivery of a comment of which no job was started, or whose job GitHub dropped for a newer one."""
    said = replace(delivery, event="issue_comment", action="created", comment=comment, label="", previous_body=None)
    return replace(said, sender=comment.author, sender_is_bot=comment.author_is_bot)


def recall_issue(
    server: LocalServer, issue: Issue, told: Comment | None, policy: Policy
) -> tuple[SubjectRecord, Comment | None]:
    """What a server would remember of the issue before this event. told: the event's own comment. And the comment by
    which nobody looks at it any more, or does again, where no job carried that out."""
    client = server.client
    comments = client.comments(issue.number) if issue.comments else ()
    own = next((each for each in comments if client.is_own(each) and each.body.startswith(MARKER)), None)
    known = memory.issue_in(server.github.memories.comments.get(own.id, "")) if own else None
    blank = SubjectRecord(
        repo_id=server.repository.id,
        number=issue.number,
        installation_id=INSTALLATION,
        repository=server.repository.full_name,
        author=issue.author,
        private=server.repository.private,
    )
    record = blank if known is None or known.number != issue.number else known
    said = commands_in(comments, server.github.slug, policy.pulls.agents, but=told.id if told else None)
    state, last = issue_state(
        said, cache(client.permission), lambda each: as_read(client, issue.number, each, server.github.slug)
    )
    missed = None
    if record.state is State.ACCEPTED:
        state = State.ACCEPTED
    elif record is known and last is not None and state is not record.state:
        state, missed = record.state, last
    before = replace(
        record,
        repo_id=blank.repo_id,
        installation_id=INSTALLATION,
        repository=blank.repository,
        private=blank.private,
        comment_id=own.id if own else None,
        state=state,
        latest_seq=0,
        retry_at=None,
        retries=0,
    )
    return before, missed


def _asks_nothing(server: LocalServer, delivery: Delivery, before: SubjectRecord) -> bool:
    """Talk below an issue that waits for nothing. What was judged clear in silence is remembered nowhere, so every
    comment would have it judged again."""
    if delivery.event != "issue_comment" or commands_of(delivery, server.github.slug):
        return False
    return not (before.held or before.label_by_human or before.comment_id is not None)


def _keep(server: LocalServer, record: SubjectRecord) -> None:
    """Into the one comment, where there is one. Without it there is nothing to remember but what people said."""
    if record.comment_id is None:
        return
    standing = server.client.get_comment(record.comment_id)
    server.client.remember(standing, memory.of_issue(record))
