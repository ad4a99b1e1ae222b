"""`bouncer report` after real work: what was bounced, and what people's acts say of it."""

import json
from datetime import timedelta
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import delete, select, update

from bot.cli import main
from bot.judges.openai.issues import from_settings
from bot.settings import FurtherModel
from bot.storage.ledger import decisions, spending
from bot.storage.retention import Retention
from bot.workflows.services import LedgerSpend
from bot.workflows.welcome import make_welcomes
from tests.support.model import ScriptedModel, completion
from tests.workflows.house import CLEAR, CLEAR_TITLE, LABEL, PUBLIC_URL, House, Told
from tests.workflows.test_gate import AGENT, BREAKS, CODE, ENFORCE, propose, told

__all__ = ["told"]


@pytest.fixture
def report(house: House, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("BOUNCER_DATABASE_URL", house.database.main.url.render_as_string(hide_password=False))

    def said(*options: str) -> Any:
        found = CliRunner().invoke(main, ["report", "--since", "2020-01-01", *options])
        assert found.exit_code == 0, found.output
        return json.loads(found.stdout) if "--json" in options else found.output

    return said


def words(document: Any, repo: str) -> list[tuple[int, str, str]]:
    return [(each["number"], each["event"], each["word"]) for each in document["bounces"] if each["repository"] == repo]


def test_what_people_do_with_held_issues_is_a_word(house: House, report: Any) -> None:
    repo = house.repository()
    answered, taken_off, accepted, silent = (house.open(repo) for _ in range(4))
    house.clock.advance(hours=3)
    house.github.edit_issue(repo, answered, title=CLEAR_TITLE, body=CLEAR)
    house.github.remove_label(repo, taken_off, LABEL, by="maintainer")
    house.say(repo, accepted, "/bouncer accept", by="triager")
    house.settle()
    found = report("--repo", repo, "--json")
    assert words(found, repo) == [
        (answered, "answered", "right"),
        (taken_off, "label_removed", "wrong"),
        (accepted, "accepted", "wrong"),
        (silent, "nothing", "no word"),
    ]
    (row,) = (row for row in found["rows"] if row["rule"] == "all")
    assert (row["bounced"], row["right"], row["wrong"], row["with_word"]) == (4, 1, 2, 3)
    assert row["precision"] == pytest.approx(1 / 3)
    assert row["interval"][0] < 1 / 3 < row["interval"][1]
    assert row["seconds_to_answer"] == pytest.approx(3 * 3600, abs=60)
    observed = next(each for each in found["questions"] if each["item"] == "observed")
    assert observed == {"item": "observed", "asked": 4, "answered": 1, "needless": 2, "open": 1}
    assert ": 4, answered 1, needless 2, open 1" in report("--repo", repo)


def test_a_strangers_word_is_none(house: House, report: Any) -> None:
    repo, number = house.begin()
    house.say(repo, number, "/bouncer accept", by="somebody")
    house.say(repo, number, "This is wrong, take the label off!", by="somebody")
    assert words(report("--json"), repo) == [(number, "nothing", "no word")]


def test_in_observe_nobody_was_told_so_nothing_counts(house: House, report: Any) -> None:
    repo, number = house.begin("mode: observe\n")
    house.edit(repo, number, title=CLEAR_TITLE, body=CLEAR)
    (row,) = (row for row in report("--repo", repo, "--json")["rows"] if row["rule"] == "all")
    assert (row["bounced"], row["observed"], row["accepted_later"], row["with_word"]) == (1, 1, 1, 0)
    assert row["precision"] is None
    assert f"{repo}#{number}  would have been bounced" in report("--repo", repo, "--subjects")


def test_an_override_is_a_word_against_the_bounce(house: House, told: Told, report: Any) -> None:
    told.stood = BREAKS
    repo, number = propose(house)
    house.say(repo, number, "/bouncer override The test is wrong.", by="maintainer")
    assert words(report("--json"), repo) == [(number, "overridden", "wrong")]


def test_a_word_that_comes_too_late_says_nothing(house: House, report: Any) -> None:
    repo, number = house.begin()
    with house.database.main.begin() as connection:
        connection.execute(update(decisions).values(at=house.clock() - timedelta(days=100)))
    house.github.remove_label(repo, number, LABEL, by="maintainer")
    house.settle()
    assert words(report("--json"), repo) == [(number, "nothing", "no word")]


def test_bad_input_is_named_with_the_mend(house: House, report: Any) -> None:
    run = CliRunner()
    for options, why in (
        (["--since", "soon"], "give a date such as 2026-01-31"),
        (["--repo", "nobody/nothing"], "Nothing was judged in nobody/nothing"),
    ):
        found = run.invoke(main, ["report", *options, "--json"])
        assert (found.exit_code, why in json.loads(found.stdout)["error"]) == (2, True), found.output
    assert "Nothing was judged" in run.invoke(main, ["report", "--since", "9999-01-01"]).output


def test_a_new_repository_has_its_welcome_said_before_anything_was_judged(
    house: House, report: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOUNCER_PUBLIC_URL", PUBLIC_URL)
    repo = house.repository()
    while make_welcomes(house.services, house.clock()):
        pass  # a few at once
    (made,) = house.services.welcomes.of({house.github.repo(repo).id})
    link = f"What it would have said about the last issues of {repo}: {PUBLIC_URL}/welcome/{made.token}\n"
    assert report("--repo", repo) == f"{link}Nothing was judged since 2020-01-01.\n"
    assert report("--repo", repo, "--json")["welcomes"] == {repo: link.split()[-1]}


def test_how_held_issues_end_is_a_word_only_of_a_maintainer(house: House, report: Any) -> None:
    """Agents' accounts may close as well, those that Bouncer knows and those that the policy names."""
    repo = house.repository("pulls:\n  agents:\n    logins: [house-coder]\n")
    ends = (("maintainer", "not_planned"), ("maintainer", "completed"), ("reporter", "completed"))
    ends += (("stale[bot]", "not_planned"), ("cursoragent", "completed"), ("House-Coder", "completed"))
    numbers = [house.open(repo) for _ in ends]
    for number, (by, how) in zip(numbers, ends, strict=True):
        house.github.close_issue(repo, number, by=by, reason=how)
    house.settle()
    assert words(report("--repo", repo, "--json"), repo) == list(
        zip(
            numbers,
            ("not_planned", "done", *("nothing",) * 4),
            ("right", "wrong", *("no word",) * 4),
            strict=True,
        )
    )


def test_how_bounced_pull_requests_end_is_a_word(house: House, told: Told, report: Any) -> None:
    told.stood = BREAKS
    repo, merged = propose(house, "mode: advise\n")
    closed, own = (
        house.github.open_pull(repo, "Add half()", {f"half{place}.py": CODE}, by=AGENT) for place in range(2)
    )
    house.settle()
    house.github.merge_pull(repo, merged, by="maintainer")
    house.github.close_issue(repo, closed, by="maintainer")
    house.github.close_issue(repo, own, by=AGENT)
    house.settle()
    assert sorted(words(report("--repo", repo, "--json"), repo)) == [
        (merged, "merged", "wrong"),
        (closed, "closed", "right"),
        (own, "nothing", "no word"),
    ]


def test_an_accepted_pull_request_that_was_taken_back_or_did_not_do_it_was_missed(
    house: House, told: Told, report: Any
) -> None:
    repo = house.repository(ENFORCE)
    issue = house.github.open_issue(repo, CLEAR_TITLE, CLEAR, by=AGENT)
    house.settle()
    bodies = ("", f"Fixes #{issue}", "")
    reverted, unfinished, fine = (
        house.github.open_pull(repo, "Add half()", {f"half{place}.py": CODE}, body=body, by=AGENT)
        for place, body in enumerate(bodies)
    )
    house.settle()
    for number in (reverted, unfinished, fine):
        house.github.merge_pull(repo, number, by="maintainer")
    house.settle()
    back = house.github.open_pull(
        repo, 'Revert "Add half()"', {"half0.py": "# gone\n"}, body=f"Reverts {repo}#{reverted}", by="maintainer"
    )
    house.github.merge_pull(repo, back, by="triager")
    house.github.close_issue(repo, issue, by="maintainer")
    house.github.reopen_issue(repo, issue, by="triager")
    house.settle()
    rows = report("--repo", repo, "--json")["rows"]
    (row,) = (row for row in rows if (row["subject"], row["rule"]) == ("pull request", "all"))
    assert (row["missed"], row["bounced"]) == (2, 0)


def test_words_against_verdicts_that_were_deleted_are_counted(house: House, report: Any) -> None:
    repo = house.repository()
    gone, kept = house.open(repo), house.open(repo)
    house.github.remove_label(repo, gone, LABEL, by="maintainer")
    house.settle()
    with house.database.main.begin() as connection:
        connection.execute(
            delete(decisions).where(decisions.c.number == gone, decisions.c.repo_id == house.github.repo(repo).id)
        )
    assert report("--json")["without_verdict"] == 1
    assert "1 action of a maintainer is against verdicts that are older or deleted" in report()
    other = house.repository()
    elsewhere = house.open(other)
    house.github.remove_label(other, elsewhere, LABEL, by="maintainer")
    house.settle()
    assert report("--repo", repo, "--json")["without_verdict"] == 1, "what was done elsewhere is no word here"
    assert (kept, "nothing", "no word") in words(report("--json"), repo)


def test_what_retention_removed_is_counted_and_not_guessed(house: House, report: Any) -> None:
    repo, other = house.repository(), house.repository()
    for each in (repo, repo, other):
        house.open(each)
    assert report("--repo", repo, "--json")["removed"] == 0
    day = house.clock() + timedelta(days=1)
    Retention(house.database).remove_records(day)
    house.clock.advance(days=2)
    house.open(repo)
    assert report("--repo", repo, "--json")["removed"] == 2
    told = report("--repo", repo)
    assert f"2 verdicts from before {day:%Y-%m-%d} were removed by age and count no more." in told
    assert "1 verdict, 1 bounce." in told
    late = CliRunner().invoke(main, ["report", "--since", f"{day + timedelta(hours=30):%Y-%m-%d}"])
    assert "removed by age" not in late.output


def test_what_a_cheap_first_model_saved_is_said(
    house: House, report: Any, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_model.script(*(completion(label="WELL_SPECIFIED", usage=(100, 0)) for _ in range(3)))
    scripted_model.script(completion(label="VAGUE", usage=(100, 0)))
    scripted_model.script(completion(label="VAGUE", items={"observed": False}, usage=(1000, 0)))
    cheap = FurtherModel(model="o4-mini", price_in=1000.0)
    settings = scripted_model.settings(model="gpt-4.1", model_price_in=1000.0, models=(cheap,), first_model="o4-mini")
    judge = from_settings(settings, LedgerSpend(house.services.ledger, house.clock))
    monkeypatch.setattr(house.judge, "judge", judge.judge)
    repo = house.repository()
    numbers = [house.open(repo, body=CLEAR, title=f"{CLEAR_TITLE} {n}") for n in range(3)]
    assert not any(house.held(repo, number) for number in numbers)
    assert house.held(repo, house.open(repo)), "the dear model's label holds"
    assert report("--repo", repo, "--json")["first_model"] is None
    monkeypatch.setenv("BOUNCER_MODELS", '[{"model": "o4-mini"}]')
    monkeypatch.setenv("BOUNCER_FIRST_MODEL", "o4-mini")
    saving = report("--repo", repo, "--json")["first_model"]
    assert saving == {"model": "o4-mini", "settled": 3, "passed_on": 1, "money": pytest.approx(3.0)}
    assert "o4-mini settled 3 of 4 judged issues alone, which saved about 3.00." in report("--repo", repo)
    spent = house.services.ledger
    assert (spent.money_today(house.clock(), "o4-mini"), spent.money_today(house.clock(), "o4")) == (
        pytest.approx(0.4),
        0.0,
    )
    assert spent.money_today(house.clock(), "gpt-4.1") == pytest.approx(1.0)


def test_a_vote_is_shown_with_the_names_and_the_figures_of_all(
    house: House, scripted_model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted_model.always(completion(label="REASONABLY_SPECIFIED", items={"observed": False}))
    voter = FurtherModel(model="claude-3-7-sonnet-latest")
    settings = scripted_model.settings(model="gpt-4.1", models=(voter,), voter_models=voter.model)
    judge = from_settings(settings, LedgerSpend(house.services.ledger, house.clock))
    monkeypatch.setattr(house.judge, "judge", judge.judge)
    repo, number = house.begin()
    assert house.held(repo, number), "two together may hold from here on, where neither may alone"
    (comment,) = house.issue(repo, number).comments
    assert "gpt-4.1 + claude-3-7-sonnet-latest" in comment.body
    assert "1,021 recorded answers of these models together to public issues" in comment.body
    (entry,) = house.services.ledger.entries(house.github.repo(repo).id, number)
    with house.database.main.connect() as connection:
        mine = select(spending.c.judge).where(spending.c.workflow_id == entry.workflow_id)
        paid = {row.judge.partition(" with ")[0] for row in connection.execute(mine)}
    assert paid == {"gpt-4.1", "claude-3-7-sonnet-latest"}, "each in the ledger, under the run that asked"
