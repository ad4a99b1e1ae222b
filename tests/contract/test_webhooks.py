"""Every webhook the fake emits has the shape GitHub publishes."""

import pytest

from fake_github import FakeGitHub
from tests.support.contract import EMITTED, webhook_name

pytestmark = pytest.mark.contract


def test_all_webhooks(fake_github: FakeGitHub) -> None:
    fake = fake_github
    fake.ping()
    fake.create_repository("octo-org/tools", organization=True, private=True, collaborators={"maintainer": "admin"})
    fake.create_repository("octo-org/more", organization=True)
    installation = fake.install("octo-org", ["octo-org/tools"], by="maintainer")
    fake.add_repositories(installation, ["octo-org/more"])
    fake.remove_repositories(installation, ["octo-org/more"])
    fake.suspend(installation)
    fake.suspend(installation, suspended=False)
    for repo in ("octo-org/tools", "acme/widgets"):
        fake.make_private(repo, private=not fake.repo(repo).private, by="maintainer")
        fake.make_private(repo, private=not fake.repo(repo).private, by="maintainer")
        pull = fake.open_pull(repo, "Change a file", {"a.txt": "a"})
        fake.push(repo, {"b.txt": "b", "README.md": None}, branch=f"change-{pull}")
        said = fake.review(repo, pull, "No.", remarks=[{"path": "a.txt", "line": 1, "body": "Why?"}], by="critic[bot]")
        fake.edit_review(repo, pull, said, "Not so.")
        remark = fake.repo(repo).issues[pull].pull.reviews[-1].remarks[0].id
        fake.reply(repo, pull, remark, "So that it works.", by="maintainer")
        fake.edit_remark(repo, pull, remark, "Why so?", by="critic[bot]")
        fake.resolve(repo, pull, remark)
        fake.resolve(repo, pull, remark, resolved=False)
        fake.delete_remark(repo, pull, remark, by="critic[bot]")
        for number in (fake.open_issue(repo, "It broke", None), pull):
            fake.edit_issue(repo, number, title="It breaks", body="Like this: …")
            fake.add_label(repo, number, "bug")
            fake.remove_label(repo, number, "bug")
            comment = fake.comment(repo, number, "Me too", by="stranger")
            fake.comment(repo, number, "Hello", by=fake.bot.login, via_app=True)
            fake.edit_comment(repo, comment, "Me too!")
            fake.delete_comment(repo, comment)
            fake.close_issue(repo, number)
            fake.reopen_issue(repo, number)
        fake.delete_issue(repo, fake.open_issue(repo, "Spam", ""))
    for source in ("", fake.fork("acme/widgets", "stranger")):
        walk_through_a_gate(fake, source)
    fake.transfer_issue("acme/widgets", fake.open_issue("acme/widgets", "Not here", ""), "octo-org/more")
    fake.uninstall(installation)
    assert {webhook_name(delivery) for delivery in fake.deliveries} == set(EMITTED)


def walk_through_a_gate(fake: FakeGitHub, source: str) -> None:
    """Everything that can happen to a pull request and its checks; source: the fork it comes from, if any."""
    repo = "acme/widgets"
    fake.push(repo, {"old.txt": "x"}, branch="old")
    number = fake.open_pull(repo, "Propose it", {"a.txt": "b"}, source=source, draft=True)
    fake.ready_for_review(repo, number)
    fake.convert_to_draft(repo, number)
    fake.change_base(repo, number, "old")
    head = fake.push_to_pull(repo, number, {"c.txt": "c"}, onto="main")
    fake.complete_other_check(repo, head, "failure")
    fake.rerun_all(repo, head)
    made = fake.new_check(fake.repo(repo), head, "bouncer")
    fake.emit_check(fake.repo(repo), made, was="")
    made.status, made.conclusion = "completed", "failure"
    made.actions = [{"label": "Override", "description": "Say it is fine", "identifier": "override"}]
    fake.emit_check(fake.repo(repo), made, was="queued")
    fake.press(repo, made.id, "override")
    fake.rerun(repo, made.id)
    fake.queue(repo, number)
    fake.leave_queue(repo, number)
    fake.queue(repo, number)
    fake.leave_queue(repo, number, "merged")
    again = fake.open_pull(repo, "Merge it", {"d.txt": "d"}, source=source)
    fake.merge_pull(repo, again)
    gone = fake.open_pull(repo, "Forget it", {"e.txt": "e"}, source=source, branch="gone")
    if source:
        fake.delete_repository(source)
        fake.close_issue(repo, gone)
    else:
        fake.delete_branch(repo, "gone")
