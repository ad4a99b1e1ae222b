"""Everything that reads what strangers wrote, each as a function of one text."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from xml.sax.saxutils import quoteattr

from bot import strict_yaml
from bot.already_fixed.examples import ExampleSource, calls_in_examples
from bot.already_fixed.places import in_traces
from bot.already_fixed.reading.extract import extract
from bot.already_fixed.reading.tracebacks import symptoms
from bot.already_fixed.reading.version import said_version
from bot.already_fixed.reading.wording import came_back
from bot.changes.kinds import is_for_people, kind_of
from bot.changes.meaning import does_nothing
from bot.changes.mentions import has_readers
from bot.changes.read import read_change
from bot.changes.risks.catalogue import risks
from bot.changes.values import Change
from bot.github.values import Pull, PullCommit, Remark
from bot.history.names import claims, names_in
from bot.history.terms import code_terms
from bot.issues import kind
from bot.issues.clarify import questions
from bot.issues.kind import asks_for_behaviour
from bot.issues.language import language
from bot.issues.parse import parse
from bot.judges.answer import BadAnswer, only_object
from bot.judges.offline import patch_features
from bot.markdown import commands
from bot.markdown.visible import visible_line
from bot.policy import PullRules
from bot.pulls.agents import authorship
from bot.pulls.issue_links import closing
from bot.pulls.review_claims import claims_of
from bot.pulls.statements import claims as said_of_itself
from bot.rendering import escape
from bot.reports import IssueText
from bot.strict_yaml import YamlError
from bot.verdicts import Item
from bot.verification import literals
from bot.verification.diffs import looks_like_a_diff
from bot.verification.environments import commands as environment_commands
from bot.verification.environments.build import reason_in
from bot.verification.environments.detect import detect
from bot.verification.files.bodies import Bodies
from bot.verification.files.helpers import words_of
from bot.verification.files.loads import Loads
from bot.verification.files.steering import reached
from bot.verification.testing.runners import of_junit, read_runners
from bot.verification.testing.tools import READERS
from bot.verification.trial.contradictions import contradiction
from bot.verification.trial.failures import failure_of, failure_of_command
from bot.verification.values import Program, TestResult, TestStatus
from tests.already_fixed.report import PROJECT

Parser = Callable[[str], object]

_HALVES = Program(None, {"halves.py": b"def half(n):\n    pass\n"})
_INTERFACE = literals.interface_of("def half(n):\n    pass\n", "halves")
_DIFF = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1,{1} +1,{2} @@\n"


def _pull(text: str) -> Pull:
    return Pull(7, "Mend it", text, "ann", commits=(PullCommit("a" * 40, "Ann", "a@b", text),))


def changed(text: str, path: str = "halves/core.py", before: str = "x = 1") -> str:
    """The diff of a change that puts these lines in the place of others."""
    old, new = before.split("\n"), text.split("\n")
    lines = [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return _DIFF.format(path, len(old), len(new)) + "\n".join(lines) + "\n"


def _change(look: Callable[[Change], object], path: str = "halves/core.py") -> Parser:
    return lambda text: look(read_change(changed(text, path)))


def _a_test(name: str, text: str) -> Bodies:
    return Bodies({"a.py": f"def {name}():\n    assert half({text!r})\n".encode("utf-8", "replace")}.get)


def chain(length: int) -> Change:
    """So many tests, each of which imports the next, from product."""
    names = ("shop.py", *(f"test_{number}.py" for number in range(length)))
    return read_change("".join(changed(f"import test_{number}", name) for number, name in enumerate(names)))


def _no_harm(read: Parser) -> Parser:
    """A refusal is an answer too."""

    def reading(text: str) -> object:
        with suppress(BadAnswer, YamlError, ValueError):
            return read(text)
        return None

    return reading


def _report(kind: str) -> Parser:
    return lambda text: read_runners([(READERS[kind], text.encode("utf-8", "replace"))])


def _manifest(path: str) -> Parser:
    before = _MANIFESTS[path]
    return lambda text: detect(Program(None, {path: f"{before}{text}".encode("utf-8", "replace"), "tests/a.py": b""}))


_MANIFESTS = {
    "requirements.txt": "",
    "pyproject.toml": '[project]\nname = "a"\n',
    "setup.py": "",
    "setup.cfg": "[options]\ninstall_requires =\n",
    "tox.ini": "[testenv]\ncommands = pytest ",
    "uv.lock": "",
    "Pipfile.lock": "",
    "package.json": '{"scripts": {"test": "',
    "go.mod": "",
    "Cargo.toml": "",
    "Makefile": "test:\n\t",
}

PARSERS: Mapping[str, Parser] = {
    "an issue": lambda text: parse(IssueText("It fails", text)),
    "an issue's title": lambda text: parse(IssueText(text, "It fails")),
    "questions about an issue": lambda text: questions(
        parse(IssueText("It fails", text)), (Item.OBSERVED, Item.STEPS, Item.VERSION), (), 3
    ),
    "the examples of a report": lambda text: extract("half(1) fails", text, PROJECT),
    "a report's title": lambda text: extract(text, "It fails", PROJECT),
    "the symptoms of a report": lambda text: symptoms("It fails", text),
    "the version of a report": lambda text: said_version("It fails", text, ["halves"]),
    "the frames of a report": lambda text: in_traces(text, ["halves/core.py"]),
    "whether it came back": lambda text: came_back("It fails", text),
    "the calls that a text states": lambda text: calls_in_examples((ExampleSource("", "", text),), _HALVES),
    "the calls of a specification": lambda text: tuple(literals.calls_in(text, _INTERFACE)),
    "the commands of a comment": lambda text: commands.parse(text, "bouncer"),
    "a test and what it may have become": lambda text: contradiction(
        "a.py::test_a", None, _a_test("test_a", text), _a_test("test_b", text), ["a.py::test_b"], text
    ),
    "why a test fails": lambda text: (
        failure_of(TestResult("a.py::test_a", TestStatus.FAILED, text), bool),
        failure_of_command(TestResult("npm test", TestStatus.FAILED, text)),
    ),
    "what a test quotes": lambda text: words_of(["a.py"], lambda path: text.encode("utf-8", "replace")),
    "what a command reaches": lambda text: reached(
        Program(None, {"Makefile": text.encode("utf-8", "replace"), "a": b""}), ("make",), lambda _: ()
    ),
    "what a file loads": lambda text: [
        Loads.of(Program(None, {path: text.encode("utf-8", "replace")})) for path in ("a.ts", "a.go", "src/lib.rs")
    ],
    "what an issue asks for": lambda text: asks_for_behaviour(text, text, (text,)),
    "the language of a report": language,
    "the wish for documentation": lambda text: kind.asks_for_documentation(text, ()),
    "an inline text": visible_line,
    "a pull request's issues": lambda text: tuple(closing(text)),
    "whose a pull request is": lambda text: authorship(_pull(text), PullRules()),
    "a suggestion": lambda text: claims_of(text, [Remark(1, "a.py", 1, 1, "", f"```suggestion\n{text}")]),
    "a diff in a comment": lambda text: claims_of("", [Remark(1, "a.py", 1, 1, "", f"```diff\n{text}")]),
    "claims of a message": claims,
    "names in a message": names_in,
    "a pull request's claims": lambda text: said_of_itself("Mend it", text),
    "a JUnit report": lambda text: read_runners(
        [(of_junit, f"<testsuite><testcase name={quoteattr(text)}/></testsuite>".encode("utf-8", "replace"))]
    ),
    **{f"a report of {kind}": _report(kind) for kind in ("node", "jest", "mocha", "go", "cargo")},
    **{f"{path} of a project": _manifest(path) for path in _MANIFESTS},
    "a command of a project": lambda text: environment_commands.with_reports("npm test", {"test": text}),
    "what setting up says": lambda text: reason_in(text),
    "a policy": _no_harm(strict_yaml.read),
    "a model's answer": _no_harm(only_object),
    "a diff": read_change,
    "whether it is a diff": looks_like_a_diff,
    "a path": lambda text: (kind_of(text), is_for_people(text)),
    "what names a file": lambda text: has_readers(
        ("docs/a.md",), lambda texts: tuple(("a.py", line) for line in text.split("\n"))
    ),
    "a change's features": _change(lambda change: patch_features.features_of("half() fails", change)),
    "a change's features by its issue": lambda text: patch_features.features_of(text, read_change(changed("half(2)"))),
    "a change's effect": _change(lambda change: does_nothing(change, lambda file: None)),
    "a change's tests": _change(risks, "tests/test_core.py"),
    "a change's risks": _change(lambda change: risks(change, "half(3) is 4")),
    "a manifest's risks": _change(risks, "pyproject.toml"),
    "a conftest's risks": _change(risks, "tests/conftest.py"),
    "the risks of an issue": lambda text: risks(read_change(changed("half(2)")), text),
    "the terms of an issue": code_terms,
    "escaped prose": escape.prose,
    "escaped code": escape.code,
    "an escaped block": escape.block,
}

_LINES = (
    *("", " ", "\t", "\r", "\u2003", "a b", "- a", "# a", "> a", "| a", "    a", "```", "<!--", ">>> half(1)", "... a"),
    *("Traceback (most recent call last):", "Co-authored-by: a <a@b>", "half(1) returns 2.", "import a", "print a  b"),
    *("steps to reproduce the behavior:", "- OS: ", "a: b", "diff --git a/a b/a", "Fixes #1"),
)
_RUNS = (
    *(
        " ",
        "\t",
        "\u2003",
        "`",
        "a` ",
        ">",
        "<a ",
        "<!--",
        "[a](",
        "![",
        "(",
        "{",
        "|",
        '"',
        "'",
        "\\",
        "*",
        "_",
        "#",
        "-",
    ),
    *("a", "A", "a_", "a.", "a/", "..", ", ", "::", "&a;", "@a", "0", "1.0 ", "\u202e", "f(a, ", "http://", "not "),
    *("should ", "AError: ", "version ", "half(1) ", "fixes #1, ", "a' ", "when i ", "a = "),
)


def texts(length: int) -> Iterator[tuple[str, str]]:
    """What parsers find hard, each about so many characters long, with its name."""
    for part in _LINES:
        yield f"lines of {part!r}", f"{part}\n" * (length // (len(part) + 1)) + "x"
    for part in _RUNS:
        yield f"a run of {part!r}", "a" + part * (length // len(part)) + "x"
    for part in ("`", "```\n", "half(", "should return "):
        yield f"{part!r} and blanks", f"{part}{' ' * length}x"
        yield f"{part!r} and line breaks", f"{part}{chr(10) * length}x"
