"""What can go wrong when talking to GitHub. Messages are for maintainers' logs: no secrets, no bodies, no addresses.

GitHubError
    Unauthorized    the key, the App id or the installation is not accepted (401)
    NoToken         this installation gets none: the App was uninstalled or suspended, or is refused for now
    Forbidden       not permitted, or the conversation is locked (403)
    NotFound        not there, or not visible to this installation (404)
    Gone            it was deleted (410)
    Rejected        GitHub refuses the request as it stands; the same request will fail again (other 4xx)
    NoGit           this machine has none
    RateLimited     too many calls; `retry_after` says when to come back (403, 429)
    Unavailable     no usable answer: connection, timeout or 5xx; `maybe_done` says the work may have been done
"""


class GitHubError(Exception):
    """Anything GitHub did not do. `status` is the HTTP status, 0 when there was no answer."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class Unauthorized(GitHubError):
    """GitHub does not accept the App's credentials."""


class NoToken(GitHubError):
    """GitHub gives this installation no token, which says nothing about what was asked for."""


class Forbidden(GitHubError):
    """The App may not do this."""


class NotFound(GitHubError):
    """It does not exist, or this installation may not see it: GitHub does not tell which."""


class Gone(GitHubError):
    """It was deleted."""


class Rejected(GitHubError):
    """GitHub understood and refused; trying again will not help."""


class NoGit(Rejected):
    """This machine has no git: no later attempt will find one."""


class RateLimited(GitHubError):
    """Come back in `retry_after` seconds; the request was not carried out."""

    def __init__(self, message: str, status: int, retry_after: float) -> None:
        super().__init__(message, status)
        self.retry_after = retry_after


class Unavailable(GitHubError):
    """No usable answer. `maybe_done`: the request may have been carried out, so look before doing it again."""

    def __init__(self, message: str, status: int = 0, *, maybe_done: bool = False) -> None:
        super().__init__(message, status)
        self.maybe_done = maybe_done


_BY_STATUS: dict[int, type[GitHubError]] = {401: Unauthorized, 403: Forbidden, 404: NotFound, 410: Gone}


def error_for(status: int, message: str) -> GitHubError:
    """The exception for a 4xx answer that is no rate limit."""
    return _BY_STATUS.get(status, Rejected)(message, status)
