"""The first policy of a repository, and GitHub's pages with it filled in."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from bot.plain_text import count_of
from bot.policy_choices import Mode
from bot.policy_file import PATH

_WHAT = {
    Mode.OBSERVE: "judges and writes nothing; `bouncer report` shows what it would have done",
    Mode.ADVISE: "labels, comments, and checks that do not block",
    Mode.ENFORCE: "as advise, and its check can block a merge",
}


def starter_policy(mode: Mode = Mode.OBSERVE) -> str:
    """A valid policy that says what its one key means."""
    explained = "\n".join(f"#   {each.value}: {_WHAT[each]}" for each in Mode)
    return f"# What Bouncer does in this repository, one of:\n{explained}\nmode: {mode.value}\n"


def new_file_url(web_url: str, repository: str, branch: str, text: str) -> str:
    """GitHub's page for a new file, with the policy filled in. A branch may hold slashes."""
    query = urlencode({"filename": PATH, "value": text})
    return f"{web_url}/{repository}/new/{quote(branch)}?{query}"


def new_issue_url(web_url: str, repository: str, held: Sequence[int], total: int, page: str) -> str:
    """GitHub's page for a new issue, which its reader opens or not, in their own name. It names numbers, no people.

    held: the numbers of the issues that would have been held, of `total` ones. page: where the rest stands; empty where
    nobody else may read it.
    """
    listed = ", ".join(f"#{number}" for number in held)
    last = count_of(total, "issue")
    body = [
        f"Of the last {last} Bouncer would have held {len(held)} until more is said: {listed or 'none'}.",
        "",
        f"Should we use it here? We could begin with `mode: {Mode.OBSERVE.value}` in `{PATH}`: then it writes nothing.",
        *(["", f"What it would have asked: {page}"] if page else []),
    ]
    query = urlencode({"title": "Use Bouncer for vague issues?", "body": "\n".join(body)})
    return f"{web_url}/{repository}/issues/new?{query}"
