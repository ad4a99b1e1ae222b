"""A pull request as it is known before its diff is read. Frozen; every text in it comes from strangers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommitText:
    """What a commit says of itself. Anybody can write any name and any address into one."""

    sha: str
    author_name: str
    author_email: str
    message: str


@dataclass(frozen=True, slots=True)
class Proposal:
    """author: the login of whoever opened it, which GitHub vouches for. author_is_bot: GitHub's account type `Bot`.
    branch: the head's name, without its repository. commits: oldest first, perhaps not all of them."""

    number: int
    title: str
    body: str
    author: str
    author_is_bot: bool
    branch: str
    labels: tuple[str, ...] = ()
    commits: tuple[CommitText, ...] = ()


@dataclass(frozen=True, slots=True)
class Pusher:
    """Whoever pushed a commit, or opened the pull request with it, as GitHub's delivery names the sender. number: of
    the pull request it was pushed to."""

    login: str
    is_bot: bool
    head: str
    number: int


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of a pull request that it cannot take back.

    pushers: of its commits, to other pull requests too. signs: the first reasons for which it counted as a coding
    agent's. twin: another pull request that is a coding agent's and stood on the same commit; 0 without one. person:
    the login of the maintainer by whose word it is a person's; empty without a word that stands.
    """

    pushers: tuple[Pusher, ...] = ()
    signs: tuple[str, ...] = ()
    twin: int = 0
    person: str = ""


NOTHING_KNOWN = Past()
