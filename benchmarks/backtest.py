"""How long a backtest of 200 issues takes, with a fake GitHub, and how much memory: `make bench-backtest`."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.machine import machine
from bot.fake_github import FakeGitHub

ISSUES, REPO = 200, "acme/widgets"
BODY = (
    "With version 2.4.1, `export('a b.csv')` writes 0 bytes.\n\n```python\nexport('a b.csv')\n```\n\nI expect 3 rows.\n"
)


def main() -> None:
    """Prints seconds of the first run and of a second one that fetches nothing new."""
    print(machine(Path(tempfile.gettempdir())))
    with FakeGitHub() as fake, tempfile.TemporaryDirectory() as cache:
        fake.create_repository(REPO, collaborators={"maintainer": "maintain"})
        token, _ = fake.access.issue_token(fake.install("acme", [REPO]))
        for number in range(ISSUES):
            opened = fake.open_issue(REPO, f"Export writes an empty file, case {number}", BODY * (1 + number % 9))
            fake.comment(REPO, opened, "Could you share the log?" if number % 3 else "Thanks!", by="maintainer")
            fake.close_issue(REPO, opened, by="maintainer")
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "BOUNCER_GITHUB_API_URL": fake.url,
            "BOUNCER_GITHUB_WEB_URL": fake.web_url,
            "BOUNCER_GITHUB_TOKEN": token,
            "BOUNCER_CACHE_DIR": cache,
        }
        for name in ("first run", "second run"):
            start = time.monotonic()
            words = ["bouncer", "backtest", REPO, "--json", "--issues", str(ISSUES)]
            subprocess.run(words, env=environment, check=True, capture_output=True)
            print(f"{name}: {time.monotonic() - start:.1f} s")
    print(f"memory, at most: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
