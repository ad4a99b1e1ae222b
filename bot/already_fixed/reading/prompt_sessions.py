"""What was typed at a prompt, and what it gave: Python's own prompt and IPython's. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.already_fixed.reading.python import does_something, imports, readable, tree_of
from bot.already_fixed.reading.wording import pattern

_BEGINS = re.compile(r"^\s{0,20}(?:>>>(?: (.*)|)|In ?\[\d{0,6}\] ?: ?(?P<cell>.*))$")
_GOES_ON = re.compile(r"^\s{0,20}(?:\.\.\.(?: (.*)|)|\.{3,}: ?(.*))$")
_OUT = re.compile(r"^\s{0,20}Out ?\[\d{0,6}\] ?: ?(.*)$")
_BELOW = " " * 8  # IPython's cells as they look when copied: no prompt below the first line
_REMARK = re.compile(
    r"\s(?:<-{2,4}|<-(?=[ ][a-z])|[ ]#|#(?=[^\n#]{0,60}\b(?i:wrong|bug|oops|should|expected|correct|right|good)\b))"
    r"[ ]?([^\n]{1,200})$",
    re.M,
)
_WRONG = pattern("wrong_remark")
_SENTENCE = re.compile(r"^[A-Z][a-z']*(?: [\w'`.()-]+,?){5,}")
_SAYS = pattern("says")
_ANSWER = re.compile(r"^\s{0,20}>{1,3} (\S.*)$")
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class PromptStep:
    """One statement as typed, and what stands below it. wrong: whether a remark beside either says that it is.

    prose: sentences below it.
    """

    source: str
    gave: str
    wrong: bool = False
    prose: str = ""


def is_session(text: str) -> bool:
    """Whether there is a prompt in it."""
    return any(map(_BEGINS.match, text.split("\n")))


def steps(text: str) -> tuple[PromptStep, ...]:
    """The steps up to the first that cannot be read; magic commands are left out."""
    found: list[PromptStep] = list(_first(text))
    for typed, gave in _typed(text.split("\n")):
        source = "\n".join(typed).strip("\n")
        remark = source.lstrip().startswith("#") and "\n" not in source
        magic = source.lstrip().startswith(("%", "!", "?")) or source.rstrip().endswith("?")
        if not source.strip() or remark or magic:
            continue
        output, prose = _printed(gave)
        remarks = [*_REMARK.finditer(source), *_REMARK.finditer(output)]
        code = readable(_REMARK.sub("", source).rstrip()) or readable(source)
        if not code or len(found) == MOST_STEPS:
            break
        wrong = any(_WRONG.search(remark[1]) for remark in remarks)
        found.append(PromptStep(code, _REMARK.sub("", output) if wrong else output, wrong, prose))
    return tuple(found)


def only_typed(text: str) -> str:
    """What is typed in a session that shows nothing else; empty where anything comes, or cannot be read."""
    typed = [*_typed(text.split("\n"))]
    read = steps(text)
    shows = any(line.strip() for _, gave in typed for line in gave) or len(read) < len(typed)
    return "" if shows or any(step.wrong for step in read) else "\n".join(step.source for step in read)


def answered(text: str) -> str:
    """A block in which a prompt stands before what comes and not before what is typed, as code with the outputs as
    comments; empty where it is none."""
    lines = text.split("\n")
    typed = [line for line in lines if line.strip() and not _ANSWER.match(line)]
    given = [found for line in lines if (found := _ANSWER.match(line))]
    if not typed or not given or _ANSWER.match(next(line for line in lines if line.strip())):
        return ""
    code = "\n".join(f"# -> {found[1]}" if (found := _ANSWER.match(line)) else line for line in lines)
    return code if readable(code) else ""


def _first(text: str) -> Iterator[PromptStep]:
    """What stands above the first prompt, where it is code that does something."""
    lines = text.split("\n")
    above = next((at for at, line in enumerate(lines) if _BEGINS.match(line)), 0)
    code = readable("\n".join(lines[:above]))
    tree = tree_of(code)
    if tree and (does_something(tree) or imports(tree)):
        yield PromptStep(code, "")


def _printed(gave: list[str]) -> tuple[str, str]:
    """What was printed, and the sentences that people go on with below it."""
    for at, line in enumerate(gave):
        goes_on = _SENTENCE.match(line) and not line.startswith(("During handling", "The above exception"))
        if at and (goes_on or (not gave[at - 1].strip() and _SAYS.match(line))):
            return "\n".join(gave[:at]).strip("\n"), "\n".join(gave[at:])
    return "\n".join(gave).strip("\n"), ""


def _typed(lines: list[str]) -> Iterator[tuple[list[str], list[str]]]:
    typed: list[str] = []
    gave: list[str] = []
    notebook = False
    for line in lines:
        if first := _BEGINS.match(line):
            if typed:
                yield typed, gave
            typed, gave, notebook = [first[1] or first["cell"] or ""], [], first["cell"] is not None
        elif typed and not gave and (more := _GOES_ON.match(line)):
            typed.append(more[1] or more[2] or "")
        elif typed and not gave and notebook and line.startswith(_BELOW) and line[8:9].strip():
            typed.append(line[8:])
        elif typed and (out := _OUT.match(line)):
            gave.append(out[1])
        elif typed:
            gave.append(line)
    if typed:
        yield typed, gave
