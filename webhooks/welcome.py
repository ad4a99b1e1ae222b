"""`GET /welcome/TOKEN`: what Bouncer would have said about a repository's last issues, and the policy to begin with."""

from flask import Blueprint, Response, render_template

from bot.policy_choices import Strictness
from bot.rendering.issue_page import issue_page
from bot.rendering.starter import new_file_url, new_issue_url, starter_policy
from bot.storage.stores import Stores
from bot.storage.welcomes import Welcome, welcome_url
from bot.verdicts import State
from webhooks.access import RepositoryAccess
from webhooks.pages import or_end


def welcome(stores: Stores, web_url: str, public_url: str, access: RepositoryAccess) -> Blueprint:
    """web_url: of GitHub's pages. public_url: of these; may be empty. access: who may see private ones."""
    blueprint = Blueprint("welcome", __name__)

    @blueprint.get("/welcome/<token>")
    def page(token: str) -> Response:
        found = or_end(lambda: stores.welcomes.find(token))
        private = or_end(lambda: (stores.repositories.is_private(found.repo_id),))[0]
        if private:
            access.require(found.repo_id, found.repository)
        html = render_template("welcome.html", **_shown(found, web_url, "" if private else public_url))
        return Response(html)

    return blueprint


def _shown(found: Welcome, web_url: str, public_url: str) -> dict[str, object]:
    held = [issue for issue in found.issues if issue.verdict is not None and Strictness.BALANCED.value in issue.held_by]
    total = len(found.issues)
    address = welcome_url(found, public_url) if public_url else ""
    policy = starter_policy()
    return {
        "welcome": found,
        "held": [(each, issue_page(each.verdict, state=State.ACTIVE, held=False, left_alone="")) for each in held],
        "fine": [issue for issue in found.issues if issue.verdict is not None and issue not in held],
        "left": [issue for issue in found.issues if issue.verdict is None],
        "total": total,
        "by_strictness": [
            (each.value, sum(each.value in issue.held_by for issue in found.issues)) for each in Strictness
        ],
        "policy": policy,
        "issues_url": f"{web_url}/{found.repository}/issues",
        "new_file": new_file_url(web_url, found.repository, found.branch, policy),
        "new_issue": new_issue_url(web_url, found.repository, [issue.number for issue in held], total, address),
    }
