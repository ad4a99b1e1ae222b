"""From what the supervisor saw to a run's results: what the witnesses do not agree on is not believed. Pure.

Witnesses are the report of each test, the canaries among them, the process's exit status as the kernel has it, the
JUnit file and the tests that the suite's own source names. What of a suite may be locked, and whose writing counts, is
known from the run of the base's own tests.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from bot.verification.testing.inside.judging_files import MOST_WRITTEN
from bot.verification.testing.inside.short import shorten
from bot.verification.testing.report import Session, SuiteReport
from bot.verification.testing.runners import of_junit, read_runners
from bot.verification.values import TestResult, TestRun, TestStatus

# As in `inside/runner.py`: some pass, most must fail, one breaks before it starts.
_CANARIES = ("passed", *["failed"] * 7, "error")
_SOME_FAILED = 1  # pytest's exit status; the canaries see to it that no session may end with another
_GAVE_UP = "pytest"  # the name under which the runner tells of what pytest said when it did
_KNOWN = frozenset(("passed", "failed", "error", "skipped"))

TIME_OUT = "the time for the whole suite ran out"
FORGED = "the report is forged"
NO_TESTS = "no tests were found"
LEFT_OUT = "tests were left out"
_SHOWN = 3  # names of tests that were left out
NO_PYTEST = "pytest is not installed in the environment: let the policy's `verify: {setup: […]}` install it"
OLD_PYTEST = (
    "the environment's pytest is older than 6.2, or too old for this Python: "
    "let the policy's `verify: {setup: […]}` install a newer one"
)


def results_of(report: SuiteReport, test_seconds: float) -> tuple[TestResult, ...]:
    """Each test once, in the order in which they were found; files that could not be collected come first."""
    found: dict[str, TestResult] = {}
    for session in report.sessions:
        hidden = set(session.canaries)
        for name, status, message, seconds in session.ended:
            if name not in hidden and status in _KNOWN:
                found[name] = TestResult(name, TestStatus(status), shorten(message), max(0.0, seconds))
        culprit = session.running or session.collecting
        cut_short = session.cut in ("all", "red")  # it had less time than it may take: nothing is known of it
        if culprit and culprit not in hidden and not session.finished and not cut_short:
            found[culprit] = _interrupted(culprit, session, test_seconds)
    order = {name: place for place, name in enumerate(_collected(report))}
    return tuple(sorted(found.values(), key=lambda result: order.get(result.name, -1)))


def problem_of(
    report: SuiteReport,
    junit: Mapping[str, bytes],
    named: Sequence[str],
    test_seconds: float,
    *,
    late: int = 0,
) -> str:
    """Why the results cannot be believed; empty when the witnesses agree.

    junit: the result files. named: tests that the suite's source names. late: how many tests may be missing.
    """
    for session in report.sessions:
        if "no pytest" in session.notes:
            return NO_PYTEST
        if "old pytest" in session.notes:
            return OLD_PYTEST
        if lie := _lie(session, junit):
            return f"{FORGED}: {lie}"
    results = results_of(report, test_seconds)
    collected = _collected(report)
    if (missing := len(set(collected) - {result.name for result in results})) > late:
        return f"ended after {len(collected) - missing} of {len(collected)} tests{_why(report)}"
    last = report.last
    if last is None or not (last.finished or results):
        return f"the tests never started{_why(report)}"
    if not results:
        return NO_TESTS
    if not collected and all(result.name == _GAVE_UP for result in results):
        return "pytest gave up before it looked for tests"
    if not last.finished and last.cut == "all" and not late:
        return f"ended too early{_why(report)}"
    bare = {name.partition("[")[0] for name in collected}
    if all(result.name in collected for result in results) and (
        gone := [shorten(name) for name in named if name not in bare]
    ):
        more = f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
        return f"{LEFT_OUT}: {', '.join(gone[:_SHOWN])}{more}"
    return ""


def late_tests(report: SuiteReport, first: Collection[str], *, held: bool) -> tuple[str, ...]:
    """The tests that time ended before, where none of them is of the `first` files, or all are of slow ones; else
    none. held: the run is held against another of the same tests, so that nobody gains by being slow."""
    last = report.last
    if last is None or last.finished:
        return ()
    ended = {name for session in report.sessions for name, *_ in session.ended}
    missing = {name: name.partition("::")[0] for name in _collected(report) if name not in ended}
    slow = {path for session in report.sessions for path in session.slow if held}
    if last.cut == "all" and first:
        slow |= set(missing.values()) - set(first)
    return tuple(missing) if slow >= set(missing.values()) else ()


def _lie(session: Session, junit: Mapping[str, bytes]) -> str:
    if session.notes:
        return session.notes[0]
    told = {name: status for name, status, _, _ in session.ended}
    if len(told) != len(session.ended):
        return "a test ended twice"
    for name, status in zip(session.canaries, _CANARIES, strict=True):
        if told.get(name, status) not in (status, "skipped"):  # a suite may skip whatever it finds; it hides nothing
            return f"a test that must be reported as {status} was not"
    if not session.finished or not set(told) & set(session.collected):
        return ""
    if not set(session.canaries) <= set(told):
        return "a test that was put among the others is missing"
    silent = not any(told[name] == "failed" for name in session.canaries)
    if silent and any(told.get(name) == "passed" for name in session.collected):
        return "tests pass, but no test that must fail failed"
    if session.exit != _SOME_FAILED and not silent:
        return "pytest ended with another exit status than its tests"
    written = read_runners([(of_junit, junit.get(session.junit, b""))])
    if written.problem:
        return "its JUnit file is missing or broken"
    told_passed = sum(status == "passed" for status in told.values())
    if told_passed != sum(result.status is TestStatus.PASSED for result in written.results):
        return "its JUnit file says something else than its tests"
    return ""


def _interrupted(name: str, session: Session, test_seconds: float) -> TestResult:
    if session.cut and name == session.collecting:
        return TestResult(name, TestStatus.TIMEOUT, "took too long to be read", test_seconds)
    if session.cut:
        return TestResult(name, TestStatus.TIMEOUT, f"took longer than {test_seconds:g} s", test_seconds)
    return TestResult(name, TestStatus.ERROR, f"the process {_ending(session.exit or 0)} in the middle of it")


def _ending(code: int) -> str:
    return f"was killed by signal {-code}" if code < 0 else f"ended with exit status {code}"


def _collected(report: SuiteReport) -> list[str]:
    """Every test that any session found: a later one knows nothing of a file that an earlier one could not read."""
    return list(dict.fromkeys(name for session in report.sessions for name in session.collected))


def _why(report: SuiteReport) -> str:
    last = report.last
    if last is None or last.cut == "all":
        return f": {TIME_OUT}"
    if last.cut == "test":
        return ": the process hung outside a test"
    return f": the process {_ending(last.exit)}" if last.exit else ""


def lockable(judging: Iterable[str], base: TestRun) -> frozenset[str]:
    """Those of the files that judge which nothing may write, for runs of other versions.

    base: the run of the base's tests on the base, with these files watched and none locked. What that run wrote to,
    stays writable, and so does all that judges where it wrote to more than it can tell.
    """
    return frozenset() if len(base.written) >= MOST_WRITTEN else frozenset(judging) - frozenset(base.written)


def written_anew(base: TestRun, head: TestRun) -> tuple[str, ...]:
    """What the head's run wrote to that judges, and the base's own did not."""
    return tuple(path for path in head.written if path not in base.written)


def check_replaced(base: TestRun, head: TestRun) -> TestRun:
    """The head's run, not to be believed where its code put something into its judge that the base's own code does not.

    The sentence names the first such thing, as the program's code left it: a name of the runner's or the interpreter's.
    """
    anew = [name for name in head.replaced if name not in base.replaced]
    if not anew or head.problem:
        return head
    return replace(head, problem=f"{FORGED}: the program replaced {anew[0]}")
