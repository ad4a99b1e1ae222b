"""What test runners tell of each test, as their reporters write it: text from strangers. Pure.

    node    JSON lines of `REPORTER`, for node:test
    beside  a command beside such runners; `program`, where it is a test
    jest    `--json` of jest, and vitest's JSON reporter, which is the same
    mocha   its JSON reporter
    go      `go test -json`
    junit   JUnit XML, which many runners write
    cargo   what `cargo test` prints; its JSON is for unstable toolchains alone

A test is named `file::name`, in Go by its package.
"""

import base64
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from bot.verification.testing.inside.short import shorten, shorten_name
from bot.verification.values import TestResult, TestStatus

LARGEST = 16 * 1024 * 1024  # bytes
MOST_TESTS = 50_000

_STATUS = {"failure": TestStatus.FAILED, "error": TestStatus.ERROR, "skipped": TestStatus.SKIPPED}
Reader = Callable[[bytes], Iterable[TestResult]]


@dataclass(frozen=True, slots=True)
class ToldTests:
    """The tests of reports in their order, or why these cannot be read (Bouncer's own words, none of theirs)."""

    results: tuple[TestResult, ...] = ()
    problem: str = ""


def read_runners(reports: Iterable[tuple[Reader, bytes]]) -> ToldTests:
    """The tests in reports, each with what reads it. Never raises."""
    results: list[TestResult] = []
    seen = Counter[str]()  # a name that occurs again gets a number, so that two results never become one
    for read, content in reports:
        if len(content) > LARGEST:
            return ToldTests(problem=f"the report of the tests is larger than {LARGEST // 1024 // 1024} MiB")
        try:
            for result in read(content):
                name = shorten_name(result.name)
                seen[name] += 1
                own = name if seen[name] == 1 else f"{name} ({seen[name]})"
                results.append(TestResult(own, result.status, shorten(result.message), _seconds(result.seconds)))
                if len(results) > MOST_TESTS:
                    return ToldTests(problem=f"the report of the tests has more than {MOST_TESTS} tests")
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, ParseError):
            return ToldTests(problem="the report of the tests cannot be read")
    return ToldTests(tuple(results))


def of_text(read: Callable[[str], Iterator[TestResult]]) -> Reader:
    """What reads a report of any encoding."""
    return lambda content: read(content.decode("utf-8", "replace"))


def of_junit(content: bytes) -> Iterator[TestResult]:
    """The counts that a report states of itself are not read: the test cases are what there is."""
    root = fromstring(content, forbid_dtd=True)
    if root.tag not in ("testsuites", "testsuite"):
        raise ValueError(root.tag)
    return map(_result, root.iter("testcase"))


def _result(case: Element) -> TestResult:
    place = case.get("classname") or case.get("file") or ""
    marks = [child for child in case if child.tag in _STATUS]
    # A case with several marks is as bad as the worst of them.
    mark = min(marks, key=lambda child: list(_STATUS).index(child.tag), default=None)
    return TestResult(
        name=" ".join(part for part in (place, case.get("name") or "unnamed") if part),
        status=TestStatus.PASSED if mark is None else _STATUS[mark.tag],
        message="" if mark is None else mark.get("message") or mark.text or "",
        seconds=_seconds(case.get("time")),
    )


_SCRIPT = """
export default async function* (source) {
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue
    const { details, name, nesting, file } = data
    const why = details?.error?.cause?.message ?? details?.error?.message ?? ""
    const skip = data.skip !== undefined, todo = data.todo !== undefined
    const told = { kind: details?.type, pass: type === "test:pass", skip, todo, name, nesting, file }
    yield JSON.stringify({ ...told, ms: details?.duration_ms, why: String(why) }) + "\\n"
  }
}
"""
# Given to node as a module of its own: nothing of it lies where the program could change it.
REPORTER = f"data:text/javascript;base64,{base64.b64encode(_SCRIPT.encode()).decode()}"
_MOST_SAID = 2000  # characters of what one test says
MOST_NESTED = 50  # groups of tests within each other
_WORDS = {
    **dict.fromkeys(("passed", "pass", "ok"), TestStatus.PASSED),
    **dict.fromkeys(("failed", "fail", "FAILED"), TestStatus.FAILED),
    **dict.fromkeys(("pending", "skipped", "skip", "todo", "disabled", "ignored"), TestStatus.SKIPPED),
}
_OF_CARGO = re.compile(
    r"\s{0,20}(?:Running (?:unittests )?(?P<file>\S{1,400}) \(|(?P<docs>Doc-tests \S{1,400})$)"
    r"|test (?P<test>.{1,600}?)(?: - should panic)? \.\.\. (?P<word>ok|FAILED|ignored)(?:, .{0,300})?$"
    r"|test result: \w{2,9}\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; (?P<ignored>\d{1,9}) ignored;"
    r"|---- (?P<says>.{1,600}) stdout ----$"
    r"|error: could not compile `\S{1,200}` "
    r'\((?:test "(?P<target>\S{1,200})"|(?P<program>bin "\S{1,200}").{0,9}|.{1,200})\)'
)
_OF_DOC = re.compile(r"(.{1,600}) \(line (\d{1,9})\)(.{0,100})$")
_SUMMED = {"passed": TestStatus.PASSED, "failed": TestStatus.FAILED, "ignored": TestStatus.SKIPPED}


def _seconds(value: str | float | None) -> float:
    try:
        seconds = float(value or 0)
    except (ValueError, TypeError, OverflowError):
        return 0.0
    return seconds if 0 <= seconds < 1e6 else 0.0


def _file(path: object) -> str:
    place = PurePosixPath(str(path or ""))
    return str(place.relative_to("/work") if place.is_relative_to("/work") else place)


def of_node(text: str) -> Iterator[TestResult]:
    """Suites are left out: their tests tell. They come after their tests, whose names they complete."""
    events = [json.loads(line) for line in reversed(text.split("\n")) if line.startswith("{")]
    names, found = list[str](), list[TestResult]()
    for event, before in zip_longest(events, events[1:]):
        depth = int(event["nesting"])
        if not 0 <= depth < MOST_NESTED:
            raise ValueError(depth)
        names[depth:] = [str(event["name"])]
        has_tests = before is not None and int(before["nesting"]) > depth
        if event.get("kind") != "suite" and not (has_tests and event.get("pass")):
            found.append(_node_result(event, " > ".join(names)))
    yield from reversed(found)


def _node_result(event: dict[str, Any], name: str) -> TestResult:
    status = TestStatus.PASSED if event["pass"] is True else TestStatus.FAILED
    # One that is yet to be done may fail: node ends well all the same.
    if event.get("todo") or (event.get("skip") and status is TestStatus.PASSED):
        status = TestStatus.SKIPPED
    why, file = str(event.get("why", "")), _file(event.get("file"))
    if status is TestStatus.FAILED and _file(name) == file:  # it ended before its tests, or has none
        return TestResult(file, TestStatus.ERROR, why)
    said = "" if status is TestStatus.PASSED else why
    return TestResult(f"{file}::{name}", status, said, (event.get("ms") or 0.0) / 1000)


def of_beside(text: str) -> Iterator[TestResult]:
    """A command without tests: its line, what it said, its exit status. Nothing where it ended well, or not at all."""
    yield from (result for result in of_program(text) if result.status is not TestStatus.PASSED)


def of_program(text: str) -> Iterator[TestResult]:
    """The same of one that is a test."""
    line, *said, status, _ = text.split("\n")
    if status == "0":
        yield TestResult(line, TestStatus.PASSED)
    elif status.isdigit():
        yield TestResult(line, TestStatus.FAILED, "\n".join((f"exit status {status}", *said)).strip())


def of_jest(text: str) -> Iterator[TestResult]:
    for suite in json.loads(text)["testResults"]:
        file = _file(suite["name"])
        if not suite["assertionResults"] and suite["status"] == "failed":
            yield TestResult(file, TestStatus.ERROR, str(suite.get("message", "")))
        for test in suite["assertionResults"]:
            name = " > ".join([*map(str, test["ancestorTitles"]), str(test["title"])])
            message = "\n".join(map(str, test.get("failureMessages") or ()))
            milliseconds = test.get("duration") or 0.0
            yield TestResult(f"{file}::{name}", _WORDS[test["status"]], message, milliseconds / 1000)


def of_mocha(text: str) -> Iterator[TestResult]:
    report = json.loads(text)
    kinds = {"passes": TestStatus.PASSED, "failures": TestStatus.FAILED, "pending": TestStatus.SKIPPED}
    for key, status in kinds.items():
        for test in report[key]:
            message = str((test.get("err") or {}).get("message", "")) if status is TestStatus.FAILED else ""
            yield TestResult(f"{_file(test.get('file'))}::{test['fullTitle']}", status, message)


def of_go(text: str) -> Iterator[TestResult]:
    """A package that fails without a failing test could not be built, or ended early. What keeps it from being built
    stands between the events, below its name, or in events of its own since Go 1.24."""
    said: dict[tuple[str, str], str] = {}
    failed, building = set[str](), ""
    for line in text.split("\n"):
        if not line.startswith("{"):
            words = line.split()
            if len(words) == 4 and words[0] == "FAIL" and words[2] in ("[build", "[setup"):
                failed.add(words[1])
                yield TestResult(words[1], TestStatus.ERROR, f"{said.pop((words[1], ''), '')}{line}".strip())
            elif words[:1] == ["#"] and len(words) in (2, 3):
                building = words[1]
            elif building:
                said[building, ""] = (said.get((building, ""), "") + f"{line}\n")[-_MOST_SAID:]
            continue
        event = json.loads(line)
        package, test, action = str(event.get("Package", "")), str(event.get("Test", "")), event.get("Action")
        if action in ("output", "build-output"):
            of = (package or str(event.get("ImportPath", "")).partition(" ")[0], test)
            said[of] = (said.get(of, "") + str(event.get("Output", "")))[-_MOST_SAID:]
        elif action in ("pass", "fail", "skip") and test:
            failed |= {package} if action == "fail" else set()
            message = "" if action == "pass" else said.pop((package, test), "")
            yield TestResult(f"{package}::{test}", _WORDS[action], message, event.get("Elapsed") or 0.0)
        elif action == "fail" and package not in failed:
            yield TestResult(package, TestStatus.ERROR, said.pop((package, ""), ""))


def of_cargo(text: str) -> Iterator[TestResult]:
    """Raises ValueError where the tests are not as many as the runner says of them: the program printed some. A target
    that cannot be built is told by its file, as cargo finds it where nothing else is said."""
    file, found, said = "", list[tuple[str, TestStatus]](), dict[str, list[str]]()
    lines: list[str] = []
    for line in text.split("\n"):
        told = known.groupdict() if (known := _OF_CARGO.match(line)) else dict[str, str]()
        if begins := told.get("file") or told.get("docs"):
            file, found, said = begins, [], {}
        elif told.get("test"):
            found.append((told["test"], _WORDS[told["word"]]))
        elif told.get("passed"):
            statuses = [status for _, status in found]
            if any(statuses.count(status) != int(told[word]) for word, status in _SUMMED.items()):
                raise ValueError(line)
            yield from _of_crate(file, found, said)
            found, lines = [], []
        elif told.get("says"):
            lines = said.setdefault(told["says"], [])
        elif told and not file:
            first = next((number for number, each in enumerate(lines) if each.startswith("error")), 0)
            message = "\n".join([*lines[first:], line])[:_MOST_SAID]
            place = f"tests/{told['target']}.rs" if told["target"] else f"src/{'main' if told['program'] else 'lib'}.rs"
            yield TestResult(place, TestStatus.ERROR, message)
            lines = []
        else:
            lines.append(line)
    yield from _of_crate(file, found, said)  # of one that ended in the midst of its tests


def _of_crate(file: str, found: list[tuple[str, TestStatus]], said: dict[str, list[str]]) -> Iterator[TestResult]:
    """Examples in the documentation are named by their line, which changes with what stands above them: only their
    order stays."""
    if file.startswith("Doc-tests "):
        found = sorted(found, key=lambda each: int(of_doc[2]) if (of_doc := _OF_DOC.match(each[0])) else 0)
    for name, status in found:
        message = "\n".join(said.get(name, ())).strip()[:_MOST_SAID] if status is TestStatus.FAILED else ""
        yield TestResult(f"{file}::" + _OF_DOC.sub(r"\1\3", name), status, message)
