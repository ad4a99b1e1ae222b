"""Tests of a command that came to notice less, in every way we know, beside honest rewrites: Node for real, all in one
trial; what a run may leave untold with an executor that only tells."""

import json
import re
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.sandbox.protocol import Capabilities, Executor, Job, Outcome, Status
from bot.verification.defects.defect import defects
from bot.verification.defects.lost_by_command import defects_by_name, lost_by_command
from bot.verification.defects.runs import TimedRuns, Watched
from bot.verification.environments.commands import with_reports
from bot.verification.patch_evidence import LostKills
from bot.verification.testing.run import run_suite
from bot.verification.testing.tools import command_name
from bot.verification.trial.times import LOST
from bot.verification.values import Program, Suite
from tests.support.cases import cases, table
from tests.support.lengths import EVERY_TRICK
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP, Remembering

NOTHING = Path(tempfile.mkdtemp())
NODE = Remembering(BUBBLEWRAP)
SCRIPTS = {"test": "node --test"}
JS = b"exports.toll = function toll(axles) {\n  return axles + 11\n}\n"
HEAD = (
    'const test = require("node:test")\nconst assert = require("node:assert")\nconst { toll } = require("./toll.js")\n'
)
CHECK = 'test("{0}", () => {{ assert.strictEqual(toll(3), 14) }})\n'
# What becomes of `CHECK`; `{0}` is the trick's name.
WEAK = table(dict[str, str], __file__, "WEAK")
HONEST = {
    "other words": 'test("{0}", () => {{ const price = toll(3); assert.equal(price, 14) }})\n',
    "in a loop": 'test("{0}", () => {{ for (const axles of [3]) assert.strictEqual(toll(axles), 14) }})\n',
    "tried": 'test("{0}", () => {{ try {{ assert.strictEqual(toll(3), 14) }} finally {{ toll(0) }} }})\n',
    "awaited": 'test("{0}", async () => {{ await 0; assert.strictEqual(toll(3), 14) }})\n',
    "demands more": 'test("{0}", () => {{ assert.strictEqual(toll(3), 15) }})\n',
}


def within(executor: Executor, seconds: float) -> TimedRuns:
    return TimedRuns(executor, time.monotonic() + seconds, LOST.least)


def of_node(old: str, new: str, seconds: float = 60.0) -> dict[str, LostKills]:
    """All tests of the old text count as rewritten."""
    if not shutil.which("node"):
        missing("node")
    program = Program(NOTHING, {"toll.js": JS})

    def watched(text: str) -> Watched:
        command = ("/bin/sh", "-c", with_reports("npm test", {"test": "node --test"}))
        suite = Suite({"toll.test.js": text.encode()}, command=command)
        return Watched(program, suite, run_suite(NODE, program, suite, seconds=600))

    before, after, broken = watched(old), watched(new), defects_by_name(program, ["toll.js"], {b"toll"}, [])
    found = lost_by_command(within(NODE, seconds), before, after, broken, rewritten=before.run.passing)
    return {one.test.removeprefix("toll.test.js::"): one for one in found}


def test_whatever_a_test_lost_it_is_named_and_honest_rewrites_are_not() -> None:
    old = HEAD + "".join(CHECK.format(name) for name in {**WEAK, **HONEST})
    new = HEAD + "".join(text.format(name) for name, text in {**WEAK, **HONEST}.items())
    found = of_node(old, new)
    assert set(found) == set(WEAK)
    assert all(one.killed > one.killed_now for one in found.values())
    assert found["any number"].lost == ("toll.js:1: toll → return 1",)  # which is a number, too


# That a split one lost nothing, `test_lost.py` shows of pytest's too.
@pytest.mark.parametrize("now", [["renamed"], ["one", "more"], *([["first", "second"]] if EVERY_TRICK else [])])
def test_a_test_that_was_split_or_renamed_lost_nothing(now: list[str]) -> None:
    weak = WEAK["no assertion"].format("one") if now == ["one", "more"] else ""
    split = HEAD + weak + "".join(CHECK.format(name) for name in now if not weak or name != "one")
    assert of_node(HEAD + CHECK.format("one"), split) == {}


def test_a_test_that_is_gone_notices_nothing() -> None:
    old = HEAD + CHECK.format("one") + CHECK.format("two")
    assert set(of_node(old, HEAD + CHECK.format("one"))) == {"two"}


def test_without_time_nobody_is_named() -> None:
    assert of_node(HEAD + CHECK.format("one"), HEAD + WEAK["itself"].format("one"), seconds=0.5) == {}


GO = b"package shop\n\nfunc Total() int {\n\treturn 3\n}\n"
TOTAL = defects("shop.go", GO)[:2]
Told = dict[str, str] | Status | None  # how each test ends; how the job ends; nothing is told


@dataclass
class Telling:
    """Runs nothing. broken: what the old and the new tests say of a defect; whole: what they say without one. slow:
    seconds that the new ones take for it. well: whether the command ends well, whatever they say."""

    broken: tuple[Told, Told]
    whole: tuple[Told, Told] = ({"Total": "pass"}, {"Total": "pass"})
    slow: float = 0.0
    well: bool = False
    ran: list[str] = field(default_factory=list)
    name = "telling"

    def probe(self) -> Capabilities:
        return Capabilities(self.name, "1", usable=True)

    def run(self, job: Job) -> Outcome:
        new, defect = job.files["shop_test.go"] == b"new", job.files["shop.go"] != GO
        self.ran.append(f"{'new' if new else 'old'}{', broken' if defect else ''}")
        if defect and new:
            time.sleep(self.slow)
        told = (self.broken if defect else self.whole)[new]
        if isinstance(told, Status):
            return Outcome(told, None, b"", b"", {}, 0.01, (), "it ended")
        place = re.findall(r"/results/(\w+)", " ".join(job.argv))
        lines = [
            json.dumps({"Package": "shop", "Action": how, **({"Test": test} if test else {})})
            for test, how in (told or {}).items()
        ]
        status = int(not self.well and (told is None or "fail" in told.values()))
        return Outcome(Status.EXITED, status, b"", b"", dict.fromkeys(place, "\n".join(lines).encode()), 0.01, ())


def told(
    executor: Telling, *, command: str = "go test -json > {report:go}", then: str = "", seconds: float = 60.0
) -> set[str]:
    """The names of what lost something, where all that passed was rewritten. then: the new version's command."""
    program = Program(None, {"shop.go": GO})

    def watched(text: bytes, line: str) -> Watched:
        suite = Suite({"shop_test.go": text}, command=("/bin/sh", "-c", line))
        return Watched(program, suite, run_suite(executor, program, suite))

    before, after = watched(b"old", command), watched(b"new", then or command)
    found = lost_by_command(within(executor, seconds), before, after, [TOTAL], rewritten=before.run.passing)
    return {one.test for one in found}


FAIL, PASS, BOTH = {"Total": "fail"}, {"Total": "pass"}, {"Total": "pass", "More": "pass"}
UNBUILT = {"": "fail"}


@cases
def test_only_what_both_versions_tell_of_a_defect_is_believed(
    broken: tuple[Told, Told], whole: tuple[Told, Told], lost: bool
) -> None:
    assert told(Telling(broken, whole)) == ({"shop::Total"} if lost else set())


@pytest.mark.parametrize(
    ("new", "lost"), [(PASS, True), (FAIL, False), (Status.MEMORY, False), (Status.WALL, False)], ids=str
)
def test_a_command_that_tells_of_no_test_counts_as_one(new: Told, lost: bool) -> None:
    command = command_name(("/bin/sh", "-c", "make check"))
    assert told(Telling((FAIL, new)), command="make check") == ({command} if lost else set())
    assert told(Telling((Status.MEMORY, new)), command="make check") == set()  # it noticed nothing


def test_a_test_that_lost_something_is_not_asked_again_and_one_that_did_not_is() -> None:
    asked, kept = Telling((FAIL, PASS)), Telling((FAIL, FAIL))
    told(asked)
    told(kept)
    assert asked.ran == ["old", "new", "old, broken", "new, broken"]
    assert kept.ran == ["old", "new", *["old, broken", "new, broken"] * 2]


def test_a_run_that_contradicts_itself_is_not_believed() -> None:
    assert told(Telling((FAIL, PASS), well=True)) == set()


def test_a_change_may_bring_another_command() -> None:
    old, new = "make check", "make check || true"
    assert told(Telling((FAIL, PASS)), command=old, then=new) == {command_name(("/bin/sh", "-c", old))}
    assert told(Telling((FAIL, FAIL)), command=old, then=new) == set()


def test_a_defect_that_takes_long_is_cut_off_and_names_nobody() -> None:
    slow = Telling((FAIL, PASS), slow=2.2)
    assert told(slow, seconds=2.1) == set()
    assert len(slow.ran) <= len(("old", "new", "old, broken", "new, broken"))


def test_what_the_tests_name_is_broken_and_first_what_lies_beside_them_or_is_named_as_well() -> None:
    text = b"function toll() { return 1 }\nfunction other() { return 2 }\n"
    paths = ["a/far.js", "b/price.js", "test/near.js", "vendor/x.js", "notes.md"]
    program = Program(None, dict.fromkeys(paths, text))
    found = defects_by_name(program, paths, {b"toll", b"price"}, ["test/price.test.js"])
    assert [its[0].of.called for its in found] == ["b/price.js:toll", "test/near.js:toll", "a/far.js:toll"]
