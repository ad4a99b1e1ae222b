"""What Bouncer answers to words about a pull request's verdict, as Markdown."""

from bot.policy import OverrideRules
from bot.rendering.comment import render
from bot.rendering.escape import prose
from bot.rendering.words import often
from bot.storage.makers import PersonWord
from bot.verdicts import Left


def override_refused_note(word: str, wanted: OverrideRules, why: str = "") -> str:
    """Says who may. why: what is wrong with this word whoever may, as a sentence."""
    return render("override_refused", word=word, role=wanted.role.value, teams=wanted.teams, why=why)


def reason_missing_note(word: str) -> str:
    """A word without a reason helps nobody who reads it later."""
    return render("override_reason", word=word)


def person_note(word: PersonWord) -> str:
    """Who says that it is a person's, when and why, and what ended that."""
    return render("person", word=word)


def pushed_since_note(head: str) -> str:
    """The word is older than the commit it would count for."""
    return render("pushed_since", head=head[:7])


def why_left(left: Left, base: str) -> str:
    """By which rule of the policy it is left alone, as a phrase."""
    return {
        Left.BASE: f"its base is {base}, and the policy names other branches",
        Left.TITLE: "the policy exempts titles like this one",
        Left.PATHS: "the policy exempts every file that it changes",
    }[left]


def left_alone_note(left: Left, base: str) -> str:
    """Why nothing was judged, and what that means."""
    return render("left_alone", why=prose(why_left(left, base)), base=left is Left.BASE)


def rounds_note(times: int, *, more: bool) -> str:
    """To the maintainers, once."""
    return render("rounds", bounced=often(times, more=more))
