"""Blocks of Python: as a script, as cells of a notebook, as tests, or as statements whose comments say what comes.

And programs of Node and Go, and commands of the repository, each with what it prints. Whether one can be run nobody
asks here: where it cannot, the base does not behave as the report says.
"""

import ast
import shlex
from collections.abc import Collection, Sequence
from dataclasses import replace

from bot.already_fixed.project import Project
from bot.already_fixed.reading import classify, drafts, prompt_sessions, python, tracebacks
from bot.already_fixed.reading.blocks import UNFENCED, ReportBlock
from bot.already_fixed.reading.drafts import DraftReading, ExampleContext, at_prompt
from bot.already_fixed.reading.expectations import failing, value_in_comment
from bot.already_fixed.reading.expected_value import ShownOutput
from bot.already_fixed.reading.from_commands import of_project, plain_words, report_files
from bot.already_fixed.reading.page import ReportPage, calls_wrong
from bot.already_fixed.values import Expectation, Failure, Form, Reproduction

_STARTERS = frozenset({"python", "python3", "node", "sh", "bash", "perl", "ruby"})


def from_script(page: ReportPage, at: int, part: ReportBlock, context: ExampleContext) -> DraftReading:
    """part: the code to read; the piece at this number, or what a command line there holds."""
    if tracebacks.trace_starts(part.text) == 0 or classify.is_value(part):
        return DraftReading()
    code, rest = python.leading(prompt_sessions.answered(part.text) or part.text)
    tree = python.tree_of(code) if code else None
    if tree is None:
        torn = classify.looks_like_code(part) and page.fails(at)
        return DraftReading(unread="an example that cannot be read" if torn else "")
    tests = bool(python.tests_in(tree))
    runs = python.does_something(tree)
    if not (runs or tests) or page.is_former(at):
        return DraftReading(code=code)
    fails = page.fails(at, rest)
    if runs and not fails:
        code = _with_its_value(page, at, code, tree)
    if page.is_fine(at):
        return DraftReading((), code, drafts.RIGHT if fails else "")
    if classify.is_aside(part) and not tracebacks.is_trace(rest):
        wrong = fails or (calls_wrong(page.beside(at)) and any(map(classify.is_output, page.following(at))))
        return DraftReading((), code, drafts.AROUND if wrong else "")
    held = classify.is_expected(part) and python.asserts(tree)  # what should hold: where it does not, the report holds
    if classify.is_expected(part) and not fails and not held:
        below = page.following(at)
        shows = any(map(classify.is_output, below)) and not page.is_asked(at)
        shows = shows or any(tracebacks.is_trace(shown.text) for shown in below)
        return DraftReading((), code, drafts.EXPECTED if shows else "")
    if python.has_gaps(tree):
        return DraftReading((), code, "an example that leaves something out" if fails else "")
    expectation = drafts.ASSERTED if held and not fails else failing(page, at, code, rest)
    remarks = python.remarked(code) if expectation in (None, drafts.ANYTHING) and (runs or not tests) else ()
    remarked = any(value for _, value in remarks)
    if expectation is None and not remarked:
        return DraftReading((), code, "an example that does not show clearly how it fails" if fails else "")
    before = context.of(code)
    if before is None:
        return DraftReading((), code, drafts.UNDEFINED if fails or remarked or _is_sure(expectation) else "")
    if remarked:
        last = max(number for number, (_, value) in enumerate(remarks, 1) if value)
        shown = ShownOutput(*remarks[last - 1], around=code, names=page.names)
        right = value_in_comment(code, shown) or page.right_near(at, shown)
        sources, values = zip(*remarks[:last], strict=True)
        draft = at_prompt(before, sources, Expectation(Failure.PRINTS, wrong=values, right=right))
    elif expectation == drafts.ANYTHING and (part.language == UNFENCED or context.is_guessed(before)):
        return DraftReading(code=code)
    else:
        assert expectation  # else something is remarked
        draft = _draft(code, before, expectation, tests=tests and not runs)
    return DraftReading((replace(draft, leaves_open=page.leaves_open(at, draft.expectation)),), code)


def _with_its_value(page: ReportPage, at: int, code: str, tree: ast.Module) -> str:
    """The code, which shows at its end what it gave a name, where the prose about it speaks of that."""
    name = python.name_given_last(tree)
    return f"{code}\nprint({name})" if name and f"`{name}`" in page.near(at) else code


def _draft(code: str, before: Sequence[str], expectation: Expectation, *, tests: bool) -> Reproduction:
    raises = expectation.failure is Failure.RAISES and expectation.right and not tracebacks.mentioned(expectation.right)
    compared = expectation.failure is Failure.PRINTS or raises
    cells = python.statements(code) if compared and not tests else ()
    if cells:  # of a notebook: what is shown is the value of the last line
        wrong = (*("",) * (len(cells) - 1), *expectation.wrong) if expectation.wrong else ()
        return at_prompt(before, cells, replace(expectation, wrong=wrong))
    return Reproduction("", Form.TESTS if tests else Form.SCRIPT, "\n".join((*before, code)), expectation, "")


def _is_sure(expectation: Expectation | None) -> bool:
    """Whether the report says how an example fails, and not only what it shows."""
    if expectation is None or expectation == drafts.ANYTHING:
        return False
    return expectation.failure is not Failure.PRINTS or bool(expectation.right)


def from_program(page: ReportPage, at: int, context: ExampleContext) -> DraftReading:
    """What a block gives that is neither Python nor a session of it."""
    part = page.parts[at]
    words, rest = _command(part, context.project)
    if not words and (session := typed_in_node(part.text)):
        part, rest = replace(part, text=session[0]), session[1]
    name = "" if words else _file_name(part, context.project.imported)
    if not (words or name) or page.is_fine(at) or classify.is_aside(part) or classify.is_expected(part):
        return DraftReading()
    files = tuple(report_files(page.parts).values())
    code = shlex.join(words) if words else part.text
    words = words or (("go", "run", name) if name.endswith(".go") else ("node", name))
    expected = failing(page, at, code, rest, shows=not name or _prints(part.text))
    if expected is None or _is_vague(expected, command=not name):
        return DraftReading()
    files += ((name, part.text),) if name else ()
    left = page.leaves_open(at, expected)
    return DraftReading((Reproduction("", Form.PROGRAM, code, expected, "", words, files, leaves_open=left),))


def typed_in_node(text: str) -> tuple[str, str] | None:
    """A session of Node as a program that shows what its prompt does, and what it gave; `None` where it is none."""
    text = text.removeprefix("$ node\n")
    if not text.startswith("> "):
        return None
    code: list[str] = []
    shown: list[str] = []
    for typed in f"\n{text}".split("\n> ")[1:]:
        statement, *below = typed.split("\n")
        while below and below[0].startswith("... "):
            statement += "\n" + below.pop(0)[4:]
        gave = [line for line in below if line.strip()]
        valued = gave[-1:] not in ([], ["undefined"]) and not gave[0].startswith("Uncaught ")
        code.append(f"console.dir({statement.rstrip('; ')})" if valued else statement)
        shown += gave if gave[-1:] != ["undefined"] else gave[:-1]
    return "\n".join(code), "\n".join(shown)


def _is_vague(expected: Expectation, *, command: bool) -> bool:
    """Whether something else may be the same: a server never ends, to a command anything may be missing, and several
    lines that nothing is said of may hold what differs from place to place."""
    alone = expected.failure is Failure.PRINTS and not expected.wrong and "\n" in expected.right.strip()
    return alone or expected.failure is Failure.HANGS or (command and expected == drafts.ANYTHING)


def _prints(code: str) -> bool:
    """Whether it ends with something that it prints, but for brackets and remarks."""
    lines = (line.partition("//")[0] for line in reversed(code.split("\n")))
    last = next((line for line in lines if line.strip(" \t})];")), "")
    return any(word in last for word in ("console.", "process.stdout", "Print"))


def _command(part: ReportBlock, project: Project) -> tuple[tuple[str, ...], str]:
    """The words of the one command that a block shows at a prompt, and what stands below it."""
    line, _, rest = part.text.partition("\n")
    words = plain_words(line[2:]) if line.startswith(classify.PROMPTS) and "\n$ " not in rest else ()
    script = words[1:2] if words[:1] and words[0] in _STARTERS else words[:1]
    own = project.files.intersection(word.removeprefix("./") for word in script) or of_project(words, project)
    return (words, rest) if own else ((), "")


def _file_name(part: ReportBlock, imported: Collection[str]) -> str:
    """What a program would be called as a file; empty where it is none, or uses nothing of the project."""
    own = any(f"{quote}{name}" in part.text for name in (*filter(None, imported), "./", "../") for quote in "'\"`")
    if not own or not classify.is_program(part):
        return ""
    if "package main" in part.text:
        return "reported.go"
    return "reported.mjs" if "\nimport " in f"\n{part.text}" else "reported.cjs"
