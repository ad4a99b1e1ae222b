# What is said of a run, and whether a command did its work.

# mypy: ignore-errors

import json
import re

from bot.already_fixed.in_sandbox.watching import LONGEST_OUTPUT, cut

LONGEST_SHOWN = 600
TRACE = "Traceback (most recent call last)"


def ends_well(plan, seen, out):
    """Of what the report says only that something should not come. A command has to do its work for that: with a usage,
    a crash, or tests that are passed over, nothing comes either."""
    why = ""
    if plan["form"] in ("command", "tests"):
        last = out.rstrip().rpartition("\n")[2]
        if seen["code"]:
            why = "status"
        elif TRACE in out:
            why = "trace"
        elif is_usage(out):
            why = "usage"
        elif is_cut(out):
            why = "too much"
        elif plan["form"] == "tests" and re.search(r"\b\d+ (?:skipped|xfailed|deselected)\b", last):
            why = "skipped"
    if why:
        return verdict("fails_otherwise", why, shown=out[-LONGEST_SHOWN:])
    return verdict("passes", "ends well", shown=out)


def was_killed(code):
    """Whether a signal ended a command, or, as shells tell it, what it had started."""
    return code < 0 or 128 < code <= 192


def is_cut(out):
    """Whether more was printed than is kept."""
    return len(out.encode("utf-8", "replace")) >= LONGEST_OUTPUT


def is_usage(out):
    return out.lstrip().lower().startswith("usage:")


def line_of(raised):
    return "%s: %s" % (raised["types"][0], raised["message"]) if raised["message"] else raised["types"][0]


def verdict(seen, why, name="", shown=""):
    """Bounded as it travels, in a message of which the runner keeps 2,000 characters."""
    while len(json.dumps(shown)) > LONGEST_SHOWN:
        shown = cut(shown, len(shown) * 3 // 4)
    return {"seen": seen, "why": why, "name": cut(name, 80), "shown": shown}
