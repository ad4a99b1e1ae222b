"""A small project with a history, reports about it, and one look at them with the real sandbox."""

from collections.abc import Sequence
from pathlib import Path

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.revisions import RevisionSource
from bot.already_fixed.run_at_revisions import examine
from bot.already_fixed.values import Fixed
from bot.history.values import Candidate
from bot.issues.parse import parse
from bot.policy import Verify
from bot.reports import IssueText
from bot.settings import Settings
from tests.support.clones import commit, initialise
from tests.support.sandbox import BUBBLEWRAP, Remembering

EXECUTOR = Remembering(BUBBLEWRAP)

BROKEN = """
def half(number):
    if number is None:
        raise TypeError("nothing has no half")
    if isinstance(number, str):
        raise TypeError("a text has no half")
    return number // 2
"""
HALF = BROKEN.replace('raise TypeError("nothing has no half")', "return None")
WHOLE = HALF.replace('raise TypeError("a text has no half")', "return number[: len(number) // 2]")

REPORT = """Halving nothing fails:

```python
from halves import half
half(None)
```

```
Traceback (most recent call last):
  File "x.py", line 2, in <module>
    half(None)
TypeError: nothing has no half
```
"""
SECOND = """
And so does a text:

```python
half("abcd")
```

```
Traceback (most recent call last):
  File "x.py", line 2, in <module>
    half("abcd")
TypeError: a text has no half
```
"""


def repository(place: Path, *versions: str, name: str = "halves.py") -> tuple[RevisionSource, list[str]]:
    """A repository with one commit for each text of its only module, and their SHAs; reported is the first."""
    directory = initialise(place)
    shas = [commit(directory, {name: text}, f"Version {number}") for number, text in enumerate(versions)]
    return RevisionSource(directory, shas[-1], shas[0]), shas


def candidate(sha: str, **changes: object) -> Candidate:
    given: dict[str, object] = {
        "commit": sha,
        "subject": "A change",
        "at": "2024-05-01T12:00:00Z",
        "score": 0.9,
        "why": ("It names the issue.",),
        "names_issue": True,
        "released_in": None,
        "reverted_by": None,
        "back_ports": (),
        "likely": True,
        "shared": 5,
    }
    return Candidate(**{**given, **changes})  # type: ignore[arg-type]


def look(
    repository: RevisionSource,
    body: str,
    place: Path,
    candidates: Sequence[Candidate] = (),
    title: str = "half() fails",
) -> Fixed:
    report = parse(IssueText(title, body))
    settings = Settings(cache_dir=place / "cache")
    return decide_fixed(examine(report, repository, candidates, EXECUTOR, Verify(), settings, seconds=600))
