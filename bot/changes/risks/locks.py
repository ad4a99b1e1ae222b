"""Lock files: a package comes from its own place, under its own name, and the same version keeps its checksum. Pure.

Read as data, whatever the tool: a package is a record with a name and a version, which it has itself or which the key
above it says. What cannot be read so is searched for hosts line by line.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from posixpath import basename
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from bot.changes.readers import LOCKS, SENTENCES
from bot.changes.risks.data import leaves, read
from bot.changes.risks.files import is_older
from bot.changes.risks.lines import both, numbered
from bot.changes.risks.values import Holds, Risk
from bot.changes.values import FileChange, Whole


@dataclass(frozen=True, slots=True)
class Package:
    """called: what the lock file calls it, which may be an alias of `name`. archives: address or file, with the
    checksum; either may be empty."""

    name: str
    version: str
    archives: tuple[tuple[str, str], ...] = ()
    called: str = ""


def locks(file: FileChange, whole: Whole, asked: tuple[str, ...], *, alone: bool) -> Iterator[Risk]:
    """`dependency_source`: the first thing that is wrong with a lock file. alone: no manifest changes with it, so that
    a further package is wanted by nothing where all others are as they were."""
    before, after = both(file, whole)
    old, new = (_merged(packages(file.path, text)) for text in (before, after))
    places = {(each.name, place) for each in old.values() for address, _ in each.archives if (place := _place(address))}
    known = {address for each in old.values() for address, _ in each.archives}
    versions, others = (Counter(name for name, *_ in side) for side in (old, new))
    was = {name: version for name, version, _ in old if versions[name] == others[name] == 1}
    for key, each in new.items():
        kept, sums = dict(_sums(old.get(key))), dict(_sums(each))
        fresh = [address for address, _ in each.archives if address and address not in known]
        alias = each.called not in ("", each.name) and f"npm:{each.name}@" not in after
        older = is_older(was.get(each.name, ""), each.version)
        moved = any(_is_strange(each, address, places) for address in fresh)
        if _has_another_sum(old.get(key), each) or older or (kept and not sums) or alias or moved:
            yield _risk(file, "locked", _line(file, each), asked)
            return
    further = [each for key, each in new.items() if key[0] not in versions]
    chooses = not file.path.endswith("go.sum")  # that of Go only knows checksums
    if alone and chooses and old and further and old.keys() <= new.keys():
        yield _risk(file, "unasked", _line(file, further[0]), asked)
    yield from (_risk(file, "source", number, asked) for number in _strange_hosts(file))


def other_sums(file: FileChange, whole: Whole, asked: tuple[str, ...]) -> Iterator[Risk]:
    """`dependency_source`: the first package of a list of requirements whose version keeps no checksum of its own."""
    old, new = (_merged(packages(file.path, text)) for text in both(file, whole))
    changed = (each for key, each in new.items() if _has_another_sum(old.get(key), each))
    yield from (_risk(file, "locked", _line(file, each), asked) for each in islice(changed, 1))


def _has_another_sum(before: Package | None, after: Package) -> bool:
    kept = dict(_sums(before))
    return any(_differs(kept.get(archive, ""), sum_) for archive, sum_ in dict(_sums(after)).items())


def _merged(found: Iterable[Package]) -> dict[tuple[str, str, str], Package]:
    """By name, version and what it is called: a lock file may speak of one in several places."""
    merged: dict[tuple[str, str, str], Package] = {}
    for each in found:
        key = each.name, each.version, each.called
        before = merged.get(key, Package(*key[:2]))
        merged[key] = replace(each, archives=(*before.archives, *each.archives))
    return merged


def _risk(file: FileChange, says: str, line: int, asked: tuple[str, ...]) -> Risk:
    return Risk("dependency_source", SENTENCES[says], file.path, line, asked, Holds.ALWAYS)


def _line(file: FileChange, package: Package) -> int:
    new = [(number, text) for number, mark, text in numbered(*file.hunks) if mark == "+"]
    parts = [part for pair in package.archives for part in pair if part]
    return next((number for number, text in new if any(part in text for part in parts)), new[0][0] if new else 0)


def _sums(package: Package | None) -> Iterator[tuple[str, str]]:
    archives = package.archives if package else ()
    return ((basename(address.partition("#")[0]), sum_) for address, sum_ in archives if sum_)


def _differs(before: str, after: str) -> bool:
    """Whether the checksum of an archive is another one; not where it is of another kind that is no weaker, nor where a
    list of them only grew or shrank."""
    old, new = set(before.split()), set(after.split())
    if not old or old <= new or new <= old:
        return False
    kinds = set(map(_kind, new))
    return not kinds.isdisjoint(map(_kind, old)) or not kinds.isdisjoint(LOCKS["weak"])


def _kind(sum_: str) -> str:
    """`sha512-…`, `sha256:…`, `10c0/…`."""
    return "".join(takewhile(lambda each: each not in "-:/", sum_)) if any(sign in sum_[:9] for sign in "-:/") else ""


def _is_strange(package: Package, address: str, places: set[tuple[str, tuple[str, ...]]]) -> bool:
    """Whether an address that was not there is not the package's own."""
    if "://" not in address and not address.startswith("git"):
        return False
    try:
        path = unquote(urlsplit(address).path)
    except ValueError:
        return True
    if path.endswith(LOCKS["archives"]):
        scope, _, bare = package.name.rpartition("/")
        rest = plain_name(basename(path)).removeprefix(f"{plain_name(bare)}-")
        own = rest.startswith(plain_name(package.version)) if "/-/" in path else rest[:1].isdigit()
        return not own or rest == plain_name(basename(path)) or scope not in path
    known = {place for name, place in places if name == package.name and place}
    from_git = address.startswith(("git", "ssh")) or path.endswith(".git")
    return _place(address) not in known if known or from_git else False


def _place(address: str) -> tuple[str, ...]:
    """Host and owner of where something comes from; nothing where an archive is named after its package."""
    try:
        found = urlsplit(address.removeprefix("git+"))
    except ValueError:
        return ()
    return (
        ()
        if found.path.endswith(LOCKS["archives"])
        else (found.netloc, *found.path.removesuffix(".git").split("/")[1:3])
    )


def _strange_hosts(file: FileChange) -> Iterator[int]:
    """The first new line with a host that the file did not name before and that is no known registry's."""
    shown = [(number, mark, text) for number, mark, text in numbered(*file.hunks)]
    before = {host for _, mark, text in shown if mark != "+" for host in hosts(text)} | {*LOCKS["hosts"]}
    kept = "\n".join(text for _, mark, text in shown if mark != "+")
    for number, mark, text in shown:
        git = any(sign in text for sign in LOCKS["elsewhere"]) and text.split("#")[0].split("?")[0].strip() not in kept
        if mark == "+" and (git or not before.issuperset(hosts(text))):
            yield number
            return


def hosts(text: str) -> Iterator[str]:
    """The hosts of the addresses in a line."""
    for part in text[:2_000].replace("git@", "git://").split("://")[1:]:
        place = "".join(takewhile(lambda each: each.isalnum() or each in ".-_@", part))
        yield place.rpartition("@")[2].lower()


def plain_name(name: str) -> str:
    """As package tools compare names; of a path as it stands."""
    return name.lower() if "/" in name else canonicalize_name(name)


def packages(path: str, text: str) -> Iterator[Package]:
    """What a lock file has, as far as it can be read."""
    data = read(f"{path}.yaml" if "\n  resolution: " in text else path, text)  # Yarn's second form has no ending
    if isinstance(data, dict):
        yield from (found for key, value in data.items() for found in _records(key, value))
    else:
        yield from _by_lines(text)


def _records(key: str, value: Any) -> Iterator[Package]:
    if isinstance(value, list):
        if value and isinstance(value[0], str) and "@" in value[0][1:]:  # bun's
            name, _, version = value[0].rpartition("@")
            yield Package(name, version, (("", str(value[-1])),))
            return
        yield from (found for each in value for found in _records("", each))
    elif isinstance(value, dict):
        named, at, numbered_ = key.rpartition("node_modules/")[2].partition("(")[0].rpartition("@")
        called = (named if at and named else key.rpartition("node_modules/")[2]).partition("@npm:")[0]
        name, version = value.get("name") or called, value.get("version") or (numbered_ if at and named else "")
        if isinstance(leads := value.get("resolution"), str) and "@" in leads[1:]:  # Yarn's second form
            name, called, key = _begins(leads), _begins(key), f"node_modules/{key}"
        if name and isinstance(name, str) and isinstance(version, str) and version:
            yield Package(name, version, tuple(_archives(value)), called if "node_modules/" in key else "")
            value = value.get("dependencies") if isinstance(value.get("dependencies"), dict) else {}
        yield from (found for below, each in value.items() for found in _records(below, each))


def _begins(text: str) -> str:
    """The name before an `@`, which may begin with one."""
    return text[: text.find("@", 1)]


def _archives(value: Any) -> Iterator[tuple[str, str]]:
    """Each address or file with the checksum that stands beside it, in whatever part of a record."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, dict):
            waiting += [each for key, each in part.items() if key not in LOCKS["for_people"] and key != "dependencies"]
            of = next((str(part[key]) for key in LOCKS["addresses"] if isinstance(part.get(key), str)), "")
            sums = (leaf for key in LOCKS["sums"] if key in part for _, leaf in leaves(part[key]))
            found = " ".join(sorted(sums))
            if of or found:
                yield of, found


def _by_lines(text: str) -> Iterator[Package]:
    """Yarn's first form, Go's and Ruby's, and requirements with checksums."""
    name = version = address = ""
    for line in text.replace("\\\n", " ").split("\n"):
        words = line.replace('"', " ").split()
        if sums := sorted(word.removeprefix("--hash=") for word in words if word.startswith("--hash=")):
            name, _, version = words[0].partition("==")
            yield Package(plain_name(name), version, (("", " ".join(sums)),))
            continue
        if line[:1] not in ("", " ", "#") and line.endswith(":") and "@" in line[1:]:
            name = words[0].rpartition("@npm:")[2].rstrip(":,")
            name, version, address = name[: name.find("@", 1)] if "@" in name[1:] else name, "", ""
        elif len(words) == 2 and words[0] == "version" and name:
            version = words[1]
            yield Package(name, version)
        elif len(words) == 2 and words[0] == "resolved" and name:
            address, _, sum_ = words[1].partition("#")
            yield Package(name, version, ((address, f"sha1-{sum_}" if sum_ else ""),))
        elif len(words) == 2 and words[0] == "integrity" and name:
            yield Package(name, version, ((address, words[1]),))
        elif len(words) == 3 and words[1].startswith("v") and words[2].startswith("h1:"):
            yield Package(words[0], words[1], (("", words[2]),))
        elif len(words) == 3 and words[1].startswith("(") and words[2].startswith("sha256="):
            yield Package(words[0], words[1].strip("()"), (("", words[2]),))
