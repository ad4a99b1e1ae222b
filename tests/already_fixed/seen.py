"""What was seen, as the judging part of a reproduction's file gets it, and what it makes of it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bot.already_fixed.in_sandbox import judging
from bot.already_fixed.trial import _SAYS as SAYS
from bot.already_fixed.values import Expectation, Form


def raised(kind: str, message: str = "", *bases: str, here: bool = False, **more: str | bool) -> dict[str, Any]:
    given = {"file": "", "name": "", "place": "", "missing": "", "torn": False, **more}
    return {
        "types": [kind, *bases, "Exception"],
        "message": message,
        "chain": [[kind, message]],
        "here": here,
        **given,
    }


def seen(*steps: tuple[str, Any], **more: Any) -> dict[str, Any]:
    made = [{"out": out, "raised": error} for out, error in steps]
    return {"late": False, "ended": True, "code": 0, "steps": made, "warnings": [], **more}


def judged(
    expected: Expectation,
    came: dict[str, Any],
    form: Form = Form.SCRIPT,
    code: str = "f('a.csv')",
    steps: Sequence[str] = (),
) -> tuple[str, str]:
    plan = {"form": form, "code": code, "steps": steps, "expectation": asdict(expected)}
    found = judging.judge(plan, came)
    assert found["why"] in SAYS
    return found["seen"], found["why"]
