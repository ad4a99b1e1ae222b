"""What guards the repository, or tells agents and git what to do. Pure."""

import re
from collections.abc import Iterator
from dataclasses import replace
from posixpath import basename

from bot.changes.risks.lines import first
from bot.changes.risks.values import Risk, called
from bot.changes.values import Change, FileKind, Whole

_POLICY = re.compile(r"(?:\.github/)?\.?bouncer\.ya?ml", re.I)
_OWNERS = frozenset(f"{folder}codeowners" for folder in ("", ".github/", "docs/", ".gitlab/"))
_NAMED = re.compile(
    r"(?:agents?|claude|gemini|codex|warp|crush|qwen|jules|copilot|conventions)(?:\.(?:local|override))?\.md"
)
_CAPITALS = re.compile(r"[A-Z]{1,20}(?:\.(?:local|override))?\.md")
_DOCUMENTATION = frozenset({"doc", "docs", "documentation"})
_INSTRUCTIONS = re.compile(  # by the last part of the path, in any folder
    rf"{_NAMED.pattern}"
    r"|copilot-instructions\.md|.*\.instructions\.md|.*\.prompt\.md|.*\.agent\.md|.*\.chatmode\.md|skill\.md"
    r"|\.(?:cursor|windsurf|cline|roo|goose|kilocode|augment)(?:rules|hints)(?:[-.].*)?|\.goosehints|\.aider\.conf\.ya?ml|\.?llms?\.txt"
    r"|\.mcp\.json|mcp\.json|\.rules|\.replit\.md|devin\.md"
)
_FOLDERS = re.compile(
    r"(?:.*/)?\.(?:claude|codex|cursor|windsurf|cline|clinerules|roo|amazonq|junie|kiro|gemini|openhands|aider|agents?|continue"
    r"|augment|goose|opencode|trae|copilot)/.*"
    r"|(?:.*/)?\.github/(?:instructions|prompts|agents|chatmodes|skills|copilot)/.*|(?:.*/)?skills/[^/]+/.*\.md"
)
_AGENTS = (
    "instructions for coding agents",
    "coding agents' instructions",
    "agents.md",
    "claude.md",
    "cursor rules",
)
_GIT = {".gitattributes": "git attributes", ".gitmodules": "git submodules", ".lfsconfig": "git lfs"}
_FIXED = re.compile(r"\.?bouncer\.ya?ml|codeowners|\.gitattributes|\.gitmodules|\.lfsconfig|" + _INSTRUCTIONS.pattern)


def guardians(change: Change, _whole: Whole) -> Iterator[Risk]:
    """`policy_changed`, `owners_changed`, `instructions_changed`, `git_changed`."""
    for file in change.files:
        if file.kind is FileKind.RECORD:
            continue
        for path in dict.fromkeys((file.path, file.old_path or file.path)):
            yield from (replace(risk, path=path, line=first(file)) for risk in _guarded(path))
        if file.submodule:
            say = "It changes which commit of another repository is included."
            yield Risk("git_changed", say, file.path, 0, (file.path,), beside=("submodule", "git submodule"))


def _guarded(path: str) -> Iterator[Risk]:
    names = called(path, _FIXED)
    if _POLICY.fullmatch(path):
        yield Risk("policy_changed", "It changes the policy it is judged by.", path, names=names)
    if path.lower() in _OWNERS:
        yield Risk("owners_changed", "It changes who must review what.", path, names=(*names, "code owners"))
    if is_instruction(path):
        say = "It changes what coding agents are told to do."
        yield Risk("instructions_changed", say, path, names=(*names, *_AGENTS))
    if what := _GIT.get(basename(path.lower())):
        say = "It changes how git reads this repository's files."
        yield Risk("git_changed", say, path, names=(*names, what))


def is_instruction(path: str) -> bool:
    """Whether coding agents read the file as orders."""
    lowered = path.lower()
    name, documents = basename(path), not _DOCUMENTATION.isdisjoint(lowered.split("/")[:-1])
    # A page of documentation on agents, conventions or Gemini. Who is told something looks for the name in capitals.
    if documents and _NAMED.fullmatch(name.lower()) and not _CAPITALS.fullmatch(name):
        return bool(_FOLDERS.fullmatch(lowered))
    return bool(_INSTRUCTIONS.fullmatch(basename(lowered)) or _FOLDERS.fullmatch(lowered))
