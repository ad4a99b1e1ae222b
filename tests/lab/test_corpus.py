"""What the recordings of `python -m lab.corpus` hold, and what a comparison of two says."""

import json
import sys
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from fake_github import FakeGitHub
from lab.corpus.__main__ import main
from lab.corpus.answers import CASES, COMMITTED, Answer, Bouncer, cases, catalogue, judge_reports, judged, rows
from lab.corpus.demo import page_text, written
from lab.corpus.recording import Item, Recording, differences, item, normalise, read, write
from tests.hostile_pulls.catalogue import FAMILIES
from tests.support.github import REPOSITORY

OLD = Recording({"pulls": "whole"}, {"pulls/a": item("BOUNCE", "no\nsame"), "pulls/b": item("ACCEPT", "yes")})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("see http://127.0.0.1:4711/verdicts/" + "a_-B" * 8, "see http://127.0.0.1:80/verdicts/" + "x1Y2" * 8),
        ("commit 4b4b8e57fc on 5550946, " + "ab12" * 10, "commit 1b4b8e57fc on 9bbdfb4e48, " + "cd34" * 10),
        ("[" + "a_-B" * 8 + "] before", "[" + "x1Y2" * 8 + "] before"),
        ("Counted 2026-11-26 14:35 UTC", "Counted 2026-11-27 09:01 UTC"),
        ("3 passed, 2.1 s in /tmp/corpus-x/repo", "3 passed, 14 s in /tmp/corpus-x/repo"),
        ('{"broken": [\n "a.py:one",\n "a.py:two"\n ]}', '{"broken": [\n "b.py:two"\n ]}'),
        ('{"seconds": 2.055}', '{"seconds": 0.9}'),
    ],
)
def test_what_differs_between_two_runs_is_the_same_afterwards(one: str, other: str) -> None:
    assert normalise(one, "/tmp/corpus-x") == normalise(other, "/tmp/corpus-x")
    assert "/tmp/corpus-x" not in normalise(one, "/tmp/corpus-x")


@pytest.mark.parametrize(
    "text", ["2 passed, 1 failed", "price.py:12", "default", "[34, 33, 33]", "50% (21-100)", '"broken": []']
)
def test_what_was_found_stays(text: str) -> None:
    assert normalise(text) == text


def test_a_page_is_its_words_and_links_without_the_token_of_a_form() -> None:
    html = (
        "<title>A &amp; B</title><style>p {}</style><p>One <b>word</b>.</p><ul><li><a href='/x'>there</a></li></ul>"
        '<form action="/off"><input type="hidden" name="csrf" value="secret"><input value="Go"></form>'
    )
    assert page_text(html).splitlines() == ["A & B", "One word.", "[/x] there", "[/off]", "[Go]"]


def test_two_equal_recordings_do_not_differ() -> None:
    assert list(differences(OLD, OLD)) == []


def test_a_difference_shows_both_verdicts_and_both_texts() -> None:
    new = Recording(OLD.scope, {**OLD.items, "pulls/a": item("ACCEPT", "well\nsame")})
    (said,) = differences(OLD, new)
    assert said.startswith("pulls/a: BOUNCE -> ACCEPT\n")
    assert "    -no\n    +well\n     same" in said


def test_a_difference_says_where_the_text_is_lacking() -> None:
    new = Recording(OLD.scope, {**OLD.items, "pulls/a": Item("BOUNCE", "another")})
    assert list(differences(OLD, new)) == ["pulls/a: BOUNCE, in other words\n    (no text in the second)"]


def test_what_a_sample_leaves_out_is_no_difference_and_what_the_whole_lacks_is_one() -> None:
    fewer = {"pulls/a": OLD.items["pulls/a"]}
    assert list(differences(OLD, Recording({"pulls": "a sample of 1"}, fewer))) == []
    assert list(differences(OLD, Recording({"pulls": "whole"}, fewer))) == ["pulls/b: only in the first: ACCEPT"]
    assert list(differences(OLD, Recording({"cases": "whole"}, {}))) == []


def test_the_command_says_the_differences_and_fails_for_them(tmp_path: Path) -> None:
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    write(OLD, first, texts=True)
    write(Recording(OLD.scope, {"pulls/a": item("ACCEPT", "")}), second, texts=True)
    same = CliRunner().invoke(main, ["compare", str(first), str(first)])
    assert (same.exit_code, same.output) == (0, "0 differences in 2 answers that both hold, of pulls\n")
    other = CliRunner().invoke(main, ["compare", str(first), str(second)])
    assert other.exit_code == 1
    assert "2 differences in 1 answers" in other.output


def test_what_git_keeps_has_no_text_and_keeps_kinds_that_were_not_recorded_again(tmp_path: Path) -> None:
    path = tmp_path / "recorded.json"
    write(OLD, path, texts=False)
    assert read(path).items["pulls/a"] == Item("BOUNCE", OLD.items["pulls/a"].digest)
    write(Recording({"cases": "whole"}, {"cases/c": item("right", "yes")}), path, texts=False)
    assert sorted(read(path).items) == ["cases/c", "pulls/a", "pulls/b"]


def test_many_calls_in_one_process_say_what_each_alone_says(tmp_path: Path) -> None:
    bouncer = Bouncer(Path(sys.executable).with_name("bouncer"), tmp_path)
    chosen = dict(list(rows(COMMITTED[0]).items())[:3])
    name, told = list(judge_reports(bouncer, chosen).items())[-1]
    alone = [bouncer.call("judge", "issue", str(tmp_path / "report2.json"), *more) for more in (["--json"], [])]
    assert told == judged(alone[0], alone[1].stdout)
    assert (name, told.brief.split()[0]) == (list(chosen)[2], json.loads(alone[0].stdout)["verdict"])


def test_a_call_that_fails_is_recorded_with_what_it_printed() -> None:
    told = judged(Answer((), 2, "", "no such file"))
    assert (told.brief, told.text) == ("no document", "exit 2\nno such file\n")


def test_every_hostile_pull_and_every_case_has_a_name_of_its_own() -> None:
    pulls = [pull for family in FAMILIES for pull in (*family.hostile, *family.honest)]
    assert len([name for name in catalogue() if not name.startswith("control/")]) == len(pulls)
    if CASES.is_dir():
        assert len(cases()) >= 142


def test_what_stands_on_the_fake_github_is_read_from_another_process(fake_github: FakeGitHub) -> None:
    """As of the demo, which runs in one of its own."""
    number = fake_github.open_issue(REPOSITORY, "It fails", "Always.", by="reporter")
    fake_github.comment(REPOSITORY, number, "Here too.", by="triager")
    state = requests.get(f"{fake_github.web_url}/_fake/state", timeout=30).json()
    found = written(state[REPOSITORY])
    assert found["issue #01"].text == "It fails\nopened" and found["comment #01.1"].text == "Here too."
