"""A reproduction as one file: run by hand its exit status tells, under pytest its one test. Pure."""

import ast
import json
import shlex
from collections.abc import Mapping
from dataclasses import asdict

from bot.already_fixed.values import Failure, Form, Reproduction
from bot.sandbox.scripts import script
from bot.verification.syntax import parse

PROMPT = "$ "  # before a line that is for a shell
SECONDS = 10.0  # that one reproduction may take

_LONGEST = 200  # characters of what came
_FOOT = """

PLAN = {plan}


def test_reproduction():
    check(PLAN)


if __name__ == "__main__":
    main(PLAN)
"""


def runnable(
    reproduction: Reproduction,
    seconds: float = SECONDS,
    *,
    twice: bool = True,
    python: tuple[str, ...] = (),
    variables: Mapping[str, str] | None = None,
) -> str:
    """The whole file. What comes from strangers stands in it as one literal; it needs no package.

    seconds: for one run. twice: run it again with other hashes, to see whether it agrees with itself. python: the
    interpreter for the program, with these variables; where there is none, the one that runs the file.
    """
    given = asdict(reproduction)
    plan = {key: given[key] for key in ("form", "code", "steps", "files", "expectation")}
    plan |= {"seconds": seconds, "twice": twice, "python": python, "variables": dict(variables or {})}
    # As JSON and back: enumerations and tuples become what a literal can say.
    return script(f"{__package__}.in_sandbox", "reproduce") + _FOOT.format(plan=ascii(json.loads(json.dumps(plan))))


def shown(reproduction: Reproduction) -> str:
    """For people: the code alone, with a comment on what it shows where the report holds."""
    prompt = reproduction.steps and reproduction.form == "session"
    typed = (">>> " + step.replace("\n", "\n... ") for step in reproduction.steps)
    code = "\n".join(typed) if prompt else _line(reproduction)
    files = "".join(f"# {name}\n{text}\n" for name, text in reproduction.files)
    return f"# While the bug exists, it {failure_of(reproduction)}.\n{files}{code}\n"


def script_to_paste(one: Reproduction, whose: str = "", came: str = "") -> str:
    """As a file, which shows what a prompt would, or as a line for a shell; above it what the report says of it, and
    what came."""
    echoed = one.form is Form.SESSION and one.expectation.failure is Failure.PRINTS
    lines = [_echoed(step) for step in one.steps] if echoed else [one.code]
    if one.form in (Form.COMMAND, Form.PROGRAM):
        files = (line for name, text in one.files for line in (f"{name}:", *text.splitlines()))
        lines = [*(f"# {line}" for line in files), f"{PROMPT}{_line(one)}"]
    remarks = [f"# {whose}While the bug exists, it {failure_of(one)}."]
    remarks += [f"# At this head it gave: {came.strip()[:_LONGEST]!a}"] if came.strip() else []
    return "\n".join((*remarks, *(line.rstrip("\n") for line in lines))) + "\n"


def _line(one: Reproduction) -> str:
    """The code, or of a program how it is started: it stands among the files."""
    return shlex.join(one.steps) if one.form is Form.PROGRAM else one.code


def _echoed(statement: str) -> str:
    """A statement as a prompt runs it: of an expression its value is shown."""
    try:
        value = ast.unparse(parse(statement, mode="eval"))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return statement
    return f"print(repr({value}))" if not value.startswith("print(") else statement


def failure_of(reproduction: Reproduction) -> str:
    """What goes wrong by the report, as words that follow "it"."""
    expected = reproduction.expectation
    name = expected.exception or "an exception"
    match expected.failure:
        case Failure.RAISES:
            return f"raises {name}" + (f" where {expected.right!a} should come" if expected.right else "")
        case Failure.MISSES:
            return f"does not raise {name}"
        case Failure.WARNS if expected.wrong:
            return "says what it should not"
        case Failure.WARNS:
            return f"warns with {expected.exception or 'a warning'}"
        case Failure.HANGS:
            return "does not end"
    return "prints what the report shows" + (f", not {expected.right!a}" if expected.right else "")
