"""How a test fails, read from what is said of it: in its own assertion, or otherwise."""

import re
import sys
from collections.abc import Callable

from bot.verification.patch_evidence import Red
from bot.verification.values import TestResult

_WHERE = re.compile(r"^(\S[^:\n]*\.py):(\d{1,7}): ", re.M)
_SAYS = re.compile(r"^E {1,7}(?=\S)(.*)", re.M)
_OWN = re.compile(r"assert\b|AssertionError\b|(?:_pytest\.outcomes\.)?Failed: ")
_OF_PYTHON = re.compile(r"ImportError: cannot import name '(\w+)' from '(\w+)'")
_READ = 4_000  # characters of a message, its end
_NO_SUCH = re.compile(
    r"Cannot find module|is not a function|does not provide an export|is not defined|undefined: |unresolved import|"
    r"cannot find (?:function|value|type|module)|no required module|SyntaxError|build failed|could not compile|"
    r"has no field or method|unknown field \w+ in struct|(?:too many|not enough) arguments in call|"
    r"no (?:[a-z]{1,12} ){1,6}`\w+` (?:found|on type)|has no exported member|Property '\w+' does not exist|"
    r"Failed to resolve import|No test suite found|Test suite failed to run|Expected \d+ arguments, but got"
)


def failure_of_command(result: TestResult) -> Red:
    """How a test of a command fails: for want of something that is not there, or as something is otherwise."""
    return Red.ERROR if _NO_SUCH.search(result.message) else Red.ASSERTION


def failure_of(result: TestResult, changed: Callable[[str], bool]) -> Red:
    """How a test of pytest's fails. changed: whether a file belongs to the product that the change touches."""
    places = [path for path, _ in _WHERE.findall(result.message)]
    at_home = not places or not changed(places[-1])  # else what it calls asserts something of its own
    return Red.ASSERTION if at_home and _OWN.match(gist(result)) else Red.ERROR


def gist(result: TestResult) -> str:
    """The first line of what a failing test says, a stranger's."""
    return next(iter(_SAYS.findall(result.message)), result.message.strip().partition("\n")[0])


def sees_behaviour(result: TestResult, changed: Callable[[str], bool]) -> bool:
    """Whether a test of pytest's fails by an assertion of its own, or within what the change touches, rather than for
    what it lacks or what breaks elsewhere. changed: as for `failure_of`."""
    within = any(changed(path) for path, _ in _WHERE.findall(result.message))
    return failure_of(result, changed) is Red.ASSERTION or ("::" in result.name and within)


def newer_name(result: TestResult) -> str:
    """The name of Python's own library that a failing test's own file wants and this Python has not yet; empty without
    one. What the product wants, it has to have wherever its tests run."""
    found, places = _OF_PYTHON.search(result.message), _WHERE.findall(result.message)
    itself = bool(places) and places[-1][0] == result.name.partition("::")[0]
    return f"{found[2]}.{found[1]}" if found and itself and found[2] in sys.stdlib_module_names else ""


_COMPLAINT = re.compile(r"\b\w{1,60}(?:[Ee]rror|Exception|Warning|Exit)\b: (?!\s)[^\n]{10,300}")


def complaints(message: str) -> frozenset[str]:
    """What a failing test says was raised, numbers and places apart; what it asserts itself is none."""
    said = (found[0] for found in _COMPLAINT.finditer(message[-_READ:]))
    return frozenset(re.sub(r"\d+|/\S+", "", each) for each in said if not each.startswith("AssertionError"))
