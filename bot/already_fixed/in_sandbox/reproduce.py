# Runs what a report shows, in a process of its own, and compares what comes of it with what the report says.
#
#     python FILE     at the top of the repository: exit status 1 fails as reported, 0 passes, 2 fails otherwise,
#                     3 cannot be run, or is flaky
#
# The process with the program in it is not told what is expected of it, and says what it saw with a word that was taken
# from it before any of the program ran; so a program that ends early, or says nothing, does not pass.

# mypy: ignore-errors

import json
import sys

from bot.already_fixed.in_sandbox.comparing import equal, instead
from bot.already_fixed.in_sandbox.judging import judge, verdict
from bot.already_fixed.in_sandbox.running import SECONDS, run


def main(plan):
    verdict = tried(plan)
    print("%s: %s" % (verdict["seen"].replace("_", " "), verdict["shown"] or verdict["why"]))
    sys.exit({"as_reported": 1, "passes": 0, "fails_otherwise": 2}.get(verdict["seen"], 3))


def check(plan):
    """For pytest: a failed test's message holds the verdict."""
    verdict = tried(plan)
    if verdict["seen"] != "passes":
        raise AssertionError("BOUNCER " + json.dumps(verdict))


def tried(plan):
    """The verdict; what gives another one with other hashes is flaky. What cannot be run is not run again. What did not
    end gets twice the time then, and with all of it compiled: a machine may be slow for once."""
    first = judge(plan, valued(plan, run(plan, "0")))
    if first["seen"] == "cannot_run" or not plan.get("twice"):
        return first
    longer = dict(plan, seconds=2 * plan.get("seconds", SECONDS)) if first["why"] == "endless" else plan
    second = judge(plan, valued(plan, run(longer, "1")))
    if second["seen"] in (first["seen"], "cannot_run"):
        return second
    return verdict("flaky", "differs", shown=second["shown"])


def valued(plan, seen):
    """With what the values of the report give where its last statement stands: it may write them in other ways than
    Python does. Each comes out of a process of its own, so that none knows of the other."""
    expected, steps = plan["expectation"], seen["steps"]
    if plan["form"] != "session" or not steps or steps[-1]["raised"] or expected["failure"] not in ("prints", "raises"):
        return seen
    pairs = [(step["out"], wrong) for step, wrong in zip(steps, expected["wrong"]) if wrong]
    same = bool(pairs) and all(equal(found, wrong) for found, wrong in pairs)
    if same or not expected["right"] or equal(steps[-1]["out"], expected["right"]):
        return seen
    texts = [expected["right"], *expected["wrong"][-1:]]
    values = {}
    for text in texts:
        if text and (statement := instead(plan["steps"][-1], text)):
            found = run(dict(plan, steps=[*plan["steps"][:-1], statement]), "0")
            if found["ended"] and not any(step["raised"] for step in found["steps"]):
                values[text] = found["steps"][-1]["out"]
    return dict(seen, values=values)
