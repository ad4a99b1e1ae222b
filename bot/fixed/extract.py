"""A report's code blocks, sessions and commands as reproductions, without a model. Pure; never raises.

What an example shows is read from where it stands: a traceback or an output below it, the words that lead to it, its
own comments and assertions. An example of which the report does not say how it fails is no reproduction.
"""

import ast
import re
import shlex
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from bot.fixed import commands, leads, python, said, sessions, traces
from bot.fixed.pieces import LONGEST, UNFENCED, Piece, pieces
from bot.fixed.values import Expectation, Failure, Form, Reproduction

MOST = 8  # reproductions of one report
_MOST_SESSIONS = 20  # that are compared with each other
_SHELL = frozenset({"", "sh", "bash", "shell", "console", "zsh", "cmd", "shell-session", "text", "terminal"})
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
_WRONG = re.compile(r"\b(?:wrong|incorrect\w*|should ?n[o']t|unexpected\w*|not (?:correct|right|expected)|bug)\b", re.I)
_SILENT = re.compile(
    r"\b(?:no (?:error|warning|message|output|issue|complaint)s?|false[- ]positives?"
    r"|should(?: not|n't) (?:be (?:emitted|reported|raised|shown|flagged|checked)|emit|report|complain|warn|flag)"
    r"|should be (?:ignored|silent|accepted|skipped)|(?:does|do)(?:n't| not) (?:ignore|skip)|ignores?)\b",
    re.I,
)
_OTHER_TRUTH = {"True": "False", "False": "True"}
_ANYTHING = Expectation(Failure.RAISES)
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
        alone. modules: what each of its public modules defines.
    """

    packages: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    package: str = ""
    names: frozenset[str] = frozenset()
    modules: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def offered(self) -> dict[str, frozenset[str]]:
        return {self.package: self.names}

    def bringing(self, names: Collection[str]) -> tuple[str, ...]:
        """Imports from the modules that define all the names: each time the one nearest the top, if only one is."""
        left, lines = set(names), []
        while left:
            most = max((len(left & offers) for offers in self.modules.values()), default=0)
            holding = [module for module, offers in self.modules.items() if most and len(left & offers) == most]
            holding.sort(key=lambda module: module.count("."))
            if not holding or (len(holding) > 1 and holding[0].count(".") == holding[1].count(".")):
                return ()
            chosen = left & self.modules[holding[0]]
            lines.append(f"from {holding[0]} import {', '.join(sorted(chosen))}")
            left -= chosen
        return tuple(lines)


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
        self._unsaid: set[str] = set()  # names of those that show an output of which the report does not say more
        self._unread: list[str] = []
        self._foreign: set[str] = set()
        shown = islice((part for part in parts if part.code and leads.is_session(part)), _MOST_SESSIONS)
        self._sessions = [(part, sessions.steps(part.text)) for part in shown]
        self._examples = list(islice((part for part in parts if leads.shows_code(part)), 2))

    def found(self) -> Extracted:
        used = self._commands()
        for at, part in enumerate(self._parts):
            if part.code and at not in used and len(self._made) < MOST:
                self._read(at, part)
        if not self._made:
            self._claims()
        foreign = () if self._made else tuple(sorted(self._foreign))
        return Extracted(self._telling(), tuple(dict.fromkeys(self._unread)), foreign)

    def _note_unsaid(self, part: Piece, made: Sequence[Reproduction]) -> None:
        for one in made:
            vague = one.expectation.failure is Failure.PRINTS and not one.expectation.right
            if vague and not _WRONG.search(self._beside(part)):
                self._unsaid.add(one.name)

    def _telling(self) -> tuple[Reproduction, ...]:
        """Without outputs that nothing is said of, where the report shows something that is wrong beyond doubt."""
        sure = [made for made in self._made if made.name not in self._unsaid and made.expectation != _ANYTHING]
        return tuple(made for made in self._made if not sure or made.name not in self._unsaid)

    def _read(self, at: int, part: Piece) -> None:
        if leads.is_session(part):
            self._session(part)
        elif part.language in _SHELL and (line := _command_line(part.text)):
            self._given(at, line)
        elif part.language in leads.PYTHON:
            self._script(at, part)

    # Sessions

    def _session(self, part: Piece) -> None:
        steps = sessions.steps(part.text)
        marked = any(step.wrong for step in steps)
        failing = [step for step in steps if traces.is_trace(step.gave) and traces.raised(step.gave)]
        done: list[sessions.Step] = []
        for step in steps:
            raised = traces.raised(step.gave) if step in failing else None
            done.append(step)
            if raised:
                if step.wrong or not marked:
                    right = self._right_near(part) if len(failing) == 1 and step == steps[-1] else ""
                    self._add_session(
                        done, Expectation(Failure.RAISES, raised.name, _message(raised.message), right=right)
                    )
                done.pop()
        made = len(self._made)
        aside = leads.is_aside(part) or leads.is_expected(part) or self._is_former(part, steps)
        if not aside and (marked or not failing):  # else what other statements give is only on the way
            self._printing(part, done)
        if not marked:
            self._note_unsaid(part, self._made[made:])
        self._before.append("\n".join(step.source for step in done))

    def _printing(self, part: Piece, done: Sequence[sessions.Step]) -> None:
        printing = [step for step in done if step.gave and not _TELLS_VERSIONS.search(step.source)]
        if warning := next((told for step in printing if (told := traces.warned(step.gave))), None):
            self._add_session(done, Expectation(Failure.WARNS, warning.name, _message(warning.message)))
        elif wrongs := self._told(part, done):
            for at, right in wrongs:
                wrong = (*("",) * at, done[at].gave)
                self._add_session(done[: at + 1], Expectation(Failure.PRINTS, wrong=wrong, right=right))
        elif printing:
            done = done[: done.index(printing[-1]) + 1]
            wrong = tuple(step.gave if step in printing else "" for step in done)
            right = self._right_beside(part) or self._right_after(part) or self._right_near(part)
            if not right and len(printing) == 1 and _WRONG.search(self._near(part)):
                right = _OTHER_TRUTH.get(printing[0].gave, "")
            alike = [step for step in printing if right and _shape(step.gave) == _shape(right)]
            if alike and alike[-1] is not printing[-1]:  # what should come is no other value of the last statement
                done = done[: done.index(alike[-1]) + 1]
                wrong = (*("",) * (len(done) - 1), alike[-1].gave)
            self._add_session(done, Expectation(Failure.PRINTS, wrong=wrong, right=right))
        elif done and python.shows(done[-1].source) and (right := said.wished(self._near(part), self._project.names)):
            self._add_session(done, Expectation(Failure.PRINTS, right=right))

    def _told(self, part: Piece, done: Sequence[sessions.Step]) -> list[tuple[int, str]]:
        """The steps of which the report says that they are wrong, with what would be right, as far as it says so."""
        elsewhere = {
            step.source: step.gave
            for other, steps in self._sessions
            if other is not part and (leads.is_expected(other) or leads.is_older(other, part))
            for step in steps
        }
        found = []
        for at, step in enumerate(done):
            right = step.right or said.commented_right(step.source) or elsewhere.get(step.source, "")
            if step.gave and right != step.gave and (right or step.wrong):
                found.append((at, right or _OTHER_TRUTH.get(step.gave, "")))
        return found

    def _is_former(self, part: Piece, steps: Sequence[sessions.Step]) -> bool:
        """Whether it shows how it was in an older version, and another one shows how it is now."""
        sources = {step.source for step in steps if step.gave}
        later = [shown for other, shown in self._sessions if leads.is_older(part, other)]
        return any(step.source in sources for shown in later for step in shown)

    def _add_session(self, done: Sequence[sessions.Step], expectation: Expectation) -> None:
        own = "\n".join(step.source for step in done)
        context = self._context(own, going_on=True)
        if context is None:
            return
        steps = (*context, *(step.source for step in done))
        self._add(Form.SESSION, "\n".join(steps), _behind(context, expectation), steps)

    def _beside(self, part: Piece) -> str:
        return "\n".join((part.lead, self._prose_after(self._parts.index(part))))

    def _near(self, part: Piece) -> str:
        """The prose that is about an example: what stands next to it, and all where it is the only one."""
        beside = self._beside(part)
        return f"{beside}\n{self._prose}" if self._examples == [part] else beside

    def _right_beside(self, part: Piece) -> str:
        return said.ticked_right(beside := self._beside(part)) or said.right(beside, self._project.names)

    def _right_near(self, part: Piece) -> str:
        return said.ticked_right(near := self._near(part)) or said.right(near, self._project.names)

    def _right_after(self, part: Piece) -> str:
        at = self._parts.index(part)
        for later in self._parts[at + 1 :]:
            if not later.code:
                continue
            if sessions.is_session(later.text):
                own = [step for step in sessions.steps(later.text) if step.gave]
                return own[-1].gave if own and leads.is_expected(later) else ""
            return later.text if leads.is_expected(later) and not python.readable(later.text) else ""
        return ""

    # Claims of the prose

    def _claims(self) -> None:
        for claim in said.claims(self._title, self._prose.partition("\n")[2], self._project.names):
            context = self._context(claim.code)
            if context is None:
                continue
            if claim.exception:
                expectation = Expectation(Failure.RAISES, claim.exception, _message(claim.message), right=claim.right)
            else:
                expectation = Expectation(Failure.PRINTS, wrong=(claim.wrong,) * bool(claim.wrong), right=claim.right)
            steps = (*context, claim.code)
            self._add(Form.SESSION, "\n".join(steps), _behind(context, expectation), steps)

    # Scripts

    def _script(self, at: int, part: Piece) -> None:
        if traces.trace_starts(part.text) == 0 or leads.is_value(part):
            return
        code, rest = python.leading(sessions.answered(part.text) or part.text)
        tree = python.tree_of(code) if code else None
        if tree is None:
            return
        tests = any(isinstance(node, ast.FunctionDef) and node.name.startswith("test") for node in _functions(tree))
        runs = python.does_something(tree)
        if (runs or tests) and not leads.is_aside(part) and not leads.is_expected(part):
            if python.has_gaps(tree):
                self._leave_out("an example that leaves something out", rest, at)
            else:
                made = len(self._made)
                self._example(at, part, code, rest, tests and not runs)
                self._note_unsaid(part, self._made[made:])
        self._before.append(code)

    def _example(self, at: int, part: Piece, code: str, rest: str, tests: bool) -> None:
        expectation = self._expectation(at, code, rest, part)
        remarks = python.remarked(code) if expectation in (None, _ANYTHING) and not tests else ()
        if expectation is None and not any(value for _, value in remarks):
            return
        context = self._context(code)
        if context is None:
            self._leave_out("an example that uses what it does not define", rest, at)
            return
        whole = "\n".join((*context, code))
        if any(value for _, value in remarks):
            last = max(number for number, (_, value) in enumerate(remarks) if value) + 1
            steps = tuple(source for source, _ in remarks[:last])
            wrong = tuple(value for _, value in remarks[:last])
            expectation = Expectation(Failure.PRINTS, wrong=wrong, right=self._right_near(part))
            self._add(Form.SESSION, "\n".join((*context, *steps)), _behind(context, expectation), (*context, *steps))
            return
        unsure = part.language == UNFENCED or self._is_guessed(context)
        if expectation is None or (expectation == _ANYTHING and unsure):
            return
        steps = python.statements(code) if expectation.failure is Failure.PRINTS else ()
        if steps and not tests:  # a cell of a notebook: what it shows is the value of its last line
            expectation = replace(expectation, wrong=(*("",) * (len(steps) - 1), *expectation.wrong))
            self._add(Form.SESSION, whole, _behind(context, expectation), (*context, *steps))
            return
        self._add(Form.TESTS if tests else Form.SCRIPT, whole, expectation)

    def _leave_out(self, what: str, rest: str, at: int) -> None:
        if traces.is_trace(rest) or any(traces.is_trace(part.text) for part in self._following(at)):
            self._unread.append(what)

    def _expectation(self, at: int, code: str, rest: str, part: Piece) -> Expectation | None:
        outputs = [Piece(True, rest, lead="output")] if rest.strip() else []
        outputs += self._following(at)
        for output in outputs:
            told = traces.raised(output.text) if traces.is_trace(output.text) or leads.is_line(output.text) else None
            if told and not told.name.endswith("Warning"):
                return Expectation(Failure.RAISES, told.name, _message(told.message))
        if FAILS_ALWAYS.search(code):
            return None
        for output in outputs:
            if warning := traces.warned(output.text):
                return Expectation(Failure.WARNS, warning.name, _message(warning.message))
        near = f"{part.heading}\n{self._near(part)}"
        if _HANGS.search(f"{self._title}\n{near}"):
            return Expectation(Failure.HANGS)
        if found := _COMMENT.search(code):
            return Expectation(Failure.MISSES if found["right"] else Failure.RAISES, found["name"])
        compared = [output for output in outputs if leads.is_output(output)]
        wrong = [leads.without_remarks(output.text) for output in compared if not leads.is_expected(output)]
        right = [leads.without_remarks(output.text) for output in compared if leads.is_expected(output)]
        wished = said.commented_right(code) or self._right_near(part)
        former = [output for output in outputs for other in outputs if leads.is_older(output, other)]
        if wrong and former:
            now = [output.text for output in outputs if output not in former and leads.is_output(output)]
            return Expectation(Failure.PRINTS, wrong=tuple(now[:1]), right=former[0].text)
        if wrong:
            return Expectation(Failure.PRINTS, wrong=(wrong[0],), right=right[0] if right else wished)
        if (comes := said.ticked_wrong(near)) and python.shows(code):
            return Expectation(Failure.PRINTS, wrong=(comes,), right=wished)
        if named := self._told_in_prose(near):
            return named
        only = said.wished(near, self._project.names)
        if only and python.shows(code) and not _FAILS.search(f"{self._title}\n{near}"):
            return Expectation(Failure.PRINTS, right=only)
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
            if not traces.is_trace(part.text) and part.language in leads.PYTHON and not leads.is_value(part):
                tree = python.tree_of(python.readable(part.text))
                if tree and (python.does_something(tree) or python.defined(tree)):
                    break
            found.append(part)
        return found

    def _prose_after(self, at: int) -> str:
        following = self._parts[at + 1 : at + 2]
        return following[0].text[:300] if following and not following[0].code else ""

    # Commands

    def _given(self, at: int, line: str) -> None:
        """A script on the command line."""
        words = _shell_words(line)
        if len(words) == 3 and words[0] in ("python", "python3") and words[1] == "-c":
            self._script(at, replace(self._parts[at], text=words[2], language="python"))

    def _commands(self) -> set[int]:
        """The numbers of the pieces that are files, or what comes, of commands that were made into reproductions."""
        named = commands.files(self._parts)
        used: set[int] = set()
        for line in self._lines(named):
            shown = [(at, self._parts[at]) for at in self._outputs(line.at, named)]
            text = self._parts[line.at].text if self._parts[line.at].code else ""
            actual = [text.partition("\n")[2], *(part.text for _, part in shown if not leads.is_expected(part))]
            around = (*self._parts[line.at :], *self._parts[: line.at])
            expected = [part.text for part in around if part.code and leads.is_expected(part)]
            expectation = self._complaint("\n".join(actual), expected[0] if expected else "")
            written = self._written(line, named, actual) if expectation else None
            if expectation and written:
                words, files, block = written
                made = len(self._made)
                self._add(Form.COMMAND, shlex.join(words), expectation, words, files)
                if len(self._made) > made:
                    used |= {*named, *block, line.at, *(at for at, _ in shown)}
        return used

    def _lines(self, named: Mapping[int, tuple[str, str]]) -> list[commands.Line]:
        """The project's commands; where there is none, its main one for the file of which an output speaks."""
        found = list(islice(commands.lines(self._parts, self._project.commands, self._project.packages), MOST))
        if found or self._project.package not in self._project.commands:
            return found
        for at, part in enumerate(self._parts):
            name = commands.spoken_of(part.text) if part.code and not traces.is_trace(part.text) else ""
            if name and commands.messages(part.text) and at and self._code_blocks(named):
                return [commands.Line((self._project.package, name), at - 1)]
        return []

    def _outputs(self, at: int, named: Collection[int]) -> list[int]:
        """The pieces of code below, up to the next file or command."""
        found: list[int] = []
        for later in range(at + 1, len(self._parts)):
            part = self._parts[later]
            if later in named or any(commands.lines([part], self._project.commands, self._project.packages)):
                break
            if part.code:
                found.append(later)
        return found[:3]

    def _code_blocks(self, named: Collection[int]) -> list[int]:
        blocks = commands.unnamed(self._parts, named)
        return [at for at in blocks if leads.is_python(self._parts[at]) and not leads.is_expected(self._parts[at])]

    def _written(
        self, line: commands.Line, named: Mapping[int, tuple[str, str]], actual: Sequence[str]
    ) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...], set[int]] | None:
        """The command, its files, and the blocks that they come from; `None` where a file is not shown."""
        files = dict(named.values())
        output = "\n".join(actual)
        wanted = [word for word in line.words[1:] if re.fullmatch(r"(?:[\w.-]+/)*[\w-]+\.py", word)]
        missing = [word for word in wanted if word not in files]
        blocks = [at for at in self._code_blocks(named) if at != line.at]
        spoken = commands.spoken_of("\n".join(part.text for part in self._parts if part.code))
        if not wanted and len(blocks) == 1 and spoken and spoken not in files and not files:
            missing, line = [spoken], replace(line, words=(*line.words, spoken))
        if len(missing) == 1 and len(blocks) == 1:
            files[missing[0]] = f"{self._parts[blocks[0]].text}\n"
            return line.words, tuple(files.items()), set(blocks)
        if any(word in output for word in missing) or not commands.holds(output, files):
            return None
        files.update(dict.fromkeys(missing, ""))
        return line.words, tuple(files.items()), set()

    def _complaint(self, actual: str, expected: str) -> Expectation | None:
        """What a command says wrongly, and what it should say."""
        if traces.is_trace(actual) and (told := traces.raised(actual)):
            return Expectation(Failure.RAISES, told.name, _message(told.message))
        wrong = commands.messages(actual)
        if expected:
            right = commands.messages(expected)
            gone = tuple(line for line in wrong if line not in right)
            come = "\n".join(line for line in right if line not in wrong)
            if come:
                return Expectation(Failure.PRINTS, wrong=gone, right=come)
            return Expectation(Failure.WARNS, wrong=gone) if right and gone else None
        if not wrong:
            return None
        about = [line for line in wrong if any(word in line for word in _named_words(self._prose))]
        silent = _SILENT.search(self._prose)
        return Expectation(Failure.WARNS if silent else Failure.PRINTS, wrong=tuple(about) or wrong)

    # What all have in common

    def _context(self, code: str, *, going_on: bool = False) -> tuple[str, ...] | None:
        """Earlier examples, and imports, that define what the code lacks; `None` where something stays undefined.

        going_on: at the same prompt as before, where what was done earlier counts as well.
        """
        chosen: list[str] = []
        missing = set(self._lacks(code))
        for earlier in reversed(self._before):
            tree = python.tree_of(earlier)
            gives = python.defined(tree) if tree else frozenset()
            if missing & gives:
                imports = "" if going_on else python.imports_of(earlier, missing & gives)
                needed = imports or earlier
                chosen.insert(0, needed)
                missing = (missing - gives) | (self._lacks(needed) - gives)
        offered = (missing & self._project.names) - self._project.packages
        lines = python.import_lines(missing - offered, self._project.packages)
        known = {name for line in lines if (tree := python.tree_of(line)) for name in python.defined(tree)} | offered
        if offered:
            lines = (f"from {self._project.package} import *", *lines)
        if left := missing - known:
            lines = (*lines, *self._project.bringing(left))
            known |= left if self._project.bringing(left) else set()
        return None if missing - known else (*lines, *chosen)

    def _is_guessed(self, context: Collection[str]) -> bool:
        """Whether names were looked for in the project's modules: then not every failure is the one of the report."""
        return any(f"from {module} import " in line for line in context for module in self._project.modules)

    def _lacks(self, code: str) -> frozenset[str]:
        return python.lacks(code, self._project.offered)

    def _add(
        self,
        form: Form,
        code: str,
        expectation: Expectation,
        steps: tuple[str, ...] = (),
        files: tuple[tuple[str, str], ...] = (),
    ) -> None:
        tree = python.tree_of(code) if form is not Form.COMMAND else None
        if tree and not self._is_about_it(form, tree):
            self._foreign |= {name for name in python.imports(tree) if not python.is_standard(name)}
            return
        if len(self._made) == MOST or any(code == made.code for made in self._made):
            return
        number = len(self._made) + 1
        where = f"the {_ORDINALS[number - 1]} example"
        self._made.append(Reproduction(f"reproduction_{number}", form, code, expectation, where, steps, files))

    def _is_about_it(self, form: Form, tree: ast.Module) -> bool:
        """Whether the project takes part in it: by an import of one of its packages, as far as these are known."""
        own = self._project.packages
        return not own or bool(python.imports(tree) & own) or (form is Form.TESTS and "pytest" in own)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def _message(message: str) -> tuple[str, ...]:
    return (message,) if message else ()


def _behind(context: Sequence[str], expectation: Expectation) -> Expectation:
    """With nothing expected of the statements that were put in front."""
    right = "" if _is_drawn(expectation.right) else expectation.right
    others = right or any(text and not _is_drawn(text) for text in expectation.wrong)
    wrong = tuple("" if others and _is_drawn(text) else text for text in expectation.wrong)
    return replace(expectation, wrong=(*("",) * len(context), *wrong) if any(wrong) else (), right=right)


def _shape(value: str) -> str:
    """How a value begins: its class and bracket, its quotation mark, or that it is a number."""
    found = re.match(r"[A-Za-z_]\w{0,60}[(\[]|[(\[{'\"<]|-?\d", value.lstrip())
    return re.sub(r"-?\d", "0", found[0]) if found else ""


def _is_drawn(text: str) -> bool:
    """Whether a value is set with mathematical signs, as a terminal or a notebook shows it and Python does not."""
    return any(unicodedata.category(sign) in ("Sm", "So") for sign in text if not sign.isascii())


def _bare(name: str) -> str:
    return name.rpartition(".")[2]


def _functions(tree: ast.Module) -> list[ast.AST]:
    return [inner for node in tree.body for inner in (node, *(node.body if isinstance(node, ast.ClassDef) else ()))]


def _command_line(text: str) -> str:
    """The one command that a block shows, at a prompt or alone."""
    lines = [line for line in text.split("\n") if line.strip()]
    prompted = [line.lstrip()[2:] for line in lines if re.match(r"\s*[$%] \S", line)]
    if len(prompted) == 1:
        return prompted[0].strip()
    return lines[0].strip() if len(lines) == 1 and re.match(r"python3? -|[\w-]+ -", lines[0].strip()) else ""


def _shell_words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:
        return []


def _named_words(prose: str) -> list[str]:
    """What prose sets as code and looks like a message's name or a file's."""
    return [found[1] for found in re.finditer(r"`([\w./-]{4,60})`", prose) if re.search(r"[-./]", found[1])][:20]
