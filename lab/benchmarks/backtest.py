"""How long a backtest of 200 issues takes with a fake GitHub, and how much memory.

python -m lab.benchmarks.backtest
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

from fake_github import FakeGitHub
from lab.benchmarks.processes import scratch, seconds_of

REPOSITORY, ISSUES = "acme/widgets", 200
BODY = (
    "With version 2.4.1, `export('a b.csv')` writes 0 bytes.\n\n```python\nexport('a b.csv')\n```\n\nI expect 3 rows.\n"
)


def run(fake: FakeGitHub, token: str, cache: Path) -> None:
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "BOUNCER_GITHUB_API_URL": fake.url,
        "BOUNCER_GITHUB_WEB_URL": fake.web_url,
        "BOUNCER_GITHUB_TOKEN": token,
        "BOUNCER_CACHE_DIR": str(cache),
    }
    words = ["bouncer", "backtest", REPOSITORY, "--json", "--yes", "--issues", str(ISSUES), "--pulls", "0"]
    subprocess.run(words, env=environment, check=True, capture_output=True)


def main() -> None:
    """Prints seconds, and what a second run takes, which fetches nothing new."""
    with scratch() as cache, FakeGitHub() as fake:
        fake.create_repository(REPOSITORY, collaborators={"maintainer": "maintain"})
        token, _ = fake.access.issue_token(fake.install("acme", [REPOSITORY]))
        for number in range(ISSUES):
            issue = fake.open_issue(REPOSITORY, f"Export writes an empty file, case {number}", BODY * (1 + number % 9))
            fake.comment(REPOSITORY, issue, "Could you share the log?" if number % 3 else "Thanks!", by="maintainer")
            fake.close_issue(REPOSITORY, issue, by="maintainer")
        first, again = (seconds_of(lambda: run(fake, token, cache)) for _ in range(2))
    print(f"{ISSUES} issues: {first:.1f} s; again {again:.1f} s")
    print(f"memory, at most: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
