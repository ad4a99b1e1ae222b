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
