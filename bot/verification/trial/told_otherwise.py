"""Product code that asks whether it is being tested, told otherwise: do the change's own tests still pass?"""

import ast
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from bot.changes.risks.tested import asks_whether_tested, names_a_test_tool
from bot.verification.functions import parsed
from bot.verification.programs import content
from bot.verification.strength.changed import changed_lines
from bot.verification.trial.judges import file_of
from bot.verification.trial.red import asserts, failure_of
from bot.verification.values import Program, TestResult, TestRun

Run = Callable[[Program, bool], TestRun]  # its own tests on this program; whether in the opposite order

MOST = 20  # questions of one file
LONGEST = 1_000  # bytes of a line that is looked at

_Question = ast.Compare | ast.Call | ast.Subscript


def only_when_tested(
    names: frozenset[str], base: Program, head: Program, product: frozenset[str], asked: str, run: Run
) -> tuple[TestResult, ...]:
    """Those of these tests, green on the head, that fail in what they assert, or in the changed files, once the code
    that the change brings is told that nobody tests it.

    product: the changed files of the product. asked: the specification by others; where it speaks of a tool for tests,
    the code may well have to ask, and nothing is told. Nobody knows which answer means what, so all questions are
    answered with yes, and all with no: a test that fails by either stands on the answer.
    """
    if names_a_test_tool(asked):
        return ()
    lines = {path: at for path, at in changed_lines(head, base).items() if path in product}
    found: dict[str, TestResult] = {}
    for answer in (False, True):
        files = _answered(head, lines, answer)
        if files:
            program = Program(head.tree, {**head.files, **files})
            first = _failing(run(program, False), names, head, product)
            again = _failing(run(program, True), names, head, product) if first else {}
            found |= {name: first[name] for name in first.keys() & again.keys()}
    return tuple(found[name] for name in sorted(found))


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
    asking = frozenset(at for at in looked_at if asks_whether_tested(_text(texts[at - 1])))
    questions = list(islice(_questions(parsed(source), asking, texts), MOST)) if asking else []
    for node in _innermost(questions):
        line, end = texts[node.lineno - 1], node.end_col_offset or 0
        texts[node.lineno - 1] = line[: node.col_offset] + b"(%r)" % answer + line[end:]
    return b"".join(texts)


def _questions(module: ast.Module, asking: frozenset[int], texts: list[bytes]) -> Iterator[_Question]:
    for node in ast.walk(module):
        if isinstance(node, _Question) and node.lineno == node.end_lineno and node.lineno in asking:
            written = isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
            if not written and asks_whether_tested(
                _text(texts[node.lineno - 1][node.col_offset : node.end_col_offset])
            ):
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


def _text(line: bytes) -> str:
    return line.decode(errors="replace")
