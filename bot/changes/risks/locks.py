"""Lock files: a package comes from its own place, under its own name, and the same version keeps its checksum. Pure.

Read as data, whatever the tool: a package is a record with a name and a version, which it has itself or which the key
above it says. What cannot be read so is searched for hosts line by line.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice, takewhile
from posixpath import basename
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from packaging.utils import canonicalize_name

from bot.changes.readers import LOCKS, SENTENCES
from bot.changes.risks.data import leaves, read
from bot.changes.risks.files import is_older
from bot.changes.risks.lines import both, numbered
from bot.changes.risks.values import Risk
from bot.changes.values import FileChange, Whole


class Package(NamedTuple):
    """called: what the lock file calls it, which may be an alias of its name."""

    name: str
    version: str
    called: str = ""


Archives = tuple[tuple[str, str], ...]  # address or file, with the checksum; either may be empty


def locks(file: FileChange, whole: Whole, asked: tuple[str, ...], *, alone: bool) -> Iterator[Risk]:
    """`dependency_source`: the first thing that is wrong with a lock file. alone: no manifest changes with it, so that
    a further package is wanted by nothing where all others are as they were."""
    before, after = both(file, whole)
    old, new = (packages(file.path, text) for text in (before, after))
    known = {address for archives in old.values() for address, _ in archives}
    places = {(each.name, place) for each in old for address, _ in old[each] if (place := _place(address))}
    versions, others = (Counter(each.name for each in side) for side in (old, new))
    was = {each.name: each.version for each in old if versions[each.name] == others[each.name] == 1}
    for each, archives in new.items():
        moved = any(_is_strange(each, address, places) for address, _ in archives if address not in known)
        alias = each.called not in ("", each.name) and f"npm:{each.name}@" not in after
        bare = _sums(old.get(each)) and not _sums(archives)
        older = is_older(was.get(each.name, ""), each.version)
        if _has_another_sum(old.get(each), archives) or older or bare or alias or moved:
            yield _risk(file, "locked", archives, asked)
            return
    further = [each for each in new if each.name not in versions]
    chooses = not file.path.endswith("go.sum")  # that of Go only knows checksums
    if alone and chooses and old and further and old.keys() <= new.keys():
        yield _risk(file, "unasked", new[further[0]], asked)
    if number := _strange_host(file):
        yield Risk("dependency_source", SENTENCES["source"], file.path, number, asked)


def other_sums(file: FileChange, whole: Whole, asked: tuple[str, ...]) -> Iterator[Risk]:
    """`dependency_source`: the first package of a list of requirements whose version keeps no checksum of its own."""
    old, new = (packages(file.path, text) for text in both(file, whole))
    changed = (archives for each, archives in new.items() if _has_another_sum(old.get(each), archives))
    yield from (_risk(file, "locked", archives, asked) for archives in islice(changed, 1))


def _has_another_sum(before: Archives | None, after: Archives) -> bool:
    kept = _sums(before)
    return any(_differs(kept.get(archive, ""), sum_) for archive, sum_ in _sums(after).items())


def _risk(file: FileChange, says: str, archives: Archives, asked: tuple[str, ...]) -> Risk:
    new = [(number, text) for number, mark, text in numbered(*file.hunks) if mark == "+"]
    parts = [part for pair in archives for part in pair if part]
    line = next((number for number, text in new if any(part in text for part in parts)), new[0][0] if new else 0)
    return Risk("dependency_source", SENTENCES[says], file.path, line, asked)


def _sums(archives: Archives | None) -> dict[str, str]:
    """By file; of several the last."""
    return {basename(address.partition("#")[0]): sum_ for address, sum_ in archives or () if sum_}


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


def _strange_host(file: FileChange) -> int:
    """The first new line with a host that the file did not name before and that is no known registry's; 0 for none."""
    shown = [(number, mark, text) for number, mark, text in numbered(*file.hunks)]
    before = {host for _, mark, text in shown if mark != "+" for host in _hosts(text)} | {*LOCKS["hosts"]}
    kept = "\n".join(text for _, mark, text in shown if mark != "+")
    for number, mark, text in shown:
        git = any(sign in text for sign in LOCKS["elsewhere"]) and text.split("#")[0].split("?")[0].strip() not in kept
        if mark == "+" and (git or not before.issuperset(_hosts(text))):
            return number
    return 0


def _hosts(text: str) -> Iterator[str]:
    """The hosts of the addresses in a line."""
    for part in text[:2_000].replace("git@", "git://").split("://")[1:]:
        place = "".join(takewhile(lambda each: each.isalnum() or each in ".-_@", part))
        yield place.rpartition("@")[2].lower()


def plain_name(name: str) -> str:
    """As package tools compare names; of a path as it stands."""
    return name.lower() if "/" in name else canonicalize_name(name)


def packages(path: str, text: str) -> dict[Package, Archives]:
    """What a lock file has, as far as it can be read. It may speak of one package in several places."""
    found: dict[Package, Archives] = {}
    data = read(f"{path}.yaml" if "\n  resolution: " in text else path, text)  # Yarn's second form has no ending
    records = (found for key, value in data.items() for found in _records(key, value)) if isinstance(data, dict) else ()
    for each, archives in records or _by_lines(text):
        found[each] = (*found.get(each, ()), *archives)
    return found


def _records(key: str, value: Any) -> Iterator[tuple[Package, Archives]]:
    if isinstance(value, list):
        if value and isinstance(value[0], str) and "@" in value[0][1:]:  # bun's
            name, _, version = value[0].rpartition("@")
            yield Package(name, version), (("", str(value[-1])),)
            return
        yield from (found for each in value for found in _records("", each))
    elif isinstance(value, dict):
        below = key.rpartition("node_modules/")[2]
        named, at, number = below.partition("(")[0].rpartition("@")
        called = (named if at and named else below).partition("@npm:")[0]
        name, version = value.get("name") or called, value.get("version") or (number if at and named else "")
        if isinstance(leads := value.get("resolution"), str) and "@" in leads[1:]:  # Yarn's second form
            name, called, key = _begins(leads), _begins(key), f"node_modules/{key}"
        if name and isinstance(name, str) and isinstance(version, str) and version:
            yield Package(name, version, called if "node_modules/" in key else ""), tuple(_archives(value))
            value = value.get("dependencies") if isinstance(value.get("dependencies"), dict) else {}
        yield from (found for inner, each in value.items() for found in _records(inner, each))


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


def _by_lines(text: str) -> Iterator[tuple[Package, Archives]]:
    """Yarn's first form, Go's and Ruby's, and requirements with checksums."""
    name = version = address = ""
    for line in text.replace("\\\n", " ").split("\n"):
        words = line.replace('"', " ").split()
        if sums := sorted(word.removeprefix("--hash=") for word in words if word.startswith("--hash=")):
            yield Package(plain_name(words[0].partition("==")[0]), words[0].partition("==")[2]), (("", " ".join(sums)),)
        elif line[:1] not in ("", " ", "#") and line.endswith(":") and "@" in line[1:]:
            name = words[0].rpartition("@npm:")[2].rstrip(":,")
            name, version, address = _begins(name) if "@" in name[1:] else name, "", ""
        elif len(words) == 2 and name:
            key, value = words
            if key == "version":
                version = value
                yield Package(name, version), ()
            elif key == "resolved":
                address, _, sum_ = value.partition("#")
                yield Package(name, version), ((address, f"sha1-{sum_}" if sum_ else ""),)
            elif key == "integrity":
                yield Package(name, version), ((address, value),)
        elif len(words) == 3 and words[1].startswith("v") and words[2].startswith("h1:"):
            yield Package(words[0], words[1]), (("", words[2]),)
        elif len(words) == 3 and words[1].startswith("(") and words[2].startswith("sha256="):
            yield Package(words[0], words[1].strip("()")), (("", words[2]),)
