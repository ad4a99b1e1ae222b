"""`bouncer judge pull` on real git repositories: what the gate would say, one document, plain refusals with exit 2."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bot.cli import main
from bot.verification.values import Origin
from tests.support.cases import cases
from tests.support.clones import commit, git, initialise

KEYS = ["verdict", "label", "probability", "judge", "reasons", "tests", "failing", "evidence"]
MORE = ["symptom", "guess", "verified", "asked", "agent", "base", "head", "seconds"]
MORE += ["cause", "turned", "contradictions", "control", "unfinished", "uncovered", "form", "look_at"]
MORE += ["holes", "check"]
RUNS = ["base", "head", "own", "issue_base", "issue_head", "claims", "own_base", "as_pushed"]

POLICY = "verify:\n  setup: []\n  test: pytest\n"
SHARE = "def share(cents, people):\n    return [cents // people] * people\n"
# Little in it can be mutated, so that few runs tell what its tests notice.
RIGHT = SHARE.replace("[cents // people] * people", "[len(range(at, cents, people)) for at in range(0, people)]")
TEST = "from share import share\n\n\ndef test_even():\n    assert share(90, 3) == [30, 30, 30]\n"
ISSUE = """# share() loses cents

The shares must add up, and the first ones pay what is left over:

    >>> from share import share
    >>> share(100, 3)
    [34, 33, 33]
"""
pytestmark = pytest.mark.usefixtures("equal_jobs_run_once", "offline", "own_cache")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A branch for each change, from a commit that `main` has left behind; beside it issues of all kinds."""
    there = tmp_path_factory.mktemp("there")
    home = initialise(there / "home")
    commit(home, {"share.py": SHARE, "test_share.py": TEST, ".github/bouncer.yml": POLICY}, "Begin")
    for name, files in {
        "right": {"share.py": RIGHT},
        "wrong": {"share.py": SHARE.replace("//", "/")},
        "idle": {"share.py": SHARE.replace("    return", "    # What each pays.\n    return")},
        "asking": {".github/bouncer.yml": POLICY + "pulls:\n  unproved: person\n"},
        "demanding": {".github/bouncer.yml": POLICY + "pulls:\n  require_linked_issue: bounce\n"},
        "broken": {".github/bouncer.yml": "verify: {tests: pytest}\n"},
    }.items():
        git(home, "checkout", "--quiet", "-b", name, "main")
        commit(home, files, f"Share a bill [{name}]\n\nEvery cent counts.")
    git(home, "checkout", "--quiet", "-b", "unasked", "demanding")
    commit(home, {"test_share.py": TEST + "    assert share(8, 2) == [4, 4]\n"})
    for base in ("main", "asking"):
        git(home, "checkout", "--quiet", "-b", f"unseen-{base}", base)
        commit(home, {"share.py": SHARE + "\n\ndef tip(total):\n    return total // 10\n"})
    git(home, "checkout", "--quiet", "-b", "typed", "main")
    types = "def share(total: int, people: int) -> list{}: ...\n"
    reading = SHARE + "\n\nTYPES = open('share.pyi').read()\n"
    commit(home, {"share.py": reading, "share.pyi": types.format("")})
    for base in ("main", "typed"):
        git(home, "checkout", "--quiet", "-b", f"types-{base}", base)
        commit(home, {"share.pyi": types.format("[int]")})
    git(home, "checkout", "--quiet", "--orphan", "apart")
    commit(home, {}, "Begin anew")
    git(home, "checkout", "--quiet", "main")
    commit(home, {"NEWS.md": "Soon.\n"}, "Go on")
    (there / "issue.md").write_text(ISSUE)
    (there / "plain").mkdir()
    (there / "empty.md").write_text("\n\n")
    (there / "binary.md").write_bytes(b"\x7fELF\xff\xfe\x00")
    return home


def run(home: Path, head: str, *more: str, base: str = "main", as_json: bool = True, issue: bool = True) -> Result:
    given = ["judge", "pull", "--repo", str(home), "--base", base, "--head", head, *more]
    given += ["--issue", str(home.parent / "issue.md")] * issue + ["--json"] * as_json
    return CliRunner().invoke(main, given)


def document(done: Result) -> dict[str, Any]:
    (line,) = done.stdout.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert list(found) == KEYS + MORE, done.output
    assert list(found["tests"]) == RUNS
    assert all(list(each) == ["check", "effect", "found", "quote", "where"] for each in found["evidence"])
    assert all(list(each) == ["name", "status", "message"] for each in found["failing"])
    return found


def test_a_rival_shows_a_hole_and_holds_nothing_that_is_right(home: Path) -> None:
    found = document(run(home, "wrong", "--rival", "idle", "--rival", "right"))
    assert (found["verdict"], found["cause"]) == ("UNAVAILABLE", "person")
    (hole,) = found["holes"]
    assert (hole["fix"], hole["call"], hole["wanted"]) == ("right", "share(100, 3)", "[34, 33, 33]")
    assert hole["given"].startswith("[33.333")
    found = document(run(home, "right", "--rival", "wrong"))
    assert (found["verdict"], found["holes"]) == ("ACCEPT", [])
    done = run(home, "right", "--rival", "apart")
    assert (done.exit_code, "--rival apart: it cannot be merged" in done.stderr) == (2, True)


def test_a_right_change_passes(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_STATEMENT_KEY_PATH", str(tmp_path / "key.pem"))
    public = CliRunner().invoke(main, ["statement-key"])
    (tmp_path / "public.pem").write_text(public.stdout)
    done = run(home, "right", "--statement", str(tmp_path / "right.json"))
    found = document(done)
    assert (found["verdict"], done.exit_code) == ("ACCEPT", 0)
    assert (found["tests"]["base"]["passed"], found["tests"]["head"]["passed"]) == (1, 1)
    assert (found["tests"]["issue_base"]["failed"], found["tests"]["issue_head"]["passed"]) == (1, 1)
    assert (found["tests"]["own"], found["failing"]) == (None, [])  # no test of the base's was lost
    assert found["control"]
    assert found["judge"].startswith("offline-patch/")
    assert found["label"] in {"CORRECT_AND_PRECISE", "CORRECT_BUT_INCOMPLETE"}
    assert 0 < found["probability"] < 1
    assert (found["base"], found["head"]) == (git(home, "rev-parse", "main"), git(home, "rev-parse", "right"))
    assert found["asked"] == f"Judged against {home.parent / 'issue.md'}."
    assert git(home, "status", "--porcelain") == ""
    assert_stated(home, tmp_path)


def assert_stated(home: Path, there: Path) -> None:
    """Every digest is what git and `sha256sum` say; and nothing is left unknown but whose repository it is."""
    (there / "policy.yml").write_text(POLICY)
    line = f"{sha256(TEST.encode()).hexdigest()}  test_share.py\n"
    merged = git(home, "merge-tree", "--write-tree", "main", "right")
    given = ["verify-statement", str(there / "right.json"), "--key", str(there / "public.pem"), "--json"]
    given += ["--head", git(home, "rev-parse", "right"), "--base", git(home, "rev-parse", "main"), "--tree", merged]
    checked = CliRunner().invoke(main, [*given, "--policy", str(there / "policy.yml"), "--max-age", "1"])
    assert checked.exit_code == 0, checked.output
    told = json.loads(checked.stdout)
    assert told["unknown"] == ["the repository"] and told["statement"]["predicate"]["verdict"] == "ACCEPT"
    assert told["statement"]["predicate"]["tests"]["digest"]["sha256"] == sha256(line.encode()).hexdigest()
    (there / "policy.yml").write_text(POLICY + "\n")
    other = CliRunner().invoke(main, [*given, "--policy", str(there / "policy.yml")])
    assert other.exit_code == 1 and "The policy's SHA-256 is" in other.stderr


def test_a_wrong_one_goes_to_a_person_with_its_failing_example(home: Path) -> None:
    done = run(home, "wrong", as_json=False)
    assert done.exit_code == 3
    shown = " ".join(done.stdout.replace("│", " ").split())
    for text in (
        "UNAVAILABLE",
        "Share a bill [wrong]",
        "The report's example still fails with this change: the issue, the first example: it does not print what the",
        "✗ the issue, the first example",
        "the issue's examples",
        "without the change with it",
        ", where main and wrong branched, to",
    ):
        assert text in shown


def test_one_that_does_nothing_is_bounced_without_running(home: Path) -> None:
    done = run(home, "idle")
    found = document(done)
    assert (found["verdict"], done.exit_code, found["judge"]) == ("BOUNCE", 0, "nobody")
    assert found["reasons"][0].startswith("This change affects only comments, docstrings")
    assert set(found["tests"].values()) == {None}


@pytest.mark.parametrize("head", ["main", "main~1"])
def test_no_change_at_all_is_bounced(home: Path, head: str) -> None:
    base, start = (git(home, "rev-parse", "--short=7", ref) for ref in ("main", head))
    told = (
        f"From {start} to {start}."
        if start == base
        else f"From {start}, where main and {head} branched, to {start}, run on top of {base}."
    )
    assert told in " ".join(run(home, head, as_json=False).stdout.replace("│", " ").split())
    found = document(run(home, head))
    assert (found["verdict"], found["reasons"]) == ("BOUNCE", ["This change edits no file."])


def test_without_a_sandbox_it_says_what_can_be_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_CONTAINER_COMMAND", "/nowhere/podman")
    done = run(home, "right", "--executor", "container")
    found = document(done)
    assert (found["verdict"], done.exit_code) == ("UNAVAILABLE", 3)
    assert found["reasons"][0].startswith("Nothing may run here: container: ")
    assert found["reasons"][0] in done.stderr
    assert found["cause"] == "outside"
    assert found["label"] in {"CORRECT_AND_PRECISE", "CORRECT_BUT_INCOMPLETE"}


def test_without_an_issue_the_message_says_what_was_asked_for(home: Path) -> None:
    found = document(run(home, "idle", issue=False))
    assert found["asked"] == "No issue was given, so it is judged against the message of its last commit."
    assert (found["verdict"], found["reasons"][0]) == ("ACCEPT", "Nothing broke. Nothing was asked for.")
    assert found["check"] == {"conclusion": "success", "title": f"Plausible: {found['reasons'][0]}"}
    found = document(run(home, "unasked", base="demanding", issue=False))
    assert found["check"]["conclusion"] == "failure"
    assert (found["verdict"], found["reasons"][0][:20]) == ("BOUNCE", "This pull request na")


@cases
def test_bad_input_is_refused_with_the_mend(home: Path, given: dict[str, str], said: str) -> None:
    there = home.parent
    options = {"--repo": "home", "--base": "main", "--head": "right", "--issue": "issue.md"} | given
    address = options.pop("address", "")
    words = [address] if address else []
    for name, value in options.items():
        words += [f"{name}={there / value if name in ('--repo', '--issue') else value}"] if value else []
    done = CliRunner().invoke(main, ["judge", "pull", "--json", *words], env={"HOME": str(there)})
    assert done.exit_code == 2, done.output
    (line,) = done.stdout.splitlines()
    assert said in json.loads(line)["error"]
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_it_is_set_up_as_of_the_time_of_its_base(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the gate: where today's packages do not fit, those of that time may."""
    times = []

    @contextmanager
    def staged(*_: object, origin: Origin, **__: object) -> Iterator[str]:
        times.append(origin.made)
        yield "Nothing may run here."

    monkeypatch.setattr("bot.commands.judge_pull.staged", staged)
    run(home, "right")
    assert [int(made.timestamp()) for made in times if made] == [int(git(home, "log", "-1", "--format=%ct", "main"))]


@cases
def test_the_exit_code_says_whether_it_would_merge(
    home: Path, head: str, base: str, more: dict[str, bool], status: int
) -> None:
    done = run(home, head, "--exit-code", base=base, **more)
    assert (done.exit_code, document(done)["check"]["conclusion"]) == (status, "failure" if status else "success")
    assert run(home, head, base=base, **more).exit_code == 0


def test_what_merges_as_neutral_ends_with_zero(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_CONTAINER_COMMAND", "/nowhere/podman")
    done = run(home, "right", "--executor", "container", "--exit-code")
    found = document(done)
    assert (found["verdict"], found["check"]["conclusion"], done.exit_code) == ("UNAVAILABLE", "neutral", 0)
    assert found["check"]["title"].startswith("Could not be judged: Nothing may run here: container: ")


@pytest.mark.parametrize(("base", "conclusion"), [("main", "neutral"), ("asking", "action_required")])
def test_code_that_no_test_looks_at_is_never_green(home: Path, base: str, conclusion: str) -> None:
    done = run(home, f"unseen-{base}", "--exit-code", base=base, issue=False)
    assert (document(done)["check"]["conclusion"], done.exit_code) == (conclusion, int(conclusion != "neutral"))
    assert "Nothing broke, but nothing looks at this change. No test that ran calls" in document(done)["check"]["title"]


@pytest.mark.parametrize(("base", "conclusion"), [("main", "success"), ("typed", "neutral")])
def test_types_alone_need_no_test_that_looks_at_them_unless_a_program_reads_them(
    home: Path, base: str, conclusion: str
) -> None:
    done = run(home, f"types-{base}", base=base, issue=False)
    assert document(done)["check"]["conclusion"] == conclusion


def test_as_annotations_every_line_is_one_and_nothing_else_is_said(home: Path) -> None:
    done = run(home, "idle", "--format", "github", "--exit-code", as_json=False)
    assert done.exit_code == 1
    (line,) = done.output.splitlines()
    assert line.startswith("::error title=Bouncer::Bounced: This change affects only comments, docstrings")
    both = run(home, "idle", "--format", "github")
    assert both.exit_code == 2 and "--json and --format exclude each other" in both.stderr


def test_progress_is_shown_where_somebody_looks_on_and_nowhere_else(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(home, "idle", as_json=False).stderr == ""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    assert "Reading the change" in run(home, "idle", as_json=False).stderr
    assert run(home, "idle").stderr == ""


def test_without_git_it_says_that_git_is_missing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(home / "nowhere"))
    done = run(home, "right", as_json=False)
    told = "bouncer judge pull: git is not installed here, or not on the PATH. Install it first.\n"
    assert (done.exit_code, done.stderr) == (2, told)
