"""How big the house is, and how it is built: one row a figure, for the working tree or for revisions to compare.

    python -m lab.benchmarks.house [REVISION ...]

Statements are logical ones: docstrings, data files and blank lines do not count. An arrow up is an import of a package
that stands above the importing one in `LAYERS`; names of packages that were moved are taken for the same.
"""

import ast
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG = 60  # lines of a function
LAYERS = (
    ("bot.cli", "bot.commands"),
    ("bot.demo", "webhooks"),
    ("fake_github", "bot.workflows"),
    ("bot.rendering",),
    ("bot.issues", "bot.pulls"),
    ("bot.already_fixed", "bot.fixed"),
    ("bot.verification", "bot.history"),
    ("bot.judges", "bot.github", "bot.storage", "bot.sandbox"),
    ("bot.policy_file",),
    ("bot.policy", "bot.settings"),
)
_FAKE = "bot.demo.fake"  # it stood in the demo, and imports nothing of it


def figures(files: Mapping[str, str]) -> dict[str, float]:
    """files: path and source of each Python file of `bot/` and `webhooks/`."""
    trees = {path: ast.parse(source) for path, source in files.items()}
    lines = [source.count("\n") for source in files.values()]
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    classes = [node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)]
    public = [name for name in classes if not name.startswith("_")]
    return {
        "files": len(files),
        "lines": sum(lines),
        "logical statements": sum(map(_statements, trees.values())),
        "public names": sum(_public(tree) for tree in trees.values()),
        "class names that stand for two or more": len({name for name in public if public.count(name) > 1}),
        "functions": len(functions),
        f"functions over {LONG} lines": sum((node.end_lineno or 0) - node.lineno >= LONG for node in functions),
        "regular expressions": sum(map(_expressions, trees.values())),
        "lines of the median file": statistics.median(lines),
        "files under 30 lines": sum(count < 30 for count in lines),
        "files over 400 lines": sum(count > 400 for count in lines),
        "arrows up": sum(_arrows_up(path, tree) for path, tree in trees.items()),
        "except PolicyError": sum(source.count("except PolicyError") for source in files.values()),
    }


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _statements(tree: ast.Module) -> int:
    return sum(isinstance(node, ast.stmt) and not _is_docstring(node) for node in ast.walk(tree))


def _is_docstring(node: ast.AST) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _public(tree: ast.Module) -> int:
    return sum(isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and not node.name.startswith("_") for node in tree.body)


def _expressions(tree: ast.Module) -> int:
    return sum(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "re"
        for node in ast.walk(tree)
    )


def _arrows_up(path: str, tree: ast.Module) -> int:
    here = _layer(path.removesuffix(".py").replace("/", "."))
    named = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    return sum(_layer(module) < here < len(LAYERS) for module in named)


def _layer(module: str) -> int:
    module = "fake_github" if f"{module}.".startswith(f"{_FAKE}.") else module
    for number, packages in enumerate(LAYERS):
        if any(f"{module}.".startswith(f"{package}.") for package in packages):
            return number
    return len(LAYERS)


def _working_tree(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _of_revision(revision: str) -> tuple[list[str], Callable[[str], str]]:
    if not revision:
        listed = _git("ls-files", "bot", "webhooks")
        return [path for path in listed.split() if (ROOT / path).is_file()], _working_tree
    return _git("ls-tree", "-r", "--name-only", revision, "bot", "webhooks").split(), (
        lambda path: _git("show", f"{revision}:{path}")
    )


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout


def main() -> None:
    revisions = [*sys.argv[1:], ""] if sys.argv[1:] else [""]
    columns = []
    for revision in revisions:
        paths, read = _of_revision(revision)
        columns.append(figures({path: read(path) for path in paths if path.endswith(".py")}))
    print("| | " + " | ".join(revision or "now" for revision in revisions) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:,.0f}" for column in columns) + " |")


if __name__ == "__main__":
    main()
