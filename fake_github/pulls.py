"""What happens to commits and pull requests: pushes, forks, drafts, reviews, merges."""

from collections.abc import Mapping, Sequence
from typing import Any

from fake_github.actions import Actions
from fake_github.app_world import locked
from fake_github.objects import ancestry, changes, merge_base
from fake_github.world import ZERO_SHA, Commit, FakeIssue, FakePull, FakeRemark, FakeReview, Repo, TimelineEvent, User

Files = Mapping[str, str | bytes | None]


@locked
class PullActions(Actions):
    """Files map paths to their new content; `None` deletes one."""

    # Commits and branches

    def push(
        self,
        repo_name: str,
        files: Files,
        *,
        branch: str | None = None,
        by: str = "maintainer",
        message: str = "Update files",
        onto: str = "",
    ) -> str:
        """Commit files to a branch, the default one unless named; the new SHA.

        onto: a branch or commit to build upon instead of the branch's head: a force push where that loses commits.
        """
        repo, user = self.repo(repo_name), self.user(by)
        name = branch or repo.default_branch
        before = repo.branches.get(name, ZERO_SHA)
        base = repo.resolve(onto) if onto else repo.commits.get(before) or repo.resolve(repo.default_branch)
        if onto and base is None:
            raise LookupError(f"there is no commit {onto} in {repo_name}")
        commit = self._commit(repo, name, files, user, message, parent=base)
        self._pushed(repo, name, before, commit, user)
        return commit.sha

    def delete_branch(self, repo_name: str, branch: str, *, by: str = "maintainer") -> None:
        """Open pull requests from it are closed, as on GitHub."""
        repo, user = self.repo(repo_name), self.user(by)
        before = repo.branches.pop(branch)
        repo.deleted_branches.add(branch)
        self._emit_push(repo, branch, before, None, user)
        for place, issue in self._pulls_from(repo, branch):
            self.close_issue(place.full_name, issue.number, by=by)

    def fork(self, repo_name: str, owner: str) -> str:
        """Another account's copy, where the App is not installed; its full name."""
        repo = self.repo(repo_name)
        made = Repo(self.next_id(), self.user(owner), repo.name, repo.private, repo.default_branch, self.now())
        made.branches, made.commits, made.is_fork = dict(repo.branches), dict(repo.commits), True
        self.repos[made.id] = made
        return made.full_name

    def delete_repository(self, repo_name: str) -> None:
        """Pull requests from it stay open, and know no more where their head lay."""
        repo = self.repos.pop(self.repo(repo_name).id)
        for other in self.repos.values():
            for issue in other.issues.values():
                if issue.pull and issue.pull.source is repo:
                    issue.pull.source = None

    # Pull requests

    def open_pull(
        self,
        repo_name: str,
        title: str,
        files: Files,
        *,
        body: str | None = None,
        branch: str = "",
        message: str = "",
        by: str = "contributor",
        source: str = "",
        base: str = "",
        draft: bool = False,
    ) -> int:
        """A pull request from a new branch; its number.

        message: of its commit; the title unless given. source: the fork the branch lies in; else the same repository.
        base: the branch it is for, the default one unless named. A branch that exists gets one more commit, so a
        second pull request from it with no files shares its head.
        """
        repo, user, now = self.repo(repo_name), self.user(by), self.now()
        home = self.repo(source) if source else repo
        number = self._next_number(repo)
        name = branch or f"change-{number}"
        if files or name not in home.branches:
            self.push(home.full_name, files, branch=name, by=by, message=message or title)
        goal = base or repo.default_branch
        issue = FakeIssue(self.next_id(), number, title, body, user, now, now)
        head = _adopt(repo, home, home.branches[name])
        issue.pull = FakePull(self.next_id(), head, name, repo.branches[goal], goal, home, draft)
        issue.timeline.append(TimelineEvent(self.next_id(), "opened", user, now))
        repo.issues[number] = issue
        self._emit_pull("opened", repo, issue, user)
        return number

    def push_to_pull(
        self,
        repo_name: str,
        number: int,
        files: Files,
        *,
        by: str = "contributor",
        message: str = "Update files",
        onto: str = "",
    ) -> str:
        """Push to its branch, wherever that lies; the new head. onto: as for `push`, for a force push."""
        pull = self._pull(repo_name, number)
        if pull.source is None:
            raise LookupError("the repository of its head was deleted")
        where = pull.source.full_name
        return self.push(where, files, branch=pull.head_branch, by=by, message=message, onto=onto)

    def convert_to_draft(self, repo_name: str, number: int, *, by: str = "contributor") -> None:
        self._set_draft(repo_name, number, True, by)

    def ready_for_review(self, repo_name: str, number: int, *, by: str = "contributor") -> None:
        self._set_draft(repo_name, number, False, by)

    def change_base(self, repo_name: str, number: int, base: str, *, by: str = "contributor") -> None:
        """Propose it for another branch."""
        repo, issue, user = self._act(repo_name, number, by)
        pull = self._pull(repo_name, number)
        old = {"ref": {"from": pull.base_branch}, "sha": {"from": pull.base}}
        pull.base_branch, pull.base = base, repo.branches[base]
        pull.base_changes.append(self.now())
        self._note(issue, "edited", user)
        self._emit_pull("edited", repo, issue, user, changes={"base": old})

    def merge_pull(self, repo_name: str, number: int, *, by: str = "maintainer") -> str:
        """Squash it onto its base, whatever its checks say; the new commit."""
        repo, issue, user = self._act(repo_name, number, by)
        pull = self._pull(repo_name, number)
        message = f"{issue.title} (#{number})"
        sha = self.push(repo_name, self._proposed(repo, pull), branch=pull.base_branch, by=by, message=message)
        self._close_merged(repo, issue, user, sha)
        return sha

    def link_issue(self, repo_name: str, number: int, issue: int, *, repository: str = "") -> None:
        """Link an issue, of another repository if named, to a pull request by hand; that emits no webhook."""
        self._pull(repo_name, number).linked.append((repository or repo_name, issue))

    def review(
        self,
        repo_name: str,
        number: int,
        body: str,
        *,
        remarks: Sequence[Mapping[str, Any]] = (),
        state: str = "changes_requested",
        by: str = "reviewer",
    ) -> int:
        """Submit a review of the head commit; its id. A remark is {"path", "line", "body"}, perhaps "start_line"."""
        repo, issue, user = self._act(repo_name, number, by)
        pull = self._pull(repo_name, number)
        made = tuple(
            FakeRemark(
                *(self.next_id(), item["path"], item["line"]),
                *(item.get("start_line"), item["body"], item.get("reply_to")),
            )
            for item in remarks
        )
        review = FakeReview(self.next_id(), user, body, state, pull.head, self.now(), made)
        pull.reviews.append(review)
        self._note(issue, "reviewed", user, state)
        payload = {
            "action": "submitted",
            "review": self.shapes.review(repo, issue, review),
            "pull_request": self.shapes.pull(repo, issue),
        }
        self._emit("pull_request_review", repo, user, payload)
        for remark in made:
            self._emit_remark("created", repo, issue, review, remark, user)
        return review.id

    def reply(self, repo_name: str, number: int, remark_id: int, body: str, *, by: str = "reviewer") -> int:
        """Answer a remark in its thread, which is a review of its own; the answer's id."""
        _, to = self._remark(repo_name, number, remark_id)
        place = {"path": to.path, "line": to.line, "start_line": to.start_line, "body": body}
        self.review(repo_name, number, "", remarks=[place | {"reply_to": to.id}], state="commented", by=by)
        return self._pull(repo_name, number).reviews[-1].remarks[0].id

    def edit_review(self, repo_name: str, number: int, review_id: int, body: str, *, by: str = "reviewer") -> None:
        repo, issue, user = self._act(repo_name, number, by)
        review = next(each for each in self._pull(repo_name, number).reviews if each.id == review_id)
        payload = {"action": "edited", "changes": {"body": {"from": review.body}}}
        review.body, review.edited_at = body, self.now()
        payload |= {"review": self.shapes.review(repo, issue, review), "pull_request": self.shapes.pull(repo, issue)}
        self._emit("pull_request_review", repo, user, payload)

    def edit_remark(self, repo_name: str, number: int, remark_id: int, body: str, *, by: str = "reviewer") -> None:
        repo, issue, user = self._act(repo_name, number, by)
        review, remark = self._remark(repo_name, number, remark_id)
        was, remark.body, remark.edited_at = remark.body, body, self.now()
        self._emit_remark("edited", repo, issue, review, remark, user, changes={"body": {"from": was}})

    def delete_remark(self, repo_name: str, number: int, remark_id: int, *, by: str = "reviewer") -> None:
        repo, issue, user = self._act(repo_name, number, by)
        review, remark = self._remark(repo_name, number, remark_id)
        remark.deleted = True
        self._emit_remark("deleted", repo, issue, review, remark, user)

    def resolve(
        self, repo_name: str, number: int, remark_id: int, *, resolved: bool = True, by: str = "reviewer"
    ) -> None:
        """Resolve the thread of a remark, or open it again."""
        repo, issue, user = self._act(repo_name, number, by)
        said = [
            self.shapes.remark(repo, issue, review, each)
            for review in self._pull(repo_name, number).reviews
            for each in review.remarks
            if remark_id in (each.id, each.reply_to) and not each.deleted
        ]
        payload = {
            "action": "resolved" if resolved else "unresolved",
            "thread": {"node_id": f"PRRT_{remark_id}", "comments": said},
            "pull_request": self.shapes.pull_summary(repo, issue),
        }
        self._emit("pull_request_review_thread", repo, user, payload)

    def replies(self, repo_name: str, number: int) -> list[FakeRemark]:
        """What the App answers to remarks, oldest first."""
        pull = self.repo(repo_name).issues[number].pull
        own = [each for each in pull.reviews if each.user is self.bot] if pull else []
        return [each for review in own for each in review.remarks if each.reply_to and not each.deleted]

    # Inside

    def _pull(self, repo_name: str, number: int) -> FakePull:
        pull = self.repo(repo_name).issues[number].pull
        if pull is None:
            raise LookupError(f"{repo_name}#{number} is no pull request")
        return pull

    def _remark(self, repo_name: str, number: int, remark_id: int) -> tuple[FakeReview, FakeRemark]:
        reviews = self._pull(repo_name, number).reviews
        found = ((review, each) for review in reviews for each in review.remarks if each.id == remark_id)
        there = next((pair for pair in found if not pair[1].deleted), None)
        if there is None:
            raise LookupError(f"{repo_name}#{number} has no remark {remark_id}")
        return there

    def _emit_remark(
        self, action: str, repo: Repo, issue: FakeIssue, review: FakeReview, remark: FakeRemark, by: User, **more: Any
    ) -> None:
        comment = self.shapes.remark(repo, issue, review, remark)
        shape = self.shapes.pull_summary(repo, issue)
        payload = {"action": action, "comment": comment, "pull_request": shape, **more}
        self._emit("pull_request_review_comment", repo, by, payload)

    def _set_draft(self, repo_name: str, number: int, draft: bool, by: str) -> None:
        repo, issue, user = self._act(repo_name, number, by)
        pull = self._pull(repo_name, number)
        if pull.draft is draft:
            return
        pull.draft = draft
        action = "converted_to_draft" if draft else "ready_for_review"
        self._note(issue, action, user)
        self._emit_pull(action, repo, issue, user)

    def _pulls_from(self, home: Repo, branch: str) -> list[tuple[Repo, FakeIssue]]:
        """The open pull requests with this head branch, and where they are."""
        return [
            (repo, issue)
            for repo in self.repos.values()
            for issue in repo.issues.values()
            if issue.state == "open" and issue.pull and (issue.pull.source, issue.pull.head_branch) == (home, branch)
        ]

    def _proposed(self, repo: Repo, pull: FakePull) -> dict[str, bytes | None]:
        """What it changes since it left its base, file by file."""
        base, head = repo.commits[pull.base], repo.commits[pull.head]
        start = merge_base(repo, base, head) or base
        return {item.path: head.files.get(item.path) for item in changes(start.files, head.files)}

    def _close_merged(self, repo: Repo, issue: FakeIssue, user: User, sha: str) -> None:
        assert issue.pull is not None
        issue.pull.merged, issue.pull.merge_commit = True, sha
        self.close_issue(repo.full_name, issue.number, by=user.login)

    def _pushed(self, repo: Repo, name: str, before: str, commit: Commit, user: User) -> None:
        """The branch has a new head: everything that follows from it."""
        self._emit_push(repo, name, before, commit, user)
        for place, issue in self._pulls_from(repo, name):
            assert issue.pull is not None
            was, issue.pull.head = issue.pull.head, _adopt(place, repo, commit.sha)
            if not any(item.sha == was for item in ancestry(repo, commit)):
                issue.pull.force_pushes.append((was, issue.pull.head, self.now()))
            self._note(issue, "pushed", user, commit.sha[:7])
            self._emit_pull("synchronize", place, issue, user, before=was, after=commit.sha)

    def _emit_push(self, repo: Repo, name: str, before: str, commit: Commit | None, user: User) -> None:
        """commit: `None` when the branch was deleted."""
        owner = {**self.shapes.user(repo.owner), "name": repo.owner.login, "email": None}
        hooked = {**self.shapes.repository(repo), "owner": owner, "master_branch": repo.default_branch, "stargazers": 0}
        hooked |= {key: int(repo.created_at.timestamp()) for key in ("created_at", "pushed_at")}
        shape = self.shapes.pushed_commit(repo, commit) if commit else None
        kept = commit is None or any(item.sha == before for item in ancestry(repo, commit))
        payload = self.shapes.write(
            "push",
            repo,
            name=name,
            before=before,
            after=commit.sha if commit else ZERO_SHA,
            created=before == ZERO_SHA,
            deleted=commit is None,
            forced=before != ZERO_SHA and not kept,
            commits=[shape] if shape else [],
            commit=shape,
            user=user,
        )
        self._emit("push", repo, user, payload, repository=hooked)


def _adopt(repo: Repo, home: Repo, sha: str) -> str:
    """Commits of a fork lie in its parent too, for pull requests; the same SHA."""
    for commit in ancestry(home, home.commits[sha]):
        if commit.sha in repo.commits:
            break
        repo.commits[commit.sha] = commit
    return sha
