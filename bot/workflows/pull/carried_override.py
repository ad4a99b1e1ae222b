"""Whether an override outlives a push: by the difference of the two commits, which nobody can forge."""

from bot.changes.read import read_change
from bot.github.client import RepositoryClient
from bot.github.errors import Forbidden, Gone, NotFound, NotInstalled, Rejected, Unavailable
from bot.pulls.lasting import leaves_code


def leaves_code_alone(client: RepositoryClient, old: str, new: str) -> bool:
    """Whether `new` adds to `old`, and nothing but documentation, tests and comments.

    What cannot be known is no yes: a force push, commits that are gone, a difference too large for GitHub to show, also
    where it says so as an error of its own. Raises `GitHubError` when this installation gets no answers at all.
    """
    try:
        compared = client.compare(old, new)
        if compared.status not in ("ahead", "identical") or compared.merge_base != old or not compared.complete:
            return False
        change = read_change(client.difference(old, new))
    except NotInstalled:
        raise
    except (NotFound, Gone, Rejected, Forbidden, Unavailable):
        return False
    return len(change.files) == len(compared.files) and leaves_code(change)
