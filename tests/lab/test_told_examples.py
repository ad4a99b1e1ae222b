"""What the laboratory reads of texts and patches: calls, covered reports, patches that leave the code alone."""

import pytest

from bot.already_fixed.values import Expectation, Failure, FixedFacts, Form, Reproduction, Run, Seen, Trial
from bot.issues.templates import read_templates
from bot.rendering.issue_reasons import issue_reasons
from bot.reports import IssueText
from bot.verdicts import Decision
from lab.benchmarks.odd_issues import reports, verdict
from lab.fixed.states import ELSE, GONE, NONE, OUTPUT, RIGHT, stage_of
from lab.scores.code_lines import abstains
from lab.variants.told_examples import examples_in
from tests.changes.parts import LONG, change_of
from tests.support.cases import cases
from tests.verification.test_literals import INTERFACE


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (">>> f(1)\n2", {"f(1)": "2"}),
        ("```python\n>>> f(1)\n2\n```\nMore.", {"f(1)": "2"}),
        (">>> f(1)\n[1,\n 2]\n>>> f(2)\n\nMore.", {"f(1)": "[1, 2]"}),
        (">>> f(1)\nTraceback (most recent call last):\n  ...\nValueError: too small", {"f(1)": "raises ValueError"}),
        ("assert f(1, 2) == [1, 2]", {"f(1, 2)": "[1, 2]"}),
        ("For example, `f(1)` returns `3`.", {"f(1)": "3"}),
        ("f(1) should return 2.5 because of this.", {"f(1)": "2.5"}),
        ("f(1) must be True", {"f(1)": "True"}),
        ("f('abc') ➞ 'cba'", {"f('abc')": "'cba'"}),
        ("f((1,)) => 'x' # note", {"f((1,))": "'x'"}),
        ('assert f("a)b") == "c. d"', {"f('a)b')": "'c. d'"}),
        ("f(2) == 3 and f(3) == 4", {"f(2)": "3", "f(3)": "4"}),
        ("f(-1) raises ValueError.", {"f(-1)": "raises ValueError"}),
        ("f(0) is 1 more than f(1)", {}),
        ("f(1) is larger than 2", {}),
        ("f(1) == x", {}),
        ("self.f(1) == 2", {}),
        ("prefix_f(1) == 2", {}),
        ("f(" * 3000 + " == 2", {}),
    ],
)
def test_what_a_text_says_of_calls(text: str, said: dict[str, str]) -> None:
    assert {example.call.text: example.expected for example in examples_in(text, INTERFACE)} == said


@cases
def test_a_report_of_a_defect_demands_only_what_it_says_is_expected(text: str, said: dict[str, str]) -> None:
    assert {example.call.text: example.expected for example in examples_in(text, INTERFACE)} == said


FAILS, PASSES, NOT = Run(Seen.AS_REPORTED), Run(Seen.PASSES), Run(Seen.CANNOT_RUN)


def shown(failure: Failure, head: Run | None, right: str = "", variant_of: str = "") -> Trial:
    expected = Expectation(failure, right=right)
    return Trial(
        Reproduction("one", Form.SESSION, "half(3)", expected, "the example", variant_of=variant_of), head=head
    )


RAISES, PRINTS = Failure.RAISES, Failure.PRINTS


@pytest.mark.parametrize(
    ("trials", "stage"),
    [
        ((), NONE),
        ((shown(RAISES, PASSES),), ELSE),
        ((shown(RAISES, NOT, "1.5"),), ELSE),
        ((shown(RAISES, None),), ELSE),
        ((shown(RAISES, FAILS, "1.5"),), RIGHT),
        ((shown(PRINTS, FAILS, "1.5"), shown(PRINTS, PASSES)), RIGHT),
        ((shown(RAISES, FAILS, "1.5"), shown(RAISES, FAILS, "", "another")), RIGHT),
        ((shown(RAISES, FAILS),), GONE),
        ((shown(Failure.HANGS, FAILS),), GONE),
        ((shown(PRINTS, FAILS, "1.5"), shown(RAISES, FAILS)), GONE),
        ((shown(PRINTS, FAILS),), OUTPUT),
        ((shown(PRINTS, FAILS), shown(RAISES, FAILS)), OUTPUT),
    ],
)
def test_the_table(trials: tuple[Trial, ...], stage: str) -> None:
    assert stage_of(FixedFacts(trials)) == stage


ABSTAINS = [  # FixedBench, appendix A
    ("a.py", "x = 1\n", "x = 1\n# fixed already\n"),
    ("a.c", "int x;\n", "// fixed already\nint x;\n"),
    ("README.md", "a\n", "b\n"),
    ("config.yml", "a: 1\n", "a: 2\n"),
    ("pkg/test_a.py", "assert 1\n", "assert 2\n"),
    ("tests/a.py", "assert 1\n", "assert 2\n"),
    ("a.py", LONG, LONG.replace("More of that", "Even more")),
    ("a.py", LONG, LONG.replace("More of it.\n", "More of it.\n\n    And yet more.\n")),
    ("a.js", "/* a\nb\n*/\nf()\n", "/* a\nc\n*/\nf()\n"),
    ("a.py", "x = 1\n", "\nx = 1\n"),
]
ACTS = [
    ("a.py", "x = 1\n", "x = 2\n"),
    ("a.py", "x = 1\n", "x = 1  # one\n"),  # the line does not start with a comment
    ("a.py", "x = f(1)\n", "x = f(\n    1)\n"),  # the rule knows no formatting
    ("a.py", LONG, LONG.replace("yield x", "yield 1")),
    ("a.py", LONG, LONG.replace("for x in a", "for x in b")),
    (
        "a.py",
        LONG.replace("More of it.\n    ", ""),
        LONG.replace("More of it.\n    ", "").replace("(self, a)", "(self)"),
    ),
    ("a.c", "int x;\n", "#include <a.h>\nint x;\n"),
    ("a.js", "f()\n/* a\nb\n*/\n", "g()\n/* a\nb\n*/\n"),
    ("a.py", 'x = """\na\n"""\n', 'x = """\nb\n"""\n'),
]


@pytest.mark.parametrize(
    ("files", "expected"),
    [*(([file], True) for file in ABSTAINS), *(([file], False) for file in ACTS), ([*ABSTAINS, ACTS[0]], False)],
)
def test_the_metric(files: list[tuple[str, str, str]], expected: bool) -> None:
    assert abstains(change_of(*files)) is expected


@pytest.mark.parametrize(("name", "text", "files"), list(reports()), ids=[name for name, _, _ in reports()])
def test_each_has_a_verdict_with_its_reason(name: str, text: IssueText, files: dict[str, str]) -> None:
    found = verdict(text, read_templates(files))
    assert issue_reasons(found) and found.decision is not Decision.UNAVAILABLE
    if found.decision is Decision.BOUNCE:
        assert found.questions and found.missing
