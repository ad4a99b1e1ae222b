"""How many of 300 small mistakes, put into `bot/` one at a time, some test notices.

`python -m lab.benchmarks.mutants [REVISION ...]` prints one row for each revision, and then the mistakes that nobody
noticed in the last. A mistake swaps a comparison, an `and`, a truth value or a number, or turns a condition round.
Which 300 are taken depends on the seed, on the code and on the function it is in, not on its file: code that moved
keeps its mistakes.

First all tests of the revision run once under coverage.py. A mistake is then tried with those tests that run its line,
the quickest first, as many as take five seconds together. What only other processes run counts as not noticed, so the
share is a lower bound. Crash tests, hostile pull requests and those of the documentation are left out.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Queue

import coverage

from lab.variants.splice import replace_nodes

ROOT = Path(__file__).parents[2]
SAMPLE = 300
MOST_SECONDS = 5.0  # that the tests of one mistake took without it, together
MOST_TESTS = 60
MOST_OF_A_FILE = 15
PATIENCE = 60  # seconds for the same tests with the mistake; what they do not notice by then counts as not noticed
MEMORY = 6 << 30  # bytes a run may take
LEFT_OUT = ("tests/hostile_pulls", "tests/crash", "tests/packaging", "tests/docs", "tests/demo", "tests/contract")
_NAMEABLE = re.compile(r"[^\s\[]+(\[[^\s:]+\])?")  # what can be asked for by its name
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
    end: int
    number: int
    was: str
    now: str
    rank: str


def mutants(path: str, source: str, seed: str) -> Iterator[Mutant]:
    """Every mistake that can be put into a file. What a decorator is given is left out: whether a dataclass is frozen
    changes nothing that it does."""
    tree = ast.parse(source)
    times: Counter[tuple[str, str]] = Counter()
    decorators = {
        id(node) for each in ast.walk(tree) for top in getattr(each, "decorator_list", ()) for node in ast.walk(top)
    }
    owners = {
        id(node): each.name
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.ClassDef)
        for node in ast.walk(each)
    }
    for number, node in enumerate(ast.walk(tree)):
        changed = _changed(node) if isinstance(node, ast.expr) and id(node) not in decorators else None
        if changed is None or not isinstance(node, ast.expr):
            continue
        was, now, owner = ast.unparse(node), ast.unparse(changed), owners.get(id(node), "")
        times[owner, was] += 1
        rank = hashlib.sha256(f"{seed}|{owner}|{was}|{now}|{times[owner, was]}".encode()).hexdigest()
        yield Mutant(path, node.lineno, node.end_lineno or node.lineno, number, was, now, rank)


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


def with_mutant(source: str, mutant: Mutant) -> str:
    """The file with the one mistake in it."""
    node = next(node for number, node in enumerate(ast.walk(ast.parse(source))) if number == mutant.number)
    assert isinstance(node, ast.expr)
    return replace_nodes(source, node, node, f"({mutant.now})")


class Tests:
    """Which tests run which lines of a revision, and how long each takes."""

    def __init__(self, tree: Path, workers: int) -> None:
        self._seconds: dict[str, float] = {}
        revision = subprocess.check_output(["git", "-C", tree, "rev-parse", "HEAD"], text=True).strip()
        folder = ROOT / ".cache" / "mutants" / revision
        if not folder.is_dir():
            _record(tree, folder, workers)
        for path in folder.glob("*.json"):
            told = json.loads(path.read_text())
            self._seconds |= {test: seconds for test, seconds in told.items() if _NAMEABLE.fullmatch(test)}
        self._data = [coverage.CoverageData(str(path)) for path in folder.glob("*.coverage")]
        for data in self._data:
            data.read()
        recorded = next(path for data in self._data for path in data.measured_files())
        self._recorded = recorded[: recorded.index("/bot/") + 1]
        self._lines = {path: self._of_file(path) for path in _python(tree, "bot")}

    def _of_file(self, path: str) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for data in self._data:
            for line, tests in data.contexts_by_lineno(self._recorded + path).items():
                found.setdefault(line, set()).update(test for test in tests if test in self._seconds)
        return found

    def of(self, mutant: Mutant) -> tuple[str, ...]:
        """What runs when the module is imported belongs to every test that runs something of the file."""
        lines = self._lines[mutant.path]
        running = set().union(*(lines.get(line, ()) for line in range(mutant.line, mutant.end + 1)))
        running = running or set().union(*lines.values())
        chosen: list[str] = []
        seconds, files = 0.0, Counter[str]()
        for test in sorted(running, key=lambda each: (self._seconds[each], each)):
            file = test.partition("::")[0]
            seconds += self._seconds[test]
            if chosen and (seconds > MOST_SECONDS or len(chosen) == MOST_TESTS):
                break
            files[file] += 1
            if files[file] <= MOST_OF_A_FILE:
                chosen.append(test)
        return tuple(chosen)


def _record(tree: Path, into: Path, workers: int) -> None:
    """Run the tests once. What was recorded stays, for the next sample of the same revision."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "lab" / "benchmarks" / "covered.py", folder)
        environment = {**os.environ, "PYTHONPATH": f"{tree}:{folder}", "COVERED_INTO": folder}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "covered", "-p", "no:cacheprovider", "--tb=no"]
        command += ["--numprocesses", str(2 * workers), "--dist", "loadfile", "--no-loadscope-reorder"]
        command += [f"--ignore={path}" for path in LEFT_OUT]
        subprocess.run(command, cwd=tree, env=environment, stdout=sys.stderr, check=False)
        shutil.copytree(folder, into)


def _python(tree: Path, *folders: str) -> list[str]:
    listed = subprocess.run(["git", "-C", tree, "ls-files", *folders], check=True, capture_output=True, text=True)
    return [path for path in listed.stdout.split() if path.endswith(".py")]


def _sample(tree: Path, seed: str, size: int) -> list[Mutant]:
    files = [path for path in _python(tree, "bot") if "/migrations/" not in path]
    found = [each for path in files for each in mutants(path, (tree / path).read_text(), seed)]
    return sorted(found, key=lambda each: (each.rank, each.path))[:size]


def _failing(tree: Path, tests: Sequence[str]) -> str | None:
    """The first test that fails, `""` where nobody can say which one; `None` when none does in the time there is."""
    if not tests:
        return None
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
            if process.wait(PATIENCE) == 0:
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


def measure(revision: str, seed: str, size: int, workers: int) -> tuple[int, int, list[Mutant]]:
    """How many mistakes were tried and noticed, and those that were not. A mistake whose test fails without it, too, is
    left out."""
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for number in range(workers):
            tree = Path(folder, str(number))
            subprocess.run(["git", "clone", "-q", "--shared", ROOT, tree], check=True)
            subprocess.run(["git", "-C", tree, "checkout", "-q", revision], check=True)
            trees.put(tree)
        sample, tests = _sample(tree, seed, size), Tests(trees.queue[0], workers)

        steady: dict[str, bool] = {}

        def noticed(mutant: Mutant) -> bool | None:
            tree = trees.get()
            try:
                file = tree / mutant.path
                source = file.read_text()
                file.write_text(with_mutant(source, mutant))
                try:
                    failing = _failing(tree, tests.of(mutant))
                finally:
                    file.write_text(source)
                if failing is None:
                    return False
                if failing not in steady:  # it may fail without the mistake, too
                    steady[failing] = _failing(tree, [failing] if failing else tests.of(mutant)) is None
                return True if steady[failing] else None
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
        tried, caught, missed = measure(revision, asked.seed, asked.size, asked.workers)
        print(f"| {revision} | {tried} | {caught} |", flush=True)
    for mutant in missed:
        print(f"{mutant.path}:{mutant.line}: {mutant.was[:80]}  ->  {mutant.now[:80]}")


if __name__ == "__main__":
    main()
