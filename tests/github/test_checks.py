"""Check runs: found before they are created, never too long, annotations in portions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.demo.fake import FakeGitHub
from bot.github.client import MAX_CHECK_TEXT, RepositoryClient, cut
from bot.github.values import Annotation, Check

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
