"""JUnit XML as test runners leave it, read as what it is: text from strangers."""

from dataclasses import dataclass
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]
from defusedxml.ElementTree import fromstring  # type: ignore[import-untyped]

from bot.verification.testing.report import bounded, bounded_name
from bot.verification.values import TestResult, TestStatus

LARGEST = 16 * 1024 * 1024  # bytes
MOST_TESTS = 50_000

_STATUS = {"failure": TestStatus.FAILED, "error": TestStatus.ERROR, "skipped": TestStatus.SKIPPED}


@dataclass(frozen=True, slots=True)
class JUnit:
    """The test cases of a report in their order, or why it cannot be read (Bouncer's own words, none of the file's)."""

    results: tuple[TestResult, ...] = ()
    problem: str = ""


def read_junit(content: bytes) -> JUnit:
    """Read a report. Never raises.

    The counts that a report states of itself are not read: the test cases are what there is. A name that occurs
    again gets a number, so that two results never become one.
    """
    if len(content) > LARGEST:
        return JUnit(problem=f"the JUnit report is larger than {LARGEST // 1024 // 1024} MiB")
    try:
        root = fromstring(content, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError, RecursionError):
        return JUnit(problem="the JUnit report is not plain XML")
    if root.tag not in ("testsuites", "testsuite"):
        return JUnit(problem="the JUnit report has no test suites")
    cases = list(root.iter("testcase"))
    if len(cases) > MOST_TESTS:
        return JUnit(problem=f"the JUnit report has more than {MOST_TESTS} test cases")
    seen: dict[str, int] = {}
    return JUnit(tuple(_result(case, seen) for case in cases))


def _result(case: Element, seen: dict[str, int]) -> TestResult:
    place = case.get("classname") or case.get("file") or ""
    name = bounded_name(" ".join(part for part in (place, case.get("name") or "unnamed") if part))
    seen[name] = seen.get(name, 0) + 1
    marks = [child for child in case if child.tag in _STATUS]
    # A case with several marks is as bad as the worst of them.
    mark = min(marks, key=lambda child: list(_STATUS).index(child.tag), default=None)
    return TestResult(
        name=name if seen[name] == 1 else f"{name} ({seen[name]})",
        status=TestStatus.PASSED if mark is None else _STATUS[mark.tag],
        message="" if mark is None else bounded(mark.get("message") or mark.text or ""),
        seconds=_seconds(case.get("time")),
    )


def _seconds(text: str | None) -> float:
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < 1e6 else 0.0
