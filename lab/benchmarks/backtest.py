"""How long a backtest takes with a fake GitHub, and how much memory: 200 issues, or agents' pull requests.

    python -m lab.benchmarks.backtest [--pulls]

With `--pulls` coding agents' pull requests of a small project are executed in the sandbox, two side by side: 2, then 8
in a repository of their own, so that nothing is known from before.
"""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from fake_github import FakeGitHub
from lab.benchmarks.processes import read_options, scratch

ISSUES = 200
BODY = (
    "With version 2.4.1, `export('a b.csv')` writes 0 bytes.\n\n```python\nexport('a b.csv')\n```\n\nI expect 3 rows.\n"
)


SHARE = "def share(cents, people):\n    return [cents // people] * people\n"
TEST = "from share import share\n\n\ndef test_even():\n    assert share(90, 3) == [30, 30, 30]\n"
POLICY = "verify:\n  setup: []\n  test: pytest\n"
AGENT = "copilot-swe-agent[bot]"


def issues(fake: FakeGitHub, repository: str) -> None:
    for number in range(ISSUES):
        opened = fake.open_issue(repository, f"Export writes an empty file, case {number}", BODY * (1 + number % 9))
        fake.comment(repository, opened, "Could you share the log?" if number % 3 else "Thanks!", by="maintainer")
        fake.close_issue(repository, opened, by="maintainer")


def pulls(fake: FakeGitHub, repository: str, many: int) -> None:
    """Each changes the code in a way of its own, so that no run stands for two."""
    fake.push(repository, {"share.py": SHARE, "test_share.py": TEST, ".github/bouncer.yml": POLICY})
    issue = fake.open_issue(repository, "share() loses cents", "`share(100, 3)` gives 99 cents, it should give 100.")
    for number in range(many):
        changed = {
            "share.py": SHARE.replace("* people", f"* people[:{number + 1}]" if number % 2 else "* (people + 0)")
        }
        changed["share.py"] += f"\n\ndef case_{number}():\n    return {number}\n"
        pull = fake.open_pull(repository, f"Share every cent, {number}", changed, body=f"Fixes #{issue}", by=AGENT)
        fake.close_issue(repository, pull, by="maintainer")


def run(fake: FakeGitHub, repository: str, token: str, cache: Path, *options: str) -> tuple[float, dict[str, Any]]:
    """Seconds, and what was found."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "BOUNCER_GITHUB_API_URL": fake.url,
        "BOUNCER_GITHUB_WEB_URL": fake.web_url,
        "BOUNCER_GITHUB_TOKEN": token,
        "BOUNCER_CACHE_DIR": str(cache),
    }
    start = time.monotonic()
    words = ["bouncer", "backtest", repository, "--json", "--yes", *options]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True)
    return time.monotonic() - start, json.loads(done.stdout)


def main() -> None:
    """Prints seconds, and what a second run takes, which fetches and executes nothing new."""
    many = (2, 8) if read_options(__doc__, pulls={"action": "store_true"}).pulls else (0,)
    with scratch() as cache, FakeGitHub() as fake:
        for count in many:
            repository = f"acme/widgets-{count}"
            fake.create_repository(repository, collaborators={"maintainer": "maintain"})
            token, _ = fake.access.issue_token(fake.install("acme", [repository]))
            if count:
                pulls(fake, repository, count)
                options: tuple[str, ...] = ("--pulls", str(count))
            else:
                issues(fake, repository)
                options = ("--issues", str(ISSUES), "--pulls", "0")
            seconds, found = run(fake, repository, token, cache, *options)
            judged = f", {len(found['pulls']['cases'])} pull requests executed" if count else ""
            again, _ = run(fake, repository, token, cache, *options)
            print(f"{repository}: {seconds:.1f} s{judged}; again {again:.1f} s")
    print(f"memory, at most: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
