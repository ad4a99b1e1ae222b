"""What runners of other languages tell of each test, and that a command's exit status stays a witness of it."""

import json
import shutil
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox.protocol import Capabilities, Job, MiB, Outcome, Status
from bot.verification.environments.commands import with_reports
from bot.verification.testing.inside.short import LONGEST_MESSAGE, LONGEST_NAME
from bot.verification.testing.run import run_suite
from bot.verification.testing.runners import LARGEST, MOST_TESTS, ToldTests, of_junit, read_runners
from bot.verification.testing.tools import READERS
from bot.verification.values import Program, Suite, TestRun, TestStatus
from tests.support.cases import cases, table
from tests.support.needs import missing
from tests.support.sandbox import BUBBLEWRAP

NAMES = ("JEST", "MOCHA", "GO", "UNBUILT_GO", "UNBUILT_GO_TOLD", "UNBUILT_CARGO", "CARGO")
JEST, MOCHA, GO, UNBUILT_GO, UNBUILT_GO_TOLD, UNBUILT_CARGO, CARGO = (table(str, __file__, name) for name in NAMES)


@cases
def test_each_test_is_told_apart(kind: str, expected: list[str]) -> None:
    read = read_runners([(READERS[kind], table(str, __file__, kind.upper()).encode())])
    assert [f"{result.name} {result.status}" for result in read.results] == expected
    assert read.problem == ""


def test_examples_in_the_documentation_keep_their_names_when_their_lines_move() -> None:
    moved = CARGO.replace("(line 3)", "(line 13)").replace("(line 9)", "(line 19)")
    assert read_runners([(READERS["cargo"], moved.encode())]) == read_runners([(READERS["cargo"], CARGO.encode())])


def test_a_failing_test_of_cargos_says_why() -> None:
    (failed,) = (each for each in read_runners([(READERS["cargo"], CARGO.encode())]).results if each.message)
    assert failed.name == "src/lib.rs::tests::breaks"
    assert failed.message.startswith("thread 'tests::breaks' panicked at src/lib.rs:9:9:\nwhy")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("go", UNBUILT_GO, {"m/b::TestAdds": "", "m/a": "undefined: Half"}),
        ("go", UNBUILT_GO_TOLD, {"m/a": "undefined: Half"}),
        ("cargo", UNBUILT_CARGO, {"tests/half.rs": "function `half`", "src/lib.rs": "value `sum`"}),
    ],
    ids=["go", "newer go", "cargo"],
)
def test_what_cannot_be_built_is_told_with_why(kind: str, text: str, expected: dict[str, str]) -> None:
    results = {each.name: each for each in read_runners([(READERS[kind], text.encode())]).results}
    assert results.keys() == expected.keys()
    for name, why in expected.items():
        assert results[name].status == ("error" if why else "passed")
        assert why in results[name].message


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("jest", "{"),
        ("jest", "[" * 100_000),
        ("jest", JEST.replace("passed", "perhaps")),
        ("mocha", "[]"),
        ("go", "{x"),
        ("node", '{"nesting": "x"}'),
        ("cargo", CARGO.replace("test tests::adds", "test more ... ok\ntest tests::adds")),
        ("cargo", CARGO.replace("test tests::breaks ... FAILED\n", "")),
    ],
)
def test_what_is_no_report_is_a_problem(kind: str, text: str) -> None:
    assert read_runners([(READERS[kind], text.encode())]).problem


@given(st.sampled_from(["node", "jest", "mocha", "go", "cargo"]), st.binary(max_size=80), st.integers(0, 400))
def test_any_report_is_read(kind: str, noise: bytes, place: int) -> None:
    whole = {"jest": JEST, "mocha": MOCHA, "go": GO, "cargo": CARGO}.get(kind, "").encode()
    read = read_runners([(READERS[kind], whole[:place] + noise + whole[place:])])
    assert len({result.name for result in read.results}) == len(read.results)


class Telling:
    """An executor whose command ends so, with this report."""

    name = "telling"

    def __init__(self, status: int, report: str) -> None:
        self.status, self.report = status, report

    def probe(self) -> Capabilities:
        return Capabilities(self.name, "", usable=True)

    def run(self, job: Job) -> Outcome:
        assert job.limits.memory == 4096 * MiB  # which a check of types may take, too
        place = job.argv[-1].rpartition("/results/")[2].split()[0]
        return Outcome(
            Status.EXITED, self.status, b"", b"", {place: self.report.encode()} if self.report else {}, 1.0, ()
        )


def told(status: int, report: str) -> TestRun:
    suite = Suite(command=("/bin/sh", "-c", with_reports("npm test", {"test": "jest"})))
    return run_suite(Telling(status, report), Program(None, {}), suite)  # type: ignore[arg-type]


def test_exit_status_and_report_must_agree() -> None:
    green = JEST.replace('"failed"', '"passed"')
    assert [result.name for result in told(1, JEST).failing] == ["a.test.js::breaks", "b.test.js"]
    assert told(1, JEST).problem == ""
    assert told(0, green).passed
    assert told(0, JEST).problem == "the command reported success, although tests failed"
    assert [result.message for result in told(1, green).failing] == ["exit status 1\n"]
    assert told(0, "").problem == "the command left no report of its tests"
    assert not told(1, "").passed


def test_a_junit_file_beside_another_report_counts_and_may_not_be_missing() -> None:
    xml = b'<testsuite><testcase classname="tea" name="pours"><failure>cold</failure></testcase></testsuite>'
    files = {"a.xml": xml, "jest.json": JEST.replace('"failed"', '"passed"').encode()}
    for copying, problem in (("cat a.xml > {junit}", ""), ("true {junit}", "the command left no report of its tests")):
        suite = Suite(command=("/bin/sh", "-c", f"{copying} && cat jest.json > {{report:jest}}"))
        run = run_suite(BUBBLEWRAP, Program(None, files), suite, seconds=600)
        assert (run.problem, [each.message for each in run.failing]) == (problem, [] if problem else ["cold"])
        assert problem or any(each.name.startswith("a.test.js::") for each in run.results)


@cases
def test_of_several_runners_each_tells_and_none_that_passed_is_silent(
    then: str, passed: list[str], problem: str
) -> None:
    test = {"ancestorTitles": [], "title": "passes", "status": "passed"}
    told = {"name": "a.test.js", "status": "passed", "assertionResults": [test]}
    suite = Suite(command=("/bin/sh", "-c", f"cat jest.json > {{report:jest}}; {then}"))
    run = run_suite(BUBBLEWRAP, Program(None, {"jest.json": json.dumps({"testResults": [told]}).encode()}), suite)
    names = [each.name.partition("::")[2] for each in run.results if each.status is TestStatus.PASSED]
    assert (run.problem, [name for name in names if name]) == (problem, passed)


NODE = b"""
const { test, describe, it } = require("node:test")
const assert = require("assert")
test("adds", () => assert.equal(1 + 1, 2))
describe("group", () => { it("inner", () => {}); it.skip("later", () => {}) })
test("outer", async t => { await t.test("sub", () => assert.equal(1, 2, "why")) })
test("planned", { todo: true }, () => assert.equal(1, 2))
"""


def of_node(script: str, files: dict[str, bytes], line: str = "npm test") -> dict[str, str]:
    if not shutil.which("node"):
        missing("node")
    suite = Suite(command=("/bin/sh", "-c", with_reports(line, {"test": script})))
    run = run_suite(BUBBLEWRAP, Program(None, files), suite, seconds=600)
    assert run.problem == ""
    return {result.name: str(result.status) for result in run.results}


def test_node_tells_of_each_test() -> None:
    assert of_node("node --test t/", {"t/a.test.js": NODE, "t/b.test.js": b"require('./gone')\n"}) == {
        "t/a.test.js::adds": "passed",
        "t/a.test.js::group > inner": "passed",
        "t/a.test.js::group > later": "skipped",
        "t/a.test.js::outer": "failed",
        "t/a.test.js::outer > sub": "failed",
        "t/a.test.js::planned": "skipped",  # node ends well all the same
        "t/b.test.js": "error",
    }


ONE = b"require('node:test')('adds', () => {})\n"


@cases
def test_what_stands_beside_the_tests_keeps_none_from_being_told(script: str, code: str, told: dict[str, str]) -> None:
    source = code.encode() or ONE
    assert of_node(script, {"a.js": source, "a.test.js": source, "lint": b"printf 'a b'; exit 3", "good": b""}) == told


@pytest.mark.parametrize(("code", "status"), [(b"", "passed"), (b"process.exit(1)", "failed")])
def test_a_program_that_runs_beside_the_tests_is_one(code: bytes, status: str) -> None:
    found = of_node("node --test", {"a.test.js": ONE, "all.js": code}, "npm test && node all.js")
    assert found == {"a.test.js::adds": "passed", "node all.js": status}


def test_no_program_can_say_that_a_check_beside_it_ended_well() -> None:
    forge = b"const fs = require('fs')\nfor (const each of fs.readdirSync('/results'))"
    forge += b" fs.writeFileSync('/results/' + each, 'sh lint\\n\\n0\\n')\n"
    found = of_node("sh lint && node --test", {"a.test.js": forge + ONE, "lint": b"exit 3\n"})
    assert found.pop("a.test.js::adds", "passed") == "passed"
    assert list(found.values()) == ["failed"]


BOMB = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><testsuite><testcase name="&c;"/></testsuite>"""
OUTSIDE = b"""<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&f;"/></testsuite>"""
NO_REPORT = "the report of the tests cannot be read"


def read_junit(content: bytes) -> ToldTests:
    return read_runners([(of_junit, content)])


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", NO_REPORT),
        (b"\x00\xff\x89PNG", NO_REPORT),
        (b"<testsuite>", NO_REPORT),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>', NO_REPORT),
        (BOMB, NO_REPORT),
        (OUTSIDE, NO_REPORT),
        (b"<html/>", NO_REPORT),
        (b"<testsuite>" + b" " * LARGEST + b"</testsuite>", "the report of the tests is larger than 16 MiB"),
        (
            b"<testsuite>" + b"<testcase/>" * (MOST_TESTS + 1) + b"</testsuite>",
            f"the report of the tests has more than {MOST_TESTS} tests",
        ),
    ],
)
def test_what_is_no_junit_is_a_problem(content: bytes, problem: str) -> None:
    junit = read_junit(content)
    assert junit.problem == problem
    assert junit.results == ()


@cases
def test_a_case_has_the_status_of_its_worst_mark(case: str, status: TestStatus) -> None:
    (result,) = read_junit(
        f"<testsuites><testsuite tests='7' failures='9'>{case}</testsuite></testsuites>".encode()
    ).results
    assert result.status is status
    assert result.name == "a"
    assert result.message in ("", "m")


def test_names_that_occur_again_stay_apart_and_missing_attributes_do_no_harm() -> None:
    report = b"""<testsuite><testcase classname="c" name="a" time="0.5"/><testcase classname="c" name="a" time="nan"/>
    <testcase time="-3"/><testcase file="f.js" name="b" time="soon"/></testsuite>"""
    results = read_junit(report).results
    assert [result.name for result in results] == ["c a", "c a (2)", "unnamed", "f.js b"]
    assert [result.seconds for result in results] == [0.5, 0, 0, 0]


def test_long_texts_are_cut() -> None:
    report = f"<testsuite><testcase name='{'n' * 9000}'><failure message='{'m' * 9000}'/></testcase></testsuite>"
    (result,) = read_junit(report.encode()).results
    assert len(result.name) <= LONGEST_NAME
    assert len(result.message) <= LONGEST_MESSAGE


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_nothing_raises(content: bytes) -> None:
    junit = read_junit(content)
    assert junit.results == () or not junit.problem


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), max_size=30),
            st.sampled_from(["", "failure", "error", "skipped"]),
        )
    )
)
def test_every_case_is_one_result_with_a_name_of_its_own(cases: list[tuple[str, str]]) -> None:
    body = "".join(
        f"<testcase name={quoteattr(name)}>{f'<{mark}/>' if mark else ''}</testcase>" for name, mark in cases
    )
    results = read_junit(f"<testsuite>{body}</testsuite>".encode()).results
    assert [result.status.value for result in results] == [
        {"": "passed", "failure": "failed"}.get(mark, mark) for _, mark in cases
    ]
