"""Product code that asks whether it is being tested, told otherwise: do the change's own tests still pass?"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from bot.verification.functions import parsed
from bot.verification.programs import content
from bot.verification.strength.changed import changed_lines
from bot.verification.trial.judges import file_of
from bot.verification.trial.red import asserts, failure_of
from bot.verification.values import Program, TestResult, TestRun

Run = Callable[[Program, bool], TestRun]  # its own tests on this program; whether in the opposite order

MOST = 20  # questions of one file
LONGEST = 1_000  # bytes of a line that is looked at

_TOOL = re.compile(r"\b(?:_?pytest|py\.test|unittest|PYTEST_\w+)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:modules|argv|environ|getenv)\b")  # where one looks for it
_SET = re.compile(rf"{_PLACE.pattern}|\b(?:setenv|delenv)\b")
_Question = ast.Compare | ast.Call | ast.Subscript


def only_when_tested(
    names: Mapping[str, Iterable[str]], base: Program, head: Program, product: frozenset[str], asked: str, run: Run
) -> tuple[TestResult, ...]:
    """Those of these tests, green on the head, that fail in what they assert, or in the changed files, once the code
    that the change brings is told that nobody tests it.

    names: each with what the test demands; one that sets itself what the code may ask is left out. product: the
    changed files of the product. asked: the specification by others; where it speaks of a tool for tests, the code may
    well have to ask, and nothing is told. Nobody knows which answer means what, so all questions are answered with yes,
    and all with no: a test that fails by either stands on the answer.
    """
    tests = frozenset(name for name, demands in names.items() if not any(map(_SET.search, demands)))
    if not tests or _TOOL.search(asked):
        return ()
    lines = {path: at for path, at in changed_lines(head, base).items() if path in product}
    lines = {path: _new(at, content(base, path) or b"", content(head, path) or b"") for path, at in lines.items()}
    found: dict[str, TestResult] = {}
    for answer in (False, True):
        files = _answered(head, lines, answer)
        if files:
            program = Program(head.tree, {**head.files, **files})
            first = _failing(run(program, False), tests, head, product)
            again = _failing(run(program, True), tests, head, product) if first else {}
            found |= {name: first[name] for name in first.keys() & again.keys()}
    return tuple(found[name] for name in sorted(found))


def _new(lines: frozenset[int], before: bytes, after: bytes) -> frozenset[int]:
    """The lines whose text the base has nowhere in the file: code that was only moved is not new."""
    known, texts = {line.strip() for line in before.splitlines()}, after.splitlines()
    return frozenset(at for at in lines if at <= len(texts) and texts[at - 1].strip() not in known)


def _failing(found: TestRun, names: frozenset[str], head: Program, product: frozenset[str]) -> dict[str, TestResult]:
    mine = ((each, failure_of(each, product.__contains__)) for each in found.failing if each.name in names)
    texts = ((each, failure, content(head, file_of(each.name)) or b"") for each, failure in mine)
    return {each.name: each for each, failure, source in texts if failure.within or asserts(failure, source)}


def _answered(head: Program, lines: Mapping[str, frozenset[int]], answer: bool) -> dict[str, bytes]:
    """The files that ask, with this answer in the place of each question."""
    sources = {path: content(head, path) or b"" for path in lines if path.endswith(".py")}
    told = {path: answered(source, lines[path], answer) for path, source in sources.items()}
    return {path: text for path, text in told.items() if text != sources[path]}


def answered(source: bytes, lines: frozenset[int], answer: bool) -> bytes:
    """A file with this answer in the place of every question on these lines whether it is tested. Lines keep their
    numbers."""
    texts = source.splitlines(keepends=True)
    looked_at = (at for at in lines if at <= len(texts) and len(texts[at - 1]) <= LONGEST)
    asking = frozenset(at for at in looked_at if _asks(_text(texts[at - 1])))
    questions = list(islice(_questions(parsed(source), asking, texts), MOST)) if asking else []
    for node in _innermost(questions):
        line, end = texts[node.lineno - 1], node.end_col_offset or 0
        texts[node.lineno - 1] = line[: node.col_offset] + b"(%r)" % answer + line[end:]
    return b"".join(texts)


def _questions(module: ast.Module, asking: frozenset[int], texts: list[bytes]) -> Iterator[_Question]:
    for node in ast.walk(module):
        if not isinstance(node, _Question) or node.lineno != node.end_lineno or node.lineno not in asking:
            continue
        read = not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
        if read and _asks(_text(texts[node.lineno - 1][node.col_offset : node.end_col_offset])):
            yield node


def _innermost(found: list[_Question]) -> list[_Question]:
    """Those in which no other one stands, from the right to the left."""
    inner = [each for each in found if not any(other is not each and _within(other, each) for other in found)]
    return sorted(inner, key=lambda node: (node.lineno, node.col_offset), reverse=True)


def _within(inner: _Question, outer: _Question) -> bool:
    return (
        inner.lineno == outer.lineno
        and outer.col_offset <= inner.col_offset
        and (inner.end_col_offset or 0) <= (outer.end_col_offset or 0)
    )


def _asks(text: str) -> bool:
    """Whether a line of Python looks for a tool that runs tests among what is loaded or given."""
    return bool(_TOOL.search(text) and _PLACE.search(text))


def _text(line: bytes) -> str:
    return line.decode(errors="replace")
