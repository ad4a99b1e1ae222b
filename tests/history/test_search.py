"""What fixed a report is found in real histories: merged, squashed, taken back, applied again, copied, released."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from bot.history import matching
from bot.history.search import search
from bot.history.values import Sought
from tests.history.house import FILES, FIX, MENDED, PARSER, SOUGHT, House
from tests.support.cases import cases


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)


def test_the_fix_comes_first_with_what_speaks_for_it(house: House) -> None:
    fix = house.fix(f"{FIX}\n\nFixes #12.")
    house.commit("Teach the painter more", {"grid/paint0.py": "x = 1\n"})
    found = house.search()
    best = found.candidates[0]
    assert (best.commit, best.subject, best.names_issue, best.likely) == (fix, FIX, True, True)
    assert best.at == "2024-05-01T12:00:00+00:00"
    assert best.why[0] == "It says that it closes #12."
    assert "It changes a function of the report's stack trace." in best.why
    assert "It changes 1 file of the report's stack trace." in best.why
    assert best.why[-1] == "No tag of a version has it yet."
    assert (found.commits, found.problem) == (8, "")
    assert all(0 <= one.score <= best.score for one in found.candidates)
    assert sum(one.score for one in found.candidates) <= 1
    assert house.base not in {one.commit for one in found.candidates}


def test_only_what_is_in_the_head_and_not_in_the_reported_revision(house: House) -> None:
    fix = house.fix()
    later = house.commit("Go on", {"a.txt": "1"})
    assert fix not in {one.commit for one in house.search(reported=fix).candidates}
    assert house.search(reported=fix).commits == 1
    nothing = house.search(reported=later)
    assert (nothing.candidates, nothing.commits) == ((), 0)
    assert "nothing that the reported revision" in nothing.problem
    assert "does not contain the reported revision" in house.search(reported="0" * 40).problem
    assert "does not contain the head" in house.search(head="0" * 40).problem
    without = search(house.index(), SOUGHT, reported=None, head=house.head)
    assert {fix, house.base} <= {one.commit for one in without.candidates}


def test_a_merged_pull_request_is_one_change_with_its_title(house: House) -> None:
    house.git("checkout", "--quiet", "-b", "rows")
    first = house.commit("wip", {"grid/parser.py": MENDED})
    second = house.commit("tests", {"tests/test_parser.py": FILES["tests/test_parser.py"]})
    house.git("checkout", "--quiet", "main")
    house.commit("Meanwhile", {"b.txt": "1"})
    merge = house.merge(
        "rows", f"Merge pull request #40 from ann/rows\n\n{FIX}\n\nCloses: https://github.com/o/r/issues/12"
    )
    best = house.search(replace(SOUGHT, repository="o/r")).candidates[0]
    assert (best.commit, best.subject, best.members, best.names_issue) == (merge, FIX, (second, first), True)
    other = house.search(replace(SOUGHT, repository="p/q")).candidates[0]
    assert (other.commit, other.names_issue) == (merge, False)
    assert house.search(reported=first).candidates[0].commit == merge  # reported from within the pull request


def test_a_pull_request_whose_merge_is_not_in_the_head_is_named_by_its_newest_commit_there(house: House) -> None:
    house.git("checkout", "--quiet", "-b", "rows")
    house.commit("wip", {"grid/parser.py": MENDED})
    second = house.commit(FIX, {"tests/test_parser.py": FILES["tests/test_parser.py"]})
    house.git("checkout", "--quiet", "main")
    house.commit("Meanwhile", {"b.txt": "1"})
    house.merge("rows", f"Merge pull request #40 from ann/rows\n\n{FIX}")
    assert house.search(head=second).candidates[0].commit == second


def test_a_squashed_pull_request_and_its_changelog_fragment_name_the_issue(house: House) -> None:
    fix = house.commit("Mend rows (#40)", {**FILES, "changelog/12.bugfix.rst": "The last row is kept.\n"})
    best = house.search().candidates[0]
    assert (best.commit, best.names_issue) == (fix, True)
    assert {"It says that it closes #12.", "It adds a changelog entry."} <= set(best.why)
    # A list of a release's fixes names everything, and fixes nothing.
    release = house.commit("Release 2", {"CHANGES.rst": "".join(f"* #{number}\n" for number in range(1, 40))})
    named = {one.commit: one.names_issue for one in house.search().candidates}
    assert named[fix]
    assert not named.get(release)


def test_what_was_taken_back_is_no_candidate_until_it_is_applied_again(house: House) -> None:
    fix = house.fix(f"{FIX}\n\nFixes #12.")
    house.git("revert", "--no-edit", fix)
    revert = house.head
    taken_back = house.search()
    assert fix not in {one.commit for one in taken_back.candidates}
    assert [(one.commit, one.reverted_by) for one in taken_back.reverted] == [(fix, revert)]
    assert f"It was reverted by {revert[:10]}." in taken_back.reverted[0].why
    house.git("revert", "--no-edit", revert)
    again = house.search()
    assert not again.reverted
    assert "It was reverted once, and applied again." in {one.commit: one.why for one in again.candidates}[fix]


def test_a_change_taken_back_or_applied_again_without_a_word_is_told_by_its_lines(house: House) -> None:
    fix = house.fix()
    house.commit("Tidy", {"grid/parser.py": PARSER, "tests/test_parser.py": None})
    assert fix not in {one.commit for one in house.search().candidates}
    again = house.fix("Second try")
    assert {fix, again} <= {one.commit for one in house.search().candidates}


def test_a_reverted_pull_request_is_known_by_its_number(house: House) -> None:
    fix = house.fix(f"{FIX} (#40)")
    house.git("revert", "--no-commit", fix)
    house.commit('Revert "Keep the last row" (#41)\n\nReverts acme/grid#40', {"b.txt": "so that the lines differ"})
    assert fix not in {one.commit for one in house.search().candidates}


def test_the_first_release_is_the_oldest_version_that_contains_it(house: House) -> None:
    house.git("tag", "v0.9")
    fix = house.fix()
    assert house.search().candidates[0].released_in is None
    for tag in ("nightly", "v2.0rc1", "docs-latest"):
        house.git("tag", tag)
    assert house.search().candidates[0].released_in == "v2.0rc1"
    house.commit("Go on", {"a.txt": "1"})
    house.git("tag", "v2.10")
    house.git("tag", "-a", "v2.9", "-m", "annotated")
    best = house.search().candidates[0]
    assert (best.commit, best.released_in, best.why[-1]) == (fix, "v2.9", "First released in v2.9.")


def release(house: House, tag: str) -> None:
    house.commit(f"Version {tag}", {"version.txt": tag})
    house.git("tag", tag)


@pytest.mark.parametrize("again", ["revert", "pick", "lines", "words", "pull"])
def test_what_was_applied_again_is_released_from_then_on(house: House, again: str) -> None:
    fix = house.fix(f"{FIX} (#40)\n\nFixes #12.")
    release(house, "v1.1")
    assert house.search().candidates[0].released_in == "v1.1"
    house.git("revert", "--no-edit", fix)
    revert = house.head
    release(house, "v1.2")
    assert [(one.commit, one.reverted_by) for one in house.search().reverted] == [(fix, revert)]
    files = {**FILES, "more.py": "1"}  # so that the lines tell nothing
    if again == "revert":
        house.git("revert", "--no-edit", revert)
    elif again == "pick":
        house.git("cherry-pick", "-x", fix)
    elif again == "lines":
        house.fix("Second try")
    elif again == "words":
        house.commit(f'Reapply "{FIX} (#40)"', files)
    else:
        house.commit(f'Revert "Revert "{FIX} (#40)"" (#42)\n\nReverts acme/grid#41', files)
    first = {one.commit: one for one in house.search().candidates}[fix]
    assert (first.released_in, first.reverted_by) == (None, None)
    release(house, "v1.3")
    release(house, "v1.4")
    found = {one.commit: one for one in house.search().candidates}
    assert (found[fix].released_in, found[fix].also_in) == ("v1.3", ())
    assert "It was reverted once, and applied again." in found[fix].why
    # Who had it in v1.1 reports something else, or that it was taken back.
    assert fix not in {one.commit for one in house.search(reported=house.git("rev-parse", "v1.2")).candidates}


def test_taking_back_what_came_after_the_report_mends_nothing(house: House) -> None:
    broke = house.commit("Pop the last row of a table in parse_table", {"grid/rows.py": "rows.pop()\nrows.pop()\n"})
    house.git("revert", "--no-edit", broke)
    revert = house.head
    assert revert in {one.commit for one in house.search(reported=broke).candidates}
    assert revert not in {one.commit for one in house.search().candidates}
    house.commit(f"Mend rows anew\n\nThis reverts commit {revert}.", {"grid/rows.py": "rows.shift()\n"})
    assert house.head in {one.commit for one in house.search().candidates}


def test_taken_back_by_its_subject_alone(house: House) -> None:
    older = house.commit(FIX, {"grid/other.py": "x = 1\n"})
    fix = house.fix()
    house.commit(f'Revert "{FIX}" (#41)', {"b.txt": "so that the lines differ"})
    found = house.search()
    assert [one.commit for one in found.reverted] in ([fix], [])
    assert fix not in {one.commit for one in found.candidates}
    assert older in {one.commit for one in found.candidates}


def test_what_was_taken_back_and_applied_again_many_times_is_told_in_time(house: House) -> None:
    fix = house.fix()
    for _ in range(40):
        house.git("revert", "--no-edit", "HEAD")
    assert fix in {one.commit for one in house.search().candidates}
    house.git("revert", "--no-edit", "HEAD")
    assert fix not in {one.commit for one in house.search().candidates}


def test_back_ports_are_released_too(house: House) -> None:
    house.git("tag", "v1.9.0")
    house.git("branch", "1.9", "HEAD")
    release(house, "v2.0a1")
    fix = house.fix()
    release(house, "v2.0")
    house.git("checkout", "--quiet", "1.9")
    release(house, "v1.9.2")
    house.git("cherry-pick", fix)
    for tag in ("v1.9.4", "v1.9.5"):
        release(house, tag)
    house.git("checkout", "--quiet", "main")
    versions = {
        reported: house.search(reported=house.git("rev-parse", reported)).candidates
        for reported in ("v1.9.0", "v1.9.2", "v1.9.5", "v2.0a1")
    }
    told = {reported: (found[0].released_in, found[0].also_in) for reported, found in versions.items() if found}
    assert told["v1.9.0"] == told["v1.9.2"] == ("v1.9.4", ("v2.0",))
    assert told["v2.0a1"] == ("v2.0", ("v1.9.4",))
    assert "First released in v2.0, on another branch in v1.9.4." in versions["v2.0a1"][0].why
    assert fix not in {one.commit for one in versions["v1.9.5"]}  # it has the back-port
    unknown = search(house.index(), SOUGHT, reported=None, head=house.head).candidates[0]
    assert (unknown.released_in, unknown.also_in) == ("v2.0", ("v1.9.4",))


@cases
def test_a_reference_is_no_claim(house: House, message: str, files: dict[str, str], names: bool) -> None:
    made = house.commit(message, files)
    found = {one.commit: one for one in house.search().candidates}
    assert (made in found and found[made].names_issue) is names
    if message.startswith("Add a test"):
        assert made not in found or not found[made].likely


@pytest.mark.parametrize("says", [True, False])
def test_back_ports_are_told(house: House, says: bool) -> None:
    fix = house.fix()
    house.git("checkout", "--quiet", "-b", "1.x", house.base)
    house.commit("Stay behind", {"c.txt": "1"})
    house.git("cherry-pick", *(["-x"] if says else []), fix)
    port = house.head
    house.git("checkout", "--quiet", "main")
    found = house.search()
    best = found.candidates[0]
    assert (best.commit, best.back_ports) == (fix, (port,))
    assert f"The same change is on other branches too: {port[:10]}." in best.why
    assert not found.elsewhere


def test_a_fix_on_another_branch_is_no_candidate_but_told(house: House) -> None:
    house.git("checkout", "--quiet", "-b", "next")
    fix = house.fix(f"{FIX}\n\nFixes #12.")
    house.git("checkout", "--quiet", "main")
    found = house.search()
    assert fix not in {one.commit for one in found.candidates}
    assert [one.commit for one in found.elsewhere] == [fix]
    assert "It is on another branch only." in found.elsewhere[0].why


@pytest.mark.parametrize(
    "sought",
    [
        Sought("", ""),
        Sought('" OR * NEAR(', '`"); drop table units; --` {subject}: ^x* NOT (a)'),
        Sought("\0\ud800", "<!-- " * 1000 + "`" * 5000),
        Sought("語" * 500, "x" * 200_000),
    ],
)
def test_any_report_can_be_asked_for(house: House, sought: Sought) -> None:
    house.fix()
    assert not house.search(sought).problem


def test_what_is_found_does_not_hang_on_how_the_changes_are_told_to_sqlite(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    house.fix()
    house.commit("Teach another colour", {"grid/paint9.py": "def paint9(): ...\n"})
    found = []
    for sparse in (0, 1000):
        monkeypatch.setattr(matching, "_SPARSE", sparse)
        found.append(house.search().candidates)
    assert found[0] == found[1] != ()


def test_a_damaged_index_is_said_and_made_anew(house: House) -> None:
    fix = house.fix()
    index = house.index()
    with sqlite3.connect(index.path) as database:
        database.execute("drop table names")
    found = search(index, SOUGHT, reported=house.base, head=house.head)
    assert (found.candidates, "damaged" in found.problem) == ((), True)
    assert house.search().candidates[0].commit == fix
