"""The check where it is not a verdict alone that speaks: rounds that are used up, the merge queue, a broken policy.
And the check that tells the author of a policy what is wrong with it. The sentences: `templates/gate_states.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from bot.github.values import Annotation
from bot.plain_text import clean, count_of
from bot.policy_choices import Mode
from bot.policy_file import PATH, Problem
from bot.rendering.comment import render
from bot.rendering.escape import code, prose
from bot.rendering.gate import GateView
from bot.rendering.words import times_words
from bot.verdicts import Left

REFUSED = "GitHub did not give the data that this needs"  # why something could not be judged, as a phrase
_TITLE = 120
POLICY_CHECK_NAME = "Bouncer policy"
_LONGEST_SUMMARY = 60_000  # GitHub stops at 65,535 characters


def state_view(state: str, mode: Mode = Mode.ENFORCE, **filled: str) -> GateView:
    """The check of a state that `templates/gate_states.toml` names. mode: the policy's. filled: what its sentences ask
    for, as Markdown."""
    said = _states()[state]
    ends = said.get("ends")
    title, text = clean(said["title"].format(**filled), _TITLE), said["text"].format(**filled)
    return GateView(_blocks(mode) if ends == "blocks" else ends, title, text)


@cache
def _states() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("templates").joinpath("gate_states.toml").read_text("utf-8"))


def unknown_policy_view() -> GateView:
    """Nobody knows which policy holds."""
    return state_view("unknown_policy", path=PATH)


def person_view(who: str, reason: str) -> GateView:
    """A maintainer says that it is no coding agent's, and the policy has only those judged."""
    return state_view("person", who=who, shown=code(who, 60), reason=prose(reason, 400))


def exemption_view(left: Left, base: str, mode: Mode = Mode.ENFORCE, *, lifted: bool = False) -> GateView:
    """The policy leaves it alone. base: the branch it goes into. lifted: a maintainer lets it through all the same.

    A check stays on its commit when a pull request is pointed at another branch. So what was never judged because of
    its branch does not pass in `enforce`: it could be merged elsewhere in the moment between the two.
    """
    view = state_view(f"left_by_{left.name.lower()}", mode, base=base, shown=prose(base))
    return replace(view, conclusion="neutral") if lifted else view


def timeout_view(mode: Mode, why: str, error: str = "") -> GateView:
    """What hangs, completed; a verdict may still come. why: a phrase. error: the number under which the log says more,
    where it has one."""
    log = f" Bouncer's log says more under the number {error}." if error else ""
    return state_view("timeout", mode, why=why, log=log)


def rounds_view(view: GateView, mode: Mode, times: int, *, more: bool) -> GateView:
    """A bounce after which trying again is nobody's help any more. more: it may have been oftener."""
    told = state_view("rounds", mode, bounced=times_words(times, more=more))
    return replace(view, conclusion=told.conclusion, title=told.title, summary=f"{told.summary}\n\n{view.summary}")


def name_pull(view: GateView, number: int) -> GateView:
    """Said of another pull request that the group holds as well; 0 for its own."""
    return replace(view, title=clean(f"Pull request {number}: {view.title}", _TITLE)) if number else view


def _blocks(mode: Mode) -> str:
    return "action_required" if mode is Mode.ENFORCE else "neutral"


def policy_check(problems: Sequence[Problem]) -> GateView:
    """The check for a policy with these problems; none means it is valid."""
    if not problems:
        return state_view("policy_valid")
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
