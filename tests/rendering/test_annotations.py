"""What is said beside lines, as annotations and as workflow commands: at the right ones, and strangers steer none."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.changes.read import read_change
from bot.changes.risks.catalogue import risks
from bot.changes.risks.values import MOST_PLACES, risk_evidence
from bot.changes.values import Change
from bot.github.values import Annotation
from bot.judges.claims import Claim, ClaimKind, Counterexample, How
from bot.judges.reviews import PatchReview, ReviewMode
from bot.pulls.result import PullResult
from bot.rendering.annotations import MOST, annotations
from bot.rendering.gate import GateView, workflow_commands
from bot.verdicts import Decision, Effect, PatchLabel, Verdict
from bot.verification.patch_evidence import PatchEvidence, PatchFacts, Standing
from bot.verification.values import TestResult, TestRun, TestStatus
from tests.pulls.results import a_result, changed

VERDICT = Verdict(Decision.BOUNCE, None, None, "a judge", None, ("It breaks tests.",))
JUDGED = a_result(VERDICT)
RAN = TestRun((), 1.0)


def diff(path: str, *lines: str, start: int = 10) -> str:
    old, new = (sum(line[0] != mark for line in lines) for mark in "+-")
    head = f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n"
    return head + f"@@ -{start},{old} +{start},{new} @@\n" + "".join(f"{line}\n" for line in lines)


def change(*diffs: str) -> Change:
    return read_change("".join(diffs).encode())


def told(changed: Change) -> tuple[Annotation, ...]:
    """What is said of what the diff alone shows."""
    found = tuple(risk_evidence(risks(changed)))
    return annotations(changed, replace(JUDGED, verdict=replace(VERDICT, evidence=found)))


CODE = change(diff("tea/pot.py", " a = 1", "-b = 2", "+b = 3", " c = 4"))


def broken(message: str, name: str = "tests/test_pot.py::test_pot") -> PullResult:
    failed = TestRun((TestResult(name, TestStatus.FAILED, message, 0.1),), 1.0)
    patch = PatchEvidence(Standing.IMPLAUSIBLE, (), PatchFacts(RAN, failed, RAN), regressions=(name,))
    return changed(JUDGED, patch=patch)


def test_a_failing_test_is_told_where_it_breaks_in_the_change() -> None:
    report = (
        "tests/test_pot.py:4: in test_pot\ntea/pot.py:11: in pot\nE   ValueError: cold\n\ntea/pot.py:12: ValueError"
    )
    (told,) = annotations(CODE, broken(report))
    assert (told.path, told.start_line, told.end_line, told.level) == ("tea/pot.py", 12, 12, "failure")
    assert told.title == "tests/test_pot.py::test_pot failed"
    assert told.message == "ValueError: cold"


def test_a_place_outside_the_change_is_no_place() -> None:
    for report in ("tea/cup.py:3: ValueError", "/etc/passwd:1: x", "tea/pot.py:x: y", "", "tea/pot.py:123456789012: x"):
        assert annotations(CODE, broken(report)) == ()
    tests = change(diff("tests/test_pot.py", " a", "+assert b"))
    assert annotations(tests, broken("tests/test_pot.py:4: AssertionError")) == (), "the base's lines are others"


def test_a_test_that_failed_before_is_not_held_against_the_change() -> None:
    judged = broken("tea/pot.py:11: ValueError")
    assert judged.facts.trial.patch
    assert annotations(CODE, changed(judged, patch=replace(judged.facts.trial.patch, regressions=()))) == ()


def test_a_secret_is_told_on_its_line_and_never_repeated() -> None:
    key = "AKIA" + "Q3EXAMPLAYTHRUWZ"[:16].replace("EXAMPL", "ZKCPLM")
    (said,) = told(change(diff("tea/pot.py", " a = 1", f'+key = "{key}"')))
    assert (said.start_line, said.level) == (11, "failure")
    assert "AWS access key" in said.message
    assert key not in said.message + said.title


def test_a_named_risk_is_told_on_its_line_where_it_asks_for_a_person() -> None:
    sneaky = change(diff("tea/pot.py", " import os", "+TESTED = 'PYTEST_CURRENT_TEST' in os.environ"))
    (said,) = told(sneaky)
    assert (said.path, said.start_line, said.level) == ("tea/pot.py", 11, "warning")
    assert said.message == "It asks whether it is being tested."
    shown = tuple(replace(item, effect=Effect.NEUTRAL) for item in risk_evidence(risks(sneaky)))
    assert annotations(sneaky, replace(JUDGED, verdict=replace(JUDGED.verdict, evidence=shown))) == ()


def test_tests_that_demand_less() -> None:
    skipped = change(diff("tests/test_pot.py", " x = 1", "+@pytest.mark.skip", " def test_a():"))
    (read,) = told(skipped)
    assert (read.path, read.start_line, read.level) == ("tests/test_pot.py", 11, "warning")
    assert read.message.startswith("Tests are newly skipped")


def test_a_deleted_file_has_no_lines() -> None:
    name = "tests/test_a.py"
    head = f"diff --git a/{name} b/{name}\ndeleted file mode 100644\n--- a/{name}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n"
    assert told(change(f"{head}-def test_a():\n-    assert 1 == 1\n")) == ()


def test_claims_are_notices() -> None:
    example = Counterexample(How.STATE, "tea/pot.py", "contains x")
    claims = (
        Claim(ClaimKind.MISSING_REQUIREMENT, "nothing is <b>written</b>", counterexample=example),
        Claim(ClaimKind.CRASH, "elsewhere", counterexample=replace(example, what="tea/cup.py")),
    )
    review = PatchReview(PatchLabel.INCORRECT, True, 0.9, "a judge", ReviewMode.DIRECT, claims=claims)
    (said,) = annotations(CODE, changed(JUDGED, review=review))
    assert (said.start_line, said.level, said.title) == (11, "notice", "Not proven")
    assert said.message == "A possible risk. The judge says: nothing is <b>written</b>"


def test_there_are_never_more_than_one_call_takes() -> None:
    names = [f"tests/test_pot.py::test_{number}" for number in range(60)]
    failed = TestRun(tuple(TestResult(name, TestStatus.FAILED, "tea/pot.py:11: in pot") for name in names), 1.0)
    patch = PatchEvidence(Standing.IMPLAUSIBLE, (), PatchFacts(RAN, failed, RAN), regressions=tuple(names))
    assert len(annotations(CODE, changed(JUDGED, patch=patch))) == MOST
    many = change(*(diff(f"tests/test_{n}.py", "+@pytest.mark.skip", " def test_a():") for n in range(60)))
    assert len(told(many)) == MOST_PLACES


LINE = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:\r\n]*,?)*)::([^\r\n]*)")


def unescaped(text: str) -> str:
    """As GitHub's runner reads it."""
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


def test_levels_and_places() -> None:
    beside = (
        Annotation("a b.py", 3, 4, "failure", "100% wrong", "test_a, failed: 1"),
        Annotation("b.py", 1, 1, "warning", "look\nhere"),
        Annotation("c.py", 1, 1, "notice", "x"),
    )
    assert list(workflow_commands(GateView("action_required", "A person: look", "", beside))) == [
        "::error title=Bouncer::A person: look",
        "::error file=a b.py,line=3,endLine=4,title=test_a%2C failed%3A 1::100%25 wrong",
        "::warning file=b.py,line=1,endLine=1::look%0Ahere",
        "::notice file=c.py,line=1,endLine=1::x",
    ]
    for conclusion, level in (("success", "notice"), ("neutral", "notice"), ("failure", "error")):
        (line,) = workflow_commands(GateView(conclusion, "x", ""))
        assert line == f"::{level} title=Bouncer::x"


HOSTILE = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        (
            "a\n::add-mask::x",
            "a,line=9::\r\n::stop-commands::t",
            "::error::x",
            "%0A::x",
            "a%3A%3Ab",
            "\ud800.py",
            "##[x]y",
        )
    ),
)


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE)
def test_no_name_and_no_text_begins_a_command_of_its_own(path: str, title: str, message: str, said: str) -> None:
    view = GateView("failure", said, "", (Annotation(path, 1, 2, "warning", message, title),))
    lines = list(workflow_commands(view))
    found = [LINE.fullmatch(line) for line in lines]
    assert len(lines) == 2 and all(found), lines
    given = dict(each.partition("=")[::2] for each in found[1][2].split(",")) if found[1] else {}
    known = {"file": path, "line": "1", "endLine": "2", "title": title}
    clean = {name: text.encode("utf-8", "replace").decode() for name, text in known.items() if text}
    assert {name: unescaped(text) for name, text in given.items()} == clean
    assert found[1] and unescaped(found[1][3]) == message.encode("utf-8", "replace").decode()
