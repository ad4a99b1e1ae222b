"""How large Bouncer is, and how large it may be: `python -m lab.ceilings` prints both, and fails where one is passed.

The ceilings stand in `ceilings.toml` beside this file. Lines are those of Python files, blank ones too. Calls of `re`
are counted in the syntax tree. Words are those that people wrote by hand: generated tables and examples of a policy do
not count.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path

from tests.docs.pages import ARCHITECTURE, INTERNALS, ROOT, USER_PAGES, words

CEILINGS = Path(__file__).with_suffix(".toml")
PRODUCT = ("bot", "webhooks")
READERS = ("bot/issues", "bot/already_fixed", "bot/judges")
FILTER = tuple(f"bot/verification/{each}" for each in ("fix_guided", "differential", "repair"))
_RE_CALLS = frozenset({"compile", "match", "search", "fullmatch", "findall", "finditer", "sub", "split"})
_IRREGULAR = (
    "told|heard|shown|seen|held|left|kept|made|done|given|taken|known|found|lost|met|spent|torn|borne|drawn|written|"
    "driven|broken|chosen|spoken|proven|begun|built|paid|said|sought|thrown|woken"
)
_NO_PARTICIPLE = "ping|ring|bring|setting|string|seed|need|feed"
_PARTICIPLE = re.compile(rf"(?!(?:{_NO_PARTICIPLE})(?:_|$))(?:[a-z]+(?:ed|ing)|{_IRREGULAR})(?:_|$)")


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _files(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def _lines(*folders: str) -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in _files(*folders))


def _calls_of_re(*folders: str) -> int:
    called = (node.func for node in _nodes(*folders) if isinstance(node, ast.Call))
    return sum(
        isinstance(each, ast.Attribute) and each.attr in _RE_CALLS and ast.unparse(each.value) == "re"
        for each in called
    )


def _participles() -> int:
    functions = [node.name for node in _nodes(*PRODUCT) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return sum(_PARTICIPLE.match(name) is not None for name in functions)


def _nodes(*folders: str) -> Iterable[ast.AST]:
    return (node for path in _files(*folders) for node in ast.walk(_tree(path)))


def _packages() -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return sum(not line.startswith("tree-sitter-") for line in project["dependencies"])


def _words(*pages: Path) -> int:
    return sum(map(words, pages))


FIGURES: Mapping[str, Callable[[], int]] = {
    "lines in bot and webhooks": lambda: _lines(*PRODUCT),
    "lines with lab and fake_github": lambda: _lines(*PRODUCT, "lab", "fake_github"),
    "files in bot and webhooks": lambda: len(_files(*PRODUCT)),
    "calls of re in bot and webhooks": lambda: _calls_of_re(*PRODUCT),
    "calls of re where reports are read": lambda: _calls_of_re(*READERS),
    "lines of the fix-guided filter": lambda: _lines(*FILTER),
    **{f"lines of {room}": partial(_lines, room) for room in READERS},
    "public functions there named by a participle": _participles,
    "lines in tests": lambda: _lines("tests"),
    "packages that a server needs": _packages,
    "words of the README": lambda: _words(ROOT / "README.md"),
    "words of the user pages": lambda: _words(*(page for page in USER_PAGES if page.parent != ROOT)),
    "words of the architecture": lambda: _words(ARCHITECTURE),
    "words of the internals and the architecture": lambda: _words(ARCHITECTURE, *INTERNALS),
    "words of the change log": lambda: _words(ROOT / "CHANGELOG.md"),
    "words of the benchmarks": lambda: _words(ROOT / "BENCHMARKS.md"),
}


def above(ceilings: Mapping[str, int], found: Mapping[str, int]) -> list[str]:
    """The figures that are above their ceiling. Raises `KeyError` where one has no ceiling."""
    return [name for name, value in found.items() if value > ceilings[name]]


def main() -> None:
    """The table; exit status 1 where a ceiling is passed."""
    ceilings = tomllib.loads(CEILINGS.read_text(encoding="utf-8"))["most"]
    found = {name: count() for name, count in FIGURES.items()}
    high = above(ceilings, found)
    for name, value in found.items():
        print(f"{name:46} {value:8,} of {ceilings[name]:8,}{'   too many' if name in high else ''}")
    if high:
        print("Make it less. Raise a ceiling only with a reason beside it in lab/ceilings.toml.", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
