"""Product code that asks whether it is being tested, told otherwise: do the change's own tests still pass?"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

from bot.verification.patch_evidence import Turned
from bot.verification.programs import content
from bot.verification.syntax import tree_of
from bot.verification.trial.bodies import Bodies
from bot.verification.trial.failures import asserts, failure_of
from bot.verification.trial.judging_files import Changed, file_of
from bot.verification.values import Program, TestResult, TestRun

MOST = 20  # questions of one file
LONGEST = 1_000  # bytes of a line that is looked at

Run = Callable[[Program, bool], TestRun]  # its own tests on this program; whether in the opposite order

_TOOL = re.compile(r"\b(?:_?pytest|py\.test|unittest|PYTEST_\w+)\b", re.IGNORECASE)
_PLACE = re.compile(r"\b(?:modules|argv|environ|getenv)\b")  # where one looks for it
_SET = re.compile(rf"{_PLACE.pattern}|\b(?:setenv|delenv)\b")


def only_when_tested(
    turned: Iterable[Turned], new: Bodies, head: Program, product: Changed, asked: str, run: Run
) -> tuple[TestResult, ...]:
    """Those tests from red to green that are red again, twice, once the code that the change brings is told that nobody
    tests it: in what they assert, or just as they are without the change.

    new: the head's tests; one that sets itself what the code may ask for is left out. product: what of the change is
    product. asked: the specification by others; where it speaks of a tool for tests, the code may well have to ask, and
    nothing is told. Nobody knows which answer means what, so all questions are answered with no, and then all with yes:
    a test that fails by either stands on the answer.
    """
    counting = [each for each in turned if each.counts]
    said = {each.test: each.message for each in counting if not any(map(_SET.search, new.demands(each.test) or ()))}
    if not said or _TOOL.search(asked):
        return ()
    known = frozenset(line.strip() for before, _ in product.values() for line in (before or b"").splitlines())
    found: dict[str, TestResult] = {}
    for answer in (False, True):
        files = {
            path: told
            for path, (_, after) in product.items()
            if after and path.endswith(".py") and (told := with_answer(after, known, answer)) != after
        }
        if files:
            program = Program(head.tree, {**head.files, **files})
            first = _red(run(program, False), said, head, product)
            again = _red(run(program, True), said, head, product) if first else {}
            found |= {name: first[name] for name in first.keys() & again.keys()}
    return tuple(found[name] for name in sorted(found))


def _red(found: TestRun, said: Mapping[str, str], head: Program, product: Changed) -> dict[str, TestResult]:
    """Of these tests, those that fail by an assertion of their own or with the same words as without the change: what
    breaks in another way may break by what it was told."""
    mine = ((each, failure_of(each, product.__contains__)) for each in found.failing if each.name in said)
    return {
        each.name: each
        for each, failure in mine
        if failure.said == said[each.name] or asserts(failure, content(head, file_of(each.name)) or b"")
    }


def with_answer(source: bytes, known: frozenset[bytes], answer: bool) -> bytes:
    """A file with this answer in the place of every question whether it is tested. Lines keep their numbers. known:
    lines of the base, without the blanks around them; what stands there already is not new."""
    lines = source.splitlines(keepends=True)
    asking = frozenset(
        at
        for at, line in enumerate(lines, 1)
        if len(line) <= LONGEST and _asks(_text(line)) and line.strip() not in known
    )
    questions = list(islice(_questions(tree_of(source), asking, lines), MOST)) if asking else []
    for node in _innermost(questions):
        line, end = lines[node.lineno - 1], node.end_col_offset or 0
        lines[node.lineno - 1] = line[: node.col_offset] + b"(%r)" % answer + line[end:]
    return b"".join(lines)


def _questions(module: ast.Module, asking: frozenset[int], lines: list[bytes]) -> Iterator[ast.expr]:
    """Comparisons, and calls and items that are a condition as they are: what nobody takes for more than yes or no."""
    for node in ast.walk(module):
        for each in _yes_or_no(node):
            here = each.lineno == each.end_lineno and each.lineno in asking
            if here and _asks(_text(lines[each.lineno - 1][each.col_offset : each.end_col_offset])):
                yield each


def _yes_or_no(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Compare):
        yield node
    found = [node.test] if isinstance(node, ast.If | ast.IfExp | ast.While) else []
    while found:
        each = found.pop()
        if isinstance(each, ast.BoolOp):
            found += each.values
        elif isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not):
            found.append(each.operand)
        elif isinstance(each, ast.Call | ast.Subscript):
            yield each


def _innermost(found: list[ast.expr]) -> list[ast.expr]:
    """Those in which no other one stands, from the right to the left."""
    inner = [each for each in found if not any(other is not each and _within(other, each) for other in found)]
    return sorted(inner, key=lambda node: (node.lineno, node.col_offset), reverse=True)


def _within(inner: ast.expr, outer: ast.expr) -> bool:
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
