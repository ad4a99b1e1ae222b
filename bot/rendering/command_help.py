"""What each command in a comment is for: the help on GitHub and the tables in docs/ are made from it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommandHelp:
    """usage: as people write it, in Markdown. who: who may write it. does: what then happens, without a full stop.
    page: where the docs say more, from their folder; empty where the table says it all."""

    usage: str
    who: str
    does: str
    page: str = ""


_TRIAGE = "triage role or higher"
_WRITE = "write access"
_OVERRIDES = "the role `maintain`, or a team that the policy names"

ISSUE_COMMANDS = (
    CommandHelp("`/bouncer help`", "anybody", "lists the commands, and says why an issue is left alone"),
    CommandHelp("`/bouncer recheck`", f"the reporter; {_TRIAGE}", "judges the issue again"),
    CommandHelp("`/bouncer fixed`", _TRIAGE, "checks whether it is fixed already", "already-fixed.md"),
    CommandHelp("`/bouncer accept`", _TRIAGE, "accepts the issue as it is: Bouncer never holds it again"),
    CommandHelp("`/bouncer pause`, `/bouncer resume`", _TRIAGE, "pauses Bouncer on this issue; resumes it"),
    CommandHelp("`/bouncer brief`", _WRITE, "writes a brief for coding agents", "issues.md#a-brief-for-coding-agents"),
)
PULL_COMMANDS = (
    CommandHelp("`/bouncer help`", "anybody", "lists the commands"),
    CommandHelp("`/bouncer explain`", "anybody", "shows in a comment everything that led to the verdict"),
    CommandHelp("`/bouncer recheck`", _WRITE, "judges the commit again, and runs a review bot's last suggestion again"),
    CommandHelp(
        "`/bouncer answer ID a`, `b` or `either`",
        f"{_WRITE}, but not the author",
        "answers Bouncer's question which behaviour is right",
        "review-bots.md#when-bouncer-asks-you",
    ),
    CommandHelp("`/bouncer override REASON`", _OVERRIDES, "lets this commit through in spite of its verdict"),
    CommandHelp(
        "`/bouncer person REASON`",
        f"{_OVERRIDES}, but not the author",
        "treats it as a person's pull request until an agent pushes to it",
    ),
    CommandHelp("`/bouncer override-cancel`", _OVERRIDES, "withdraws either"),
)
