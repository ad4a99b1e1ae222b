# What was seen, held against what the report says. Knows nothing of processes.

# mypy: ignore-errors

import re

from bot.already_fixed.in_sandbox.comparing import alike, names, near
from bot.already_fixed.in_sandbox.ending import (
    APART,
    LONGEST_SHOWN,
    ends_well,
    is_a,
    is_slip,
    line_of,
    unfit,
    verdict,
)
from bot.already_fixed.in_sandbox.printing import is_right, judge_lines, judge_prints

CATCHES = re.compile(r"\b(?:raises|assertRaises\w*)\(")  # of a test, so that it passes with what it should raise


def judge(plan, seen):
    """What was seen, why (a word of `WHY` on the outside), with one name, and what to show."""
    expected = plan["expectation"]
    steps = seen["steps"]
    raised = next((step["raised"] for step in steps if step["raised"]), None)
    out = "".join(step["out"] for step in steps)
    if seen.get("missing"):  # of the command, or what it cannot be built with
        return verdict("cannot_run", "no command")
    if seen["late"]:
        hangs = expected["failure"] == "hangs"
        return verdict("as_reported" if hangs else "cannot_run", "endless", shown=out)
    # A signal ended a command, or, as shells tell it, what it had started.
    killed = plan["form"] in APART and (seen["code"] < 0 or 128 < seen["code"] <= 192)
    if killed or not seen["ended"]:
        return verdict("cannot_run", "ended itself", shown=out[-LONGEST_SHOWN:])
    if raised:
        outside = unfit(raised, plan)
        if outside:
            name = {"module": raised["missing"], "name": raised["name"]}.get(outside, "")
            return verdict("cannot_run", outside, name, line_of(raised))
    if plan["form"] == "command" and expected["failure"] in ("prints", "warns"):
        return judge_lines(plan, seen, raised, out)
    return BY_FAILURE[expected["failure"]](plan, seen, raised, out)


def judge_raises(plan, seen, raised, out):
    expected = plan["expectation"]
    if raised is None and plan["form"] in APART and seen["code"]:
        name = expected["exception"]
        lines = [line for line in out.splitlines() if name and re.search(r"\b%s(?:: |$)" % re.escape(name), line)]
        same = any(alike(expected["message"], line) for line in lines)
        return verdict("as_reported" if same else "fails_otherwise", "status", shown=out[-LONGEST_SHOWN:])
    if raised is None:
        final = seen["steps"][-1]["out"] if plan["form"] == "session" else out
        if expected["right"] and not is_right(plan, seen, final):
            return verdict("fails_otherwise", "prints other", shown=final)
        return ends_well(plan, seen, out)
    wanted = expected["exception"]
    # What a session's earlier statements raise is another failure, but where the report quotes it.
    last = plan["form"] != "session" or bool(seen["steps"][-1]["raised"])
    last = last or bool(wanted and any(expected["message"]) and alike(expected["message"], raised["message"]))
    if last and (not wanted or is_a(raised, wanted)):
        if alike(expected["message"], raised["message"]):
            found = verdict("as_reported", "raises", raised["types"][0], line_of(raised))
            return dict(found, place=raised["place"])
        return verdict("fails_otherwise", "other message", raised["types"][0], line_of(raised))
    if last and re.match(r"[A-Z]\w+$", expected["right"]) and is_a(raised, expected["right"]) and not is_slip(raised):
        return verdict("passes", "raises right")
    return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))


def judge_misses(plan, seen, raised, out):
    if raised is None and plan["form"] == "tests" and seen["code"] == 0 and CATCHES.search(plan["code"]):
        found = ends_well(plan, seen, out)
        return verdict("passes", "raises right") if found["seen"] == "passes" else found
    if raised is None:
        return verdict("as_reported", "raises nothing", shown=out)
    # What an earlier statement of a session raises is another failure: the last one is never done.
    last = plan["form"] != "session" or bool(seen["steps"][-1]["raised"])
    if last and is_a(raised, plan["expectation"]["exception"]) and not is_slip(raised):
        return verdict("passes", "raises right")
    return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))


def judge_warns(plan, seen, raised, out):
    expected = plan["expectation"]
    other = None
    for types, message, theirs in seen["warnings"] or told_warnings(plan, out):
        if expected["exception"] and expected["exception"] not in types:
            continue
        told = names(expected["message"])
        about = (not told or any(name in message for name in told)) and alike(expected["message"], message)
        if about if any(expected["message"]) else not theirs:
            return verdict("as_reported", "warns", types[0], "%s: %s" % (types[0], message))
        if other is None and near(expected["message"], message):
            other = verdict("fails_otherwise", "other message", types[0], "%s: %s" % (types[0], message))
    if raised:
        same = expected["exception"] and is_a(raised, expected["exception"])  # warnings may be made exceptions
        same = same and alike(expected["message"], raised["message"])
        return verdict("as_reported" if same else "fails_otherwise", "raises", raised["types"][0], line_of(raised))
    return other or ends_well(plan, seen, out)


def told_warnings(plan, out):
    """The warnings that pytest lists below the tests."""
    found = re.findall(r"^[^\S\n]*(?:\S{1,300}:\d{1,9}: )?(\w*Warning): (.*)$", out, re.M)
    return [([kind], message, False) for kind, message in found if plan["form"] == "tests"]


def judge_hangs(plan, seen, raised, out):
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    return ends_well(plan, seen, out)


BY_FAILURE = {
    "raises": judge_raises,
    "misses": judge_misses,
    "prints": judge_prints,
    "warns": judge_warns,
    "hangs": judge_hangs,
}
