"""The pure parts: what makes one change, what a message names, versions, the report's side, the ranking."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.history.database import Graph, spaced
from bot.history.evidence import Facts, sentences
from bot.history.git_trace import in_code, in_prose
from bot.history.matching import Match
from bot.history.names import Names, names_in
from bot.history.ranking import FEATURES, TRACED, SearchWeights, weights
from bot.history.refs import first, refs, tag_of, version
from bot.history.relations import Released, relatives
from bot.history.report import Frame, read
from bot.history.values import Sought
from bot.history.writer import members, merges_pull
from tests.history.house import House
from tests.support.cases import cases
from tests.support.clones import initialise
from tests.support.properties import patient


@st.composite
def graphs(draw: st.DrawFn) -> dict[int, tuple[int, ...]]:
    size = draw(st.integers(2, 25))
    return {
        number: tuple(draw(st.lists(st.integers(1, number - 1), max_size=2, unique=True))) if number > 1 else ()
        for number in range(1, size + 1)
    }


def before(parents: dict[int, tuple[int, ...]], tip: int) -> set[int]:
    return {tip}.union(*(before(parents, parent) for parent in parents[tip]))


@patient
@given(graphs(), st.data())
def test_members_are_what_one_side_reaches_alone(parents: dict[int, tuple[int, ...]], data: st.DataObject) -> None:
    one, other = (data.draw(st.integers(1, len(parents))) for _ in range(2))
    if one != other:
        expected = before(parents, other) - before(parents, one)
        assert members(one, other, parents.__getitem__) == sorted(expected, reverse=True)


@patient
@given(graphs(), st.data())
def test_what_commits_contain(parents: dict[int, tuple[int, ...]], data: st.DataObject) -> None:
    graph = Graph.of(parents)
    tips = data.draw(st.lists(st.integers(1, len(parents)), unique=True, max_size=3))
    assert graph.reachable(tips) == set().union(*(before(parents, tip) for tip in tips))
    held = graph.containing(tips, len(parents))
    for number, own in parents.items():
        assert sorted(graph.parents_of(number)) == sorted(own)
        assert held[number] == sum(1 << at for at, tip in enumerate(tips) if tip in before(parents, number))


@cases
def test_what_merges_a_pull_request(message: str, is_pull: bool) -> None:
    assert merges_pull(message) is is_pull


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Fix rows\n\nFixes #12, see #13", Names({(12, ""): True, (13, ""): False})),
        ("Close gh-12", Names({(12, ""): True})),
        ("Resolves: https://github.com/Acme/Grid/issues/12", Names({(12, "acme/grid"): True})),
        ("Mend rows (#40)", Names({(40, ""): False}, pull=40)),
        ("Merge pull request #40 from ann/12-rows", Names({(40, ""): False}, pull=40)),
        ("Merge pull request #1240 from ann/1234_rows", Names({(1240, ""): False, (1234, ""): False}, pull=1240)),
        ("Merge pull request #40 from ann/1234_rows", Names({(40, ""): False}, pull=40)),
        ("Merge pull request #40 from ann/rows-issue12", Names({(40, ""): False, (12, ""): False}, pull=40)),
        ("Merge pull request #40 from ann/patch-1-py312-v1.200", Names({(40, ""): False}, pull=40)),
        ("Merge branch 'fix-1234' into 'main'", Names({(1234, ""): False})),
        ("see acme/other#12, a&#12; and colour #fff", Names()),
        (":issue:`12`", Names({(12, ""): False})),
        (f"Revert it\n\nThis reverts commit {'a' * 40}.", Names(reverts=("a" * 40,))),
        ('Revert "Mend rows (#40)" (#41)', Names(pull=41, reverts=("#40",))),
        (
            'Revert "Fix #12" (#41)\n\nThis broke rows, fixes #13',
            Names({(13, ""): True}, pull=41, reverts=('"Fix #12',)),
        ),
        (
            'Revert "Revert "Mend rows (#40)"" (#42)\n\nReverts a/b#41',
            Names({(40, ""): False, (42, ""): False}, 42, ("#41",), ("#40",)),
        ),
        (
            'Revert "Revert "Mend rows (#40)" (#41)" (#42)',
            Names({(number, ""): False for number in (40, 41, 42)}, 42, (), ("#40",)),
        ),
        ('Reapply "Fix #12"', Names({(12, ""): True}, picked=('"Fix #12',))),
        ('Revert "Reapply "Mend "x" rows""', Names(reverts=('"Mend "x" rows',))),
        (
            'Merge pull request #41 from ann/revert\n\nRevert "Merge pull request #40 from ann/rows"',
            Names({(41, ""): False}, 41, ("#40",)),
        ),
        ('Revert "Fix a "quoted', Names()),
        ('* Fix rows\n* Revert "Fix #12"\n', Names()),
        (f"x\n\n(cherry picked from commit {'b' * 40})", Names(picked=("b" * 40,))),
        ("Backport of #40", Names({(40, ""): False}, picked=("#40",))),
        ("", Names()),
    ],
)
def test_what_a_message_names(message: str, expected: Names) -> None:
    assert names_in(message) == expected


def test_changelogs_name_too() -> None:
    assert names_in("x", notes="* #7: rows", paths=("changelog/12.bugfix.rst", "src/99.py")).issues == {
        (7, ""): False,
        (12, ""): True,
    }
    assert names_in("x", paths=("changelog/12.feature.rst", "docs/changes/grid/13.bugfix.rst")).issues == {
        (12, ""): False,
        (13, ""): True,
    }
    assert len(names_in(" ".join(f"#{number}" for number in range(1, 1000))).issues) < 100


@cases
def test_the_oldest_version(tags: list[str], oldest: str | None) -> None:
    assert first(tags) == oldest


@cases
def test_the_tag_of_a_version_that_a_report_names(said: str, tag: str | None) -> None:
    assert tag_of(["nightly", "v6.2.5", "7.0"], said) == tag


@given(st.text(max_size=100))
def test_any_tag_is_a_version_or_none(tag: str) -> None:
    assert version(tag) is None or first([tag]) == tag


def test_refs_are_branches_and_versions(tmp_path: Path) -> None:
    house = House(tmp_path, others=0)
    house.git("tag", "-a", "1.0", "-m", "annotated")
    house.git("tag", "nightly")
    house.git("tag", "0.1", house.git("rev-parse", "HEAD^{tree}"))
    house.git("update-ref", "refs/pull/1/head", house.base)
    found = refs(house.directory)
    assert (found.branches, found.tags) == ({"main": house.base}, {"1.0": house.base})
    empty = refs(initialise(tmp_path / "empty"))
    assert (empty.branches, empty.tags) == ({}, {})


def test_a_report_is_read_for_what_it_names() -> None:
    asked = read(
        Sought(
            "parseTable loses `last_row`",
            "It <!-- hidden words --> breaks in `read_html`.\n\n"
            'File "C:\\lib\\grid\\parser.py", line 3, in parse_table\n'
            "    at Grid.readRow (/srv/app/grid.js:10:5)\n    at com.acme.Grid.load(Grid.java:12)\n"
            "src/grid/main.rs:44:9\n",
        )
    )
    assert {"parse", "table", "loses", "last", "row"} <= set(asked.title)
    assert asked.words["loses"] > asked.words["html"] > asked.words["breaks"]
    assert "hidden" not in asked.words
    assert {"read html", "last row", "parse table"} <= set(asked.names)
    assert {"parse table", "read row", "load"} <= asked.functions
    assert {"C:/lib/grid/parser.py", "/srv/app/grid.js", "Grid.java", "src/grid/main.rs"} <= asked.files
    assert asked.names["parse table"] in {"parseTable", "parse_table"}


def test_a_frame_has_its_line_and_the_code_that_the_trace_shows() -> None:
    asked = read(
        Sought(
            "",
            "```\nTraceback (most recent call last):\n"
            '  File "a.py", line 3, in <module>\n'
            '  File "grid/b.py", line 7, in Table.row\n    rows.pop( )  \n'
            "IndexError\n```\n    at go (/srv/app/grid.js:12:5)\n",
        )
    )
    assert asked.frames[:3] == (
        Frame("a.py", 3),
        Frame("grid/b.py", 7, "row", "rows.pop( )"),
        Frame("/srv/app/grid.js", 12, "go"),
    )


def test_runs_stand_within_one_line_or_sentence() -> None:
    assert in_code([">>> f(1.5)", "x"], 4) == {("f", "(", "1.5", ")")}
    assert in_code(["F(1)", "+ 2"], 5) == frozenset()
    assert in_prose("Last row lost. It is gone", 3) == {("last", "row", "lost"), ("it", "is", "gone")}


@patient
@given(st.text(max_size=200), st.integers(1, 5))
def test_any_text_has_runs(text: str, length: int) -> None:
    assert all(len(run) == length for run in in_code([text], length) | in_prose(text, length))


def test_relatives_are_those_handed_in_and_those_the_report_calls_alike() -> None:
    text = "Duplicate of #7? Looks the same as issue #8, and #9 is another thing. Same as me/other#3, similar to #12."
    assert relatives(Sought("", text, number=12, relatives=(5, 12))) == [5, 7, 8]
    assert relatives(Sought("", "<!-- same as #7 -->")) == []


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_report_is_read(title: str, text: str) -> None:
    read(Sought(title, text))


def test_names_from_code_fall_into_their_words() -> None:
    assert spaced("readHTMLTable parse_row x2Y\0") == "read HTML Table parse_row x2 Y "


def test_probabilities_are_shares_and_naming_counts() -> None:
    zero, some = [0.0] * len(FEATURES), [1.0] * len(FEATURES)
    own = weighing()
    says = [own.told(None), own.told(None), own.told(None, related=True), own.told(False), own.told(True)]
    plain, better, related, mentions, closes = own.probabilities([zero, some, zero, zero, zero], says)
    assert plain < better
    assert plain < related < mentions < closes
    assert 0 < plain + better + related + mentions + closes < 1
    assert own.told(None, related=False) < own.told(None, related=True)
    assert own.probabilities([], []) == []
    assert own.probabilities([[1e6] * len(FEATURES)], [0.0]) == [1.0]


def test_what_git_says_moves_probabilities_and_leaves_that_none_is_the_fix_its_weight() -> None:
    own = weighing()
    nothing, much = (0.0,) * len(TRACED), (1.0,) * len(TRACED)
    assert own.moved([0.3, 0.3], [nothing, None]) == pytest.approx([0.3, 0.3])
    first, second = own.moved([0.3, 0.3], [much, None])
    assert first > 0.3 > second
    assert second / (1 - first - second) == pytest.approx(0.3 / 0.4)
    assert own.moved([], []) == []
    assert own.moved([1.0], [much]) == pytest.approx([1.0])


@cases
def test_which_change_is_called_likely(chance: float, chances: list[float], called: bool) -> None:
    assert weighing().calls(chance, chances) is called


def weighing() -> SearchWeights:
    return SearchWeights(-1.0, (0.1,) * len(FEATURES), 0.5, 3.0, 6.0, 2.0, (0.1,) * len(TRACED), (-1.0, 1.0, 0.5))


def test_the_weights_that_bouncer_comes_with() -> None:
    shipped = weights()
    assert 0 < shipped.cut < 1
    assert len(shipped.weights) == len(FEATURES)
    assert len(shipped.traced) == len(TRACED)


PLAIN = Match(1, (), (), function=False, notes=False)


def test_sentences() -> None:
    assert sentences(Facts(PLAIN, of=1)) == ("No tag of a version has it yet.",)
    assert sentences(
        Facts(
            Match(1, (), ("a.py", "b.py"), function=False, notes=False, held=2),
            number=12,
            names=True,
            asked=3,
            place=22,
            of=30,
            reverted_by="a" * 40,
            released=Released("1.0", ()),
        )
    ) == (
        "It names #12.",
        "It was reverted by aaaaaaaaaa.",
        "It changes 2 files of the report's stack trace.",
        "It uses 2 of the report's 3 rare names from code.",
        "Its text ranks 22nd among 30 changes.",
    )
    assert sentences(Facts(PLAIN, released=Released("2.0", ("1.8.3", "1.9.4")))) == (
        "First released in 2.0, on another branch in 1.8.3, 1.9.4.",
    )
    assert sentences(Facts(PLAIN, released=Released(None, ("1.9.4",)))) == (
        "Released on another branch only, in 1.9.4.",
    )
    assert "Its text ranks 11th among 30 changes." in sentences(Facts(PLAIN, place=11, of=30))


def test_the_attributes_are_ones_that_git_knows(tmp_path: Path) -> None:
    attributes = Path(__file__).parents[2] / "bot" / "history" / "attributes"
    initialise(tmp_path)
    done = subprocess.run(
        ["git", "-c", f"core.attributesFile={attributes}", "check-attr", "diff", "a.py", "a.go"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "a.py: diff: python\na.go: diff: golang\n"
