"""Where a pull request may hold the record of its agent: among its files, or behind a link in its text. Pure.

A link counts only when it leads to a file attached on GitHub, or to an artifact of a workflow run of the same
repository. Nothing else is ever fetched, whatever it is called.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from posixpath import basename

MOST_FILES = 5
MOST_LINKS = 5
MOST_PATH = 400
MOST_BODY = 300_000

_FOLDERS = frozenset({"trajectories", "trajectory", "trajs", "agent-logs", "transcripts"})
_AGENT_FOLDERS = frozenset({".claude", ".codex", ".openhands", ".swe-agent"})
_NAME = re.compile(
    r".+\.traj(?:\.json)?|rollout-.+\.jsonl|(?:.*[._-])?(?:trajector(?:y|ies)|transcript|openhands[._-]events)(?:[._-].*)?\.jsonl?"
)
_ATTACHED = re.compile(
    r"https://github\.com/(?:user-attachments/files/\d{1,19}|(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})/files/\d{1,19})"
    r"/(?P<file>[\w.%+-]{1,200})"
)
_ARTIFACT = re.compile(
    r"https://github\.com/(?P<owner>[\w.-]{1,100})/(?P<name>[\w.-]{1,100})/actions/runs/\d{1,19}/artifacts/(?P<number>\d{1,19})"
    r"(?![\w.%+-])"
)
_SUFFIXES = (".traj", ".json", ".jsonl", ".txt")  # GitHub takes no `.jsonl`, so people rename it


@dataclass(frozen=True, slots=True)
class Candidates:
    """files: paths of the pull request, in its order. attachments: addresses of files attached on GitHub.
    artifacts: ids of artifacts of the repository's own workflow runs."""

    files: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    artifacts: tuple[int, ...] = ()


def candidates(repository: str, changed_paths: Iterable[str], body: str) -> Candidates:
    """What is worth a look, at most `MOST_FILES` files and `MOST_LINKS` links of each sort.

    repository: `owner/name`; links into other repositories are left alone. changed_paths: files the pull request adds
    or changes. body: its text, from a stranger.
    """
    text = body[:MOST_BODY]
    files = [path for path in changed_paths if looks_like_record(path)]
    attachments = [
        match[0]
        for match in _ATTACHED.finditer(text)
        if match["file"].lower().endswith(_SUFFIXES) and (match["owner"] is None or _own(match, repository))
    ]
    artifacts = [int(match["number"]) for match in _ARTIFACT.finditer(text) if _own(match, repository)]
    return Candidates(
        tuple(dict.fromkeys(files))[:MOST_FILES],
        tuple(dict.fromkeys(attachments))[:MOST_LINKS],
        tuple(dict.fromkeys(artifacts))[:MOST_LINKS],
    )


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
