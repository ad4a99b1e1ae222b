"""The submodules of a commit: which commit of which repository belongs where, and whether that may be fetched."""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from bot.github import git
from bot.github.checkout import SUBMODULE
from bot.github.errors import NotFound

MOST = 20  # of one commit
DEEPEST = 3  # submodules of submodules
_LARGEST = 10_000_000  # bytes of a listing


@dataclass(frozen=True, slots=True)
class Submodule:
    """path: in the tree. commit: its full SHA. address: of its repository. problem: why it is not here, as a clause;
    empty where it is. Path and address are strangers'."""

    path: str
    commit: str
    address: str = ""
    problem: str = ""


def submodules(directory: Path, sha: str, home: str, hosts: frozenset[str]) -> tuple[Submodule, ...]:
    """Those of a commit, of which none was fetched yet. home: the repository's own address. hosts: that may be asked,
    each with its port where that is not the usual one. Raises a `GitHubError`."""
    listed = git.read(directory, "ls-tree", "-r", "-z", "--full-tree", sha, most=_LARGEST)
    found = {entry.path: entry.sha for entry in git.entries(listed) if entry.mode == SUBMODULE}
    named = _addresses(directory, sha) if found else {}
    return tuple(_judged(path, commit, named.get(path, ""), home, hosts) for path, commit in list(found.items())[:MOST])


def not_here(found: Sequence[Submodule]) -> tuple[str, ...]:
    """Those that were not fetched, as noun phrases."""
    return tuple(f"the submodule {each.path}: {each.problem}" for each in found if each.problem)


def commits_named(found: Sequence[Submodule]) -> str:
    """What tells trees with them apart."""
    return "".join(f" {each.path}@{each.commit}" for each in found if not each.problem)


def forbidden(found: Sequence[Submodule]) -> tuple[Submodule, ...]:
    """The same, where the policy lets none be fetched."""
    why = "the policy does not let Bouncer fetch it (`verify.submodules`)"
    return tuple(replace(each, problem=why) for each in found)


def _addresses(directory: Path, sha: str) -> dict[str, str]:
    """Path -> address, as `.gitmodules` has them."""
    words = ("config", "--blob", f"{sha}:.gitmodules", "-z", "--get-regexp", r"^submodule\..*\.(path|url)$")
    try:
        said = git.read(directory, *words, most=_LARGEST).decode("utf-8", "surrogateescape")
    except NotFound:
        return {}
    told = (item.partition("\n") for item in said.split("\0")[:-1])
    values = {name: value for name, _, value in told}
    ending = ".path"
    return {
        path: values.get(f"{name.removesuffix(ending)}.url", "")
        for name, path in values.items()
        if name.endswith(ending)
    }


def _judged(path: str, commit: str, address: str, home: str, hosts: frozenset[str]) -> Submodule:
    if address.startswith(("./", "../")) and home:
        start = urlsplit(home)
        address = start._replace(path=posixpath.normpath(posixpath.join(start.path, address))).geturl()
    try:
        parts = urlsplit(address)
        own = bool(home) and parts[:2] == urlsplit(home)[:2]
        plain = (parts.scheme == "https" or own) and "@" not in parts.netloc and not (parts.query or parts.fragment)
    except ValueError:
        return Submodule(path, commit, problem="it has no address")
    if not plain:
        return Submodule(path, commit, problem="its address is none of https")
    if not own and parts.netloc.lower() not in hosts:
        return Submodule(path, commit, problem="its host is not allowed")
    return Submodule(path, commit, address)
