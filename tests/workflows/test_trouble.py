"""When something is away: GitHub, the judge, the installation, a valid policy."""

from datetime import timedelta

import pytest

from bot.judges.protocol import NoJudgement
from bot.policy_file import PATH
from bot.workflows.durable.step import PATIENCE
from bot.workflows.issue.judging import RETRIES
from bot.workflows.jobs import Why, clock_job
from tests.workflows.hours import finish, no_waiting
from tests.workflows.house import LABEL, VAGUE, VAGUE_TITLE, House

MODEL_IS_DOWN = NoJudgement("model", "The model endpoint does not answer.", retry=True)


def test_a_judge_that_is_away_is_asked_again_later_and_later(house: House, caplog: pytest.LogCaptureFixture) -> None:
    """For as long as GitHub is waited for; then the log says that it is over."""
    repo = house.repository()
    house.judge.away = MODEL_IS_DOWN
    number = house.open(repo)
    assert house.writes(repo) == [], "no verdict, no word"
    assert timedelta(hours=20) < sum(RETRIES, timedelta()) <= timedelta(seconds=sum(PATIENCE))
    for wait in RETRIES:
        asked = len(house.judge.asked)
        assert "given up" not in caplog.text
        house.tick(seconds=wait.total_seconds() - 60)
        assert len(house.judge.asked) == asked, "not before its time"
        house.tick(minutes=2)
        assert len(house.judge.asked) == asked + 1
    assert f"{repo}#{number}: given up: {MODEL_IS_DOWN.reason}" in caplog.text
    house.tick(hours=30)
    assert len(house.judge.asked) == asked + 1, "then it is left alone"
    assert house.writes(repo) == []
    house.judge.away = None
    house.edit(repo, number, body=VAGUE + " Please!")
    assert house.held(repo, number), "a new text is a new chance"


@pytest.mark.parametrize("is_back", [True, False])
def test_a_retry_that_another_text_overtook_does_not_ask_the_judge(house: House, is_back: bool) -> None:
    """Its verdict is there, or that text is tried again in its own time."""
    repo = house.repository()
    house.judge.away = MODEL_IS_DOWN
    number = house.open(repo)
    before = house.remembered(repo, number)
    assert before is not None
    late = clock_job(before, Why.RETRY, before.retry_at)
    house.judge.away = None if is_back else MODEL_IS_DOWN
    house.edit(repo, number, body=VAGUE + " Please!")
    asked, waits = len(house.judge.asked), house.remembered(repo, number)
    assert waits is not None and (waits.retry_at is None) is is_back
    house.services.start(late)
    house.settle()
    assert len(house.judge.asked) == asked
    assert house.remembered(repo, number) == waits
    house.judge.away = None
    house.tick(seconds=RETRIES[0].total_seconds() + 60)
    assert len(house.judge.asked) == asked + (not is_back)
    assert house.held(repo, number)
    after = house.remembered(repo, number)
    assert after is not None and after.retry_at is None


def test_a_judged_text_of_which_somebody_wants_another_look_is_asked_about_again(house: House) -> None:
    repo, number = house.begin()
    house.judge.away = MODEL_IS_DOWN
    house.say(repo, number, "/bouncer recheck", by="maintainer")
    asked = len(house.judge.asked)
    house.judge.away = None
    house.tick(seconds=RETRIES[0].total_seconds() + 60)
    assert len(house.judge.asked) == asked + 1


def test_a_changed_policy_does_not_hurry_a_judge_that_is_away(house: House) -> None:
    repo = house.repository()
    house.judge.away = MODEL_IS_DOWN
    number = house.open(repo)
    asked, waits = len(house.judge.asked), house.remembered(repo, number)
    house.github.push(repo, {PATH: "mode: enforce\n"})
    house.settle()
    assert len(house.judge.asked) == asked
    assert house.remembered(repo, number) == waits
    house.judge.away = None
    house.tick(seconds=RETRIES[0].total_seconds() + 60)
    assert house.held(repo, number)


def test_a_judge_that_will_never_answer_is_not_asked_again(house: House) -> None:
    repo = house.repository()
    house.judge.away = NoJudgement("model", "The model refuses.", retry=False)
    house.open(repo)
    asked = len(house.judge.asked)
    house.tick(hours=3)
    assert len(house.judge.asked) == asked


def test_github_away_is_waited_out_and_nothing_is_written_twice(house: House) -> None:
    no_waiting(house)
    repo = house.repository()
    house.github.fail(502, times=40, route="/issues/{issue_number}")
    number = house.github.open_issue(repo, VAGUE_TITLE, VAGUE)
    house.settle()
    house.github.traffic.clear()
    house.github.drop(1, method="POST", route="/comments", after_effect=True)
    finish(house)
    assert house.held(repo, number)
    assert len(house.issue(repo, number).comments) == 1
    assert len(house.github.writes(repo, number)) == 2, "one label, one comment"


def test_uninstalling_ends_everything_that_was_wanted_and_forgets(house: House) -> None:
    repo = house.repository()
    held = house.open(repo)
    assert house.services.templates.get(f"{repo.partition('/')[0]}/.github") is not None
    number = house.github.open_issue(repo, "Another", VAGUE)
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    house.github.uninstall(installation.id)
    before = len(house.writes(repo))
    judged, asked = len(house.judge.asked), house.github.calls()
    house.settle()
    # The run may begin in the moment between the two deliveries: then it asks what writes nothing, and no further.
    assert len(house.judge.asked) <= judged + 1
    new = house.github.calls() - asked
    assert all(method == "GET" or route.endswith("/access_tokens") for method, route in new), new
    assert house.remembered(repo, held) is None
    assert house.remembered(repo, number) is None
    assert house.services.installations.get(installation.id) is None
    for name in (repo, f"{repo.partition('/')[0]}/.github"):
        assert (house.services.policies.get(name), house.services.templates.get(name)) == (None, None)
    house.tick(hours=30)
    assert len(house.writes(repo)) == before


def test_a_suspended_installation_is_left_alone(house: House) -> None:
    repo = house.repository()
    number = house.github.open_issue(repo, "Another", VAGUE)
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    house.github.suspend(installation.id)
    asked = house.github.calls()
    house.settle()
    assert house.github.calls() == asked, "nothing is asked of GitHub"
    house.github.suspend(installation.id, suspended=False)
    house.edit(repo, number, body=VAGUE + " Please!")
    assert house.held(repo, number)


def test_a_repository_taken_away_is_forgotten(house: House) -> None:
    repo, number = house.begin()
    installation = house.github.installation_of(house.github.repo(repo))
    assert installation is not None
    assert house.services.policies.get(repo) and house.services.templates.get(repo)
    house.github.remove_repositories(installation.id, [repo])
    house.settle()
    assert house.remembered(repo, number) is None
    assert (house.services.policies.get(repo), house.services.templates.get(repo)) == (None, None)


def test_an_invalid_policy_judges_nothing_until_it_is_mended(house: House) -> None:
    repo, number = house.begin("mode: loud\n")
    assert house.writes(repo) == []
    asked = len(house.judge.asked)
    house.tick(hours=3)
    assert len(house.judge.asked) == asked
    house.github.push(repo, {".github/bouncer.yml": "mode: advise\n"})
    house.settle()
    assert house.held(repo, number), "the mend brings the look"


def test_the_mend_of_the_owners_defaults_brings_the_looks_they_held_up(house: House) -> None:
    defaults = house.repository("mode: loud\n", owner="acme-loud", name=".github")
    repo, other = house.repository(owner="acme-loud"), house.repository("mode: loud\n", owner="acme-loud")
    number, elsewhere = house.open(repo), house.open(other)
    assert house.writes(repo) == []
    house.github.push(defaults, {".github/bouncer.yml": "mode: advise\n"})
    house.settle()
    assert house.held(repo, number)
    assert not house.held(other, elsewhere), "its own policy is still invalid"


def test_a_maintainers_word_counts_while_the_policy_is_invalid(house: House) -> None:
    repo, number = house.begin("mode: advise\n")
    house.github.push(repo, {".github/bouncer.yml": "mode: loud\n"})
    house.settle()
    house.github.remove_label(repo, number, LABEL)
    house.settle()
    house.github.push(repo, {".github/bouncer.yml": "mode: advise\n"})
    house.edit(repo, number, body=VAGUE + " Please!")
    assert not house.held(repo, number)
