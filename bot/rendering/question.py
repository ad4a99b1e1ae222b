"""The question that verification asks a maintainer, as Markdown: an input, two outcomes, three boxes to tick."""

from bot.rendering import run_words
from bot.rendering.comment import render
from bot.rendering.escape import exact
from bot.verification.questions import AnswerChoice, VerificationQuestion, box
from bot.verification.values import Observed

MOST = 300  # characters shown of one value


def question_markdown(asked: VerificationQuestion) -> str:
    """Part of Bouncer's comment. A tick in it is read by `bot.verification.questions.clicked`.

    Neither text nor order tell which program does what.
    """
    a, b = _told_apart(asked.a.value, asked.b.value)
    left_a, left_b = map(_arguments, _told_apart(asked.a.mutated, asked.b.mutated))
    if left_a == left_b:
        left_a = left_b = ""
    return render(
        "question",
        asked=asked,
        a=_outcome(asked.a, a) + left_a,
        b=_outcome(asked.b, b) + left_b,
        **{f"box_{choice}": box(asked, choice) for choice in AnswerChoice},
    )


def _outcome(seen: Observed, value: str) -> str:
    """What a program did, in Markdown."""
    return run_words.ENDINGS[seen.ending].format(exact(value))


def _arguments(left: str) -> str:
    return f" and leaves its arguments as {exact(left)}" if left else " and leaves its arguments as they were"


def _told_apart(one: str, other: str) -> tuple[str, str]:
    """Both texts, cut to the place where they begin to differ when they are long."""
    if max(len(one), len(other)) <= MOST:
        return one, other
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, start - MOST // 3)
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    shown = text[start : start + MOST]
    return ("…" if start and text else "") + shown + ("…" if len(text) > start + MOST else "")
