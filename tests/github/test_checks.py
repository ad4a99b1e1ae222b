"""Check runs: found before they are created, never too long, annotations in portions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.checks import MAX_CHECK_TEXT, cut
from bot.github.client import RepositoryClient
from bot.github.errors import Unavailable
from bot.github.values import Annotation, Button, Check
from fake_github import FakeGitHub

REPO = "acme/widgets"
CREATE = ("POST", "/repos/{owner}/{repo}/check-runs")
UPDATE = ("PATCH", "/repos/{owner}/{repo}/check-runs/{check_run_id}")


def check(fake: FakeGitHub, **given: object) -> Check:
    values: dict[str, object] = {
        "name": "Bouncer policy",
        "head_sha": fake.repo(REPO).branches["main"],
        "external_id": "policy:1",
        "status": "completed",
        "conclusion": "failure",
        "title": "The policy has an error",
        "summary": "Line 3",
        **given,
    }
    return Check(**values)  # type: ignore[arg-type]


def remarks(count: int) -> tuple[Annotation, ...]:
    return tuple(Annotation("a.yml", line, line, "failure", f"line {line}") for line in range(1, count + 1))


def test_a_remark_on_one_line_names_its_column(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    one = Annotation("a.yml", 3, 3, "failure", "here", start_column=5, end_column=9)
    more = Annotation("a.yml", 3, 4, "failure", "here", start_column=5, end_column=9)
    repository_client.put_check(check(fake_github, annotations=(one, more)))
    sent = next(call for call in fake_github.traffic.exchanges if call.method == "POST" and "check" in call.route)
    columns = [(item.get("start_column"), item.get("end_column")) for item in sent.request["output"]["annotations"]]
    assert columns == [(5, 9), (None, None)]


def test_a_check_is_created_once_and_then_brought_up_to_date(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    first = repository_client.put_check(check(fake_github, status="in_progress", conclusion=None))
    second = repository_client.put_check(check(fake_github, title="Better", conclusion="success"))
    assert first.id == second.id
    assert (second.status, second.conclusion) == ("completed", "success")
    (shown,) = fake_github.checks(REPO)
    assert (shown.title, shown.external_id) == ("Better", "policy:1")
    repository_client.put_check(check(fake_github, external_id="policy:2"))
    assert len(fake_github.checks(REPO)) == 2
    repository_client.put_check(check(fake_github, title="Best"))
    assert [run.title for run in fake_github.checks(REPO)] == ["Best", "The policy has an error"]


@pytest.mark.parametrize(("count", "updates"), [(0, 0), (1, 0), (50, 0), (51, 1), (100, 1), (120, 2)])
def test_annotations_go_in_portions_of_fifty(
    fake_github: FakeGitHub, repository_client: RepositoryClient, count: int, updates: int
) -> None:
    repository_client.put_check(check(fake_github, annotations=remarks(count)))
    (shown,) = fake_github.checks(REPO)
    assert [item["start_line"] for item in shown.annotations] == list(range(1, count + 1))
    assert fake_github.calls()[CREATE] == 1
    assert fake_github.calls()[UPDATE] == updates


def test_a_repeated_call_does_not_double_annotations(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    fake_github.fail(422, times=1, method="PATCH")
    with pytest.raises(Exception, match="422"):
        repository_client.put_check(check(fake_github, annotations=remarks(120)))
    for _ in range(2):
        repository_client.put_check(check(fake_github, annotations=remarks(120)))
    (shown,) = fake_github.checks(REPO)
    assert [item["start_line"] for item in shown.annotations] == list(range(1, 121))


def test_long_texts_are_cut(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    repository_client.put_check(check(fake_github, summary="ä" * 70_000, text="x" * 65_536))
    (shown,) = fake_github.checks(REPO)
    assert shown.summary.endswith("(The rest does not fit here.)")
    assert len(shown.text) == MAX_CHECK_TEXT


@given(st.text(min_size=1, max_size=40), st.integers(0, 60))
def test_cutting_keeps_whole_characters(text: str, extra: int) -> None:
    long = text * 20
    limit = 40 + extra
    short = cut(long, limit)
    assert len(short.encode()) <= limit
    assert short == long or long.startswith(short.removesuffix("\n\n(The rest does not fit here.)"))
    assert (short == long) == (len(long.encode()) <= limit)


def calls(fake: FakeGitHub) -> list[str]:
    return [call.method for call in fake.traffic.exchanges]


def test_a_check_whose_run_is_known_costs_one_call(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    run = repository_client.put_check(check(fake_github, status="queued", conclusion=None))
    fake_github.forget_calls()
    done = repository_client.put_check(check(fake_github), run)
    assert (done.id, done.conclusion, calls(fake_github)) == (run.id, "failure", ["PATCH"])
    fake_github.forget_calls()
    for _ in range(2):
        done = repository_client.put_check(check(fake_github, annotations=remarks(3)), done)
    assert (done.annotations, calls(fake_github)) == (3, ["PATCH", "PATCH"])


def test_a_new_check_costs_one_call(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    repository_client.about()
    fake_github.forget_calls()
    repository_client.put_check(check(fake_github), new=True)
    assert calls(fake_github) == ["POST"]


def test_annotations_are_not_sent_twice_when_an_answer_is_lost(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    run = repository_client.put_check(check(fake_github, status="queued", conclusion=None))
    fake_github.drop(method="PATCH", after_effect=True)
    with pytest.raises(Unavailable):
        repository_client.put_check(check(fake_github, annotations=remarks(2)), run)
    repository_client.put_check(check(fake_github, annotations=remarks(2)))
    assert len(fake_github.checks(REPO)[0].annotations) == 2


def test_own_checks_are_those_of_this_app_newest_first(
    fake_github: FakeGitHub, repository_client: RepositoryClient
) -> None:
    wanted = check(fake_github)
    fake_github.complete_other_check(REPO, wanted.head_sha, "success", name=wanted.name)
    assert repository_client.own_checks(wanted.head_sha, wanted.name) == ()
    for name in ("policy:1", "policy:2"):
        repository_client.put_check(check(fake_github, external_id=name))
    found = repository_client.own_checks(wanted.head_sha, wanted.name)
    assert [run.external_id for run in found] == ["policy:2", "policy:1"]


OVERRIDE = Button("Override", "Let it pass all the same", "override")


def test_buttons_come_and_go(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    repository_client.put_check(check(fake_github, buttons=(OVERRIDE,), details_url="https://bouncer.example.com/1"))
    (shown,) = fake_github.checks(REPO)
    assert shown.buttons == (
        {"label": "Override", "description": "Let it pass all the same", "identifier": "override"},
    )
    assert shown.details_url == "https://bouncer.example.com/1"
    repository_client.put_check(check(fake_github))
    assert fake_github.checks(REPO)[0].buttons == ()


@pytest.mark.parametrize(
    "texts", [("x" * 21, "d", "i"), ("l", "x" * 41, "i"), ("l", "d", "x" * 21), ("", "d", "i"), ("l", "d", "")]
)
def test_what_github_would_refuse_is_no_button(texts: tuple[str, str, str]) -> None:
    with pytest.raises(ValueError, match="GitHub takes"):
        Button(*texts)


def test_github_shows_three_buttons_at_most(fake_github: FakeGitHub) -> None:
    assert len(check(fake_github, buttons=(OVERRIDE,) * 3).buttons) == 3
    with pytest.raises(ValueError, match="at most 3"):
        check(fake_github, buttons=(OVERRIDE,) * 4)
