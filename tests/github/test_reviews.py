"""Reviews of the App's own: comments on lines that a pull request shows, found again."""

import pytest

from bot.github.client import RepositoryClient
from bot.github.errors import Rejected
from bot.github.values import LineNote
from fake_github import FakeGitHub

REPO = "acme/widgets"
MARK = "<!-- mark -->"


def test_comments_on_lines_are_made_and_found(fake_github: FakeGitHub, repository_client: RepositoryClient) -> None:
    fake_github.push(REPO, {"a.txt": "".join(f"{n}\n" for n in range(30))})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "".join(f"{n}\n" for n in range(29)) + "new\n"})
    head = repository_client.get_pull(number).head
    fake_github.review(REPO, number, f"Pasted {MARK}", state="commented", by="reviewer")
    assert repository_client.find_own_review(number, MARK) is None
    notes = [LineNote("a.txt", 30, 30, "One line."), LineNote("a.txt", 28, 29, "Two lines.")]
    made = repository_client.comment_on_lines(number, head, f"Said. {MARK}", notes)
    assert (made.state, made.commit, made.author_is_bot) == ("commented", head, True)
    assert repository_client.find_own_review(number, MARK) == made
    remarks = repository_client.remarks(number)
    assert {each.review for each in remarks} == {made.id}
    seen = {(each.start_line, each.line, each.body) for each in remarks}
    assert seen == {
        (30, 30, "One line."),
        (28, 29, "Two lines."),
    }


@pytest.mark.parametrize("note", [LineNote("a.txt", 1, 1, "Far away."), LineNote("b.txt", 1, 1, "Elsewhere.")])
def test_other_lines_are_refused(fake_github: FakeGitHub, repository_client: RepositoryClient, note: LineNote) -> None:
    fake_github.push(REPO, {"a.txt": "".join(f"{n}\n" for n in range(30))})
    number = fake_github.open_pull(REPO, "Change", {"a.txt": "".join(f"{n}\n" for n in range(29)) + "new\n"})
    with pytest.raises(Rejected):
        repository_client.comment_on_lines(number, repository_client.get_pull(number).head, "Said.", [note])
