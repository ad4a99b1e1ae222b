"""What to write for a verdict or a maintainer's word, as a value. Pure; the workflows carry it out."""

from dataclasses import dataclass

from bot.issues.facts import History, IssueFacts
from bot.policy import Policy
from bot.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Plan:
    """What to write on one issue, and what to remember.

    outcome: one plain line for the log, the delivery's record and `bouncer replay`.
    history: what to remember once everything else is done (store it last, so that a kill in between repeats the plan).
    labels_add, labels_remove: label names; both are sets and idempotent.
    comment: the whole new text of the one comment; `None` leaves it as it is.
    note: an answer to a command, put below the one comment with `rendering.comment.with_note`; it stands until the
        comment changes. Where there is no comment yet, the note becomes it.
    reminder: the text of a comment of its own (editing one notifies nobody); it carries the marker
        `rendering.comment.REMINDER_MARKER` and is written once a hold.
    close: close the issue as not planned.
    disagreement: a maintainer overruled the verdict; record it.
    """

    outcome: str
    history: History
    labels_add: tuple[str, ...] = ()
    labels_remove: tuple[str, ...] = ()
    comment: str | None = None
    note: str | None = None
    reminder: str | None = None
    close: bool = False
    disagreement: bool = False

    @property
    def writes(self) -> bool:
        """Whether anything at all is written on GitHub."""
        texts = (self.comment, self.note, self.reminder)
        return bool(self.labels_add or self.labels_remove or self.close or any(text is not None for text in texts))


def plan(facts: IssueFacts, verdict: Verdict, policy: Policy) -> Plan:
    """The plan for a fresh verdict."""
    raise NotImplementedError


def exempted(facts: IssueFacts, reason: str, policy: Policy) -> Plan:
    """The policy leaves the issue alone (`reason` from `decide.exempt`): a hold ends, nothing else is written."""
    raise NotImplementedError


def left_alone(facts: IssueFacts, reason: str) -> Plan:
    """Nothing is looked at and nothing written (`reason` from `decide.leave_alone`)."""
    raise NotImplementedError


def accepted(facts: IssueFacts, policy: Policy) -> Plan:
    """A maintainer removed the label or wrote `/bouncer accept`: Bouncer never holds this issue again."""
    raise NotImplementedError


def paused(facts: IssueFacts, policy: Policy) -> Plan:
    """`/bouncer pause`: everything stays as it is until `/bouncer resume`."""
    raise NotImplementedError


def resumed(facts: IssueFacts, policy: Policy) -> Plan:
    """`/bouncer resume`: active again; a fresh look should follow. It also takes back an `accept`."""
    raise NotImplementedError


def answered(facts: IssueFacts, note: str, policy: Policy) -> Plan:
    """An answer to a command (help, a refusal) as a note below the comment."""
    raise NotImplementedError


def silent(facts: IssueFacts, silent_days: int, policy: Policy) -> Plan:
    """Nobody has written for `silent_days` whole days: remind once or close, when the policy asks for it."""
    raise NotImplementedError
