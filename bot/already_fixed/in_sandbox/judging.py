# What was seen, and what a program printed, held against what the report says. Knows nothing of processes.

# mypy: ignore-errors

import re

from bot.already_fixed.in_sandbox.comparing import (
    alike,
    comes,
    equal,
    exact,
    holds,
    instead,
    is_bare,
    line_alike,
    looks,
    names,
    near,
    plain,
    prints,
    resembles,
)
from bot.already_fixed.in_sandbox.ending import (
    APART,
    LONGEST_SHOWN,
    ends_well,
    is_a,
    is_cut,
    is_slip,
    is_usage,
    line_of,
    unfit,
    verdict,
)

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
        if expected["right"] and not (is_right(plan, seen, final) or is_printed_before(plan, seen)):
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
    # By pytest, below the tests.
    listed = re.findall(r"^[^\S\n]*(?:\S{1,300}:\d{1,9}: )?(\w*Warning): (.*)$", out, re.M)
    listed = [([kind], message, False) for kind, message in listed if plan["form"] == "tests"]
    for types, message, theirs in seen["warnings"] or listed:
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


def judge_hangs(plan, seen, raised, out):
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    return ends_well(plan, seen, out)


MOST_LINES = 2000  # that are looked through for other words


def judge_prints(plan, seen, raised, out):
    expected = plan["expectation"]
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    if plan["form"] == "session":
        pairs = [(step["out"], wrong) for step, wrong in zip(seen["steps"], expected["wrong"]) if wrong]
        same = bool(pairs) and all(equal(found, wrong) for found, wrong in pairs)
        final = pairs[-1][0] if pairs else seen["steps"][-1]["out"]
    else:
        final = out
        same = bool(expected["wrong"]) and all(
            holds(out, wrong) or equal(out, without_quotes(wrong)) for wrong in expected["wrong"]
        )
    wrong = (expected["wrong"] or ("",))[-1]
    if wrong and plain(wrong) == plain(expected["right"]) and not exact(wrong, expected["right"]):
        # What should come differs from what comes in how it is laid out alone.
        if exact(final, expected["right"]):
            return verdict("passes", "prints right", shown=final)
        same = exact(final, wrong)
        return verdict(*(("as_reported", "prints") if same else ("fails_otherwise", "prints other")), shown=final)
    if same and plan["form"] != "session" and expected["right"] and is_right(plan, seen, final):
        shown = any(equal(out, wrong) or comes(wrong, expected["right"], plan["code"]) for wrong in expected["wrong"])
        if not shown and equal(out, expected["right"]):
            return verdict("passes", "prints right", shown=final)
        if not shown:
            return verdict("fails_otherwise", "prints both", shown=final)
    if same:
        return verdict("as_reported", "prints", shown=final)
    if plan["form"] == "session" and expected["right"] and is_of_any(pairs, expected["right"]):
        right = is_right_of_one(pairs, expected["right"], seen.get("values", {}))
    else:
        right = bool(expected["right"]) and is_right(plan, seen, final)
    if right:
        return verdict("passes", "prints right", shown=final)
    if expected["right"] and not any(expected["wrong"]):
        # What prints nothing may do so elsewhere, what prints too much, where it is cut off.
        known = (plan["form"] == "session" or final.strip()) and not is_cut(out)
        known = known and not resembles(final, expected["right"])
        return verdict("as_reported" if known else "fails_otherwise", "prints not right", shown=final)
    others = plan["form"] == "session" and all(equal(found, wrong) for found, wrong in pairs[:-1])
    if others and any(equal(final, seen.get("values", {}).get(wrong, "\0")) for wrong in expected["wrong"][-1:]):
        return verdict("as_reported", "prints", shown=final)
    return verdict("fails_otherwise", "prints other" if expected["right"] else "prints unknown", shown=final)


def is_of_any(pairs, right):
    """Whether a right value may be said of any of several outputs, not of the last alone: none looks like it, or all
    look the same."""
    wrongs = {plain(wrong) for _, wrong in pairs}
    alone = len(wrongs) == 1 or not any(looks(wrong) and looks(wrong) == looks(right) for wrong in wrongs)
    return len(pairs) > 1 and alone


def is_right_of_one(pairs, right, values):
    """Whether one of several outputs is what should come, wherever the report shows the same, and the others are that,
    too, or as they were. values: what a prompt shows of them, as `valued` finds it; of `None` nothing."""
    changed = [equal(found, right) or equal(found, values.get(right, "\0")) for found, _ in pairs]
    come = {}  # by what the report shows, whether the right value comes instead each time
    for (found, wrong), right_now in zip(pairs, changed):
        if not right_now and not equal(found, wrong):
            return False
        if not equal(wrong, right):  # that may be shown beside it
            come[plain(wrong)] = come.get(plain(wrong), True) and right_now
    return any(come.values())


def without_quotes(text):
    text = text.strip()
    return text[1:-1] if text[:1] in ("'", '"') and text[:1] == text[-1:] else text


def is_right(plan, seen, final):
    """Whether what is shown is what should come: as a text, or as a value of Python."""
    right = plan["expectation"]["right"]
    if plan["form"] != "session" and equal(final, without_quotes(right)):
        return True
    bare = final if is_bare(right) else without_quotes(final)
    if equal(final, right) or equal(bare, right) or equal(final, seen.get("values", {}).get(right, "\0")):
        return True
    value = plan["form"] == "session" and plan["steps"] and not prints(plan["steps"][-1])
    return not (value and instead("", right)) and comes(final, right, plan["code"])


def is_printed_before(plan, seen):
    """Whether what should come is printed by a statement of a session before the last one, which gives no such value:
    what fails at the end is often only what reads it again."""
    right, last = plan["expectation"]["right"], seen["steps"][-1]["out"]
    printed = [step["out"] for source, step in zip(plan["steps"], seen["steps"]) if prints(source)]
    return looks(right) != looks(last) and any(comes(out, right, plan["code"]) for out in printed)


def judge_lines(plan, seen, raised, out):
    """Of a command: lines that should not be there, and lines that should. What a status means differs by tool: where
    what should come is there it means nothing, but where lines are only gone, the command has to end well."""
    expected = plan["expectation"]
    found = {line_alike(line) for line in out.splitlines()}
    lines = [line for line in expected["right"].splitlines() if line.strip()]
    right = bool(lines) and all(line_alike(line) in found for line in lines)
    wrong = [line_alike(line) in found for line in expected["wrong"]]
    if not any(wrong) and not right and is_usage(out):
        return verdict("fails_otherwise", "usage", shown=out[-LONGEST_SHOWN:])
    if (wrong and all(wrong) and not right) or (not wrong and not right and not raised):
        return verdict("as_reported", "prints" if wrong else "prints not right", shown=out[-LONGEST_SHOWN:])
    if raised:
        return verdict("fails_otherwise", "raises", raised["types"][0], line_of(raised))
    if not any(wrong) and right:
        return verdict("passes", "prints right")
    said = list(found)[:MOST_LINES]
    if not any(wrong) and any(alike([line_alike(gone)], line) for gone in expected["wrong"] for line in said):
        return verdict("fails_otherwise", "other words", shown=out[-LONGEST_SHOWN:])
    if not any(wrong) and expected["failure"] == "warns":
        return ends_well(plan, seen, out)
    why = "prints other" if lines or expected["failure"] == "warns" else "prints unknown"
    return verdict("fails_otherwise", why, shown=out[-LONGEST_SHOWN:])


BY_FAILURE = {
    "raises": judge_raises,
    "misses": judge_misses,
    "prints": judge_prints,
    "warns": judge_warns,
    "hangs": judge_hangs,
}
