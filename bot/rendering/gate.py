"""The check run that carries a pull request's verdict. The templates escape what is untrusted."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.already_fixed.script import PROMPT
from bot.github.values import Annotation
from bot.plain_text import clean
from bot.policy_choices import Mode, WhenUnavailable
from bot.pulls.result import PullResult
from bot.rendering.comment import render
from bot.rendering.pull_findings import contrary_tests, gist
from bot.rendering.pull_page import page_of
from bot.rendering.pull_reasons import example_form, reasons
from bot.rendering.rejection_view import control_words, outcome
from bot.rendering.suggestions import pasteable, pytest_line
from bot.rendering.words import decision_words
from bot.verdicts import Cause, Decision, Verdict

NAME = "bouncer"
_LONGEST = 60_000  # GitHub stops at 65,535 characters
_TITLE = 120
_MOST = 3  # tests shown
_LEVELS = {"failure": "error", "action_required": "error", "warning": "warning"}


@dataclass(frozen=True, slots=True)
class GateView:
    """What to publish. conclusion is GitHub's; `None` while it is judged. summary: Markdown. details_url: its page."""

    conclusion: str | None
    title: str
    summary: str
    annotations: tuple[Annotation, ...] = ()
    details_url: str = ""


def override_view(result: PullResult, who: str, reason: str, carried_from: str = "") -> GateView:
    """A maintainer's word beats the verdict. carried_from: the commit it was given for, if that is an earlier one."""
    title = clean(f"Overridden by {who}", _TITLE)
    return GateView("success", title, _summary(result, who, reason, carried_from), result.annotations)


def gate_view(result: PullResult, mode: Mode, unavailable: WhenUnavailable) -> GateView:
    """The completed check, as loud as the policy says."""
    title = ": ".join([headline(result.verdict, mode), *reasons(result)[:1]])
    conclusion = _conclusion(result.verdict, mode, unavailable)
    return GateView(conclusion, clean(title, _TITLE), _summary(result), result.annotations)


def headline(verdict: Verdict, mode: Mode) -> str:
    """What became of it, in a word or two."""
    said = decision_words(verdict.decision, verdict.cause, would=mode is not Mode.ENFORCE)
    return said[:1].upper() + said[1:]


def stops(verdict: Verdict, unavailable: WhenUnavailable) -> bool:
    """Whether it keeps a change from being merged, where checks may.

    `unavailable` is about reasons outside the change alone.
    """
    if verdict.decision is Decision.UNAVAILABLE and verdict.cause is Cause.OUTSIDE:
        return unavailable is WhenUnavailable.BLOCK
    return verdict.decision is not Decision.ACCEPT


def explanation(result: PullResult) -> str:
    """All that led to the verdict, for a comment."""
    said = decision_words(result.verdict.decision, result.verdict.cause, would=True)
    head = f"How commit `{result.head[:7]}` was judged: {said}."
    return f"{head}\n\n{_summary(result)}"


def _conclusion(verdict: Verdict, mode: Mode, unavailable: WhenUnavailable) -> str:
    """GitHub counts `neutral` as passed, and `action_required` not."""
    if mode is not Mode.ENFORCE:
        return "neutral"
    if verdict.decision is Decision.UNAVAILABLE:
        return "action_required" if stops(verdict, unavailable) else "neutral"
    return "success" if verdict.decision is Decision.ACCEPT else "failure"


def _summary(result: PullResult, who: str = "", reason: str = "", carried_from: str = "") -> str:
    facts, page = result.facts, page_of(result)
    failing = contrary_tests(result)[:_MOST]
    return render(
        "gate",
        page=page,
        result=result,
        form=pasteable(example_form(result)),
        who=who,
        reason=reason,
        carried_from=carried_from,
        failing=[replace(each, message=gist(each.message)) for each in failing],
        command=pytest_line(each.name for each in failing if each.as_pushed),
        shown=pasteable(facts.shown),
        for_shell=facts.shown.rpartition("\n")[0].rpartition("\n")[2].startswith(PROMPT),
        quote=_quote(result),
        fix=pasteable(facts.trial.fix, len(facts.trial.fix)),
        control_words=control_words,
        outcome=outcome,
    )[:_LONGEST]


def _quote(result: PullResult) -> str:
    """The requirement that is violated, where one is known."""
    verified, review = result.facts.trial.verified, result.facts.review
    differs = verified.difference if verified else None
    if differs and differs.quote:
        return differs.quote
    return review.quote if review and review.rejects and review.grounded else ""


def workflow_commands(view: GateView) -> Iterator[str]:
    """What a job of GitHub Actions prints to have it shown: the check first, then what stands beside lines. GitHub
    reads a command off any line that begins with `::`, so names and texts by strangers are escaped as it asks. See
    GitHub's "Workflow commands for GitHub Actions"."""
    yield _command(_LEVELS.get(view.conclusion or "", "notice"), {"title": "Bouncer"}, view.title)
    for each in view.annotations:
        place = {"file": each.path, "line": str(each.start_line), "endLine": str(each.end_line), "title": each.title}
        yield _command(_LEVELS.get(each.level, "notice"), place, each.message)


def _command(name: str, given: Mapping[str, str], text: str) -> str:
    shown = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in given.items() if value)
    return f"::{name} {shown}::{_escaped(text)}"


def _escaped(text: str, also: str = "") -> str:
    """also: what means something in a command's properties."""
    text = text.encode("utf-8", "replace").decode()
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{also}" else each for each in text)
