"""Commits as git stores them, so that the fake's SHAs are git's own and every commit can be fetched."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from fake_github.world import User

Objects = dict[str, bytes]  # SHA -> header and content, as git compresses it into a loose object
_Tree = dict[bytes, "bytes | _Tree"]


class Link(bytes):
    """The content of a symbolic link: where it points."""


class Submodule(bytes):
    """The commit another repository is taken at: its SHA in hexadecimal, which nobody stores here."""


@dataclass(frozen=True)
class NewCommit:
    """A commit's SHA, its tree's, and all the objects it is made of."""

    sha: str
    tree: str
    objects: Objects


def make_commit(files: Mapping[str, bytes], parent: str | None, message: str, author: User, at: datetime) -> NewCommit:
    objects: Objects = {}
    tree = _store_tree(_nested(files), objects)
    who = f"{author.login} <{author.email}> {int(at.timestamp())} +0000"
    lines = [f"tree {tree}", *([f"parent {parent}"] if parent else []), f"author {who}", f"committer {who}"]
    return NewCommit(_store("commit", "\n".join([*lines, "", message, ""]).encode(), objects), tree, objects)


def blob_sha(content: bytes) -> str:
    return _store("blob", content, {})


def _nested(files: Mapping[str, bytes]) -> _Tree:
    top: _Tree = {}
    for path, content in files.items():
        *folders, name = path.encode().split(b"/")
        inside = top
        for folder in folders:
            step = inside.setdefault(folder, {})
            if isinstance(step, bytes):
                raise ValueError(f"{path} lies inside a file")
            inside = step
        if isinstance(inside.get(name), dict):
            raise ValueError(f"{path} is a directory")
        inside[name] = content
    return top


def _store_tree(tree: _Tree, objects: Objects) -> str:
    entries = []
    for name, item in tree.items():
        if isinstance(item, Submodule):
            entries.append((name, b"160000 %b\0" % name, item.decode()))
        elif isinstance(item, Link):
            entries.append((name, b"120000 %b\0" % name, _store("blob", item, objects)))
        elif isinstance(item, bytes):
            entries.append((name, b"100644 %b\0" % name, _store("blob", item, objects)))
        else:
            entries.append((name + b"/", b"40000 %b\0" % name, _store_tree(item, objects)))
    content = b"".join(head + bytes.fromhex(sha) for _, head, sha in sorted(entries))
    return _store("tree", content, objects)


def _store(kind: str, content: bytes, objects: Objects) -> str:
    whole = f"{kind} {len(content)}\0".encode() + content
    sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    objects[sha] = whole
    return sha
