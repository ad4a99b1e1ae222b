"""How long from the webhook about a push until its check is completed, on a repository of 50 tests.

    python -m lab.benchmarks.push_to_verdict [--pushes 4]

A coding agent's pull request changes a function and brings a test; then it pushes again, each time another function and
test. The real `bouncer serve` and `bouncer worker` hear of it from the fake GitHub, each a process, with the sandbox of
this machine. The first pull request is not counted: it makes the mirror and the base's own runs, which later ones
share. Nothing has to be installed. Processor time is that of the worker and all that it starts, the sandbox too.
"""

import statistics
import sys
from contextlib import ExitStack
from multiprocessing.connection import Connection

from lab.benchmarks.gate_latency import REPOSITORY, head_of, milliseconds, watched_github
from lab.benchmarks.processes import processor_seconds, read_options, scratch, start, start_beside

GOAL = 10.0  # seconds
POLICY = "mode: enforce\nverify:\n  setup: []\n  test: pytest\n"
FILES, TESTS = 10, 5  # test files, and tests in each


def source(place: int, changed: int = 0) -> str:
    """changed: how many of its functions were mended."""
    return "\n\n".join(
        f"def price_{number}(amount, count):\n    if count < 0:\n        raise ValueError(count)\n"
        f"    return amount * count{'' if number < changed else f' + {place + 1} * (count > 1000)'}\n"
        for number in range(TESTS)
    )


def tests(place: int, changed: int = 0) -> str:
    each = "".join(
        f"\n\ndef test_price_{number}():\n    assert price_{number}(3, {number + 2}) == {3 * (number + 2)}\n"
        for number in range(TESTS)
    )
    own = "".join(
        f"\n\ndef test_many_{number}():\n    assert price_{number}(1, 2000) == 2000\n" for number in range(changed)
    )
    names = ", ".join(f"price_{number}" for number in range(TESTS))
    return f"from shop.part_{place} import {names}\n{each}{own}"


def files_of(place: int, functions: int) -> dict[str, str]:
    return {
        f"shop/part_{place}.py": source(place, functions),
        f"tests/test_part_{place}.py": tests(place, functions),
    }


def fake_github(pipe: Connection, pushes: int) -> None:
    """In a process of its own: pushes when it is told to."""
    files = {".github/bouncer.yml": POLICY, "conftest.py": "", "shop/__init__.py": ""}
    for place in range(FILES):
        files |= files_of(place, 0)
    number = 0
    with watched_github(pipe, files) as (github, seen):
        for turn in range(pushes + 1):
            pipe.recv()
            place, functions = divmod(turn, TESTS)
            files = files_of(place, functions + 1)
            if number:
                github.push_to_pull(REPOSITORY, number, files, by="copilot-swe-agent[bot]")
            else:
                number = github.open_pull(REPOSITORY, "Forget the surcharge", files, by="copilot-swe-agent[bot]")
            head = head_of(github, number)
            ended = seen.wait(head, "completed")
            shown = [check for check in github.checks(REPOSITORY) if check.head_sha == head]
            pipe.send((milliseconds(seen.at[head, "told"], ended) / 1000, [check.title for check in shown]))


def main() -> None:
    options = read_options(__doc__, pushes=4)
    with ExitStack() as stack:
        directory = stack.enter_context(scratch())
        _, pipe = stack.enter_context(start_beside(fake_github, options.pushes))
        own = pipe.recv() | {
            "BOUNCER_DATABASE_URL": f"sqlite:///{directory}/bouncer.db",
            "BOUNCER_CACHE_DIR": f"{directory}/cache",
        }
        _, address = stack.enter_context(start("serve", own))
        worker, _ = stack.enter_context(start("worker", own))
        pipe.send(f"{address}/webhook")
        times = [turn(pipe, number, worker) for number in range(options.pushes + 1)][1:]
    print(f"{len(times)} pushes: median {statistics.median(times):.2f} s, longest {max(times):.2f} s (goal {GOAL:g} s)")
    sys.exit(0 if max(times) < GOAL else 1)


def turn(pipe: Connection, number: int, worker: int) -> float:
    """One push; prints what it took."""
    before = processor_seconds([worker])
    pipe.send("push")
    seconds, titles = pipe.recv()
    used = processor_seconds([worker]) - before
    print(f"{'first' if not number else f'push {number}'}: {seconds:.2f} s, {used:.2f} s of processor; {titles}")
    return float(seconds)


if __name__ == "__main__":
    main()
