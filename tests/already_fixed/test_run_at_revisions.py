"""Reports looked at in small real repositories, with the real sandbox."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.already_fixed.decide import decide_fixed
from bot.already_fixed.revisions import RevisionSource, without
from bot.already_fixed.run_at_revisions import _left_in as left_in
from bot.already_fixed.run_at_revisions import examine
from bot.already_fixed.values import Seen
from bot.issues.parse import parse
from bot.judges.openai.questions import OpenAIReproductionWriter
from bot.judges.openai.spend import MemorySpend
from bot.policy import Verify
from bot.reports import IssueText
from bot.sandbox.protocol import Mount
from bot.settings import Settings
from bot.verdicts import FixStatus
from bot.verification.environments.build import EnvironmentProblem
from bot.verification.environments.prepare import Prepared, Ready, Setup, Trail, prepare
from bot.verification.values import Program
from tests.already_fixed.house import BROKEN, EXECUTOR, HALF, REPORT, SECOND, WHOLE, candidate, look, repository
from tests.support.cases import cases
from tests.support.clones import commit, git, initialise
from tests.support.lengths import EVERY_TRICK
from tests.support.model import ScriptedModel, completion


def test_what_fails_before_and_passes_now_is_fixed_and_the_commit_is_found(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, BROKEN + "\n# more\n", WHOLE, WHOLE + "\n# more\n")
    found = look(there, REPORT, tmp_path)  # of the value it says nothing, nor does history
    assert (found.status, found.fixed_by) == (FixStatus.POSSIBLY_FIXED, shas[2])
    assert found.reasons[1] == (
        "The first example: What went wrong is gone; the report does not say what should come instead."
    )


def test_what_comes_where_an_exception_is_gone_is_compared(tmp_path: Path) -> None:
    """Else it would be `POSSIBLY_FIXED`. No number stands in the example, so no other one is tried."""
    half = "THREE = 3\ndef half(n):\n    return n / {}\n"
    there, _ = repository(tmp_path / "r", half.format(None), half.format(2))
    trace = 'Traceback (most recent call last):\n  File "x.py", line 2\nTypeError: unsupported operand'
    body = f"```python\nimport halves\nhalves.half(halves.THREE)\n```\n```\n{trace}\n```\nIt should return `1.5`."
    assert look(there, body, tmp_path).status is FixStatus.ALREADY_FIXED


def test_head_minus_fix_needs_no_old_revision(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE, WHOLE + "\n# more\n")
    given = [candidate(shas[2]), candidate(shas[1], released_in="2.0")]
    found = look(replace(there, reported=None), REPORT, tmp_path, given)
    assert (found.status, found.fixed_by, found.released_in) == (FixStatus.ALREADY_FIXED, shas[1], "2.0")
    assert [each.commit for each in found.candidates] == [shas[1], shas[2]]
    assert found.trials[0].reported is None


def test_a_fix_that_cannot_be_taken_out_is_shown_by_the_commit_before_it(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE, WHOLE.replace("return None", "return  None"))
    found = look(replace(there, reported=None), REPORT, tmp_path, [candidate(shas[1])])
    assert (found.status, found.fixed_by) == (FixStatus.ALREADY_FIXED, shas[1])
    assert found.reasons[0].endswith(
        f"It fails as reported at the commit before {shas[1][:10]}, and passes at the head."
    )
    assert f"{shas[1][:10]} cannot be removed from the head: what it changed was changed again later." in found.reasons


def test_what_a_program_raises_because_it_lacks_a_part_is_no_sign_of_the_report(tmp_path: Path) -> None:
    """Without the commit that made place for another argument, which others use now."""
    directory = initialise(tmp_path / "r")
    first = commit(directory, {"helper.py": "def help(n):\n    return n\n", "halves.py": BROKEN})
    wider = commit(directory, {"helper.py": "def help(n, more=None):\n    return n\n"})
    uses = {"halves.py": "from helper import help\ndef half(n):\n    return help(n, 1) and n / 2\n"}
    there = RevisionSource(directory, commit(directory, uses))
    body = "```python\nfrom halves import half\nhalf(3)\n```\nIt raises `TypeError`."
    found = look(there, body, tmp_path, [candidate(wider)])
    assert (found.status, found.fixed_by) == (FixStatus.UNKNOWN, None)
    trial, before = found.trials[0], found.trials[0].before
    assert trial.without_fix and trial.without_fix.says == "it raises TypeError, as any program with a missing part may"
    assert before and before.seen is Seen.PASSES and first


def test_a_fix_in_two_commits_is_complete_with_the_second(tmp_path: Path) -> None:
    """Though history knows of the first alone."""
    there, shas = repository(tmp_path / "r", BROKEN, HALF, WHOLE, WHOLE + "\n# more\n")
    found = look(there, REPORT + SECOND, tmp_path, [candidate(shas[1], released_in="1.1")])
    assert (found.fixed_by, found.released_in) == (shas[2], None)


def test_a_fix_of_the_shown_input_alone_is_half_a_fix(tmp_path: Path) -> None:
    broken = "def pick(n):\n    return len(None) + n\n"
    there, _ = repository(tmp_path / "r", broken, f"{broken[:13]}\n    if n == 7:\n        return 1{broken[12:]}")
    message = "TypeError: object of type 'NoneType' has no len()"
    trace = f'Traceback (most recent call last):\n  File "x.py", line 2\n{message}'
    body = f"```python\nimport halves\nhalves.pick(7)\n```\n```\n{trace}\n```"
    found = look(there, body, tmp_path)
    assert found.status is FixStatus.PARTIALLY_FIXED
    assert found.reasons[0].startswith("Variant 1 of the first example: At the head it still fails")


def test_an_old_fix_is_none_of_what_came_back(tmp_path: Path) -> None:
    """Only what failed where the report saw it counts, and only what mended it since."""
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE, BROKEN + "\n# more\n", WHOLE + "\n# more\n")
    body = f"{REPORT}\nThis was fixed in 1.1, but it came back."
    given = [candidate(shas[1], released_in="1.1"), candidate(shas[3])]
    found = look(replace(there, reported=shas[2]), body, tmp_path, given)
    assert (found.trials[0].without_fix, found.trials[0].before) == (None, None)
    assert (found.fixed_by, found.released_in) == (shas[3], None)
    assert found.reasons[0].endswith(
        "It fails as reported at the revision the report is about, and passes at the head."
    )


def test_what_was_fixed_and_taken_back_is_still_present(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE, BROKEN)
    found = look(there, REPORT, tmp_path, [candidate(shas[1], reverted_by=shas[2])])
    assert found.status is FixStatus.STILL_PRESENT


def test_a_fix_that_was_taken_back_is_not_named_for_the_later_one(tmp_path: Path) -> None:
    directory = repository(tmp_path / "r", BROKEN, WHOLE)[0].directory
    first = git(directory, "rev-parse", "HEAD")
    git(directory, "revert", "--no-edit", "HEAD")
    again = commit(directory, {"halves.py": WHOLE})
    head = commit(directory, {"halves.py": WHOLE + "\n# more\n"})
    there = RevisionSource(directory, head, git(directory, "rev-parse", f"{first}^"))
    assert look(there, REPORT, tmp_path).fixed_by == again


def test_what_passes_on_both_sides_proves_nothing(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", WHOLE, WHOLE + "\n# more\n")
    found = look(there, REPORT, tmp_path)
    assert found.status is FixStatus.UNKNOWN
    assert found.reasons[0].endswith("It passes at the head, and also where it should fail, so it proves nothing.")


@cases
def test_what_cannot_be_told_is_unknown_with_the_reason(body: str, reason: str, tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", BROKEN, WHOLE)
    found = look(there, body, tmp_path)
    assert found.status is FixStatus.UNKNOWN
    assert found.reasons[0].startswith(reason)


def test_nothing_is_begun_when_the_time_is_up(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE)
    report = parse(IssueText("half() fails", REPORT))
    given, settings = [candidate(shas[1])], Settings(cache_dir=tmp_path / "cache")
    facts = examine(report, there, given, EXECUTOR, Verify(), settings, seconds=0)
    assert facts.problem == "The time ran out before all was run."
    assert {trial.head.seen for trial in facts.trials if trial.head} == {Seen.CANNOT_RUN}
    assert decide_fixed(replace(facts, commits=500)).status is FixStatus.POSSIBLY_FIXED  # by history alone


@pytest.mark.parametrize(
    ("needs", "status"), [("", FixStatus.ALREADY_FIXED), ("import wholly_other", FixStatus.UNKNOWN)]
)
def test_where_setup_fails_what_needs_nothing_runs_all_the_same(
    needs: str, status: FixStatus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.already_fixed.runner.moments", lambda *of: ("",))
    there, shas = repository(tmp_path / "r", needs + BROKEN, needs + WHOLE)
    report, settings = parse(IssueText("half() fails", REPORT)), Settings(cache_dir=tmp_path / "cache")
    given = [candidate(shas[1], likely=False)]
    facts = examine(report, there, given, EXECUTOR, Verify(setup=("exit 3",)), settings, seconds=600)
    failed = "It cannot be set up to be run: line 1 of setup failed."
    assert decide_fixed(facts).status is status
    assert (facts.problem, facts.notes) == (
        (failed, ()) if needs else ("", (f"{failed} It was run with nothing installed.",))
    )


def test_an_old_revision_has_what_setup_added_to_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.already_fixed.runner.moments", lambda *of: ("",))
    there, shas = repository(tmp_path / "r", f"import stamped\n{BROKEN}", f"import stamped\n{WHOLE}")
    report, settings = parse(IssueText("half() fails", REPORT)), Settings(cache_dir=tmp_path / "cache")
    facts = examine(report, there, [], EXECUTOR, Verify(setup=("echo > stamped.py",)), settings, seconds=600)
    assert facts.fixed_by == shas[1]


def test_the_first_environment_counts_in_which_anything_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = repository(tmp_path / "r", BROKEN, BROKEN + "\n# more\n")
    asked = []

    def prepared(setup: Setup, program: Program, head: None, trail: Trail) -> object:
        asked.append(trail.as_of)
        if trail.as_of == "long ago":
            return EnvironmentProblem("nothing can be had")
        found = prepare(setup, program)
        assert isinstance(found, Prepared)
        if trail.as_of == "later":
            installed = replace(found.base.environment, mounts=(Mount(tmp_path, "/env"),))
            return replace(found, base=Ready(Program(None, {}), installed))
        return found

    monkeypatch.setattr("bot.already_fixed.runner.moments", lambda *of: ("long ago", "later", "now", ""))
    monkeypatch.setattr("bot.already_fixed.runner.prepare", prepared)
    assert look(there, REPORT, tmp_path).status is FixStatus.STILL_PRESENT
    assert asked == ["long ago", "later", "now"]
    asked.clear()
    waits = look(there, REPORT.replace("from halves", "input()\nfrom halves"), tmp_path)
    assert waits.reasons == ("The first example: It cannot be run: it waits for input.",)
    assert asked == ["long ago", "later"]  # which no environment mends


def test_a_well_known_package_that_an_example_imports_is_added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, _ = repository(tmp_path / "r", BROKEN)
    asked = []

    def prepared(setup: Setup, program: Program, head: None, trail: Trail) -> object:
        asked.append(trail.packages)
        return EnvironmentProblem("it cannot be had") if trail.packages else prepare(setup, program)

    monkeypatch.setattr("bot.already_fixed.runner.prepare", prepared)
    found = look(there, REPORT.replace("from halves", "import bs4\nfrom halves", 1), tmp_path)
    assert asked == [(), ("beautifulsoup4",)]
    assert found.reasons == ("The first example: It cannot be run: the module bs4 is not installed here.",)


def test_a_repository_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", BROKEN)
    found = look(replace(there, head="0" * 40), REPORT, tmp_path)
    assert found.status is FixStatus.UNKNOWN
    assert found.reasons[0].startswith("The repository cannot be read")


def test_what_was_seen_at_the_head_stays_where_no_more_can_be_read(tmp_path: Path) -> None:
    there, _ = repository(tmp_path / "r", WHOLE)
    found = look(replace(there, reported="0" * 40), REPORT, tmp_path)
    assert [trial.head.seen for trial in found.trials if trial.head] == [Seen.PASSES]
    assert found.reasons[-1].startswith("Not all of the history can be read")


@pytest.mark.parametrize("shown", ["", REPORT.replace("half(None)\n```", "half(open('there.txt'))\n```", 1)])
def test_a_models_script_counts_once_it_failed_as_reported(
    tmp_path: Path, scripted_model: ScriptedModel, shown: str
) -> None:
    there, shas = repository(tmp_path / "r", BROKEN, WHOLE)
    telling = {"code": "import halves\nhalves.half(None)", "shows": "raises", "exception": "TypeError"}
    wrong = {"code": "import halves\nassert halves.half(2) == 3", "shows": "asserts", "exception": ""}  # fails always
    clause = {"clause": "halving nothing raises a TypeError"}
    scripted_model.script(completion(json.dumps({"reproductions": [{**clause, **wrong}, {**clause, **telling}]})))
    writer = OpenAIReproductionWriter(scripted_model.settings(model_timeout=60), MemorySpend())
    report = parse(IssueText("half()", f"So halving nothing raises a TypeError.\n{shown}"))
    given, settings = [candidate(shas[1])], Settings(cache_dir=tmp_path)
    without_bad = replace(there, reported=None)
    facts = examine(report, without_bad, given, EXECUTOR, Verify(), settings, seconds=600, writer=writer)
    assert facts.usage.calls == 1
    cannot = [Seen.CANNOT_RUN] * bool(shown)
    assert [trial.head.seen for trial in facts.trials if trial.head] == [*cannot, Seen.AS_REPORTED, Seen.PASSES]
    assert facts.trials[-1].failed_before
    assert decide_fixed(facts).status is FixStatus.UNKNOWN  # the model's claim may be wrong


ROUNDS = "def half(n):\n    return n // 2\n"
EXACT = ROUNDS.replace("n // 2", "n / 2")
POSITIVE = ROUNDS.replace("n // 2", "n / 2 if n > 0 else n // 2")
SAYS = "Half of 3 should be 1.5 and half of -3 should be -1.5; halving nothing raises a TypeError."
THREE, MINUS, FOUR = (f"from halves import half\nassert half({n}) == {n / 2}" for n in (3, -3, 4))
NOTHING = "import halves\nhalves.half(None)"


@pytest.mark.parametrize(
    ("status", "scripts", "versions"),
    [
        (FixStatus.PARTIALLY_FIXED, (THREE, MINUS), (ROUNDS, POSITIVE)),
        (FixStatus.ALREADY_FIXED, (THREE, MINUS), (ROUNDS, EXACT)),
        (FixStatus.POSSIBLY_FIXED, (NOTHING,), (BROKEN, WHOLE)),  # nobody says what should come instead
        (FixStatus.STILL_PRESENT, (THREE, MINUS), (ROUNDS, f"{ROUNDS}# more\n")),
        (FixStatus.UNKNOWN, (FOUR,), (ROUNDS, EXACT)),  # it passes on both sides
    ][: None if EVERY_TRICK else 3],  # what failed everywhere, and nowhere, is no matter of who wrote the script
)
def test_a_models_scripts_yield_every_status(
    status: FixStatus,
    scripts: tuple[str, ...],
    versions: tuple[str, ...],
    tmp_path: Path,
    scripted_model: ScriptedModel,
) -> None:
    there, _ = repository(tmp_path / "r", *versions)
    clause = SAYS.partition(";")[0]
    written = [
        {"clause": SAYS.rpartition("; ")[2], "code": code, "shows": "raises", "exception": "TypeError"}
        if code == NOTHING
        else {"clause": clause, "code": code, "shows": "asserts", "exception": ""}
        for code in scripts
    ]
    scripted_model.script(completion(json.dumps({"reproductions": written})))
    writer = OpenAIReproductionWriter(scripted_model.settings(model_timeout=60), MemorySpend())
    settings = Settings(cache_dir=tmp_path)
    report = parse(IssueText("Halves are off", SAYS))
    facts = examine(report, there, (), EXECUTOR, Verify(), settings, seconds=600, writer=writer)
    assert {trial.reproduction.judge for trial in facts.trials} == {writer.name}
    assert decide_fixed(facts).status is status


ASSERTED = "```python\nfrom halves import half\nassert half(3) == 1.5\n```"


@pytest.mark.parametrize(
    ("body", "head", "status"),
    [
        (f"Half of three rounds down.\n\n{ASSERTED}", ROUNDS, FixStatus.STILL_PRESENT),
        (f"Half of three rounds down.\n\n{ASSERTED}", EXACT, FixStatus.ALREADY_FIXED),
        (f"## Expected\n\n{ASSERTED}", ROUNDS, FixStatus.STILL_PRESENT),
        (f"## Expected\n\n{ASSERTED}", EXACT, FixStatus.ALREADY_FIXED),
    ],
)
def test_what_a_report_asserts_is_a_reproduction(body: str, head: str, status: FixStatus, tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", ROUNDS, f"{head}# more\n")
    found = look(there, body, tmp_path, [candidate(shas[1])], title="Halves are off")
    assert found.status is status, found.reasons


# Head minus fix


def taken(directory: Path, sha: str) -> tuple[dict[str, bytes | None], str]:
    found = without(RevisionSource(directory, git(directory, "rev-parse", "HEAD")), sha)
    return ({}, found) if isinstance(found, str) else (dict(found), "")


def test_code_is_taken_out_and_tests_and_documents_stay(tmp_path: Path) -> None:
    directory = repository(tmp_path / "r", "a = 1\n\n\n\nb = 1\n")[0].directory
    fix = {"halves.py": "a = 2\n\n\n\nb = 1\n", "more.py": "c = 1\n", "tests/test_a.py": "x\n", "CHANGES.md": "y\n"}
    sha = commit(directory, fix)
    commit(directory, {"halves.py": "a = 2\n\n\n\nb = 2\n"})  # what came later stays
    assert taken(directory, sha) == ({"halves.py": b"a = 1\n\n\n\nb = 2\n", "more.py": None}, "")


@cases
def test_what_cannot_be_taken_out(
    tmp_path: Path, files: dict[str, str | None], later: dict[str, str | None], problem: str
) -> None:
    directory = repository(tmp_path / "r", "a = 1\n")[0].directory
    sha = commit(directory, files)
    if later:
        commit(directory, later)
    assert taken(directory, sha) == ({}, problem)


def test_the_first_commit_cannot_be_taken_out(tmp_path: Path) -> None:
    there, shas = repository(tmp_path / "r", "a = 1\n")
    assert taken(there.directory, shas[0]) == ({}, "it is the first commit")


def test_candidates_that_cannot_be_taken_out_are_told_together() -> None:
    assert left_in(("it changes no code", ["a", "b", "c"])) == (
        "a, b and c cannot be removed from the head, each time: it changes no code."
    )
