"""What is made of a report: what should come, other inputs, a model's scripts, where traces lead."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.already_fixed.model_scripts import MOST, accepted
from bot.already_fixed.places import in_traces
from bot.already_fixed.project import Project, project_of
from bot.already_fixed.reading import python
from bot.already_fixed.reading.blocks import SHOWN, pieces
from bot.already_fixed.reading.expectations import tells_right
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.prompt_sessions import steps
from bot.already_fixed.runner import missing_packages
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction, Run, Seen
from bot.already_fixed.variants import is_confusion, variants
from bot.judges.code import Shows, Sketch
from bot.judges.protocol import Answered
from tests.support.cases import cases


def shown(exception: str, message: str, code: str = "import halves\nhalves.half(3)") -> Reproduction:
    expected = Expectation(Failure.RAISES, exception, (message,) if message else ())
    return Reproduction("r", Form.SCRIPT, code, expected, "the first example")


@cases
def test_a_named_call_is_wrong_where_the_report_says_that_it_fails_too(said: str, may_fail: bool) -> None:
    (other,) = [one for one in variants(shown("ValueError", "no"), said) if "5" in one.code]
    assert (other.code, other.may_fail) == ("import halves\nhalves.half(5)", may_fail)


def test_what_nobody_names_may_fail() -> None:
    found = variants(shown("IndexError", "list index out of range"), "")
    assert [(one.code.split("\n")[-1], one.may_fail) for one in found] == [
        ("halves.half(4)", True),
        ("halves.half(2)", True),
    ]


@cases
def test_what_no_input_deserves_is_the_interpreters_own_word(raised: str, confused: bool) -> None:
    assert is_confusion(raised) is confused


REPORT = "half() of nothing raises a TypeError, and half(3) gives 1 instead of 1.5."
PROJECT = Project(frozenset({"halves"}))
RAISES = Sketch("of nothing raises a TypeError", "import halves\nhalves.half(None)", Shows.RAISES, "TypeError")
ASSERTS = Sketch("half(3) gives 1 instead of 1.5", "from halves import half\nassert half(3) == 1.5", Shows.ASSERTS)


def of(*sketches: Sketch) -> tuple[Expectation, ...]:
    return tuple(one.expectation for one in accepted(Answered(sketches, "some-model"), REPORT, PROJECT))


def test_what_quotes_the_report_and_uses_the_project_may_run() -> None:
    assert of(RAISES, ASSERTS) == (
        Expectation(Failure.RAISES, "TypeError"),
        Expectation(Failure.RAISES, "AssertionError"),
    )


@cases
def test_anything_else_may_not(sketch: Sketch) -> None:
    assert of(sketch) == ()


def test_there_are_only_so_many() -> None:
    assert len(of(*[RAISES] * 10)) == MOST


@cases
def test_what_it_asserts_is_the_reports_word_or_its_own(clause: str, asserted: str, stated: bool) -> None:
    sketch = Sketch(clause, f"from halves import half\nassert {asserted}", Shows.ASSERTS)
    (one,) = accepted(Answered((sketch,), "some-model"), REPORT, PROJECT)
    assert (one.stated, one.may_fail) == (stated, True)


FAILS = Expectation(Failure.RAISES, "TypeError")
CHECKS = Expectation(Failure.RAISES, "AssertionError")
TESTED = "def test_a():\n    assert half(2) == 1\n    half(3)\ndef test_b():\n    assert half(4) == 2\n"


@pytest.mark.parametrize(
    ("expectation", "form", "code", "told"),
    [
        (FAILS, Form.SCRIPT, "half(3)", False),
        (FAILS, Form.SCRIPT, "assert half(2) == 1\nhalf(3)", False),  # it says nothing of what fails
        (FAILS, Form.SCRIPT, "half(3)\nassert half(2) == 1", True),
        (FAILS, Form.SCRIPT, "for n in (2, 3):\n    assert half(n) == n / 2", True),
        (FAILS, Form.TESTS, "def test():\n    half(3)", False),
        (FAILS, Form.TESTS, TESTED, False),
        (FAILS, Form.TESTS, "def test(self):\n    self.assertEqual(half(3), 1.5)", True),
        (FAILS, Form.COMMAND, "half 3", False),
        (FAILS, Form.SCRIPT, "half(", False),
        (CHECKS, Form.TESTS, "def test():\n    def ok():\n        assert half(3)\n    ok()", True),
        (CHECKS, Form.SCRIPT, "half(3)", False),  # an assertion of the project's own
        (Expectation(Failure.RAISES, "TypeError", right="1.5"), Form.SESSION, "half(3)", True),
        (Expectation(Failure.HANGS), Form.SCRIPT, "half(3)", False),
        (Expectation(Failure.MISSES, "TypeError"), Form.SCRIPT, "half('')", True),
        (Expectation(Failure.WARNS, "FutureWarning"), Form.SCRIPT, "half(3)", True),
        (Expectation(Failure.PRINTS, wrong=("1",)), Form.SESSION, "half(3)", False),
        (Expectation(Failure.PRINTS, right="1.5"), Form.SESSION, "half(3)", True),
    ],
)
def test_the_table(expectation: Expectation, form: Form, code: str, told: bool) -> None:
    assert tells_right(Reproduction("one", form, code, expectation, "the example")) is told


KNOWN = ("src/widgets/loader.py", "src/widgets/__init__.py", "tests/__init__.py", "web/app.js", "loader.py")


@cases
def test_a_frame_leads_to_the_file_it_ends_with(text: str, found: dict[str, str]) -> None:
    assert in_traces(text, KNOWN) == found


def test_the_innermost_frame_comes_first() -> None:
    text = 'File "src/widgets/__init__.py", line 1, in a\nFile "src/widgets/loader.py", line 2, in b\n'
    assert list(in_traces(text, KNOWN)) == ["src/widgets/loader.py", "src/widgets/__init__.py"]


@given(st.text(st.sampled_from('File "./\\ab:1,in at(\n)'), max_size=300))
def test_any_text_is_read(text: str) -> None:
    assert set(in_traces(text, ("a.b", "a/b.a"))) <= {"a.b", "a/b.a"}


@pytest.mark.parametrize(
    ("name", "text", "commands"),
    [
        ("pyproject.toml", '[project.scripts]\nhalve = "halves:main"\npython = "halves:main"\n', {"halve"}),
        ("pyproject.toml", '[tool.poetry.scripts]\nhalve = "halves:main"\n', {"halve"}),
        ("pyproject.toml", "[project.scripts\n", set()),
        ("pyproject.toml", f"a{'.a' * 60_000} = 1\n", set()),  # which takes minutes to read
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    halve = halves:main\n", {"halve"}),
        ("setup.cfg", "no section\n", set()),
        ("setup.py", "setup(entry_points={'console_scripts': ['halve = halves:main']})\n", {"halve"}),
    ],
)
def test_the_commands_are_those_of_its_manifests(tmp_path: Path, name: str, text: str, commands: set[str]) -> None:
    (tmp_path / name).write_text(text)
    assert project_of(tmp_path).commands == commands


@cases
def test_only_what_is_well_known_is_installed(runs: list[Run], wanted: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pandas").mkdir()  # no package
    assert missing_packages(runs, tmp_path) == wanted


@pytest.mark.parametrize("own", ["yaml.py", "numpy/__init__.py", "src/numpy/__init__.py", "lib/yaml/__init__.py"])
def test_a_program_is_never_replaced_by_a_release_of_it(own: str, tmp_path: Path) -> None:
    (tmp_path / own).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / own).touch()
    runs = [Run(Seen.CANNOT_RUN, missing="yaml"), Run(Seen.CANNOT_RUN, missing="numpy")]
    assert missing_packages(runs, tmp_path) == (("numpy",) if "yaml" in own else ("pyyaml",))


HALVES = Project(
    frozenset({"halves"}),
    package="halves",
    names=frozenset({"half"}),
    modules={"halves.odd.exact": frozenset({"exactly"})},
)
CODE = "```python\nfrom halves import half\nprint(half(3))\n```\n\n"


def only(body: str) -> Reproduction:
    (found,) = extract("A report", body, HALVES).reproductions
    return found


@cases
def test_an_output_that_is_not_set_as_code(below: str, wrong: str, right: str) -> None:
    assert only(f"{CODE}{below}").expectation == Expectation(Failure.PRINTS, wrong=(wrong,), right=right)


@cases
def test_words_pictures_and_versions_are_no_output(text: str) -> None:
    assert [part for part in pieces(text) if part.language == SHOWN] == []


@cases
def test_code_with_what_it_shows_below_in_the_same_block(text: str, code: str, rest: str | None) -> None:
    assert python.leading(text) == (code, text if rest is None else rest)


def test_code_above_the_first_prompt_is_typed_first() -> None:
    typed = steps("import halves\nx = halves.half(3)\n\n>>> x\n1")
    assert [(step.source, step.gave) for step in typed] == [("import halves\nx = halves.half(3)", ""), ("x", "1")]
    assert [step.source for step in steps("Look:\n>>> x\n1")] == ["x"]


def test_the_same_example_in_an_older_version_shows_what_is_right() -> None:
    code = "```\nimport halves\nhalves.half(3)\n```\n"
    found = only(f"In halves 1.0:\n{code}returns\n`1.5`\n\nNow in halves 1.1:\n{code}returns\n`1`\n")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "1"), right="1.5")


def test_a_value_below_a_session_that_is_expected() -> None:
    found = only("```\n>>> from halves import half\n>>> half([3])\n[1]\n```\n\nExpected:\n\n```python\n[1.5]\n```\n")
    assert found.expectation == Expectation(Failure.PRINTS, wrong=("", "[1]"), right="[1.5]")


def test_a_patch_is_no_output() -> None:
    body = f"{CODE}I get:\n\n```\n1\n```\n\nExpected output:\n\n```diff\n-1\n+1.5\n```\n"
    assert only(body).expectation == Expectation(Failure.PRINTS, wrong=("1",))


def test_a_module_of_the_package_by_its_name() -> None:
    found = only("```\n>>> odd.halve(3)\nTraceback (most recent call last):\nTypeError: no\n```\n")
    assert found.steps == ("from halves import odd", "odd.halve(3)")


@cases
def test_what_fails_by_its_own_hand(code: str, fails: bool) -> None:
    assert python.fails_always(code) is fails
