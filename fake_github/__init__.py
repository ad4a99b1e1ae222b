"""A stateful fake GitHub on loopback: REST and git for Bouncer, webhooks to Bouncer, web pages for people.

    with FakeGitHub() as fake:
        fake.create_repository("acme/widgets", collaborators={"maintainer": "maintain"})
        installation = fake.install("acme", ["acme/widgets"])
        fake.app.webhook_url = "http://127.0.0.1:8000/webhook"
        number = fake.open_issue("acme/widgets", "It broke", "help", by="reporter")
        fake.wait_for_webhooks()

Addresses and secrets: `.url` (REST), `.web_url` (pages), `.private_key`, `.app` with its id, slug and webhook's
address and secret, `.environment()` (the `BOUNCER_` variables that point Bouncer here).

What people do, each emitting its webhook:
- repositories (`app_world.AppWorld`): `create_repository`, `rename_repository`, `create_team`, `install`, `uninstall`,
  `suspend`, `add_repositories`, `remove_repositories`, `ping`;
- issues (`actions.Actions`), and pull requests too: `open_issue`, `edit_issue`, `close_issue`, `reopen_issue`,
  `delete_issue`, `transfer_issue`, `lock_issue`, `add_label`, `remove_label`, `comment`, `edit_comment`,
  `delete_comment`, `react`, `make_private`;
- commits and pull requests (`pulls.PullActions`): `push`, `delete_branch`, `fork`, `delete_repository`, `open_pull`,
  `push_to_pull`, `convert_to_draft`, `ready_for_review`, `change_base`, `merge_pull`, `link_issue`, `review`;
- checks (`checks.CheckActions`): `press`, `rerun`, `rerun_all`, `complete_other_check`, `require_check`, `mergeable`,
  and the merge queue: `queue`, `leave_queue`, `queue_merges`.

What can be looked at: `issue(repo, number)`, `checks(repo)`, `calls()`, `writes()`, `deliveries`. Every repository can
be fetched with git from `{web_url}/owner/name.git`; commits have the SHAs git gives them.

What can go wrong: `fail`, `drop`, `halve`, `limit_rate`, `slow_down`, `lose_webhooks`, `expire_tokens`; `stop()` and
`start()`.
"""

from fake_github.server import FakeGitHub
from fake_github.views import CheckView, CommentView, IssueView

__all__ = ["CheckView", "CommentView", "FakeGitHub", "IssueView"]
