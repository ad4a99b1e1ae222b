"""Where strangers' text comes in: no parser takes sixteen times as long for four times the text, or it ends."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.extract import read as read_report
from bot.changes.mentions import has_readers
from bot.changes.read import parsed, read_change
from bot.changes.risks.catalogue import risks
from bot.changes.syntax import same_program
from bot.child_process import SMALL, TooLong
from bot.issues.decide import decide_issue, wants_judge
from bot.issues.parse import observed, parse
from bot.judges.offline.patches import OfflinePatchJudge
from bot.judges.patches import PatchSubject
from bot.judges.protocol import NoJudgement
from bot.policy import Policy
from bot.pulls.decide import decide_pull
from bot.pulls.facts import RequestKind, Substance
from bot.pulls.reading import read_facts
from bot.pulls.result import PullResult
from bot.rendering.issue_reasons import issue_reasons
from bot.rendering.pull_reasons import reasons
from bot.reports import IssueText, Reply
from bot.verdicts import Cause, Decision
from bot.verification.environments.detect import read_suites, suites
from bot.verification.files.bodies import Bodies
from bot.verification.syntax import functions_of, innermost
from bot.verification.values import Program
from tests.already_fixed.report import PROJECT
from tests.bounded.growth import grows
from tests.bounded.parsers import PARSERS, chain, changed, texts
from tests.issues.builders import facts

TEXT = (
    "half(1) raises `KeyError`, it should return 2.\n\n```python\nfrom halves import half\nhalf(1)  # KeyError\n```\n"
)
LONG = TEXT * (SMALL // len(TEXT) + 1)
DIFF = changed("\n".join(f"half({number})" for number in range(2_000)))


def test_what_is_long_is_read_apart_and_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    text = IssueText("half(1) fails", LONG, (Reply("ann", True, "With version 1.2."),))
    change, program = parsed(DIFF), Program(None, {"pyproject.toml": b"[project]\nname = 'halves'\n"})
    made = (observed(text), read_report("half(1) fails", LONG, PROJECT), change, read_suites(program))
    readers = ("issues.parse.observed.__wrapped__", "already_fixed.reading.extract.read", "changes.read.parsed")
    observed.cache_clear()
    for name in (*readers, "changes.risks.catalogue.risks"):
        monkeypatch.setattr(f"bot.{name}.__code__", _not_here.__code__)
    assert (parse(text), extract("half(1) fails", LONG, PROJECT), read_change(DIFF), suites(program)) == made
    read = read_facts(RequestKind.ISSUE, change, "half() fails")
    assert (read.substance, read.unread) == (Substance.CODE, "")
    assert same_program("a.py", f"{DIFF!r}\n", f"{DIFF!r}  # a remark\n")


def _not_here(*given: object) -> None:
    raise AssertionError("it was read in this process")


def _late(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setattr(f"bot.{module}", lambda *given, **more: TooLong())


def test_an_issue_that_takes_too_long_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    _late(monkeypatch, "issues.parse.run_bounded")
    report = parse(IssueText("It fails", LONG))
    assert report.text.body == LONG
    late = facts(report=report)
    verdict = decide_issue(late, Policy())
    assert not wants_judge(late, Policy())
    assert verdict.decision is Decision.UNAVAILABLE
    assert "took too long" in " ".join(issue_reasons(verdict))


def test_a_report_that_takes_too_long_gives_no_example(monkeypatch: pytest.MonkeyPatch) -> None:
    _late(monkeypatch, "already_fixed.reading.extract.run_bounded")
    found = extract("It fails", LONG, PROJECT)
    assert found.reproductions == ()
    assert found.unread


@pytest.mark.parametrize("door", ["changes.read.run_bounded", "changes.risks.catalogue.run_bounded"])
def test_a_change_that_takes_too_long_is_not_judged(monkeypatch: pytest.MonkeyPatch, door: str) -> None:
    _late(monkeypatch, door)
    known = read_facts(RequestKind.ISSUE, read_change(DIFF), "half() fails")
    verdict = decide_pull(known)
    assert (verdict.decision, verdict.cause) == (Decision.UNAVAILABLE, Cause.CHANGE)
    assert "took too long" in " ".join(reasons(PullResult(verdict, "h", facts=known)))


def test_prose_that_takes_too_long_to_look_for_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (("a.py", "x = 1"),)
    assert not has_readers(("README.md",), lambda texts: lines)
    _late(monkeypatch, "changes.mentions.run_bounded")
    assert has_readers(("README.md",), lambda texts: lines)


def test_a_judge_that_takes_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    _late(monkeypatch, "judges.offline.patches.run_bounded")
    assert isinstance(OfflinePatchJudge().judge(PatchSubject("half() fails", read_change(DIFF))), NoJudgement)


def test_what_cannot_be_compared_in_time_is_not_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    _late(monkeypatch, "changes.syntax.run_in_child")
    assert not same_program("a.py", LONG, LONG)


def test_manifests_that_take_too_long_detect_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _late(monkeypatch, "verification.environments.detect.run_in_child")
    (found,) = suites(Program(tmp_path, {}))
    assert (found.test, found.why) == ("", "the manifests take too long to read")


SHORT = 500  # characters


@pytest.mark.parametrize("name", PARSERS)
def test_the_work_grows_with_the_text(name: str) -> None:
    read = PARSERS[name]
    for (what, short), (_, long) in zip(texts(SHORT), texts(4 * SHORT), strict=True):
        assert not grows(read, short, long), f"{name} takes too long with {what}"


def demands_of_tests(size: int) -> object:
    """What so many tests demand that use a table with as many entries."""
    table = f"TABLE = [{'1, ' * size}]\n"
    source = table + "".join(f"def test_{number}():\n    assert TABLE\n" for number in range(size))
    bodies = Bodies({"test_a.py": source.encode()}.get)
    return [bodies.demands(f"test_a.py::test_{number}") for number in range(size)]


def lines_of_functions(size: int) -> object:
    source = "".join(f"def f{number}():\n    return {number}\n" for number in range(size))
    around = innermost(functions_of("a.py", source.encode()))
    return [around(line) for line in range(2 * size)]


@pytest.mark.parametrize("read", [demands_of_tests, lines_of_functions])
def test_the_work_grows_with_the_number_of_tests_and_functions(read: Callable[[int], object]) -> None:
    sizes = {"short": 300, "long": 1_200}
    assert not grows(lambda which: read(sizes[which]), "short", "long")


def test_the_work_grows_with_the_number_of_files() -> None:
    changes = {"short": chain(100), "long": chain(400)}
    assert not grows(lambda which: risks(changes[which]), "short", "long")
