"""The worker dies once what it says of a fix is stored and half of it is written: all is there once in the end."""

from pathlib import Path

import pytest

from bot.rendering.comment import FIXED_MARKER
from tests.crash.fleet import Fleet
from tests.crash.test_kill_at_effects import deadly, feed, work_through
from tests.support.databases import BOTH, ONE
from tests.support.lengths import EVERY_DEATH

pytestmark = pytest.mark.crash

REPOSITORY = "acme/halves"
POLICY = "verify:\n  setup: []\n  test: pytest\n"
BEFORE = "def half(n):\n    return n[0] / 2\n"
AFTER = "def half(n):\n    return n / 2\n"
TITLE = "half(3) raises TypeError for a plain number"
REPORT = """### What happens

```python
from halves import half
half(3)
```

```
Traceback (most recent call last):
  File "app.py", line 2, in <module>
    half(3)
  File "/site-packages/halves.py", line 2, in half
    return n[0] / 2
TypeError: 'int' object is not subscriptable
```

### What should happen

`half(3)` should return `1.5`, as the documentation of `half` says.

### Steps

1. `pip install halves` with Python 3.11 on Linux
2. run the example above
"""
LABEL = ("POST", "/issues/{issue_number}/labels")


@pytest.mark.parametrize("database_url", BOTH if EVERY_DEATH else ONE, indirect=True)
def test_what_is_said_of_a_fix_is_said_once(database_url: str, tmp_path: Path) -> None:
    with Fleet(database_url, tmp_path) as fleet:
        fleet.environment["BOUNCER_CACHE_DIR"] = str(tmp_path / "cache")
        files = {".github/bouncer.yml": POLICY, "halves.py": BEFORE}
        fleet.github.create_repository(REPOSITORY, files=files)
        fleet.github.push(REPOSITORY, {"halves.py": AFTER}, message="half: take plain numbers, not lists")
        died = deadly(fleet, LABEL)
        fleet.github.install("acme", [REPOSITORY])
        number = fleet.github.open_issue(REPOSITORY, TITLE, REPORT)
        feed(fleet)
        work_through(fleet, died, 1)

        issue = fleet.github.issue(REPOSITORY, number)
        assert issue.labels == ("already-fixed",)
        assert issue.history.count("labeled") == 1
        (comment,) = issue.comments
        assert FIXED_MARKER in comment.body and comment.edits == 0
        assert died == [LABEL]
