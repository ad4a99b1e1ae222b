"""Projects of Node: what installs them, in which version, and the packages of a workspace."""

import re
import shlex
from collections.abc import Sequence
from fnmatch import fnmatch

from bot import strict_yaml
from bot.verification.environments.manifests import LARGEST_LOCK, Manifests, mapping, texts

MOST_PACKAGES = 40
_PACKAGE_MANAGER = re.compile(r"(npm|pnpm|yarn)@(\d[\w.-]{0,40})")
# Of a lock file, the newest pnpm that writes it.
_PNPM = {"5": "7", "6": "8", "9": "10"}
_YARN_3 = ("4", "5", "6", "7")  # of its lock files
_HEAD = 1000  # characters at the beginning of one, where its version stands
_AS_CALLED = "npm_config_manage_package_manager_versions=false "  # not as `packageManager` says


def package_manager(manifests: Manifests, *, pinned: bool = True) -> tuple[str, str]:
    """Its name, and the command line that calls it, in the version that `packageManager` says, else that writes such a
    lock file. Not pinned: the latter, since this Node may be too old for the other."""
    said = [str(each.json("package.json").get("packageManager", "")) for each in (manifests, manifests.root)]
    found = next(filter(None, map(_PACKAGE_MANAGER.match, said)), None)
    name, version = (found[1], found[2]) if found and pinned else _by_lock(manifests)
    if name == "npm":
        return name, name
    if name == "yarn" and not version.startswith("1"):
        return name, f"YARN_NODE_LINKER=node-modules npx --yes --package=@yarnpkg/cli-dist@{version} yarn"
    return name, f"{'' if pinned or not found else _AS_CALLED}npx --yes {name}@{version}"


def _by_lock(manifests: Manifests) -> tuple[str, str]:
    for each in (manifests, manifests.root):
        if each.has("pnpm-lock.yaml"):
            return "pnpm", _PNPM.get(_version(each, "pnpm-lock.yaml", "lockfileVersion:")[:1], "10")
        if each.has("yarn.lock"):
            berry = _version(each, "yarn.lock", "__metadata:\n  version:")
            return "yarn", "1" if not berry else "4" if berry not in _YARN_3 else "3"
    return "npm", ""


def _version(manifests: Manifests, lock: str, mark: str) -> str:
    """What stands behind the mark at the beginning of a lock file."""
    behind = manifests.text(lock, LARGEST_LOCK)[:_HEAD].replace("\r", "").partition(mark)[2]
    return behind.partition("\n")[0].strip(" \"'")


def install_line(manifests: Manifests, words: Sequence[str] = ()) -> str:
    """The command line that installs what the project needs, else does so by what knows its lock file. words: as CI
    has them."""
    locked = any(manifests.has(each) for each in ("package-lock.json", "npm-shrinkwrap.json"))
    npm = ["ci"] if locked else ["install", "--no-package-lock"]
    lines = dict[str, None]()
    for name, call in (package_manager(manifests, pinned=pinned) for pinned in (True, False)):
        frozen = ["install", "--immutable" if "cli-dist" in call else "--frozen-lockfile"]
        rest = words[1:] if words[:1] == (name,) else ()
        if name == "npm" and lines:
            break  # there is no lock file
        lines[f"{call} {shlex.join(rest or (npm if name == 'npm' else frozen))}"] = None
    return " || ".join(lines)


def packages(manifests: Manifests) -> list[str]:
    """The folders of a workspace's packages."""
    said = manifests.json("package.json").get("workspaces")
    patterns = texts(said) or texts(mapping(said).get("packages"))
    if manifests.has("pnpm-workspace.yaml"):
        try:
            data = strict_yaml.read(manifests.text("pnpm-workspace.yaml")).data
        except strict_yaml.YamlError:
            data = None
        patterns += texts(mapping(data).get("packages"))
    found, folders = dict[str, None](), manifests.folders_with("package.json")
    for pattern in patterns:
        clean = pattern.removeprefix("./").rstrip("/")
        if clean.startswith("!"):
            found = {path: None for path in found if not fnmatch(path, clean[1:])}
        found |= dict.fromkeys(each for each in folders if _is_as(each.split("/"), clean.split("/")))
    return list(found)[:MOST_PACKAGES]


def _is_as(parts: list[str], patterns: list[str]) -> bool:
    return len(parts) == len(patterns) and all(map(fnmatch, parts, patterns))
