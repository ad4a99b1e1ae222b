"""What `bouncer doctor` says of the App at GitHub."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.commands.doctor_github import _hook
from bot.commands.doctor_lines import CheckOutcome
from bot.github.events import HANDLED
from bot.github.registration import EVENTS, Registration
from fake_github import FakeGitHub
from tests.commands.doctors import PUBLIC, SECRET, examine, healthy, outcomes
from tests.support.cases import cases

__all__ = ["healthy"]


def test_a_previous_secret_is_worth_a_warning(healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOUNCER_WEBHOOK_SECRET_PREVIOUS", SECRET)
    assert outcomes(examine()["webhook secret"]) == [CheckOutcome.PASS, CheckOutcome.WARN]


def test_a_missing_permission_fails_and_one_too_many_warns(healthy: FakeGitHub) -> None:
    healthy.app.permissions.update({"issues": "read", "actions": "write"})
    little, much = examine()["permissions"]
    assert (little.outcome, little.says) == (CheckOutcome.FAIL, "missing: issues: write")
    assert (much.outcome, much.says) == (CheckOutcome.WARN, "not needed: actions: write")


def test_a_missing_event_fails(healthy: FakeGitHub) -> None:
    healthy.app.events.remove("issues")
    (line,) = examine()["events"]
    assert (line.outcome, line.says) == (CheckOutcome.FAIL, "missing: issues")


def test_an_app_from_before_repositories_told_of_being_private_is_warned(healthy: FakeGitHub) -> None:
    healthy.app.events.remove("repository")
    (line,) = examine()["events"]
    assert (line.outcome, line.says.partition(",")[0]) == (CheckOutcome.WARN, "missing: repository")


def test_the_events_needed_are_those_handled() -> None:
    assert EVENTS | {"installation", "installation_repositories"} == HANDLED


@cases
def test_deliveries_go_to_this_server(hook: str | None, public: str, outcome: CheckOutcome, says: str) -> None:
    (line,) = _hook(Registration(200, "", None, hook_url=hook or "", hook_secret=True), public)
    assert (line.outcome, says in line.says) == (outcome, True), line


def test_a_webhook_that_leads_elsewhere_fails(healthy: FakeGitHub) -> None:
    healthy.app.webhook_url = "https://old.example/webhook"
    (line,) = examine()["webhook"]
    assert (line.outcome, f"Set {PUBLIC}/webhook on the App's" in line.mend) == (CheckOutcome.FAIL, True), line


def test_each_account_that_lets_the_app_do_too_little_is_named(healthy: FakeGitHub) -> None:
    (passed,) = examine()["installations"]
    assert (passed.outcome, passed.says) == (CheckOutcome.PASS, "1")
    accepted, suspended = (healthy.installations[healthy.install(owner, [])] for owner in ("tea-house", "coffee"))
    accepted.permissions = {**healthy.app.permissions, "checks": "read"}
    del accepted.permissions["statuses"]
    suspended.suspended = True
    _, *told = examine()["installations"]
    assert [(line.outcome, line.says) for line in told] == [
        (CheckOutcome.FAIL, "tea-house has not accepted: checks: write, statuses: write"),
        (CheckOutcome.WARN, "coffee has suspended the App"),
    ]
    assert "accept the request among the installed GitHub Apps in the settings of tea-house" in told[0].mend
    healthy.installations.clear()
    assert outcomes(examine()["installations"]) == [CheckOutcome.WARN]


def test_a_webhook_without_a_secret_fails(healthy: FakeGitHub) -> None:
    healthy.app.webhook_secret = ""
    assert outcomes(examine()["webhook"]) == [CheckOutcome.PASS, CheckOutcome.FAIL]


@cases
def test_a_wrong_clock_is_told(
    seconds: int, outcome: CheckOutcome, healthy: FakeGitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Skewed(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(seconds=seconds)

    monkeypatch.setattr("bot.commands.doctor_github.datetime", Skewed)
    assert outcomes(examine()["clock"]) == [outcome]
