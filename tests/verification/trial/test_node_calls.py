"""Calls of Node's programs: which exports are recorded, how arguments and values are written, and where calls are
made again."""

import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from bot.telemetry.traces import Pool
from bot.verification.calls.observe import Surroundings
from bot.verification.files.index import FileIndex
from bot.verification.trial.node_calls import NodeCalls, imports_of_packages, read_observed, with_recorder
from bot.verification.trial.setup import TrialSetup
from bot.verification.values import Base, Program, Suite
from tests.support.cases import cases, table
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP

FILES = table(dict[str, str], __file__, "FILES")
CALLED = table(list[str], __file__, "CALLED")
PLACES = [each for each in Surroundings if each is not Surroundings.BESIDE]  # which is for Python's modules
SEEN = table(list[list[str]], __file__, "SEEN")


@pytest.fixture
def node_calls(tmp_path: Path) -> NodeCalls:
    if not shutil.which("node"):
        missing("node")
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    suite = Suite(command=("node", "--test", "test/"))
    before = {"test/all.test.js": FILES["test/all.test.js"].replace("modern.inner(4);", "").encode()}
    base = Base(Program(tmp_path, {**dict.fromkeys(FILES), **before}), suite)
    trial = TrialSetup(BUBBLEWRAP, base, Program(tmp_path, {}), suite, "", time.monotonic() + 60, Pool(2))
    return NodeCalls(trial, FileIndex.of(base.program, trial.head, suite.command), 30)


def test_calls_of_all_sorts_of_exports_are_recorded(node_calls: NodeCalls) -> None:
    calls = node_calls.record()
    assert {call.expression for call in calls} == set(CALLED)
    assert {call.test for call in calls} == {"test/all.test.js"}
    assert calls[0].expression == "lib_modern.inner(4)"  # of a line that is new


@pytest.mark.parametrize("where", PLACES)
def test_what_calls_give_is_written_so_that_python_reads_it(node_calls: NodeCalls, where: Surroundings) -> None:
    seen = node_calls.look(node_calls.trial.head, [call for call, *_ in SEEN], 30, where)
    assert [each.value for each in seen] == [row[1 + PLACES.index(where)] for row in SEEN]


PUTS = {
    "": "",
    "JSON.parse": "JSON.parse = () => 1;",
    "Set.prototype.has": "Object.defineProperty(Set.prototype, 'h' + 'as', {value() {}});",
    "http.get": "import http from 'node:http'; http['g' + 'et'] = () => 1;",
}


@pytest.mark.parametrize("name", PUTS)
def test_what_stands_in_the_place_of_the_languages_own_functions_is_told(node_calls: NodeCalls, name: str) -> None:
    head = node_calls.trial.head
    program = replace(head, files={"lib/modern.mjs": FILES["lib/modern.mjs"].encode() + PUTS[name].encode()})
    for where in (Surroundings.TESTED, Surroundings.BARE):
        seen = node_calls.look(program, ["lib_modern.inner(4)", "replaced()"], 30, where)[-1].value
        known = node_calls.look(head, ["lib_modern.inner(4)", "replaced()"], 30, where)[-1].value
        assert (seen == known) is (not name)
        assert name in seen


@cases
def test_only_imports_of_packages_stay_of_a_test(source: str, stays: str) -> None:
    assert imports_of_packages("a.test.js", source.encode()) == stays


def test_lines_keep_their_numbers_and_what_cannot_be_read_is_left_alone() -> None:
    source = FILES["lib/modern.mjs"].encode()
    found = with_recorder("lib/modern.mjs", source, "x")
    assert found
    kept = zip(source.split(b"\n"), found.split(b"\n"), strict=False)
    assert all(line in (new, new.replace(b"\n", b"")) or line[:8] == new[:8] for line, new in kept)
    assert with_recorder("a.js", b"function (", "x") is None


@pytest.mark.parametrize(
    "line", [b'["returned", "\\ud800"]', b'["raised", ["\\udfff"]]', b"[[]]", b"\xff", b"[" * 9_999]
)
def test_whatever_a_program_writes_can_be_stored(line: bytes) -> None:
    read_observed(line).value.encode()
