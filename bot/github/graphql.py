"""GitHub's GraphQL API, told the way REST tells it.

GraphQL answers 200 whatever happened and says in `errors` what did; here that becomes the status REST has for the same,
so that one channel waits, repeats and raises for both.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.github.fields import count, json_list, json_object, text
from bot.github.transport import HttpAnswer
from bot.github.values import Background, ForcedPush, LinkedIssue, OpenPull, PullCommit

MAX_LINKED = 20
MAX_EDITS = 30  # of one issue, the newest
MAX_PULLS = 50  # that would close one issue
MAX_COMMITS = MAX_FORCED = 100  # GraphQL gives no more of a list at once

# Issues that merging closes, found by a closing keyword or linked by hand; and the commits.
BACKGROUND = f"""\
query Background($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      headRefOid
      closingIssuesReferences(first: {MAX_LINKED}) {{
        nodes {{
          number title body state
          author {{ login resourcePath }}
          userContentEdits(first: {MAX_EDITS}) {{ nodes {{ editor {{ login resourcePath }} }} }}
          labels(first: 50) {{ nodes {{ name }} }}
          repository {{ nameWithOwner isPrivate }}
        }}
      }}
      commits(first: {MAX_COMMITS}) {{
        totalCount
        nodes {{ commit {{ oid message author {{ name email }} }} }}
      }}
    }}
  }}
}}
"""

_TIMELINE = """\
query Timeline($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      timelineItems(last: {most}, itemTypes: [{kinds}]) {{ nodes {{ __typename {fields} }} }}
    }}
  }}
}}
"""

# When somebody pushed with force, what the pull request stood on before, and on what since.
FORCED = _TIMELINE.format(
    most=MAX_FORCED,
    kinds="HEAD_REF_FORCE_PUSHED_EVENT",
    fields="... on HeadRefForcePushedEvent { createdAt beforeCommit { oid } afterCommit { oid } }",
)

# When it was pointed at another branch for the last time, by somebody or since its branch was deleted.
RETARGETED = _TIMELINE.format(
    most=1,
    kinds="BASE_REF_CHANGED_EVENT, AUTOMATIC_BASE_CHANGE_SUCCEEDED_EVENT",
    fields="... on BaseRefChangedEvent { createdAt } ... on AutomaticBaseChangeSucceededEvent { createdAt }",
)

# When somebody opened it again for the last time.
REOPENED = _TIMELINE.format(most=1, kinds="REOPENED_EVENT", fields="... on ReopenedEvent { createdAt }")

# On which of its newest commits an App wrote any check at all.
CHECKED = f"""\
query Checked($owner: String!, $name: String!, $number: Int!, $app: Int!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      commits(last: {MAX_COMMITS}) {{
        totalCount
        nodes {{ commit {{ oid checkSuites(first: 1, filterBy: {{appId: $app}}) {{ totalCount }} }} }}
      }}
    }}
  }}
}}
"""

# The open pull requests whose merge would close an issue.
CLOSING = f"""\
query Closing($owner: String!, $name: String!, $number: Int!) {{
  repository(owner: $owner, name: $name) {{
    nameWithOwner
    issue(number: $number) {{
      closedByPullRequestsReferences(first: {MAX_PULLS}, includeClosedPrs: false) {{
        nodes {{
          number state isDraft headRefOid baseRefName
          author {{ login resourcePath }}
          repository {{ nameWithOwner }}
        }}
      }}
    }}
  }}
}}
"""

# The file that says how to report a vulnerability, here or in the owner's `.github`.
SECURITY_POLICY = """\
query SecurityPolicy($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { isSecurityPolicyEnabled securityPolicyUrl }
}
"""

# Everybody whose words an issue holds, and who brought it here.
WRITERS = """\
query Writers($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      author { login resourcePath }
      lastEditedAt
      userContentEdits(first: 100) { totalCount nodes { editor { login resourcePath } } }
      timelineItems(last: 100, itemTypes: [RENAMED_TITLE_EVENT, TRANSFERRED_EVENT]) {
        totalCount
        nodes {
          __typename
          ... on RenamedTitleEvent { actor { login resourcePath } }
          ... on TransferredEvent { actor { login resourcePath } }
        }
      }
    }
  }
}
"""

_STATUS = {
    "NOT_FOUND": 404,
    "FORBIDDEN": 403,
    "INSUFFICIENT_SCOPES": 403,
    "RATE_LIMITED": 429,
    "RATE_LIMIT": 429,
    "SERVICE_UNAVAILABLE": 503,
}


def as_rest(answer: HttpAnswer) -> HttpAnswer:
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


def to_background(data: Mapping[str, Any]) -> tuple[Background, bool]:
    """From the answer to `BACKGROUND`, and whether these are all of its commits."""
    pull = data["repository"]["pullRequest"]
    issues = tuple(_issue(node) for node in json_list(pull["closingIssuesReferences"]["nodes"]) if node)
    nodes = [node for node in json_list(pull["commits"]["nodes"]) if node]
    found = Background(issues, tuple(map(_commit, nodes)), text(pull, "headRefOid"))
    return found, count(pull, "commits", "totalCount") <= len(nodes)


def to_force_pushes(data: Mapping[str, Any]) -> tuple[ForcedPush, ...]:
    """From the answer to `FORCED`, the last first."""
    return tuple(
        ForcedPush(text(node, "beforeCommit", "oid"), text(node, "afterCommit", "oid"), _created(node))
        for node in reversed(_timeline(data))
    )


def to_commits_with_checks(data: Mapping[str, Any]) -> tuple[tuple[str, ...], bool]:
    """From the answer to `CHECKED`, the newest first, and whether all of its commits were looked at."""
    commits = json_object(data, "repository", "pullRequest", "commits")
    nodes = [node["commit"] for node in json_list(commits.get("nodes")) if node]
    checked = (text(each, "oid") for each in reversed(nodes) if json_object(each, "checkSuites").get("totalCount") != 0)
    return tuple(checked), count(commits, "totalCount") <= len(nodes)


def to_last(data: Mapping[str, Any]) -> datetime | None:
    """From the answer to `RETARGETED` or `REOPENED`; `None` where that never happened."""
    return next(map(_created, reversed(_timeline(data))), None)


def to_open_pulls(data: Mapping[str, Any]) -> tuple[OpenPull, ...]:
    """From the answer to `CLOSING`: those of the issue's own repository that are no drafts."""
    here, listed = json_object(data, "repository"), json_object(data, "repository", "issue")
    nodes = json_list(json_object(listed, "closedByPullRequestsReferences").get("nodes"))
    return tuple(
        OpenPull(count(each, "number"), _login(each.get("author")), text(each, "headRefOid"), text(each, "baseRefName"))
        for each in nodes
        if each and each.get("isDraft") is False and text(each, "state") == "OPEN"
        if text(each, "repository", "nameWithOwner") == text(here, "nameWithOwner")
    )


def to_writers(data: Mapping[str, Any]) -> frozenset[str]:
    """From the answer to `WRITERS`: logins as REST writes them; an empty one for whoever GitHub does not name."""
    issue = json_object(data, "repository", "issue")
    edits, events = json_object(issue, "userContentEdits"), json_object(issue, "timelineItems")
    nodes = [*json_list(edits.get("nodes")), *json_list(events.get("nodes"))]
    whole = count(edits, "totalCount") + count(events, "totalCount") <= len(nodes)
    whole = whole and bool(edits or not issue.get("lastEditedAt"))
    people = [issue.get("author"), *((node or {}).get("editor") or (node or {}).get("actor") for node in nodes)]
    return frozenset(map(_login, people)) | (frozenset() if whole else {""})


def _timeline(data: Mapping[str, Any]) -> list[Any]:
    nodes = json_list(json_object(data, "repository", "pullRequest", "timelineItems").get("nodes"))
    return [node for node in nodes if node]


def _created(node: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(node["createdAt"])


def _login(actor: Any) -> str:
    """With `[bot]` for an App's, as REST writes it, which is left out here."""
    login = text(actor or {}, "login")
    return f"{login.removesuffix('[bot]')}[bot]" if text(actor or {}, "resourcePath").startswith("/apps/") else login


def _issue(node: Mapping[str, Any]) -> LinkedIssue:
    edits = json_list(json_object(node, "userContentEdits").get("nodes"))
    return LinkedIssue(
        place=node["repository"]["nameWithOwner"],
        number=node["number"],
        title=text(node, "title"),
        body=text(node, "body"),
        author=_login(node.get("author")),
        editors=tuple(dict.fromkeys(filter(None, (_login(each.get("editor")) for each in edits if each)))),
        open=text(node, "state") != "CLOSED",
        labels=tuple(text(label, "name") for label in json_list(json_object(node, "labels").get("nodes"))),
        private=node["repository"]["isPrivate"] is not False,
    )


def _commit(node: Mapping[str, Any]) -> PullCommit:
    commit = node["commit"]
    author = json_object(commit, "author")
    return PullCommit(text(commit, "oid"), text(author, "name"), text(author, "email"), text(commit, "message"))


def _status(error: Mapping[str, Any]) -> int:
    """422 for a query GitHub does not take. What has no type and is not its fault begins like this, timeouts too."""
    kind, message = str(error.get("type") or ""), str(error.get("message") or "")
    return _STATUS.get(kind, 502 if not kind and message.startswith("Something went wrong") else 422)
