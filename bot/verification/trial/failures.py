"""How a test fails, read from what pytest says of it: in its own assertion, in what it calls, or for want of a name."""

import ast
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

from bot.verification.patch_evidence import Red
from bot.verification.syntax import tree_of
from bot.verification.values import TestResult

_WHERE = re.compile(r"^(\S[^:\n]*\.py):(\d{1,7}): ", re.M)
_SAYS = re.compile(r"^E {1,7}(?=\S)(.*)", re.M)
_OWN = re.compile(r"assert\b|AssertionError\b|(?:_pytest\.outcomes\.)?Failed: ")
_MISSING = (
    r"ImportError: cannot import name '(\w+)'",
    r"ModuleNotFoundError: No module named '(?:[\w.]*\.)?(\w+)'",
    r"AttributeError: .*has no attribute '(\w+)'",
    r"AttributeError: (\w+)$",
    r"NameError: name '(\w+)' is not defined",
    r"TypeError: .*unexpected keyword argument '(\w+)'",
    r"TypeError: '(\w+)' is an invalid keyword argument",
    r"fixture '(\w+)' not found",
)
# Other arguments than it takes: which one is new, nothing says, and the name of what is called is no news.
_ARGUMENTS = re.compile(r"TypeError: (?:\S+\(\) (?:takes|missing) |\S+ expected (?:at (?:most|least) )?\d+ argument)")
_OF_PYTHON = re.compile(r"ImportError: cannot import name '(\w+)' from '(\w+)'")
_BROKEN = ("ImportError while", "ERROR collecting", "SyntaxError")


_READ = 4_000  # characters of a message, its end


@dataclass(frozen=True, slots=True)
class RedFailure:
    """red: how. missing: the name that is not there, where one is told. within: it raised inside one of the changed
    files. said: the first line of what it says, a stranger's. line: of the test's own file; 0 where none is told."""

    red: Red
    missing: str = ""
    within: bool = False
    said: str = ""
    line: int = 0


_NOT_THERE = (
    r"(\w+)\)? is not a function",
    r"does not provide an export named '(\w+)'",
    r"Cannot find module '(?:[^'\n]{0,300}/)?(\w+)(?:\.\w+)?'",
    r"(\w+) is not defined",
    r"undefined: (?:\w+\.)?(\w+)",
    r"unresolved import `(?:\w+::)*(\w+)`",
    r"cannot find (?:function|value|type|module)[^`\n]{0,40}`(\w+)`",
    r"no (?:[a-z]{1,12} ){1,6}`(\w+)` (?:found|on type)",
    r"has no field or method (\w+)",
    r"unknown field (\w+) in struct",
    r"has no exported member (?:named )?'(\w+)'",
    r"Property '(\w+)' does not exist",
    r"Failed to resolve import \"(?:[^\"\n]{0,300}/)?(\w+)(?:\.\w+)?\"",
)
_NO_SUCH = re.compile(
    r"Cannot find module|is not a function|does not provide an export|is not defined|undefined: |unresolved import|"
    r"cannot find (?:function|value|type|module)|no required module|SyntaxError|build failed|could not compile|"
    r"has no field or method|unknown field \w+ in struct|(?:too many|not enough) arguments in call|"
    r"no (?:[a-z]{1,12} ){1,6}`\w+` (?:found|on type)|has no exported member|Property '\w+' does not exist|"
    r"Failed to resolve import|No test suite found|Test suite failed to run|Expected \d+ arguments, but got"
)


def failure_of_command(result: TestResult) -> RedFailure:
    """What a failing command says: whether something is not there, or something is otherwise than it should be."""
    said = result.message.strip().partition("\n")[0]
    if not _NO_SUCH.search(result.message):
        return RedFailure(Red.ASSERTION, said=said)
    return RedFailure(Red.MISSING, _first(_NOT_THERE, result.message), said=said)


def failure_of(result: TestResult, changed: Callable[[str], bool]) -> RedFailure:
    """What a failing test says of why. changed: whether a file belongs to the product that the change touches."""
    text = result.message
    found = _WHERE.findall(text)
    places = [path for path, _ in found]
    says = next(iter(_SAYS.findall(text)), text.strip().partition("\n")[0])
    within = any(map(changed, places))
    at_home = not places or not changed(places[-1])  # else what it calls asserts something of its own
    if at_home and _OWN.match(says):
        return RedFailure(Red.ASSERTION, said=says)
    missing = _first(_MISSING, text)
    lacks = bool(missing) or bool(_ARGUMENTS.search(text))
    if (lacks and not within) or "::" not in result.name or any(each in text for each in _BROKEN):
        return RedFailure(Red.MISSING, missing, within=False, said=says)
    line = next((int(line) for path, line in found if path == result.name.partition("::")[0]), 0)
    return RedFailure(Red.ERROR, within=within, said=says, line=line)


def newer_name(result: TestResult) -> str:
    """The name of Python's own library that a failing test's own file wants and this Python has not yet; empty without
    one. What the product wants, it has to have wherever its tests run."""
    found, places = _OF_PYTHON.search(result.message), _WHERE.findall(result.message)
    itself = bool(places) and places[-1][0] == result.name.partition("::")[0]
    return f"{found[2]}.{found[1]}" if found and itself and found[2] in sys.stdlib_module_names else ""


def asserts(failure: RedFailure, source: bytes) -> bool:
    """Whether it fails by an assertion of its own, rather than for what it lacks or what breaks elsewhere. source: the
    test's own file."""
    return failure.red is Red.ASSERTION or (failure.line > 0 and awaits(source, failure.line))


_COMPLAINT = re.compile(r"\b\w{1,60}(?:[Ee]rror|Exception|Warning|Exit)\b: (?!\s)[^\n]{10,300}")


def complaints(message: str) -> frozenset[str]:
    """What a failing test says was raised, numbers and places apart; what it asserts itself is none."""
    said = (found[0] for found in _COMPLAINT.finditer(message[-_READ:]))
    return frozenset(re.sub(r"\d+|/\S+", "", each) for each in said if not each.startswith("AssertionError"))


def awaits(source: bytes, line: int) -> bool:
    """Whether the line of a test stands where an exception is expected: then it asserts against any other."""
    return any(
        isinstance(node, ast.With) and node.lineno < line <= (node.end_lineno or 0) and any(map(_raises, node.items))
        for node in ast.walk(tree_of(source))
    )


def _raises(item: ast.withitem) -> bool:
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else None
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name in ("raises", "assertRaises", "assertRaisesRegex")


def _first(patterns: tuple[str, ...], text: str) -> str:
    """The name that the first of the patterns finds."""
    return next((found[1] for each in patterns if (found := re.search(each, text, re.M))), "")
