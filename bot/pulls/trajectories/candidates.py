"""Where a pull request may hold the record of its agent: among its files, or behind a link in its text. Pure.

A link counts only when it leads to a file attached on GitHub, or to an artifact of a workflow run of the same
repository. Nothing else is ever fetched, whatever it is called.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from posixpath import basename

GITHUB = "https://github.com"
MOST_FILES = 5
MOST_LINKS = 5
MOST_PATH = 400
MOST_BODY = 300_000

_FOLDERS = frozenset({"trajectories", "trajectory", "trajs", "agent-logs", "transcripts"})
_AGENT_FOLDERS = frozenset({".claude", ".codex", ".openhands", ".swe-agent"})
_NAME = re.compile(
    r".+\.traj(?:\.json)?|rollout-.+\.jsonl|(?:.*[._-])?(?:trajector(?:y|ies)|transcript|openhands[._-]events)(?:[._-].*)?\.jsonl?"
)
_SUFFIXES = (".traj", ".json", ".jsonl", ".txt")  # GitHub takes no `.jsonl`, so people rename it


@dataclass(frozen=True, slots=True)
class Candidates:
    """files: paths of the pull request, in its order. attachments: addresses of files attached on GitHub.
    artifacts: ids of artifacts of the repository's own workflow runs."""

    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    artifacts: tuple[int, ...] = ()


def candidates(repository: str, changed_paths: Iterable[str], body: str, web_url: str = GITHUB) -> Candidates:
    """What is worth a look, at most `MOST_FILES` files and `MOST_LINKS` links of each sort.

    repository: `owner/name`; links into other repositories are left alone. changed_paths: files the pull request adds
    or changes. body: its text, from a stranger. web_url: where this GitHub's pages lie.
    """
    text = body[:MOST_BODY]
    attached, artifact = _links(web_url)
    files = [path for path in changed_paths if looks_like_record(path)]
    attachments = [
        match[0]
        for match in attached.finditer(text)
        if match["file"].lower().endswith(_SUFFIXES) and (match["owner"] is None or _own(match, repository))
    ]
    artifacts = [int(match["number"]) for match in artifact.finditer(text) if _own(match, repository)]
    return Candidates(
        tuple(dict.fromkeys(files))[:MOST_FILES],
        tuple(dict.fromkeys(attachments))[:MOST_LINKS],
        tuple(dict.fromkeys(artifacts))[:MOST_LINKS],
    )


@cache
def _links(web_url: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """To a file that somebody attached, and to an artifact."""
    pages = rf"(?<![\w.%+:/?=&#-]){re.escape(web_url.rstrip('/'))}"
    place = r"(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})"
    return (
        re.compile(
            rf"{pages}/(?:user-attachments/files/\d{{1,19}}|{place}/files/\d{{1,19}})/(?P<file>[\w.%+-]{{1,200}})"
        ),
        re.compile(rf"{pages}/{place}/actions/runs/\d{{1,19}}/artifacts/(?P<number>\d{{1,19}})(?![\w.%+-])"),
    )


def is_record_name(name: str) -> bool:
    """Whether a file in an archive may be a record: there it stands alone, so any name of that sort will do."""
    return len(name) <= MOST_PATH and name.lower().endswith(_SUFFIXES)


def looks_like_record(path: str) -> bool:
    """Whether a committed file is named or placed like an agent's record. Its contents decide."""
    if len(path) > MOST_PATH:
        return False
    lowered = path.lower()
    name, folders = basename(lowered), set(lowered.split("/")[:-1])
    if _NAME.fullmatch(name):
        return True
    if folders & _AGENT_FOLDERS and name.endswith(".jsonl"):
        return True
    return bool(folders & _FOLDERS) and name.endswith((".traj", ".json", ".jsonl"))


def _own(match: re.Match[str], repository: str) -> bool:
    return f"{match['owner']}/{match['name']}".lower() == repository.lower()
