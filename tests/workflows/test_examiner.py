"""A report looked for in a history, with everything real but GitHub: copy, index, search, environment, sandbox."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from bot.github.app import GitHubApp
from bot.github.channel import Credential
from bot.github.errors import NotFound
from bot.github.values import Repository
from bot.judges.openai.spend import MemorySpend
from bot.policy import Verify
from bot.reports import IssueText, Reply
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.settings import load
from bot.verdicts import FixStatus
from bot.workflows.fix_finder import Examiner, PullBase, Suspect
from fake_github import FakeGitHub
from tests.support.github import KEY
from tests.support.sandbox import Remembering

VERIFY = Verify(setup=(), test="pytest")
BEFORE = "def half(n):\n    raise TypeError('only lists have halves')\n"
AFTER = "def half(n):\n    return n / 2\n"
REPORT = """`half` fails for a plain number:

```python
from halves import half
half(3)
```

```
Traceback (most recent call last):
  File "app.py", line 2, in <module>
    half(3)
  File "/site-packages/halves.py", line 2, in half
    raise TypeError('only lists have halves')
TypeError: only lists have halves
```
"""


@dataclass
class Bench:
    github: FakeGitHub
    app: GitHubApp
    examiner: Examiner
    repo: str = ""

    def repository(self, name: str = "halves") -> Repository:
        self.repo = f"owner{len(self.github.repos)}/{name}"
        made = self.github.create_repository(self.repo, files={"halves.py": BEFORE, "README.md": "Halves.\n"})
        self.github.install(self.repo.partition("/")[0], [self.repo])
        return Repository(made.id, self.repo, private=False)

    @property
    def credential(self) -> Credential:
        installation = self.github.installation_of(self.github.repo(self.repo))
        assert installation is not None
        return self.app.credential(installation.id)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("examiner")
    github = FakeGitHub(private_key=KEY)
    github.start()
    settings = load(
        app_id=github.app.id,
        private_key=github.private_key,
        github_api_url=github.url,
        github_web_url=github.web_url,
        cache_dir=folder / "cache",
        judge="offline",
        executor="bubblewrap",
    )
    examiner = Examiner(settings, MemorySpend())
    examiner.__dict__["_executor"] = Remembering(BubblewrapExecutor())  # what it would choose by itself
    yield Bench(github, GitHubApp.from_settings(settings), examiner)
    github.close()


def suspect(repository: Repository, body: str = REPORT, title: str = "half(3) raises TypeError") -> Suspect:
    return Suspect(repository, 7, IssueText(title, body), "text", VERIFY)


def test_what_was_mended_is_proved_by_taking_it_out_again(bench: Bench) -> None:
    repository = bench.repository()
    bench.github.push(bench.repo, {"README.md": "Old.\n"}, branch="1.x", onto="main")
    fix = bench.github.push(bench.repo, {"halves.py": AFTER}, message="half: take plain numbers, not lists\n\nFixes #7")
    bench.github.push(bench.repo, {"README.md": "Halves of numbers.\n"}, message="Say what it is about")
    found = bench.examiner.examine(suspect(repository, f"{REPORT}\nSeen on 1.x."), bench.credential)
    assert found.fixed.status is FixStatus.ALREADY_FIXED, found.fixed.reasons
    assert found.lacking == "1.x"
    assert found.fixed.candidates[0].commit == fix
    assert any(trial.without_fix and trial.fix == fix for trial in found.fixed.trials)
    assert found.head == bench.github.repo(bench.repo).branches["main"]
    assert found.places[0].path == "halves.py" and "half" in found.places[0].what
    root = bench.github.repo(bench.repo).commits[fix].parent
    runs = bench.examiner.run_at_base(PullBase(repository, fix, VERIFY), found, bench.credential)
    assert {run.seen for run in runs.values()} == {"passes"}
    assert root is not None
    old = bench.examiner.run_at_base(PullBase(repository, root, VERIFY), found, bench.credential)
    assert "as_reported" in {run.seen for run in old.values()}
    words = (
        "It came back in halves 0.1:\n\n```pycon\n>>> from halves import half\n>>> half(3)\n1.5\n```\nIt should be 2."
    )
    given = suspect(repository)
    replied = replace(given, report=replace(given.report, replies=(Reply("somebody", False, words),)))
    doubted = bench.examiner.examine(replied, bench.credential)
    assert (doubted.fixed.status, doubted.regression) == (FixStatus.POSSIBLY_FIXED, False), "no report, and a doubt"
    assert any("somebody else" in reason for reason in doubted.fixed.reasons)
    assert not any("0.1" in reason for reason in doubted.fixed.reasons)


def test_a_report_that_shares_the_projects_name_alone_is_unknown(bench: Bench) -> None:
    repository = bench.repository("tools")
    bench.github.push(
        bench.repo, {"quarters.py": AFTER, "tests/test_q.py": "def test(): assert 1\n"}, message="Fix halves"
    )
    asked = suspect(repository, "It is lost.", "halves: the remainder is lost")
    found = bench.examiner.examine(asked, bench.credential)
    (first, *_) = [each for each in found.fixed.candidates if each.subject == "Fix halves"]
    assert (found.fixed.status, found.speaks, found.says_fixed) == (FixStatus.UNKNOWN, False, False)
    assert (first.shared, found.fixed.commits) == (0, 2)


def test_a_report_that_shows_nothing_is_unknown(bench: Bench) -> None:
    repository = bench.repository()
    found = bench.examiner.examine(suspect(repository, "It is slow.", "Halving takes long"), bench.credential)
    assert found.fixed.status is FixStatus.UNKNOWN
    assert found.fixed.reasons


def test_a_repository_that_is_gone_is_trouble(bench: Bench) -> None:
    bench.repository()
    with pytest.raises(NotFound):
        bench.examiner.examine(suspect(Repository(1, "owner/gone")), bench.credential)
