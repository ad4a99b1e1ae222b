"""A report's code blocks, sessions and commands as reproductions, without a model. Pure; never raises.

What an example shows is read from where it stands: a traceback or an output below it, the words that lead to it, its
own comments and assertions. An example of which the report does not say how it fails is no reproduction.
"""

import ast
import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from bot.fixed import python, sessions, traces
from bot.fixed.pieces import LONGEST, Piece, pieces
from bot.fixed.values import Expectation, Failure, Form, Reproduction

MOST = 8  # reproductions of one report
_PYTHON = frozenset(
    {"", "python", "py", "python3", "python2", "pycon", "ipython", "ipython3", "py3", "jupyter", "text", "pytb"}
)
_SHELL = frozenset({"", "sh", "bash", "shell", "console", "zsh", "cmd", "shell-session", "text", "terminal"})
_SKIP = re.compile(
    r"workaround|work[- ]around|propos(?:ed|al)|suggest(?:ed|ion)|possible (?:fix|solution)"
    r"|(?:the|a|my|quick) (?:fix|patch) (?:is|would|could)|could be (?:fixed|changed)|environment|system info"
    r"|instead,? (?:i|use|one)|works? (?:fine|well|correctly|as expected)",
    re.I,
)
_VERSIONS = re.compile(r"versions?\b|environment|system|output of|your setup|package versions")
_EXPECTED = re.compile(
    r"expect(?:ed|ing|ation)?|should (?:be|give|return|print|show|produce|output|look|have)|desired"
    r"|correct (?:output|result|answer)|i would like|would be",
    re.I,
)
_ACTUAL = re.compile(
    r"actual|observed|current|output|result|get|got|gives?|gave|returns?|returned|prints?|printed|shows?|produces?|yields?"
    r"|fails|error|traceback|exception|raises|see",
    re.I,
)
_RESULT = re.compile(
    r"\b(?:returns?|gives?|gave|outputs?|results?|prints?|produces?|expected|actual|got|shows?|yields?)\b", re.I
)
_HANGS = re.compile(
    r"\b(?:hangs?|hanging|hung|infinite (?:loop|recursion)|endless(?:ly)?|runs? forever|freezes?|deadlocks?"
    r"|never (?:returns?|finish(?:es)?|ends?|terminates?)|does(?: not|n'?t) (?:return|finish|end|terminate))\b",
    re.I,
)
_FAILS = re.compile(
    r"\b(?:fails?|failed|failing|crash\w*|rais(?:es?|ed|ing)|throws?|threw|exceptions?|errors?|breaks?|broken"
    r"|traceback|\w*error)\b",
    re.I,
)
_COMMENT = re.compile(
    r"#.{0,80}?\b(?:(?P<right>expect\w*|should (?:be|give|raise|throw))|(?:rais\w+|throws?|fails? with|->|=>)?)[:\s]*"
    r"(?P<name>[A-Z]\w{0,60}(?:Error|Exception))\b"
)
_RIGHT = re.compile(
    r"#[^#\n]{0,60}?\b(?:expect(?:ed|s)?|should (?:be|return|give|print|show))\b[:\s]*(?:to be |is |was )?"
    r"(\S[^\n]{0,200})",
    re.I,
)
_SAID_RIGHT = re.compile(
    r"\b(?:instead of|rather than|should (?:be|return|give|print|show)"
    r"|expect(?:ed|ing)?(?: (?:the )?(?:output|result|value))?(?: is| was| to be| to get)?):?[ ]{0,2}`([^`\n]{1,200})`",
    re.I,
)
_EXCEPTION = r"`{0,2}((?:[A-Za-z_]\w{0,60}\.){0,9}[A-Z]\w{0,60}(?:Error|Exception))`{0,2}"
_INSTEAD = re.compile(rf"{_EXCEPTION}[^.\n]{{0,60}}?\b(?:instead of|rather than|and not)\b[^.\n]{{0,40}}?{_EXCEPTION}")
_SHOULD_RAISE = re.compile(
    r"(?:\b(?:should|must|ought to|supposed to)(?: \w+ly| also| always| instead)?"
    r" (?:raise|throw|give|get|fail with|be raising)"
    r"|(?<!should )(?<!must )\b(?:not|doesn'?t|never|no longer) (?:raise|throw|give)s?"
    r"|\bexpect(?:ed|s|ing)?(?: it)?(?: to)?(?: get| see| raise)?)"
    rf" (?:an? )?(?:proper |clear )?{_EXCEPTION}",
    re.I,
)
_SAID_WRONG = re.compile(
    r"\b(?:returns?|gives?|prints?|outputs?|yields?|produces?|(?:i|you|we) (?:\w+ )?get|got|result is|evaluates to)"
    r"(?: the (?:output|result|value))?:?[ ]{1,2}`([^`\n]{1,200})`",
    re.I,
)
_TELLS_VERSIONS = re.compile(r"version", re.I)
FAILS_ALWAYS = re.compile(r"^\s*(?:assert (?:False|0|None)\b|raise \w)", re.M)
_CAME_BACK = re.compile(
    r"\b(?:came|come|comes|has come) back\b|\b(?:broken|fails|failing|happens|happening|occurs) again\b|\bre-?appear\w*"
    r"|\bregression of #\d|\b(?:was|were|been|claimed to be|supposedly|supposed to be) fixed\b"
    r"[^.\n]{0,60}\b(?:but|still|again)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Extracted:
    """reproductions: in the report's order. unread: what else shows a failure and cannot be run, as phrases.

    foreign: packages that its examples are about, none of them the project's.
    """

    reproductions: tuple[Reproduction, ...] = ()
    unread: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """What is known of the project. packages: names it is imported by. commands: its console commands.

    package: the one that people import, as far as that can be told. names: what it offers; at a prompt they often stand
        alone.
    """

    packages: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    package: str = ""
    names: frozenset[str] = frozenset()


def extract(title: str, text: str, project: Project = Project()) -> Extracted:
    """The reproductions of a report, as its readers see it."""
    return _Reading(title, pieces(text), project).found()


def came_back(title: str, text: str) -> bool:
    """Whether the report says that what it is about was fixed before, and is there again."""
    return bool(_CAME_BACK.search(f"{title}\n{text[:LONGEST]}"))


class _Reading:
    """One pass over the pieces; what was defined in one example is known in the next."""

    def __init__(self, title: str, parts: Sequence[Piece], project: Project) -> None:
        self._title, self._parts, self._project = title, parts, project
        self._prose = "\n".join([title, *(part.text for part in parts if not part.code)])
        self._before: list[str] = []  # code of examples that were read, oldest first
        self._made: list[Reproduction] = []
        self._unread: list[str] = []
        self._foreign: set[str] = set()

    def found(self) -> Extracted:
        for at, part in enumerate(self._parts):
            if part.code and len(self._made) < MOST:
                self._read(at, part)
        foreign = () if self._made else tuple(sorted(self._foreign))
        return Extracted(tuple(self._made), tuple(dict.fromkeys(self._unread)), foreign)

    def _read(self, at: int, part: Piece) -> None:
        if sessions.is_session(part.text):
            self._session(part)
        elif part.language in _SHELL and (line := _command_line(part.text)):
            self._command(at, line)
        elif part.language in _PYTHON:
            self._script(at, part)

    # Sessions

    def _session(self, part: Piece) -> None:
        done: list[sessions.Step] = []
        failed = False  # then what the other statements give is only on the way
        for step in sessions.steps(part.text):
            told = traces.raised(step.gave) if traces.is_trace(step.gave) else None
            done.append(step)
            if told:
                expectation = Expectation(Failure.RAISES, told.name, _message(told.message))
                self._add_session(done, expectation)
                done.pop()
                failed = True
        printing = [step for step in done if step.gave and not _TELLS_VERSIONS.search(step.source)]
        if printing and not failed and not _is_aside(part) and not _only_expected(part):
            warning = next((told for step in printing if (told := traces.warned(step.gave))), None)
            if warning:
                expectation = Expectation(Failure.WARNS, warning.name, _message(warning.message))
            else:
                done = done[: done.index(printing[-1]) + 1]
                wrong = tuple(step.gave if step in printing else "" for step in done)
                expectation = Expectation(
                    Failure.PRINTS, wrong=wrong, right=_right(done) or self._right_after(part) or self._right_near(part)
                )
            self._add_session(done, expectation)
        self._before.append("\n".join(step.source for step in done))

    def _add_session(self, done: Sequence[sessions.Step], expectation: Expectation) -> None:
        own = "\n".join(step.source for step in done)
        context = self._context(own)
        if context is None:
            return
        extra = tuple(context)
        steps = (*extra, *(step.source for step in done))
        if expectation.wrong:
            expectation = replace(expectation, wrong=("",) * len(extra) + expectation.wrong)
        self._add(Form.SESSION, "\n".join(steps), expectation, steps)

    def _right_near(self, part: Piece) -> str:
        return _said_right("\n".join((part.lead, self._prose_after(self._parts.index(part)))))

    def _right_after(self, part: Piece) -> str:
        at = self._parts.index(part)
        for later in self._parts[at + 1 :]:
            if not later.code:
                continue
            if sessions.is_session(later.text):
                own = [step for step in sessions.steps(later.text) if step.gave]
                return own[-1].gave if own and _only_expected(later) else ""
            return later.text if _only_expected(later) and not python.readable(later.text) else ""
        return ""

    # Scripts

    def _script(self, at: int, part: Piece) -> None:
        if traces.trace_starts(part.text) == 0 or _is_value(part):
            return
        code, rest = python.leading(part.text)
        tree = python.tree_of(code) if code else None
        if tree is None:
            return
        tests = any(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in _functions(tree))
        runs = python.does_something(tree)
        if (runs or tests) and not _is_aside(part) and not _only_expected(part):
            if python.has_gaps(tree):
                self._leave_out("an example that leaves something out", rest, at)
            else:
                self._example(at, part, code, rest, tests and not runs)
        self._before.append(code)

    def _example(self, at: int, part: Piece, code: str, rest: str, tests: bool) -> None:
        expectation = self._expectation(at, code, rest, part)
        if expectation is None:
            return
        context = self._context(code)
        if context is None:
            self._leave_out("an example that uses what it does not define", rest, at)
            return
        whole = "\n".join((*context, code))
        steps = python.statements(code) if expectation.failure is Failure.PRINTS else ()
        if steps and not tests:  # a cell of a notebook: what it shows is the value of its last line
            wrong = (*("",) * (len(context) + len(steps) - 1), *expectation.wrong)
            self._add(Form.SESSION, whole, replace(expectation, wrong=wrong), (*context, *steps))
            return
        self._add(Form.TESTS if tests else Form.SCRIPT, whole, expectation)

    def _leave_out(self, what: str, rest: str, at: int) -> None:
        if traces.is_trace(rest) or any(traces.is_trace(part.text) for part in self._following(at)):
            self._unread.append(what)

    def _expectation(self, at: int, code: str, rest: str, part: Piece) -> Expectation | None:
        outputs = [Piece(True, rest, lead="output")] if rest.strip() else []
        outputs += self._following(at)
        for output in outputs:
            told = traces.raised(output.text) if traces.is_trace(output.text) or _is_line(output.text) else None
            if told and not told.name.endswith("Warning"):
                return Expectation(Failure.RAISES, told.name, _message(told.message))
        if FAILS_ALWAYS.search(code):
            return None
        for output in outputs:
            if warning := traces.warned(output.text):
                return Expectation(Failure.WARNS, warning.name, _message(warning.message))
        near = "\n".join((part.heading, part.lead, self._prose_after(at)))
        if _HANGS.search(f"{self._title}\n{near}"):
            return Expectation(Failure.HANGS)
        if found := _COMMENT.search(code):
            return Expectation(Failure.MISSES if found["right"] else Failure.RAISES, found["name"])
        wrong = [output.text for output in outputs if _is_output(output) and not _only_expected(output)]
        right = [output.text for output in outputs if _is_output(output) and _only_expected(output)]
        if wrong:
            said = right[0] if right else _comment_right(code) or _said_right(near)
            return Expectation(Failure.PRINTS, wrong=(wrong[0],), right=said)
        if (said := _said_wrong(near)) and python.shows(code):
            return Expectation(Failure.PRINTS, wrong=(said,), right=_comment_right(code) or _said_right(near))
        if named := self._told_in_prose(near):
            return named
        if re.search(r"^\s*assert\b", code, re.M):
            return Expectation(Failure.RAISES, "AssertionError")
        if _FAILS.search(near) or _FAILS.search(self._title):
            return Expectation(Failure.RAISES)
        return None

    def _told_in_prose(self, near: str) -> Expectation | None:
        """An exception that is named once, as what happens: of several nobody can tell which is meant."""
        for text in (near, self._title, self._prose):
            if found := _INSTEAD.search(text):
                return Expectation(Failure.RAISES, _bare(found[1]), right=_bare(found[2]))
            if len(names := traces.mentioned(text)) == 1:
                wanted = _SHOULD_RAISE.search(text)
                return Expectation(Failure.MISSES if wanted else Failure.RAISES, names[0])
        return None

    def _following(self, at: int) -> list[Piece]:
        """Pieces of code that belong to the example at `at`: what stands below it up to the next example."""
        found = []
        for part in self._parts[at + 1 :]:
            if not part.code:
                continue
            if sessions.is_session(part.text):
                break
            if not traces.is_trace(part.text) and part.language in _PYTHON and not _is_value(part):
                tree = python.tree_of(python.readable(part.text))
                if tree and (python.does_something(tree) or python.defined(tree)):
                    break
            found.append(part)
        return found

    def _prose_after(self, at: int) -> str:
        following = self._parts[at + 1 : at + 2]
        return following[0].text[:300] if following and not following[0].code else ""

    # Commands

    def _command(self, at: int, line: str) -> None:
        words = _words(line)
        if words[:2] and words[0] in ("python", "python3") and words[1] == "-c" and len(words) == 3:
            self._script(at, replace(self._parts[at], text=words[2], language="python"))
            return
        own = words and (words[0] in self._project.commands or _is_module(words, self._project.packages))
        if not own:
            return
        outputs = [Piece(True, self._parts[at].text.partition("\n")[2]), *self._following(at)]
        told = next(
            (told for part in outputs if traces.is_trace(part.text) and (told := traces.raised(part.text))), None
        )
        if told:
            expectation = Expectation(Failure.RAISES, told.name, _message(told.message))
            self._add(Form.COMMAND, line, expectation, tuple(words))

    # What all have in common

    def _context(self, code: str) -> tuple[str, ...] | None:
        """Earlier examples, and imports, that define what the code lacks; `None` where something stays undefined."""
        chosen: list[str] = []
        missing = set(python.lacks(code))
        for earlier in reversed(self._before):
            tree = python.tree_of(earlier)
            gives = python.defined(tree) if tree else frozenset()
            if missing & gives:
                chosen.insert(0, earlier)
                missing = (missing - gives) | (python.lacks(earlier) - gives)
        lines = python.import_lines(missing, self._project.packages)
        known = {name for line in lines if (tree := python.tree_of(line)) for name in python.defined(tree)}
        if missing - known and missing - known <= self._project.names:
            lines = (f"from {self._project.package} import *", *lines)
            known |= missing
        return None if missing - known else (*lines, *chosen)

    def _add(self, form: Form, code: str, expectation: Expectation, steps: tuple[str, ...] = ()) -> None:
        tree = python.tree_of(code) if form is not Form.COMMAND else None
        if tree and not self._is_about_it(form, tree):
            self._foreign |= {name for name in python.imports(tree) if not python.is_standard(name)}
            return
        if len(self._made) == MOST or any(code == made.code for made in self._made):
            return
        number = len(self._made) + 1
        where = f"the {_ORDINALS[number - 1]} example"
        self._made.append(Reproduction(f"reproduction_{number}", form, code, expectation, where, steps))

    def _is_about_it(self, form: Form, tree: ast.Module) -> bool:
        """Whether the project takes part in it: by an import of one of its packages, as far as these are known."""
        own = self._project.packages
        return not own or bool(python.imports(tree) & own) or (form is Form.TESTS and "pytest" in own)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _message(message: str) -> tuple[str, ...]:
    return (message,) if message else ()


def _is_aside(part: Piece) -> bool:
    """Whether it is led to as something else than what goes wrong: a way around, a proposal, versions."""
    return bool(_SKIP.search(part.lead[-150:]) or _SKIP.search(part.heading) or _VERSIONS.match(part.heading))


def _only_expected(part: Piece) -> bool:
    """Whether it is what should be: the words nearest to it decide."""
    near = part.lead[-150:]
    expected = [found.start() for found in _EXPECTED.finditer(near)]
    actual = [found.start() for found in _ACTUAL.finditer(near)]
    if expected or actual:
        return bool(expected) and expected[-1] >= max(actual, default=-1)
    return bool(_EXPECTED.search(part.heading)) and not re.search(r"actual|observed|current", part.heading, re.I)


def _is_output(part: Piece) -> bool:
    """Short enough to be compared, and led to as an output."""
    led = (
        _ACTUAL.search(part.lead[-150:])
        or _EXPECTED.search(f"{part.heading} {part.lead}")
        or _ACTUAL.search(part.heading)
    )
    return len(part.text) < 5000 and bool(led) and traces.trace_starts(part.text) is None


def _is_value(part: Piece) -> bool:
    """Whether it is a value that reads like code, such as `Half(1)`, and is led to as what comes or should come."""
    tree = python.tree_of(python.readable(part.text))
    if tree is None or len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
        return False
    return bool(_RESULT.search(part.lead[-60:]) or _RESULT.search(part.heading))


def _is_line(text: str) -> bool:
    """Whether a text is next to nothing but the line an exception ends with."""
    return len(text.strip().split("\n")) <= 3


def _right(done: Sequence[sessions.Step]) -> str:
    """What a comment at the last statement says it should give."""
    return _comment_right(done[-1].source) if done else ""


def _bare(name: str) -> str:
    return name.rpartition(".")[2]


def _said_wrong(near: str) -> str:
    """What prose says is there, in code; not what it says should be."""
    for found in _SAID_WRONG.finditer(near):
        if not re.search(r"\b(?:should|must|would|to|expect\w*)[ ]{1,2}(?:\w+[ ])?$", near[: found.start()], re.I):
            return found[1].strip()
    return ""


def _said_right(near: str) -> str:
    """What prose says should be there, where it says so in code."""
    found = _SAID_RIGHT.search(near)
    return found[1].strip() if found else ""


def _comment_right(code: str) -> str:
    found = _RIGHT.search(code)
    return found[1].strip(" `'\".") if found else ""


def _functions(tree: ast.Module) -> list[ast.AST]:
    return [inner for node in tree.body for inner in (node, *(node.body if isinstance(node, ast.ClassDef) else ()))]


def _command_line(text: str) -> str:
    """The one command that a block shows, at a prompt or alone."""
    lines = [line for line in text.split("\n") if line.strip()]
    prompted = [line.lstrip()[2:] for line in lines if re.match(r"\s*[$%] \S", line)]
    if len(prompted) == 1:
        return prompted[0].strip()
    return lines[0].strip() if len(lines) == 1 and re.match(r"python3? -|[\w-]+ -", lines[0].strip()) else ""


def _words(line: str) -> list[str]:
    """The words of a plain command: no pipes, redirections, variables."""
    if re.search(r"[|<>&;`$]", line) and "-c" not in line:
        return []
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _is_module(words: list[str], packages: Collection[str]) -> bool:
    return (
        len(words) > 2
        and words[0] in ("python", "python3")
        and words[1] == "-m"
        and words[2].partition(".")[0] in packages
    )
