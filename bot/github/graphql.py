"""GitHub's GraphQL API, told the way REST tells it.

GraphQL answers 200 whatever happened and says in `errors` what did; here that becomes the status REST has for the same,
so that one channel waits, repeats and raises for both.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bot.github.transport import Answer
from bot.github.values import IssueName

MAX_LINKED = 20

# Issues that merging closes: those GitHub found by a closing keyword, and those somebody linked by hand.
LINKED_ISSUES = f"""\
query LinkedIssues($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      closingIssuesReferences(first: {MAX_LINKED}) {{
        nodes {{ number repository {{ nameWithOwner }} }}
      }}
    }}
  }}
}}
"""

_STATUS = {
    "NOT_FOUND": 404,
    "FORBIDDEN": 403,
    "INSUFFICIENT_SCOPES": 403,
    "RATE_LIMITED": 429,
    "RATE_LIMIT": 429,
    "SERVICE_UNAVAILABLE": 503,
}


def as_rest(answer: Answer) -> Answer:
    """The same answer; where the query as a whole failed, with REST's status and message.

    An error about one entry of a list leaves the others good: such an entry is null, often since it may not be seen.
    """
    if answer.status != 200:
        return answer
    shape = answer.data if isinstance(answer.data, dict) else {}
    errors = [error for error in shape.get("errors") or () if "nodes" not in (error.get("path") or ())]
    if not errors and isinstance(shape.get("data"), dict):
        return answer
    first: Mapping[str, Any] = errors[0] if errors else {"message": "Something went wrong: there is no data"}
    return replace(answer, status=_status(first), data={"message": first.get("message")})


def to_linked_issues(data: Mapping[str, Any]) -> tuple[IssueName, ...]:
    """From the answer to `LINKED_ISSUES`, in GitHub's order."""
    nodes = data["repository"]["pullRequest"]["closingIssuesReferences"]["nodes"] or ()
    return tuple(IssueName(node["repository"]["nameWithOwner"], node["number"]) for node in nodes if node)


def _status(error: Mapping[str, Any]) -> int:
    """422 for a query GitHub does not take. What has no type and is not its fault begins like this, timeouts too."""
    kind, message = str(error.get("type") or ""), str(error.get("message") or "")
    return _STATUS.get(kind, 502 if not kind and message.startswith("Something went wrong") else 422)
