"""`bouncer fixed` on real git repositories: one document, the fix with its release, and UNKNOWN with the reason."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from fake_github import FakeGitHub
from tests.already_fixed.house import BROKEN, HALF, REPORT, WHOLE
from tests.support.clones import commit, git, initialise

KEYS = ["status", "confidence", "candidates", "reproductions", "released_in", "reasons", "searched"]
TITLE = "# half() fails with a TypeError on nothing\n\n"
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "offline", "own_cache")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Broken at v1.0, half mended at v1.1 and wholly behind it; `nightly` is a tag and no version."""
    home = initialise(tmp_path_factory.mktemp("there") / "home")
    commit(home, {"halves.py": BROKEN, "README.md": "Halves.\n"}, "Begin")
    git(home, "tag", "v1.0")
    commit(home, {"README.md": "Halves of numbers.\n"}, "Say what it is for")
    commit(home, {"halves.py": HALF}, "half() gives nothing for nothing instead of a TypeError")
    git(home, "tag", "nightly")
    git(home, "tag", "v1.1")
    commit(home, {"halves.py": WHOLE}, "Halve texts, too")
    commit(home, {"README.md": "Halves of all.\n"}, "Say that texts have halves")
    return home


def run(repo: Path, text: str, *more: str, as_json: bool = True) -> Result:
    issue = repo.parent / "issue.md"
    issue.write_text(text)
    return CliRunner().invoke(main, ["fixed", str(issue), "--repo", str(repo), *more, *["--json"] * as_json])


def document(done: Result) -> dict[str, Any]:
    assert "Traceback" not in done.output and not isinstance(done.exception, Exception), done.output
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert list(found)[:7] == KEYS, done.output
    assert all(list(each) == ["commit", "score", "why"] for each in found["candidates"])
    assert done.exit_code == (2 if "error" in found else 3 if found["status"] == "UNKNOWN" else 0)
    return found


def why(found: dict[str, Any]) -> str:
    return " ".join(found["reasons"])


def files(directory: Path) -> dict[str, float]:
    return {str(path): path.lstat().st_mtime_ns for path in directory.rglob("*")}


def test_what_is_fixed_is_told_with_the_commit_and_its_release(home: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    git(home, "clone", "--quiet", "--bare", str(home), str(bare))
    git(bare, "branch", "1.0.x", "v1.0")
    before = files(bare)
    found = document(run(bare, f"{TITLE}Version: 1.0.1\n\n{REPORT}", "--reported", "1.0", "--head", "main"))
    fix = git(home, "rev-parse", "v1.1")
    assert (found["status"], found["candidates"][0]["commit"], found["released_in"]) == ("ALREADY_FIXED", fix, "v1.1")
    assert all(0 <= each["score"] <= 1 for each in found["candidates"])
    assert found["searched"]["reported"] == git(home, "rev-parse", "v1.0")
    assert found["searched"]["head"] == git(home, "rev-parse", "main")
    assert found["searched"]["lacking"] == "1.0.x"
    (one, *_) = [each for each in found["reproductions"] if each["variant_of"] is None]
    assert (one["head"]["seen"], one["without_fix"]["seen"], one["fix"]) == ("passes", "as_reported", fix)
    assert "half(None)" in one["code"]
    assert files(bare) == before


def test_candidates_lie_between_the_two_revisions(home: Path) -> None:
    found = document(run(home, TITLE + REPORT, "--no-execute", "--reported", "v1.0", "--head", "v1.1"))
    between = git(home, "rev-list", "v1.0..v1.1").split()
    assert found["candidates"]
    assert {each["commit"] for each in found["candidates"]} <= set(between)


def test_history_alone_says_that_it_was_alone(home: Path) -> None:
    found = document(run(home, TITLE + REPORT, "--no-execute", "--reported", "v1.0"))
    assert found["status"] == "UNKNOWN", "of four commits one is always the first"
    first = found["candidates"][0]["commit"]
    assert f"The history ranks {first[:10]} first, but that is too little to call it the fix. Only 4 commits" in why(
        found
    )
    assert "Only 4 commits were ranked" in " ".join(found["searched"]["doubts"][first])
    told = run(home, TITLE + REPORT, "--no-execute", "--reported", "v1.0", as_json=False).stdout
    told = " ".join(told.replace("│", " ").split())
    assert first in told and "number 1 of 4" in told and "Upgrade" not in told
    assert found["reproductions"] == []
    assert "Nothing was run, as you asked" in why(found)
    assert found["searched"]["executed"] is False


def test_what_a_project_is_called_is_nothing_to_share(tmp_path: Path) -> None:
    """Its package is not called as the directory is."""
    home = initialise(tmp_path / "tools")
    commit(
        home,
        {"halves_quarters/__init__.py": BROKEN, "pyproject.toml": "[project]\nname = 'tools'\nversion = '1'\n"},
        "Begin",
    )
    fix = commit(
        home, {"halves_quarters/more.py": HALF, "tests/test_more.py": "def test(): assert 1\n"}, "Fix halves_quarters"
    )
    found = document(run(home, "# halves_quarters: the remainder is lost\n\nIt is.\n", "--no-execute"))
    assert "It shares little more than the project's name with the report." in found["searched"]["doubts"][fix]


def test_the_version_that_the_report_names_counts(home: Path) -> None:
    found = document(run(home, f"{TITLE}Version: 1.0\n\n{REPORT}", "--no-execute"))
    assert found["searched"]["reported"] == git(home, "rev-parse", "v1.0")
    later = run(home, f"{TITLE}Version: 9.9\n\n{REPORT}", "--no-execute", as_json=False)
    assert "which no tag stands for" in " ".join(later.stdout.replace("│", " ").split())


def test_the_terminal_says_it_in_words(home: Path) -> None:
    done = run(home, TITLE + REPORT, "--reported", "v1.0", as_json=False)
    shown = " ".join(done.stdout.replace("│", " ").split())
    for text in (
        "ALREADY_FIXED it is fixed already: no change is needed",
        git(home, "rev-parse", "v1.1"),
        "Upgrade to v1.1.",
        "fails as reported",
        "half(None)",
        "commits searched",
    ):
        assert text in shown
    assert done.exit_code == 0


def test_the_address_of_an_issue_brings_its_number_and_what_closed_a_report_like_it(
    home: Path, public_github: FakeGitHub, tmp_path: Path
) -> None:
    public_github.create_repository("acme/halves")
    body = "`half_of` raises a TypeError in `to_half`."
    older = public_github.open_issue("acme/halves", "TypeError", body)
    public_github.close_issue("acme/halves", older)
    number = public_github.open_issue("acme/halves", "It fails", body)
    named = tmp_path / "named"
    shutil.copytree(home, named)
    fix = commit(named, {"README.md": "Halves of everything.\n"}, f"Say it in other words\n\nFixes #{number}")
    of_older = commit(named, {"README.md": "Halves of it.\n"}, f"Say it again\n\nFixes #{older}")
    commit(named, {"README.md": "Halves.\n"}, "Be brief")
    address = f"{public_github.web_url}/acme/halves/issues/{number}"
    words = ["fixed", address, "--repo", str(named), "--reported", "v1.0", "--no-execute", "--json"]
    found = document(CliRunner().invoke(main, words))
    assert found["candidates"][0]["commit"] == fix
    reasons = {each["commit"]: " ".join(each["why"]) for each in found["candidates"]}
    assert f"closes #{number}" in found["candidates"][0]["why"][0]
    assert f"#{older}, a report of the same symptoms" in reasons[of_older]


def test_what_came_back_after_a_fix_is_not_called_fixed_for_its_history(home: Path) -> None:
    text = f"{TITLE}This came back after it was fixed.\n\n{REPORT}"
    found = document(run(home, text, "--no-execute", "--reported", "v1.0"))
    assert found["status"] == "UNKNOWN"
    assert "came back after a fix" in why(found)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--reported", "9.9"], "--reported 9.9: there is no such commit"),
        (["--head", "gone"], "--head gone: there is no such commit"),
        (["--head", ""], "--head : there is no such commit"),
        (["--reported", ""], "--reported : there is no such commit"),
        (["--head", "v" * 5000], f"--head {'v' * 199}…: there is no such commit"),
        (["--head", "v1.0:halves.py"], "there is no such commit"),
        (["--head", "v1.0..main"], "there is no such commit"),
        (["--head", "--upload-pack=touch /tmp/x"], "there is no such commit"),
    ],
)
def test_revisions_that_do_not_exist(home: Path, more: list[str], reason: str) -> None:
    found = document(run(home, TITLE + REPORT, *more))
    assert (found["status"], found["confidence"]) == ("UNKNOWN", 0)
    assert reason in found["error"] and found["error"] in found["reasons"]


def test_what_is_no_repository_and_what_is_no_report(home: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain" / "here"
    plain.mkdir(parents=True)
    assert "is no git repository" in document(run(plain, TITLE + REPORT))["error"]
    gone = CliRunner().invoke(main, ["fixed", str(tmp_path / "gone.md"), "--repo", str(home), "--json"])
    assert "gone.md" in document(gone)["error"]
    assert document(run(home, ""))["status"] == "UNKNOWN"


def test_an_empty_history(tmp_path: Path) -> None:
    found = document(run(initialise(tmp_path / "empty"), TITLE + REPORT))
    assert found["status"] == "UNKNOWN"
    assert "there is no history" in why(found)


def test_unrelated_histories(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(home, other)
    git(other, "checkout", "--quiet", "--orphan", "apart")
    commit(other, {"halves.py": WHOLE}, "Begin anew")
    found = document(run(other, TITLE + REPORT, "--reported", "v1.0", "--head", "apart"))
    assert (found["status"], found["candidates"]) == ("UNKNOWN", [])
    assert "their histories are unrelated" in why(found)


def test_a_shallow_clone_says_what_it_lacks(home: Path, tmp_path: Path) -> None:
    shallow = tmp_path / "shallow"
    git(home, "clone", "--quiet", "--depth=1", f"file://{home}", str(shallow))
    found = document(run(shallow, TITLE + "It fails.", "--no-execute"))
    assert "shallow" in found["searched"]["problem"]
    assert (found["status"], "shallow" in why(found)) == ("UNKNOWN", True)
    old = document(run(shallow, TITLE + "It fails.", "--no-execute", "--reported", git(home, "rev-parse", "v1.0")))
    assert "The clone is shallow: fetch all of its history" in old["error"]


def test_a_rewritten_history_is_searched_anew(home: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    shutil.copytree(home, again)
    assert document(run(again, TITLE + REPORT, "--no-execute", "--reported", "v1.0"))["candidates"]
    git(again, "checkout", "--quiet", "-B", "main", "v1.0")
    git(again, "tag", "--delete", "v1.1", "nightly")
    new = commit(again, {"halves.py": HALF}, "half() gives nothing for nothing instead of a TypeError")
    git(again, "reflog", "expire", "--expire=now", "--all")
    git(again, "gc", "--quiet", "--prune=now")
    found = document(run(again, TITLE + REPORT, "--no-execute", "--reported", "v1.0"))
    assert [each["commit"] for each in found["candidates"]] == [new]


def test_submodules_and_tags_of_other_things(home: Path, tmp_path: Path) -> None:
    """And a fix that no release has yet: `nightly` is no version."""
    other = tmp_path / "other"
    shutil.copytree(home, other)
    git(other, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendored")
    (other / ".gitmodules").write_text('[submodule "vendored"]\n\tpath = vendored\n\turl = ../nowhere\n')
    git(other, "add", ".gitmodules")
    git(other, "commit", "--quiet", "-m", "Vendor it")
    git(other, "tag", "blob", git(other, "hash-object", "-w", "README.md"))
    git(other, "tag", "-d", "v1.1")
    shown = " ".join(run(other, TITLE + REPORT, "--reported", "v1.0", as_json=False).stdout.replace("│", " ").split())
    assert "ALREADY_FIXED" in shown and "No tag of a version has it yet." in shown


def test_damaged_repositories(home: Path, tmp_path: Path) -> None:
    dangling = tmp_path / "dangling"
    shutil.copytree(home, dangling)
    (dangling / ".git" / "refs" / "tags" / "v9.9").write_text("1" * 40 + "\n")
    found = document(run(dangling, TITLE + REPORT, "--no-execute", "--reported", git(home, "rev-parse", "v1.0")))
    assert found["candidates"]
    damaged = tmp_path / "damaged"
    shutil.copytree(home, damaged)
    blob = git(damaged, "rev-parse", "main:halves.py")
    place = damaged / ".git" / "objects" / blob[:2] / blob[2:]
    place.chmod(0o600)
    place.write_bytes(b"x")
    assert "a file that is missing or damaged" in document(run(damaged, TITLE + REPORT))["error"]


PACKAGE = "```python\nimport wholly_other\nwholly_other.half(None)\n```\n\nTypeError: nothing has no half\n"
LOG = "```\n2024-05-01 12:00:01 INFO starting worker 3\n2024-05-01 12:00:02 ERROR lost the connection\n```\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (PACKAGE, "which this repository does not contain"),
        (LOG, "The report shows nothing that can be run"),
    ],
    ids=["another package", "a log"],
)
def test_reports_that_show_nothing_of_this_project(home: Path, text: str, reason: str) -> None:
    found = document(run(home, "# Something fails\n\n" + text, "--reported", "v1.1", "--head", "main"))
    assert (found["status"], reason in why(found)) == ("UNKNOWN", True), found


def example(code: str) -> str:
    return f"```python\nimport halves\n{code}\nhalves.half(None)\n```\n\nIt raises a TypeError.\n\n"


HOSTILE = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos._exit(0)"


def test_code_that_cannot_be_run_here(home: Path) -> None:
    text = "".join(
        map(
            example,
            (
                "input('Which? ')",
                "import urllib.request\nurllib.request.urlopen('http://example.org/')",
                HOSTILE,
                "open('/etc/shadow').read()",
            ),
        )
    )
    found = document(run(home, "# It fails with a TypeError\n\n" + text, "--reported", "v1.1"))
    assert found["status"] == "UNKNOWN", found
    assert "waits for input" in why(found)
    assert "needs a network" in why(found)


def test_code_that_takes_ten_minutes_is_cut_off(home: Path) -> None:
    found = document(
        run(home, "# It fails\n\n" + example("import time\ntime.sleep(600)"), "--timeout", "8", "--reported", "v1.1")
    )
    assert found["status"] == "UNKNOWN"
    assert "in time" in why(found) or "time ran out" in why(found) or "did not end" in why(found)


def test_a_history_that_is_too_long_for_the_time_does_not_use_it_up(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.commands.fixed._FOR_HISTORY", 0)
    found = document(run(home, TITLE + REPORT))
    assert found["candidates"] == []
    assert any(each["head"]["seen"] == "passes" for each in found["reproductions"]), "what it shows is run all the same"
    assert "longer than the time given" in why(found)
