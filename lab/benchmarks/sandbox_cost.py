"""What the sandbox costs: a pytest run of 50 tests sandboxed against the same run bare.

    python -m lab.benchmarks.sandbox_cost [--rounds 20] [--executor auto]

The suite is written here and small: 50 tests of a little text and number code, half of them parametrised. Bare and
sandboxed runs take turns within one run of this program, so that both see the same machine; each figure is a median,
and the ratio is the median of the rounds' own ratios. Bare is the interpreter that runs this, in a new process, on a
fresh copy of the same tree.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bot.sandbox.choose import choose
from bot.sandbox.protocol import Capabilities, Executor, Job, Status
from bot.settings import load
from lab.benchmarks.processes import read_options, scratch, seconds_of

PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
MODULE = """
import json
import re
from collections import Counter


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def common(text, count):
    return [word for word, _ in Counter(words(text)).most_common(count)]


def primes(most):
    sieve = [True] * (most + 1)
    for number in range(2, int(most**0.5) + 1):
        if sieve[number]:
            sieve[number * number :: number] = [False] * len(sieve[number * number :: number])
    return [number for number in range(2, most + 1) if sieve[number]]


def through_json(value):
    return json.loads(json.dumps(value))
"""
TESTS = """
import pytest
from module import common, primes, through_json, words

TEXT = "The quick brown fox jumps over the lazy dog and the cat. " * 200


@pytest.mark.parametrize("count", range(1, 9))
def test_common(count):
    assert len(common(TEXT, count)) == count


@pytest.mark.parametrize("most", range(1_000, 18_000, 1_000))
def test_primes(most):
    assert primes(most)[:4] == [2, 3, 5, 7]
""" + "\n".join(
    f"""

def test_words_{number}(tmp_path):
    (tmp_path / "text").write_text(TEXT)
    assert len(words((tmp_path / "text").read_text())) == 2400
    assert through_json({{"a": [{number}] * 100}})["a"][99] == {number}
"""
    for number in range(25)
)


def main() -> None:
    options = read_options(__doc__, rounds=20, executor="auto")
    executor = choose(load(executor=options.executor))
    if isinstance(executor, Capabilities):
        sys.exit(executor.problem)
    print(f"{executor.name} {executor.probe().version}, enforcing {', '.join(executor.probe().enforced)}")
    with scratch() as directory:
        tree = directory / "tree"
        tree.mkdir()
        (tree / "module.py").write_text(MODULE)
        (tree / "test_module.py").write_text(TESTS)
        measure(executor, tree, options.rounds)


def measure(executor: Executor, tree: Path, rounds: int) -> None:
    python = executor.probe().python
    suite: Callable[[], None] = lambda: inside(executor, Job((*python, *PYTEST), tree=tree))  # noqa: E731
    for warm_up in (suite, lambda: bare(tree)):
        warm_up()
    pairs = [(seconds_of(lambda: bare(tree)), seconds_of(suite)) for _ in range(rounds)]
    for what, seconds in (("bare", [pair[0] for pair in pairs]), ("sandboxed", [pair[1] for pair in pairs])):
        print(f"50 tests, {what}: {1000 * statistics.median(seconds):.0f} ms (fastest {1000 * min(seconds):.0f})")
    print(f"ratio: {statistics.median(after / before for before, after in pairs):.3f} (of {rounds} rounds)")


def inside(executor: Executor, job: Job) -> None:
    outcome = executor.run(job)
    if outcome.status is not Status.EXITED or outcome.exit_code != 0:
        sys.exit(f"the job failed: {outcome}")


def bare(tree: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        copy = shutil.copytree(tree, Path(name, "work"))
        subprocess.run([sys.executable, *PYTEST], cwd=copy, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
