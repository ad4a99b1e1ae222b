"""What Bouncer answers to words about a pull request's verdict, as Markdown."""

from bot.policy import Override
from bot.rendering.comment import render
from bot.rendering.gate import Judged, explained


def override_refused_note(wanted: Override) -> str:
    """Says who may."""
    return render("override_refused", role=wanted.role.value, teams=wanted.teams)


def reason_missing_note() -> str:
    """An override without a reason helps nobody who reads it later."""
    return render("override_reason")


def pushed_since_note(head: str) -> str:
    """The word is older than the commit it would count for."""
    return render("pushed_since", head=head[:7])


def rounds_note(times: int, *, more: bool) -> str:
    """To the maintainers, once."""
    return render("rounds", times=times, more=more)


def explained_note(judged: Judged) -> str:
    """Everything that led to the verdict."""
    return explained(judged)
