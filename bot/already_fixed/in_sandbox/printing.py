# What a program printed, held against what the report shows and asks for.

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
    plain,
    prints,
    resembles,
)
from bot.already_fixed.in_sandbox.ending import LONGEST_SHOWN, ends_well, is_cut, is_usage, line_of, verdict

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


def looks(value):
    """How a value begins: its class and bracket, its quotation mark, or that it is a number; empty for a word."""
    found = re.match(r"[A-Za-z_][\w.]*[(\[]|[(\[{'\"<]|[-+]?\.?\d", value.lstrip())
    return re.sub(r"[-+]?\.?\d", "0", found.group()) if found else ""


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
