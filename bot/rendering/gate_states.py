"""The check where it is not a verdict alone that speaks: rounds that are used up, the merge queue, a broken policy.
And the check that tells the author of a policy what is wrong with it."""

from collections.abc import Sequence
from dataclasses import replace

from bot.github.values import Annotation
from bot.plain_text import clean, count_of
from bot.policy_choices import Mode, WhenUnavailable
from bot.policy_file import PATH, Problem
from bot.pulls.result import PullResult
from bot.rendering.comment import render
from bot.rendering.gate import GateView, gate_view
from bot.rendering.pull_messages import exemption_note, exemption_reason
from bot.rendering.words import times_words
from bot.verdicts import Left

REFUSED = "GitHub did not give the data that this needs"  # why something could not be judged, as a phrase
_TITLE = 120
POLICY_CHECK_NAME = "Bouncer policy"
_LONGEST_SUMMARY = 60_000  # GitHub stops at 65,535 characters


def unknown_policy_view() -> GateView:
    """Nobody knows how loud Bouncer may be here, so nothing passes by mistake."""
    return GateView(
        "action_required",
        "The policy is invalid: nothing is judged",
        f"`{PATH}`, here or in the owner's `.github` repository, is no valid policy, and no earlier one is known."
        " `bouncer policy check` says what is wrong. Once it is fixed, this commit is judged.",
    )


def busy_commit_view(mode: Mode) -> GateView:
    """Somebody else's turn on this commit has not come yet."""
    text = "Another pull request with the same commit is a draft, or waits to be judged. They share this check."
    return GateView(_blocks(mode), "Another pull request with this commit is not judged yet", text)


def exemption_view(left: Left, base: str, mode: Mode, *, lifted: bool = False) -> GateView:
    """The policy leaves it alone. base: the branch it goes into. lifted: a maintainer lets it through all the same.

    A check stays on its commit when a pull request is pointed at another branch. So what was never judged because of
    its branch does not pass in `enforce`: it could be merged elsewhere in the moment between the two.
    """
    conclusion = _blocks(mode) if left is Left.BASE and not lifted else "neutral"
    return GateView(
        conclusion, clean(f"Not judged: {exemption_reason(left, base)}", _TITLE), exemption_note(left, base)
    )


def timeout_view(mode: Mode, why: str, error: str = "") -> GateView:
    """What hangs, completed; a verdict may still come. why: a phrase. error: the number under which the log says more,
    where it has one."""
    text = (
        "Bouncer's server tries again by itself where that may help, for most of a day; a verdict that comes later"
        " replaces this. Press Re-run to judge it now."
    )
    more = f" Bouncer's log says more under the number {error}." if error else ""
    return GateView(_blocks(mode), f"Could not be judged: {why}", f"{text}{more}")


def fault_view(mode: Mode, error: str) -> GateView:
    """Bouncer itself failed. error: the number under which its log says how."""
    text = (
        f"This is a fault of Bouncer's, not of the change. Its log says more under the number {error}. Press Re-run to"
        " judge it again; a maintainer may let it through with `/bouncer override` and a reason."
    )
    return GateView(_blocks(mode), f"Could not be judged: Bouncer failed (error {error})", text)


def foreign_check_view() -> GateView:
    """On GitHub's own machines a change may bring a workflow along whose job has this check's name, and the newest run
    counts."""
    return GateView(
        "action_required",
        "Another workflow wrote a check of this name",
        "A job of another workflow wrote a check with the name of this one on this commit, and GitHub cannot tell them"
        " apart. Look whether this change brings such a workflow along. A maintainer lets it through with"
        " `/bouncer override` and a reason. If it is a workflow of your own, give its job another name.",
    )


def rounds_view(view: GateView, mode: Mode, times: int, *, more: bool) -> GateView:
    """A bounce after which trying again is nobody's help any more. more: it may have been oftener."""
    bounced = times_words(times, more=more)
    said = (
        f"It was bounced {bounced}, as often as the policy lets an agent try (`pulls.rounds`). A maintainer should"
        " decide: let it through with `/bouncer override` and a reason, or close it. A commit that is accepted"
        " still passes."
    )
    title = f"Bounced {bounced}: a maintainer should decide"
    return replace(view, conclusion=_blocks(mode), title=title, summary=f"{said}\n\n{view.summary}")


def early_queue_view(mode: Mode) -> GateView:
    """The queue asks about a pull request nobody judged."""
    return GateView(_blocks(mode), "Not judged yet: queue it again when it is judged", "")


def group_end_view() -> GateView:
    """The queue gave the group up."""
    return GateView("cancelled", "The merge queue dropped this group", "This check is no longer needed.")


def merge_failure_view(result: PullResult, mode: Mode, number: int = 0) -> GateView:
    """What was executed speaks against the merged result. number: of the pull request it is about, when it is an
    earlier one."""
    return name_pull(gate_view(result, mode, WhenUnavailable.BLOCK), number)


def add_merge_note(view: GateView, said: str) -> GateView:
    """What was found of the pull request, and what is known of the merged result."""
    return replace(view, summary=f"{said}\n\n{view.summary}")


def name_pull(view: GateView, number: int) -> GateView:
    """Said of another pull request that the group holds as well; 0 for its own."""
    return replace(view, title=clean(f"Pull request {number}: {view.title}", _TITLE)) if number else view


def _blocks(mode: Mode) -> str:
    return "action_required" if mode is Mode.ENFORCE else "neutral"


def policy_check(problems: Sequence[Problem]) -> GateView:
    """The check for a policy with these problems; none means it is valid."""
    if not problems:
        return GateView("success", "The policy is valid", "Bouncer understands every line of it.")
    return GateView(
        "failure",
        f"{count_of(len(problems), 'problem')} in the policy",
        render("policy_check", problems=problems)[:_LONGEST_SUMMARY],
        tuple(
            Annotation(
                path=PATH,
                start_line=problem.line,
                end_line=problem.line,
                level="failure",
                message=problem.message,
                title=f"{POLICY_CHECK_NAME}, column {problem.column}",
                start_column=problem.column,
                end_column=problem.column,
            )
            for problem in problems
        ),
    )


def policy_failed(error: str) -> GateView:
    """Neutral: nobody knows whether it is valid. error: the number under which Bouncer's log says why."""
    said = f"This is a fault of Bouncer's. Its log says more under the number {error}; the next push is checked again."
    return GateView("neutral", f"Could not be checked: Bouncer failed (error {error})", said)
