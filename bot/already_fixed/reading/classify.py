"""What a piece of a report is: code, an output, what should come, something else. Pure.

The words that lead to a piece decide, the nearest first; of code, whether it does anything.
"""

import ast
import re

from bot.already_fixed.reading import prompt_sessions, python, tracebacks
from bot.already_fixed.reading.blocks import UNFENCED, ReportBlock
from bot.already_fixed.reading.wording import pattern

NAMED = frozenset({"python", "py", "python3", "py3"})
PYTHON = NAMED | {"", UNFENCED, "python2", "pycon", "ipython", "ipython3", "jupyter", "text", "pytb"}
PROMPTS = ("$ ", "% ")  # of a shell
_PROGRAM = re.compile(r"^package main\b|\brequire\(\s{0,9}['\"`]|^import\b(?:[^'\";]{1,200}\bfrom)?\s{0,9}['\"]", re.M)
_SKIP, _EXPECTED, _NOT, _ACTUAL, _OUTCOME = map(pattern, ("aside", "expected", "not_expected", "actual", "outcome"))
_END = re.compile(r"(?<=[.!?;])[\"')]*\s+(?=\S)|(?<=[`)\]])[ \t]*\n[ \t]*(?=[A-Z])")
_SAYS_ALL = pattern("says_all")
_CODE = re.compile(r"^(?:import \w|from [\w.]+ import |def \w+\(|class \w+[(:])", re.M)
_FINE, _YET, _FINE_SO = map(pattern, ("fine", "yet", "fine_so"))
_STILL_FAILS, _SHOULD_FAIL, _RESULT = map(pattern, ("still_fails", "should_fail", "result"))
_LED_BY = re.compile(r"(?<![\w.])(?:v\.?)?(\d{1,4}(?:\.\d{1,6}){1,3})(?![\w])")


def is_aside(part: ReportBlock) -> bool:
    """Whether it is led to as something else than what goes wrong: a way around, a proposal, versions."""
    return bool(_SKIP.search(part.lead[-150:]) or _SKIP.search(part.heading))


def is_expected(part: ReportBlock) -> bool:
    """Whether it is what should be: the words nearest to it decide."""
    near = leading(part)[-150:]
    expected, negated = _expected(near)
    actual = [*negated, *(found.end() for found in _ACTUAL.finditer(near))]
    if expected or actual:
        return bool(expected) and expected[-1] >= max(actual, default=-1)
    heading = part.heading.lower()
    return _is_headed_expected(part) and not any(word in heading for word in ("actual", "observed", "current"))


def _is_headed_expected(part: ReportBlock) -> bool:
    expected, negated = _expected(part.heading)
    return bool(expected) and not negated


def _expected(text: str) -> tuple[list[int], list[int]]:
    """Where words end that say that something is expected, and where words end that say that it is not."""
    expected: list[int] = []
    negated: list[int] = []
    for found in _EXPECTED.finditer(text):
        (negated if _is_negated(text, found.start()) else expected).append(found.end())
    return expected, negated


def _is_negated(text: str, at: int) -> bool:
    return bool(_NOT.search(text[max(0, at - 60) : at]))


def leading(part: ReportBlock) -> str:
    """The sentence that leads to it; empty where the last one before it says all that it has to say."""
    last = sentences(part.lead)[-1]
    return "" if _SAYS_ALL.search(last) else last


def sentences(text: str) -> list[str]:
    return _END.split(text)


def is_fine(part: ReportBlock, behind: str) -> bool:
    """Whether the words around it say that what it shows is as it should be. behind: what stands below it."""
    near = leading(part)
    fine = (_FINE.search(near) and not _YET.search(near)) or _STILL_FAILS.search(near)
    return bool(fine or _FINE_SO.match(behind))


def should_fail(part: ReportBlock) -> bool:
    """Whether it is led to as what should raise."""
    near = leading(part)
    if found := _SHOULD_FAIL.search(near):
        return not _is_negated(near, found.start())
    return _is_headed_expected(part) and not _ACTUAL.search(f"{part.heading} {near}")


def is_older(one: ReportBlock, other: ReportBlock) -> bool:
    """Whether both are led to by versions, and the one's is the older."""
    mine, yours = (_LED_BY.findall(part.lead[-150:]) for part in (one, other))
    if not mine or not yours:
        return False
    return [int(number) for number in mine[-1].split(".")] < [int(number) for number in yours[-1].split(".")]


def is_session(part: ReportBlock) -> bool:
    return prompt_sessions.is_session(part.text) and not prompt_sessions.answered(part.text)


def shows_code(part: ReportBlock) -> bool:
    if not part.code or prompt_sessions.is_session(part.text) or is_program(part):
        return part.code
    tree = python.tree_of(python.readable(part.text)) if part.language in PYTHON else None
    return tree is not None and python.does_something(tree) and not is_value(part)


def is_program(part: ReportBlock) -> bool:
    """Whether it is a whole program for Node or Go."""
    return part.language not in NAMED and bool(_PROGRAM.search(part.text))


def is_python(part: ReportBlock) -> bool:
    code = python.readable(part.text)
    tree = python.tree_of(code)
    return tree is not None and (part.language in NAMED or python.does_something(tree) or bool(python.defined(code)))


def looks_like_code(part: ReportBlock) -> bool:
    """Whether a text that does not parse is meant as Python."""
    return part.language in NAMED or (part.language in PYTHON and bool(_CODE.search(part.text)))


def is_output(part: ReportBlock) -> bool:
    """Short enough to be compared, and led to as an output."""
    led = _ACTUAL.search(part.lead[-150:]) or _ACTUAL.search(part.heading) or _OUTCOME.search(part.heading)
    led = led or _EXPECTED.search(f"{part.heading} {part.lead}")
    changes = part.language in ("diff", "patch") or part.text.startswith(("--- ", "diff --git "))
    return len(part.text) < 5000 and bool(led) and not changes and tracebacks.trace_starts(part.text) is None


def is_value(part: ReportBlock) -> bool:
    """Whether it is a value that reads like code, such as `Half(1)`, and is led to as what comes or should come."""
    tree = python.tree_of(python.leading(part.text)[0])
    if tree is None or not tree.body or not all(isinstance(node, ast.Expr) for node in tree.body):
        return False
    if len(tree.body) > 1 and any(map(python.is_action, tree.body)):
        return False
    return bool(_RESULT.search(part.lead[-60:]) or _RESULT.search(part.heading))


def without_remarks(text: str) -> str:
    """Without comments in lines of their own above or below values that read like code."""
    return re.sub(r"^#[^\n]*\n|\n#[^\n]*$", "", text) if python.readable(text) else text
