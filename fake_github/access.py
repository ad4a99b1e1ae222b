"""Who may call: JSON Web Tokens and keys of the App, installation tokens, permissions, rate limits, as on GitHub."""

import secrets
from collections import Counter
from collections.abc import Set
from datetime import datetime, timedelta

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import request

from fake_github.actions import Actions
from fake_github.world import FakeInstallation, Repo, Token, User

ANYBODY = -1  # counts the calls that carry no credentials
DOCS = "https://docs.github.com/rest"


class AccessRefused(Exception):
    """Answer with this status and GitHub's kind of error body."""

    def __init__(self, status: int, message: str, **extra: object) -> None:
        super().__init__(message)
        self.status = status
        self.body: dict[str, object] = {"message": message, "documentation_url": DOCS, "status": str(status), **extra}
        self.headers: dict[str, str] = {}
        self.moved_to = ""


def invalid(resource: str, field: str, code: str) -> AccessRefused:
    """422 with GitHub's list of errors."""
    problem = {"resource": resource, "field": field, "code": code}
    return AccessRefused(422, "Validation Failed", errors=[problem])


def not_found() -> AccessRefused:
    """What GitHub says to whoever may not know that something exists."""
    return AccessRefused(404, "Not Found")


def redirect_to(path: str) -> AccessRefused:
    """GitHub sends reads (301) and writes (307) on to where a repository or issue lives now."""
    refusal = AccessRefused(301 if request.method == "GET" else 307, "Moved Permanently", url=path)
    refusal.moved_to = path
    return refusal


class Access:
    """Checks the credentials of one call and counts it against its rate limit (5,000 an hour)."""

    def __init__(self, world: Actions) -> None:
        self.world = world
        self.token_lifetime = timedelta(hours=1)
        self.limit = 5000
        self.used: Counter[int] = Counter()
        self._window = world.now()

    def app(self) -> None:
        """The App itself: an RS256 token signed with its key, valid for at most ten minutes."""
        try:
            claims = jwt.decode(
                _credential(),
                self.world.app.public_key,
                algorithms=["RS256"],
                issuer=str(self.world.app.id),
                options={"require": ["iat", "exp", "iss"]},
                leeway=60,
            )
        except jwt.InvalidSignatureError:
            raise AccessRefused(401, "A JSON web token could not be decoded") from None
        except jwt.PyJWTError as error:
            raise AccessRefused(401, f"Bad credentials: {error}") from None
        if claims["exp"] - claims["iat"] > 11 * 60:
            raise AccessRefused(401, "'Expiration time' claim ('exp') is too far in the future")

    def issue_token(self, installation_id: int) -> tuple[str, Token]:
        installation = self.world.installations.get(installation_id)
        if installation is None:
            raise not_found()
        if installation.suspended:
            raise AccessRefused(403, "This installation has been suspended")
        name = "ghs_" + secrets.token_hex(18)
        token = Token(installation_id, self.world.now() + self.token_lifetime, installation.permissions)
        self.world.tokens[name] = token
        return name, token

    def installation(self, name: str = "") -> FakeInstallation:
        """name: its token, where that is not sent as a bearer's."""
        token = self.world.tokens.get(name or _credential())
        if token is None or token.expires_at <= self.world.now():
            raise AccessRefused(401, "Bad credentials")
        installation = self.world.installations[token.installation]
        if installation.suspended:
            raise AccessRefused(403, "This installation has been suspended")
        return installation

    def person(self) -> User | None:
        """Who signed in through the App; `None` for other tokens."""
        return self.world.user_tokens.get(_credential())

    def visible_repositories(self, person: User) -> frozenset[int]:
        """What both the App and this person may see."""
        reached = {key for each in self.world.installations.values() for key in each.repositories}
        return frozenset(key for key in reached if self.world.repos[key].role(person.login) != "none")

    def repository(self, covered: Set[int], owner: str, name: str, *, write: bool) -> Repo:
        """404 where the caller, whose installation covers these, may not look; anybody may read a public repository."""
        repo = self.world.find_repo(f"{owner}/{name}")
        if repo is None or (repo.private and repo.id not in covered):
            raise not_found()
        if write and repo.id not in covered:
            raise AccessRefused(403, "Resource not accessible by integration")
        return repo

    def permit(self, area: str, level: str) -> None:
        """A token may be allowed less than the App; of what is public the real one reads more than this."""
        sent = request.authorization
        token = self.world.tokens.get(sent.token or "") if sent else None
        own = token.permissions if token else None
        granted = (self.world.app.permissions if own is None else {"metadata": "read", **own}).get(area)
        if granted is None or (level == "write" and granted != "write"):
            raise AccessRefused(403, "Resource not accessible by integration")

    def count(self, who: int) -> dict[str, str]:
        """Count one call; the rate limit headers. Refuses when the limit is used up."""
        if self.world.now() >= self.reset_at():
            self._window = self.world.now()
            self.used.clear()
        over = self.used[who] >= self.limit
        self.used[who] += not over
        headers = {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(max(self.limit - self.used[who], 0)),
            "x-ratelimit-used": str(self.used[who]),
            "x-ratelimit-reset": str(int(self.reset_at().timestamp())),
            "x-ratelimit-resource": "core",
        }
        if over:
            refusal = AccessRefused(403, f"API rate limit exceeded for installation ID {who}.")
            refusal.headers = headers
            raise refusal
        return headers

    def reset_at(self) -> datetime:
        return self._window + timedelta(hours=1)


def _credential() -> str:
    sent = request.authorization
    if sent is None or sent.type not in ("bearer", "token") or not sent.token:
        raise AccessRefused(401, "Requires authentication")
    return sent.token


def new_private_key() -> str:
    """A fresh RSA key in PEM, as GitHub hands it out for an App."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    kind = serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()).decode()


def public_half(private_key: str) -> str:
    key = serialization.load_pem_private_key(private_key.encode(), None, unsafe_skip_rsa_key_validation=True)
    kind = serialization.PublicFormat.SubjectPublicKeyInfo
    return key.public_key().public_bytes(serialization.Encoding.PEM, kind).decode()
