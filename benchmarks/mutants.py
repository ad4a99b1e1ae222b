"""How many of 300 small mistakes, put into `bot/` one at a time, some test notices.

`python -m benchmarks.mutants [REVISION ...]` prints one row for each revision, and then the mistakes that nobody
noticed in the last. A mistake swaps a comparison, an `and`, a truth value or a number, or turns a condition round.
Which 300 are taken depends on the seed and on the code itself, not on its file: code that moved keeps its mistakes.

At most four test files are run for each: the one of the module's name, then those that import it, those in the folder
of its package, and those that import a module which imports it. So the share is a lower bound. Crash tests and hostile
pull requests are left out.
"""

import argparse
import ast
import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

ROOT = Path(__file__).parents[1]
SAMPLE = 300
MOST_TEST_FILES = 4
SECONDS = 30  # for the tests of one mistake; what they do not notice by then counts as not noticed
MEMORY = 6 << 30  # bytes a run may take
LEFT_OUT = ("tests/hostile_pulls", "tests/crash", "tests/packaging", "tests/docs", "tests/data", "tests/support")
_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """number: of the place, in the order in which `ast.walk` comes to it. rank: decides who is in the sample."""

    path: str
    line: int
    number: int
    was: str
    now: str
    rank: str


def mutants(path: str, source: str, seed: str) -> Iterator[Mutant]:
    """Every mistake that can be put into a file."""
    tree = ast.parse(source)
    times: dict[str, int] = {}
    for number, node in enumerate(ast.walk(tree)):
        changed = _changed(node) if isinstance(node, ast.expr) else None
        if changed is None or not isinstance(node, ast.expr):
            continue
        was, now = ast.unparse(node), ast.unparse(changed)
        times[was] = times.get(was, 0) + 1
        rank = hashlib.sha256(f"{seed}|{was}|{now}|{times[was]}".encode()).hexdigest()
        yield Mutant(path, node.lineno, number, was, now, rank)


def _changed(node: ast.AST) -> ast.expr | None:
    """The expression with its mistake; `None` where none is made."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        return ast.Compare(node.left, [_COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return node.operand
    if isinstance(node, ast.IfExp):
        return ast.IfExp(node.test, node.orelse, node.body)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ast.Constant(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return ast.Constant(node.value + 1)
    return None


def mutated(source: str, mutant: Mutant) -> str:
    """The file with the one mistake in it."""
    lines = source.encode().split(b"\n")
    node = next(node for number, node in enumerate(ast.walk(ast.parse(source))) if number == mutant.number)
    assert isinstance(node, ast.expr) and node.end_lineno is not None and node.end_col_offset is not None
    before = b"\n".join([*lines[: node.lineno - 1], lines[node.lineno - 1][: node.col_offset]])
    after = b"\n".join([lines[node.end_lineno - 1][node.end_col_offset :], *lines[node.end_lineno :]])
    return (before + f"({mutant.now})".encode() + after).decode()


class Tests:
    """Which test files could notice a mistake in a module."""

    def __init__(self, tree: Path) -> None:
        self._imports = {path: _imported(tree / path) for path in _python(tree, "bot", "webhooks", "tests")}

    def of(self, path: str) -> tuple[str, ...]:
        module = _module(path)
        users = {_module(user) for user, names in self._imports.items() if module in names and user.startswith("bot/")}
        parts = path.split("/")[1:-1]
        folders = ["/".join(["tests", *parts[:depth], ""]) for depth in range(len(parts), 0, -1)]
        folder = next((each for each in folders if any(test.startswith(each) for test in self._imports)), "tests/")
        ranked = []
        for test, names in self._imports.items():
            if not Path(test).name.startswith("test_") or test.startswith(LEFT_OUT):
                continue
            near = 1 if module in names else 2 if test.startswith(folder) else 3 if names & users else 0
            if near:
                ranked.append((f"test_{Path(path).name}" != Path(test).name, near, not names & users, test))
        return tuple(test for *_, test in sorted(ranked)[:MOST_TEST_FILES])


def _module(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".")


def _imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return found


def _python(tree: Path, *folders: str) -> list[str]:
    listed = subprocess.run(["git", "-C", tree, "ls-files", *folders], check=True, capture_output=True, text=True)
    return [path for path in listed.stdout.split() if path.endswith(".py")]


def _sample(tree: Path, seed: str, size: int) -> list[Mutant]:
    files = [path for path in _python(tree, "bot") if "/migrations/" not in path]
    found = [each for path in files for each in mutants(path, (tree / path).read_text(), seed)]
    return sorted(found, key=lambda each: (each.rank, each.path))[:size]


def _failing(tree: Path, tests: Sequence[str]) -> str | None:
    """The first test that fails, `""` where nobody can say which one; `None` when none does in the time there is."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=tree,
            env=environment,
            stdout=output,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        try:
            if process.wait(SECONDS) == 0:
                return None
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        failed = re.search(r"^(?:FAILED|ERROR) (\S+?)(?: - .*)?$", output.read().decode(errors="replace"), re.M)
    return failed[1] if failed else ""


def measured(revision: str, seed: str, size: int, workers: int) -> tuple[int, int, list[Mutant]]:
    """How many mistakes were tried and noticed, and those that were not. A mistake whose test fails without it, too, is
    left out."""
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for number in range(workers):
            tree = Path(folder, str(number))
            subprocess.run(["git", "clone", "-q", "--shared", ROOT, tree], check=True)
            subprocess.run(["git", "-C", tree, "checkout", "-q", revision], check=True)
            trees.put(tree)
        sample, tests = _sample(tree, seed, size), Tests(tree)

        def noticed(mutant: Mutant) -> bool | None:
            tree = trees.get()
            try:
                file = tree / mutant.path
                source = file.read_text()
                file.write_text(mutated(source, mutant))
                try:
                    failing = _failing(tree, tests.of(mutant.path))
                finally:
                    file.write_text(source)
                if failing is None:
                    return False
                return True if _failing(tree, [failing] if failing else tests.of(mutant.path)) is None else None
            finally:
                trees.put(tree)

        answers = []
        with ThreadPoolExecutor(workers) as pool:
            for mutant, answer in zip(sample, pool.map(noticed, sample), strict=True):
                answers.append((mutant, answer))
                print(f"\r{len(answers)} of {len(sample)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    tried = [(mutant, answer) for mutant, answer in answers if answer is not None]
    return len(tried), sum(answer for _, answer in tried), [mutant for mutant, answer in tried if not answer]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("revisions", nargs="*", default=["HEAD"])
    parser.add_argument("--seed", default="bouncer")
    parser.add_argument("--size", type=int, default=SAMPLE)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args()
    missed: list[Mutant] = []
    print("| revision | mistakes tried | noticed |\n|---|---|---|")
    for revision in asked.revisions:
        tried, caught, missed = measured(revision, asked.seed, asked.size, asked.workers)
        print(f"| {revision} | {tried} | {caught} |", flush=True)
    for mutant in missed:
        print(f"{mutant.path}:{mutant.line}: {mutant.was[:80]}  ->  {mutant.now[:80]}")


if __name__ == "__main__":
    main()
