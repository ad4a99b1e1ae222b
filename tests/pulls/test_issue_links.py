"""Which issues a pull request answers, and how that is known."""

from hypothesis import given
from hypothesis import strategies as st

from bot.github.values import LinkedIssue, Pull, PullCommit
from bot.pulls.issue_links import MOST, closing, links
from tests.support.cases import cases
from tests.support.properties import patient

REPO = "acme/widgets"


def proposal(title: str = "", body: str = "", branch: str = "", messages: tuple[str, ...] = ()) -> Pull:
    commits = tuple(PullCommit(str(place), "Ada", "ada@example.com", text) for place, text in enumerate(messages))
    return Pull(999, title, body, "ada", head_branch=branch, commits=commits)


@cases
def test_closing_keywords(text: str, named: list[tuple[str, int]]) -> None:
    assert list(closing(text)) == named


def test_addresses_are_those_of_the_github_that_is_asked() -> None:
    text = (
        "closes https://GitHub.example.com/octo-org/tools/issues/3; closes https://github.com/octo-org/tools/issues/4"
    )
    assert list(closing(text, "https://github.example.com/")) == [("octo-org/tools", 3)]


def test_each_issue_once_surest_first() -> None:
    given_ = proposal(
        title="Round up (fixes #3)",
        body="Closes #4, closes Acme/Widgets#3, closes octo-org/tools#3",
        branch="fix/77",
        messages=("Round up\n\nFixes #3", "Test it\n\nfixes https://github.com/acme/widgets/issues/5"),
    )
    assert links(given_, REPO, [("Acme/Widgets", 4), ("octo-org/Tools", 3)]) == (
        LinkedIssue(4),
        LinkedIssue(3, place="octo-org/Tools"),
        LinkedIssue(3),
        LinkedIssue(5),
    )


def test_a_pull_request_does_not_answer_itself() -> None:
    assert links(proposal(body="Closes #999"), REPO, [(REPO, 999)]) == ()
    assert links(proposal(body="Closes octo-org/tools#999"), REPO, []) != ()


@cases
def test_the_branch_is_asked_where_nothing_else_tells(branch: str, number: int | None) -> None:
    found = links(proposal(branch=branch), REPO, [])
    assert found == ((LinkedIssue(number, guess=True),) if number else ())
    (sure,) = links(proposal(branch=branch, body="Closes #1"), REPO, [])
    assert (sure.number, sure.guess) == (1, False)


def test_there_is_an_end_to_them() -> None:
    many = " ".join(f"closes #{number}" for number in range(1, 500))
    assert len(links(proposal(body=many), REPO, [])) == MOST


_words = ["closes ", "Fixes: ", "#", "#12", "gh-3", "acme/", "widgets", "https://github.com/", "/issues/4"]
_parts = st.sampled_from([*_words, "`", "```", ">", "\n", "<!--", "-->", "~~~", "-", "é", "\x00", " "])


@patient
@given(st.lists(_parts, max_size=30).map("".join), st.lists(_parts, max_size=10).map("".join))
def test_any_text_gives_numbers_and_repositories(text: str, branch: str) -> None:
    for link in links(proposal(text, text, branch, (text,)), REPO, []):
        assert link.number > 0 and link.place.lower() != REPO
        assert not link.place or link.place.count("/") == 1


def test_long_hostile_texts_are_read_once() -> None:
    """A search that starts again and again would take minutes on these."""
    for part in ("closes ", "closes a/", "closes " + "a" * 39 + "/", "`", "<!-", "~~", "closes https://", "fix-", "> "):
        text = part * (50_000 // len(part))
        assert list(closing(text)) == []
        links(proposal(text, text, text, (text,)), REPO, [])
