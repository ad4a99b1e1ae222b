"""`bouncer judge pull https://…`: a public pull request, read without any credential."""

import re
from dataclasses import replace
from urllib.parse import urlsplit

from bot.commands.judge_pull_input import Proposed, from_to
from bot.commands.own_clone import NO_GIT, try_merge
from bot.commands.shared import InputError
from bot.commands.verify_input import read_policy
from bot.github.client import RepositoryClient
from bot.github.errors import GitHubError, NoGit, NotFound, RateLimited
from bot.github.mirror import Mirrors
from bot.github.public import public_repository
from bot.github.submodules import not_here
from bot.github.values import Pull
from bot.pulls.agents import authorship
from bot.settings import Settings
from bot.verification.values import Program
from bot.workflows.pull.linked_issues import read_request
from bot.workflows.verifier import origin_of

_PLACE = re.compile(r"/([\w.-]+/[\w.-]+)/(pull|issues)/([1-9]\d{0,17})(?:/(?:files|commits|checks))?/?")
_LINKS = (
    "Only issues named by a closing keyword are known: without credentials GitHub does not show issues linked by hand."
)
_OFFERS = "Fixes that others offer are not looked up; the check does that."


def on_github(address: str, settings: Settings) -> Proposed:
    """The pull request at `address`, its commits fetched into the cache. Raises `InputError`."""
    full_name, number = _place(address, settings)
    try:
        client = public_repository(settings.github_api_url, full_name)
        return _proposed(client, client.get_pull(number), settings)
    except NoGit:
        raise InputError(NO_GIT) from None
    except NotFound:
        raise InputError(f"{address}: there is no such pull request, or it is private. {_CLONE}") from None
    except RateLimited as limit:
        minutes = int(limit.retry_after // 60) + 1
        raise InputError(
            f"{address}: GitHub answers no more calls without credentials for now. Try again in {minutes} min. {_CLONE}"
        ) from None
    except GitHubError as error:
        raise InputError(f"{address}: GitHub gave no answer to work with: {error}. Try again. {_CLONE}") from None


_CLONE = "Or clone it, and use --repo with --base and --head."


def _place(address: str, settings: Settings) -> tuple[str, int]:
    parts = urlsplit(address)
    home = urlsplit(settings.github_web_url).hostname
    found = _PLACE.fullmatch(parts.path) if parts.scheme in ("http", "https") else None
    if found is None or parts.hostname not in (home, f"www.{home}"):
        example = f"{settings.github_web_url}/OWNER/NAME/pull/1"
        raise InputError(f"{address}: this is not the address of a pull request; it looks like {example}.")
    if found[2] == "issues":
        raise InputError(f"{address}: this is an issue. For that there is bouncer judge issue.")
    return found[1], int(found[3])


def _proposed(client: RepositoryClient, pull: Pull, settings: Settings) -> Proposed:
    """Raises `GitHubError` and `InputError`."""
    repository = client.repository
    mirrors = Mirrors.from_settings(settings)
    base = client.merge_base(pull.base, pull.head)
    before = Program(mirrors.tree(repository, pull.base), {})
    directory, head = mirrors.directory(repository, f"refs/pull/{pull.number}/head")
    if head != pull.head:
        raise InputError(f"{pull.html_url}: it was changed while it was read. Try again.")
    policy = read_policy(before)
    modules = mirrors.submodules(repository, pull.base, allowed=policy.verify.submodules)
    before = Program(mirrors.tree(repository, pull.base, modules=modules), {})
    origin = origin_of(mirrors, repository, pull.base, shared=client.is_guarded(pull.base_branch))
    pull = replace(pull, commits=client.commits(pull.number))
    return Proposed(
        title=pull.title,
        directory=directory,
        base=base,
        tip=pull.base,
        head=head,
        before=before,
        after=try_merge(lambda: Program(mirrors.merge(repository, base, pull.base, head, modules=modules), {})),
        policy=policy,
        wanted=read_request(client, pull, (), policy, settings.github_web_url),
        origin=replace(origin, without=not_here(modules)),
        agent=" ".join(authorship(pull, policy.pulls).reasons),
        notes=(from_to(base, pull.base, head, f"it left {pull.base_branch}"), _LINKS, _OFFERS),
        repository=repository.full_name,
        number=pull.number,
    )
