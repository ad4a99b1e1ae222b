"""A stored calibration decides about real issues and is said on GitHub and on the page; and it is made of what
maintainers did to such issues."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner

from bot.cli import main
from bot.judges.calibration.calibration import LABELS, LabelWorth
from bot.policy_file import PATH
from bot.rendering.issue_page import issue_page
from bot.storage.calibrations import SERVER, Calibrations
from bot.storage.retention import Retention
from bot.verdicts import SpecificationLabel
from tests.judges.calibrations import calibration
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, House

PLAIN = "plain/1"  # the judge of these tests: it finds everything vague that has no traceback
IMPOSSIBLE = SpecificationLabel.IMPOSSIBLE_TO_SOLVE


@pytest.fixture
def kept(house: House) -> Iterator[Calibrations]:
    store = Calibrations(house.database)
    yield store
    store.forget(SERVER)


@pytest.fixture
def calibrate(house: House, kept: Calibrations, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", house.database.main.url.render_as_string(hide_password=False))

    def said(*options: str) -> Any:
        found = CliRunner().invoke(main, ["calibrate", *options])
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout) if "--json" in options else found.output

    return said


def test_a_repositorys_calibration_beats_the_servers_and_that_beats_none(house: House, kept: Calibrations) -> None:
    one, other = house.repository(), house.repository()
    kept.keep(SERVER, calibration(None, judge=PLAIN))
    kept.keep(house.github.repo(one).id, calibration(judge=PLAIN, repository=one))
    assert house.held(one, house.open(one)) and not house.held(other, house.open(other))
    kept.forget(SERVER)
    assert house.held(other, house.open(other))


def test_the_comment_and_the_page_say_what_the_promise_stands_on(house: House, kept: Calibrations) -> None:
    repo = house.repository()
    shipped = house.open(repo)
    answers = "At most 10% of clear issues should be held by mistake. This is based on 5,105 recorded answers of other"
    assert answers in house.spoken(repo, shipped)
    kept.keep(SERVER, calibration(judge=PLAIN))
    assert "This is based on this server's calibration of 2026-05-04, from the labels of 300 issues." in house.spoken(
        repo, house.open(repo)
    )
    probabilities = {label: LabelWorth(0.77, 9) for label in LABELS}
    own = calibration(judge=PLAIN, repository=repo, points={}, labels=probabilities, issues=36)
    kept.keep(house.github.repo(repo).id, own)
    number = house.open(repo)
    said = house.spoken(repo, number)
    assert "Chance that it is too little to act on: 77% (likely)." in said
    promise = (
        "At most 10% of clear issues should be held by mistake. This is based on this repository's calibration of "
        "2026-05-04, from the labels of 36 issues. They are too few to choose a threshold, so Bouncer's default "
        "applies."
    )
    assert promise in said
    subject = house.remembered(repo, number)
    assert subject
    page = issue_page(subject.verdict, state=subject.state, held=subject.held, left_alone="")
    assert ("Its promise", promise) in page.facts


def bounced(house: House, repo: str, *, wrong: int, silent: int = 0, clear: int = 0) -> None:
    """Issues of as many reporters; the first are taken for clear by a maintainer."""
    for place in range(wrong + silent + clear):
        vague = place < wrong + silent
        by = f"reporter{place}"
        number = house.open(repo, by=by) if vague else house.open(repo, CLEAR, title=CLEAR_TITLE, by=by)
        if place < wrong:
            house.github.remove_label(repo, number, LABEL, by="maintainer")
    house.settle()


def test_what_maintainers_call_wrong_moves_the_cut_of_their_repository(house: House, calibrate: Any) -> None:
    repo = house.repository()
    bounced(house, repo, wrong=4, silent=1, clear=2)
    found = calibrate("--from-reports", "--repo", repo, "--json")
    (row,) = found["judges"]
    assert (row["judge"], row["judged"], row["bounced"], row["wrong"], row["right"]) == (PLAIN, 7, 5, 4, 0)
    assert (row["strictness"]["balanced"]["before"], row["strictness"]["balanced"]["holds_from"]) == (
        "VAGUE",
        IMPOSSIBLE,
    )
    assert found["stored_for"] is None and house.held(repo, house.open(repo, by="another"))
    said = calibrate("--from-reports", "--repo", repo, "--apply")
    assert f"Stored for {repo}: {PLAIN}." in said and "IMPOSSIBLE_TO_SOLVE, before from VAGUE" in said
    assert not house.held(repo, house.open(repo, by="yet another"))
    elsewhere = house.repository()
    assert house.held(elsewhere, house.open(elsewhere)), "it counts there alone"
    again = calibrate("--from-reports", "--repo", repo, "--json")["judges"][0]["strictness"]["balanced"]
    assert (again["before"], again["holds_from"]) == ("VAGUE", IMPOSSIBLE), "the same acts move a cut once"


def test_acts_that_were_removed_by_age_leave_the_cut_where_they_moved_it(house: House, calibrate: Any) -> None:
    repo = house.repository()
    bounced(house, repo, wrong=4, silent=1)
    calibrate("--from-reports", "--repo", repo, "--apply")
    Retention(house.database).remove_records(house.clock() + timedelta(days=1))
    house.clock.advance(days=2)
    number = house.open(repo, by="late")
    assert not house.held(repo, number), "the cut holds"
    found = calibrate("--from-reports", "--repo", repo, "--apply", "--json")
    (row,) = found["judges"]
    assert (found["removed"], row["judged"]) == (5, 1), "what is gone is counted"
    assert row["strictness"]["balanced"]["holds_from"] == IMPOSSIBLE
    assert "5 verdicts from before" in calibrate("--from-reports", "--repo", repo)
    assert not house.held(repo, house.open(repo, by="later")), "and is not taken for a reason to hold more"


def test_strangers_and_reporters_move_nothing(house: House, calibrate: Any) -> None:
    repo = house.repository()
    for place in range(3):
        number = house.open(repo, by=f"reporter{place}")
        house.say(repo, number, "/bouncer accept", by="somebody")
        house.github.edit_issue(repo, number, title=CLEAR_TITLE, body=CLEAR)
    house.settle()
    found = calibrate("--from-reports", "--repo", repo, "--apply", "--json")
    (row,) = found["judges"]
    assert (row["bounced"], row["right"], row["wrong"], row["changes"]) == (3, 0, 0, False)
    assert found["stored_for"] is None
    assert "give no reason to change anything" in calibrate("--from-reports", "--repo", repo)


def test_in_observe_nobody_saw_a_verdict(house: House, calibrate: Any) -> None:
    repo = house.repository("mode: observe\n")
    bounced(house, repo, wrong=0, silent=2)
    house.github.push(repo, {PATH: "mode: advise\n"})
    house.settle()
    bounced(house, repo, wrong=0, silent=1)
    (row,) = calibrate("--from-reports", "--repo", repo, "--json")["judges"]
    assert (row["judged"], row["bounced"]) == (1, 1)
