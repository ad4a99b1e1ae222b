"""The REST operations of a person who signed in through the App."""

from flask import request

from fake_github.access import AccessRefused
from fake_github.rest_call import Answer, RestCall, existing, operation, page, request_body
from fake_github.world import FakeInstallation, Repo


@operation("GET", "/user", "user")
def get_user(call: RestCall) -> Answer:
    return call.shapes.person(call.person), 200


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
