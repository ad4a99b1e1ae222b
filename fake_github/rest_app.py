"""The REST operations of the App itself, its installations and the people who signed in through it; GraphQL's one."""

from flask import g, request

from fake_github.access import AccessRefused, not_found
from fake_github.fields import stamp
from fake_github.graphql import answer_query, refusal
from fake_github.rest_call import Answer, RestCall, existing, operation, page, request_body
from fake_github.world import FakeInstallation, Repo


@operation("GET", "/app", "app")
def get_app(call: RestCall) -> Answer:
    return {**call.shapes.app(call.world.app), "installations_count": len(call.world.installations)}, 200


@operation("GET", "/apps/{app_slug}", "anybody")
def get_app_named(call: RestCall, app_slug: str) -> Answer:
    if app_slug != call.world.app.slug:
        raise not_found()
    return call.shapes.app(call.world.app), 200


@operation("POST", "/app-manifests/{code}/conversions", "anybody")
def convert_manifest(call: RestCall, code: str) -> Answer:
    return existing(call.world.registration.convert(code)), 201


@operation("GET", "/app/hook/config", "app")
def get_hook_config(call: RestCall) -> Answer:
    return _hook_config(call), 200


@operation("PATCH", "/app/hook/config", "app")
def change_hook_config(call: RestCall) -> Answer:
    sent = request_body()
    call.world.app.webhook_url = sent.get("url", call.world.app.webhook_url)
    call.world.app.webhook_secret = sent.get("secret", call.world.app.webhook_secret)
    return _hook_config(call), 200


def _hook_config(call: RestCall) -> dict[str, str]:
    app = call.world.app
    config = {"content_type": "json", "insecure_ssl": "0", "url": app.webhook_url}
    secret = "********" if app.webhook_secret else None
    return {key: value for key, value in {**config, "secret": secret}.items() if value}


@operation("GET", "/app/installations", "app")
def list_installations(call: RestCall) -> Answer:
    return page([call.shapes.installation(item) for item in call.world.installations.values()]), 200


@operation("POST", "/app/installations/{installation_id}/access_tokens", "app")
def create_token(call: RestCall, installation_id: int) -> Answer:
    name, token = call.access.issue_token(installation_id)
    permissions = dict(call.world.app.permissions if token.permissions is None else token.permissions)
    shape = {"token": name, "expires_at": stamp(token.expires_at), "permissions": permissions}
    return {**shape, "repository_selection": "selected"}, 201


@operation("GET", "/app/hook/deliveries", "app")
def list_deliveries(call: RestCall) -> Answer:
    """Newest first; the cursor is the id to go on below."""
    size = min(int(request.args.get("per_page", 30)), 100)
    below = int(request.args.get("cursor", 1 << 62))
    known = reversed(call.world.webhooks.deliveries)
    found = [call.shapes.delivery(item) for item in known if item.id < below and item.status_code]
    if len(found) > size:
        g.links = {"next": {"cursor": str(found[size - 1]["id"])}}
    return found[:size], 200


@operation("POST", "/app/hook/deliveries/{delivery_id}/attempts", "app")
def redeliver(call: RestCall, delivery_id: int) -> Answer:
    existing(call.world.webhooks.redeliver(delivery_id))
    return {}, 202


@operation("GET", "/installation/repositories", "installation")
def list_repositories(call: RestCall) -> Answer:
    found = [call.shapes.repository(call.world.repos[key]) for key in sorted(call.installation.repositories)]
    return {"total_count": len(found), "repositories": page(found)}, 200


@operation("GET", "/orgs/{org}/teams/{team_slug}/memberships/{username}", "installation")
def get_membership(call: RestCall, org: str, team_slug: str, username: str) -> Answer:
    call.access.permit("members", "read")
    members = call.world.teams.get((org.lower(), team_slug), set())
    if call.installation.account.login.lower() != org.lower() or username.lower() not in members:
        raise not_found()
    url = f"{call.world.url}{request.path.removeprefix('/api/v3')}"
    return {"url": url, "role": "member", "state": "active"}, 200


@operation("POST", "/graphql", "graphql")
def graphql(call: RestCall) -> Answer:
    """GraphQL tells what it refuses in an answer of its own kind."""
    installation = call.access.installation()
    try:
        g.rate = call.access.count(installation.id)
        for area in ("pull_requests", "issues", "contents"):
            call.access.permit(area, "read")
    except AccessRefused as error:
        g.rate = error.headers
        return refusal(error), 200
    return answer_query(call.world, installation.repositories, request_body()), 200


@operation("GET", "/user", "user")
def get_user(call: RestCall) -> Answer:
    """Without what is private."""
    return call.shapes.user(call.person) | call.shapes.write("what a person sees of themselves"), 200


@operation("GET", "/user/installations", "user")
def list_own_installations(call: RestCall) -> Answer:
    """Those that reach a repository in which the person has a role."""
    found = [each for each in call.world.installations.values() if _reached(call, each)]
    shown = [call.shapes.installation(each) for each in found]
    return {"total_count": len(shown), "installations": page(shown)}, 200


@operation("GET", "/user/installations/{installation_id}/repositories", "user")
def list_own_repositories(call: RestCall, installation_id: int) -> Answer:
    installation = existing(call.world.installations.get(installation_id))
    found = existing(_reached(call, installation) or None)
    shown = [call.shapes.repository(repo) for repo in found]
    return {"total_count": len(shown), "repositories": page(shown)}, 200


@operation("DELETE", "/applications/{client_id}/token", "anybody")
def delete_token(call: RestCall, client_id: str) -> Answer:
    """The App signs with its client secret: Basic."""
    sent = request.authorization
    if sent is None or (sent.username, sent.password) != call.world.client or client_id != call.world.client[0]:
        raise AccessRefused(401, "Bad credentials")
    if call.world.user_tokens.pop(request_body()["access_token"], None) is None:
        raise AccessRefused(422, "Validation Failed")
    return None, 204


def _reached(call: RestCall, installation: FakeInstallation) -> list[Repo]:
    repos = [call.world.repos[key] for key in sorted(installation.repositories) if key in call.world.repos]
    mine = call.person.login.lower()
    return [repo for repo in repos if mine in {repo.owner.login.lower(), *map(str.lower, repo.collaborators)}]
