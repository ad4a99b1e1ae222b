"""Issues that were said to be fixed: who objects, what is announced of closing, and the closing itself."""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.already_fixed.finding import FixFinding
from bot.github.errors import Gone
from bot.issues.exemptions import why_no_look, why_outside
from bot.issues.facts import CommentParts
from bot.issues.fixed_plan import StandingNotice, keeps_open, ready_again
from bot.issues.lifecycle import Plan
from bot.issues.messages import Note
from bot.markdown.commands import parse as parse_commands
from bot.policy import Policy
from bot.policy_choices import Mode
from bot.rendering.fix_messages import fix_part
from bot.storage.fixes import FixRecord
from bot.workflows.already_fixed.known import finding_of
from bot.workflows.issue.apply import contains
from bot.workflows.issue.judging import IssueRun
from bot.workflows.issue.record import IssueNow
from bot.workflows.issue.replies import digest_of

_ASKING = ("brief", "fixed", "help")  # what nobody disagrees by
_SKEW = timedelta(minutes=1)  # by which other clocks may be ahead of GitHub's


class Closing:
    """One run's part. Everything here may be repeated after a kill, and raises `GitHubError`."""

    def __init__(self, look: IssueRun) -> None:
        self.look = look
        self.services = look.services
        self.job = look.job

    def object(self) -> bool:
        """Somebody disagreed with what was said of a fix, which holds for good; nothing to disagree with is no
        objection."""
        record = self._record()
        if not record.said:
            return False
        self.services.fixes.save(replace(record, objected=True))
        self._stay_open()
        return True

    def on_label_removed(self, label: str, policy: Policy) -> bool:
        """Somebody took off a label that Bouncer put on: it stays off, and nothing is closed."""
        record = self._record()
        if not record.label or record.label.lower() != label.lower():
            return False
        now = self.look.now(policy)
        ready = ready_again(now.facts, record.label, now.policy)
        if ready and not now.facts.has_label(ready):
            self.look.carry_out(Plan("it is open again", now.facts.history, labels_add=(ready,)), now)
        self.services.fixes.save(replace(record, label="", objected=True))
        self._stay_open()
        return True

    def on_comment(self) -> str:
        """Somebody wrote something on an issue that was going to be closed: it stays open, and Bouncer says so."""
        record = self._record()
        now = self._announced(record)
        if now is None or not self._answered(now, record, finding_of(record)):
            return "nothing was to be closed, or nobody else wrote anything"
        return self._rewritten(record, now)

    def close(self) -> str:
        """The time that the policy gives people to object is over."""
        record = self._record()
        found = finding_of(record)
        if record.close_at is None or record.close_at > self.services.now():
            return "left open: its time has not come"
        policy = self._policy()
        if policy is None:
            self.services.fixes.save(replace(record, close_at=self.services.now() + timedelta(days=1)))
            return "left open: uninstalled, or the policy is invalid"
        try:
            now = self._listed(self.look.now(policy))
        except Gone:
            self.services.fixes.save(replace(record, close_at=None))
            return "left open: it is not here any more"
        if reason := self._spoken_for(record, found, now):
            self._stay_open()
            return f"left open: {reason}"
        told_at = record.told_at or self.services.now()
        if told_at + _delay(now.policy) > self.services.now():
            return self._rewritten(record, now, close_at=told_at + _delay(now.policy))
        days = (self.services.now() - told_at).days
        plan = Plan(f"closed as fixed after {days} days", now.facts.history, note=Note("fixed_closed", {"days": days}))
        self.look.carry_out(plan, now)
        now = replace(now, comments=self.look.client.comments(now.issue.number))  # writing took a while
        if self._answered(now, record, found):
            return self._rewritten(record, now)
        self.look.carry_out(replace(plan, note=None, close=True, fixed=True), now)
        self.services.fixes.save(replace(record, close_at=None))
        return plan.outcome

    def _spoken_for(self, record: FixRecord, found: FixFinding | None, now: IssueNow) -> str:
        """Why an issue whose time has come stays open; empty where nothing speaks for it."""
        if reason := why_no_look(now.facts, now.policy) or why_outside(now.facts, now.policy):
            return reason
        if found is None or digest_of(now.issue) != found.text:
            return "the report changed meanwhile"
        said = notice_of(record, answered=self._answered(now, record, found))
        return keeps_open(now.facts, found, said, now.policy)

    def _stay_open(self) -> None:
        """Nothing is closed, and what stands there announces it no more."""
        record = self._record()
        now = self._announced(record)
        if now is None:
            self.services.fixes.save(replace(record, close_at=None))
        else:
            self._rewritten(record, now)

    def _announced(self, record: FixRecord) -> IssueNow | None:
        """The issue with its comments, where it is announced that it will be closed and something may be said."""
        policy = self._policy()
        if record.close_at is None or policy is None:
            return None
        now = self.look.now(policy)
        may = now.policy.mode is not Mode.OBSERVE and now.facts.state == "open" and not now.facts.locked
        return self._listed(now) if may else None

    def _rewritten(self, record: FixRecord, now: IssueNow, *, close_at: datetime | None = None) -> str:
        """The same is said of the fix, and something else of closing: that it stays open, or comes later."""
        found = finding_of(record)
        if now.own is not None and found is not None:
            said = fix_part(found, stays_open=close_at is None, close_at=close_at)
            self.look.carry_out(Plan("closing", now.facts.history, below=CommentParts(said, record.brief)), now)
            record = replace(record, said=said)
        self.services.fixes.save(replace(record, close_at=close_at))
        return "left open for now: the policy gives more time" if close_at else "left open: somebody wrote something"

    def _answered(self, now: IssueNow, record: FixRecord, found: FixFinding | None) -> bool:
        """Whether any person wrote anything since the fix, who may say that it did not help; or dislikes, changed or
        deleted what Bouncer said of it."""
        since = _since(record, found)
        people = [
            each
            for each in now.comments or ()
            if not (each.author_is_bot or only_asks(each.body, self.services.github.slug))
        ]
        if any(since is None or datetime.fromisoformat(each.updated_at) >= since for each in people):
            return True
        if now.own is None:
            return bool(record.said) and record.written
        changed = record.written and not contains(now.own.body, record.said)
        return changed or now.own.against > 0

    def _listed(self, now: IssueNow) -> IssueNow:
        """With the comments, which are asked for only where there are any."""
        return replace(now, comments=self.look.client.comments(now.issue.number) if now.issue.comments else ())

    def _policy(self) -> Policy | None:
        """`None` as well where Bouncer is not wanted any more."""
        return self.look.policy_status().policy if self.look.is_installed else None

    def _record(self) -> FixRecord:
        found = self.services.fixes.get(self.job.repository.id, self.job.number)
        return replace(found, **self.job.whereabouts) if found else FixRecord(**self.job.key)


def _delay(policy: Policy) -> timedelta:
    """That the policy gives people to object."""
    return timedelta(days=policy.issues.already_fixed.close_after_days or 0)


def only_asks(body: str, slug: str) -> bool:
    """Whether a comment asks Bouncer for something in so many words, and says nothing else."""
    lines = [line for line in body.splitlines() if line.strip()]
    commands = parse_commands(body, slug)
    return len(lines) == len(commands) > 0 and all(each.word in _ASKING and not each.rest for each in commands)


def notice_of(record: FixRecord, *, answered: bool) -> StandingNotice:
    """What stands on the issue, as the decision sees it."""
    over = record.told_at is not None and record.close_at is None
    return StandingNotice(record.said, record.label, record.written, record.objected, answered, over)


def _since(record: FixRecord, found: FixFinding | None) -> datetime | None:
    """From when on what people write may be about the report as it is now: since the commit that running showed to be
    the fix, or since Bouncer spoke, whichever is earlier. `None` where no commit was shown to be."""
    fix = found.fixed.fix if found is not None and found.fixed.fixed_by else None
    try:
        fixed_at = datetime.fromisoformat(fix.at) if fix else None
    except ValueError:
        return None  # whatever git's clock said
    return min(fixed_at, record.told_at or fixed_at) - _SKEW if fixed_at else None
